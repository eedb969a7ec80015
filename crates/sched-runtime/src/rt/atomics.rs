//! Atomic accesses: the functions that ThreadSanitizer's instrumentation calls for them.
//!
//! Threads run one at a time, so that the memory is sequentially consistent. The memory orders that the program gives are for race
//! detection and for weak memory, where an access chooses among earlier stores.

use crate::happens_before::MemoryOrder;
use crate::rt::entry::{caller, is_controlled, me};
use crate::rt::scheduler::{access, mark_opaque, progress};
use crate::rt::spin::Yield;
use crate::rt::step_values::record_values;
use crate::rt::threads::thread;
use crate::rt::weak_memory::{self, Chosen};
use crate::rt::{heap, races};
use crate::store_history::AtomicAccess;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

/// A C memory order, as the compiler passes it.
type Order = c_int;

/// Before an access that would read `value`; `changes` if it would then store another one.
#[inline(always)]
fn before(address: u64, writes: bool, value: u64, changes: bool, code: u64) {
    if !is_controlled() {
        return;
    }
    let yields = match changes {
        true => Yield::No,
        false => thread(me()).spin.would_load(code, address, value),
    };
    access(address, writes, code, yields);
    heap::check(address, 1, code);
}

/// After an access that read `value` and then stored another one if it `changed` the location.
#[inline(always)]
fn after(address: u64, value: u64, changed: bool, code: u64) {
    let spin = &thread(me()).spin;
    if changed {
        spin.clear();
        progress();
    } else {
        spin.loaded(code, address, value);
    }
}

/// An integer that can be accessed atomically.
pub trait Word: Copy + Eq {
    /// # Safety
    /// The address is aligned and that of an integer that is only accessed atomically at the same time; so for the next two.
    unsafe fn load(address: *mut Self) -> Self;
    /// # Safety
    /// As above.
    unsafe fn swap(address: *mut Self, value: Self) -> Self;
    /// Whether the location held `expected` and now holds `value`.
    ///
    /// # Safety
    /// As above.
    unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool;
    fn low_bits(self) -> u64;
    fn from_low_bits(bits: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
}

/// The part of [`Word`] that is the same for all integers.
macro_rules! arithmetic {
    () => {
        #[inline(always)]
        fn low_bits(self) -> u64 {
            self as u64
        }
        #[inline(always)]
        fn from_low_bits(bits: u64) -> Self {
            bits as Self
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self & other
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            self | other
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            self ^ other
        }
        #[inline(always)]
        fn not(self) -> Self {
            !self
        }
    };
}

macro_rules! words {
    ($($int:ty, $atomic:ty;)*) => { $(
        impl Word for $int {
            #[inline(always)]
            unsafe fn load(address: *mut Self) -> Self {
                // SAFETY: the caller's contract.
                unsafe { <$atomic>::from_ptr(address) }.load(SeqCst)
            }
            #[inline(always)]
            unsafe fn swap(address: *mut Self, value: Self) -> Self {
                // SAFETY: the caller's contract.
                unsafe { <$atomic>::from_ptr(address) }.swap(value, SeqCst)
            }
            #[inline(always)]
            unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool {
                // SAFETY: the caller's contract.
                unsafe { <$atomic>::from_ptr(address) }.compare_exchange(expected, value, SeqCst, SeqCst).is_ok()
            }
            arithmetic!();
        }
    )* };
}

words! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// Taken for accesses to sixteen bytes, which are atomic among instrumented accesses only. Threads that are not scheduled are
/// rare, so that it is almost never contended.
static WIDE_LOCK: AtomicBool = AtomicBool::new(false);

fn locked<T>(work: impl FnOnce() -> T) -> T {
    while WIDE_LOCK.swap(true, SeqCst) {
        core::hint::spin_loop();
    }
    let result = work();
    WIDE_LOCK.store(false, SeqCst);
    result
}

impl Word for u128 {
    unsafe fn load(address: *mut Self) -> Self {
        // SAFETY: the caller's contract, and the lock.
        locked(|| unsafe { address.read_volatile() })
    }
    unsafe fn swap(address: *mut Self, value: Self) -> Self {
        // SAFETY: the caller's contract, and the lock.
        locked(|| unsafe {
            let found = address.read_volatile();
            address.write_volatile(value);
            found
        })
    }
    unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool {
        // SAFETY: the caller's contract, and the lock.
        locked(|| unsafe {
            let is_expected = address.read_volatile() == expected;
            if is_expected {
                address.write_volatile(value);
            }
            is_expected
        })
    }
    arithmetic!();
}

/// What a `fetch_…` function stores.
pub trait FetchOp {
    fn apply<T: Word>(found: T, argument: T) -> T;
}

macro_rules! operations {
    ($($name:ident($found:ident, $argument:ident) = $result:expr;)*) => { $(
        pub enum $name {}
        impl FetchOp for $name {
            #[inline(always)]
            fn apply<T: Word>($found: T, $argument: T) -> T {
                $result
            }
        }
    )* };
}

operations! {
    Exchange(_found, argument) = argument;
    Add(found, argument) = found.add(argument);
    Sub(found, argument) = found.sub(argument);
    And(found, argument) = found.and(argument);
    Or(found, argument) = found.or(argument);
    Xor(found, argument) = found.xor(argument);
    Nand(found, argument) = found.and(argument).not();
}

/// Chooses the store for an access of the calling thread, if the memory model is a weak one. An access of sixteen bytes is
/// sequentially consistent.
///
/// # Safety
/// That of [`Word::load`].
#[inline(always)]
unsafe fn choose<T: Word>(address: *mut T, access: AtomicAccess) -> Option<Chosen> {
    match size_of::<T>() {
        size @ 0..=8 => {
            // SAFETY: the caller's contract.
            let now = unsafe { T::load(address) };
            weak_memory::choose(address as u64, size, now.low_bits(), access)
        }
        _ => None,
    }
}

/// Whether the order of a load matters to other loads of the same location.
#[inline(always)]
fn orders_loads(order: MemoryOrder) -> bool {
    is_controlled() && order.is_seq_cst() && weak_memory::is_on()
}

pub unsafe extern "C" fn load<T: Word>(address: *mut T, order: Order) -> T {
    let (code, order, place) = (caller(), MemoryOrder(order), address as u64);
    // SAFETY: the program loads from there atomically; so for all accesses below.
    let now = unsafe { T::load(address) };
    before(place, orders_loads(order), now.low_bits(), false, code);
    if !is_controlled() {
        // SAFETY: as above.
        return unsafe { T::load(address) };
    }
    weak_memory::note_order(place, order, false);
    // SAFETY: as above.
    let value = match unsafe { choose(address, AtomicAccess::Load(order)) } {
        Some(chosen) => {
            chosen.read(order);
            T::from_low_bits(chosen.value)
        }
        None => {
            races::loaded(place, size_of::<T>(), order);
            // SAFETY: as above.
            unsafe { T::load(address) }
        }
    };
    // What a load acquires happens before the load itself.
    races::atomic(place, size_of::<T>(), false, code);
    after(place, value.low_bits(), false, code);
    record_values(Some(value.low_bits()), None, order);
    value
}

pub unsafe extern "C" fn store<T: Word>(address: *mut T, value: T, order: Order) {
    let (code, order, place) = (caller(), MemoryOrder(order), address as u64);
    before(place, true, 0, true, code);
    // SAFETY: the program stores there atomically.
    let changes = || unsafe { T::swap(address, value) } != value;
    if !is_controlled() {
        changes();
        return;
    }
    weak_memory::note_order(place, order, true);
    races::atomic(place, size_of::<T>(), true, code);
    // SAFETY: as above.
    let changed = match unsafe { choose(address, AtomicAccess::Store(order)) } {
        Some(chosen) => !chosen.write(place, value.low_bits(), order, false) || changes(),
        None => {
            races::stored(place, size_of::<T>(), order);
            changes()
        }
    };
    after(place, value.low_bits(), changed, code);
    record_values(None, Some(value.low_bits()), order);
}

/// Stores `change` of what the location holds, unless it is `None`, as one step. Returns what it held, and whether it stored.
///
/// # Safety
/// That of [`Word::load`].
#[inline(always)]
unsafe fn read_modify_write<T: Word>(
    address: *mut T,
    change: impl Fn(T) -> Option<T>,
    kind: AtomicAccess,
    code: u64,
) -> (T, bool) {
    let place = address as u64;
    // SAFETY: the caller's contract; so for all accesses below.
    let found = unsafe { T::load(address) };
    let changes = change(found).is_some_and(|next| next != found);
    before(place, true, found.low_bits(), changes, code);
    if !is_controlled() {
        // SAFETY: as above.
        let found = unsafe { replace(address, &change) };
        return (found, change(found).is_some());
    }
    // SAFETY: as above.
    let chosen = unsafe { choose(address, kind) };
    let found = match &chosen {
        Some(chosen) => T::from_low_bits(chosen.value),
        // SAFETY: as above.
        None => unsafe { replace(address, &change) },
    };
    let fails = chosen.as_ref().is_some_and(|chosen| chosen.fails);
    let next = change(found).filter(|_| !fails);
    let order = kind.order(next.is_some());
    weak_memory::note_order(place, order, false);
    if next.is_some() {
        weak_memory::note_order(place, order, true);
    }
    match &chosen {
        Some(chosen) => chosen.read(order),
        None => races::loaded(place, size_of::<T>(), order),
    }
    // After what it acquires, and before what it releases.
    races::atomic(place, size_of::<T>(), next.is_some(), code);
    match (&chosen, next) {
        (Some(chosen), Some(next)) => {
            if chosen.write(place, next.low_bits(), order, true) {
                // SAFETY: as above.
                unsafe { T::swap(address, next) };
            }
        }
        (None, Some(_)) => races::modified(place, size_of::<T>(), order),
        (_, None) => {}
    }
    after(
        place,
        found.low_bits(),
        next.is_some_and(|next| next != found),
        code,
    );
    record_values(Some(found.low_bits()), next.map(T::low_bits), order);
    (found, next.is_some())
}

/// The same in the memory itself, which threads that are not controlled may change at the same time.
///
/// # Safety
/// That of [`Word::load`].
unsafe fn replace<T: Word>(address: *mut T, change: impl Fn(T) -> Option<T>) -> T {
    loop {
        // SAFETY: the caller's contract.
        let found = unsafe { T::load(address) };
        match change(found) {
            // SAFETY: as above.
            Some(next) if !unsafe { T::replace(address, found, next) } => {}
            _ => return found,
        }
    }
}

pub unsafe extern "C" fn fetch<T: Word, O: FetchOp>(address: *mut T, argument: T, order: Order) -> T {
    let kind = AtomicAccess::ReadModifyWrite(MemoryOrder(order));
    // SAFETY: the program accesses it atomically.
    unsafe { read_modify_write(address, |found| Some(O::apply(found, argument)), kind, caller()).0 }
}

/// Returns what the location held, and whether it was replaced.
///
/// # Safety
/// That of [`Word::load`].
#[inline(always)]
unsafe fn exchange_if<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    (success, failure): (Order, Order),
    is_weak: bool,
) -> (T, bool) {
    let kind = AtomicAccess::CompareExchange {
        expected: expected.low_bits(),
        success: MemoryOrder(success),
        failure: MemoryOrder(failure),
        is_weak,
    };
    // SAFETY: the caller's contract.
    unsafe {
        read_modify_write(
            address,
            |found| (found == expected).then_some(value),
            kind,
            caller(),
        )
    }
}

pub unsafe extern "C" fn compare_exchange<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    success: Order,
    failure: Order,
) -> c_int {
    // SAFETY: the program accesses the one atomically; the other is a variable of the calling thread.
    unsafe {
        let (found, is_replaced) = exchange_if(address, *expected, value, (success, failure), false);
        *expected = found;
        is_replaced.into()
    }
}

/// May fail spuriously, under a weak memory model.
pub unsafe extern "C" fn compare_exchange_weak<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    success: Order,
    failure: Order,
) -> c_int {
    // SAFETY: the program accesses the one atomically; the other is a variable of the calling thread.
    unsafe {
        let (found, is_replaced) = exchange_if(address, *expected, value, (success, failure), true);
        *expected = found;
        is_replaced.into()
    }
}

/// The caller takes it for a success if the expected value is returned: it cannot fail spuriously. Of clang and rustc this is the
/// weak one too.
pub unsafe extern "C" fn compare_exchange_value<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    success: Order,
    failure: Order,
) -> T {
    // SAFETY: the program accesses it atomically.
    unsafe { exchange_if(address, expected, value, (success, failure), false).0 }
}

/// A sequentially consistent fence orders all accesses of its kind: under a weak memory model it is a step.
pub extern "C" fn thread_fence(order: Order) {
    let (code, order) = (caller(), MemoryOrder(order));
    core::sync::atomic::fence(SeqCst);
    if !is_controlled() {
        return;
    }
    if order.is_seq_cst() && weak_memory::is_on() {
        access(0, true, code, Yield::No);
        mark_opaque(me());
    }
    if order.acquires() || order.releases() {
        weak_memory::note_fence();
    }
    races::fence(order);
}

pub extern "C" fn signal_fence(_order: Order) {
    core::sync::atomic::compiler_fence(SeqCst);
}
