//! Atomic accesses: the functions that ThreadSanitizer's instrumentation calls for them.
//!
//! Every atomic access is performed here with sequentially consistent ordering; only race detection uses the orderings that
//! the program gives.

use crate::rt::entry::{caller, is_controlled, me};
use crate::rt::scheduler::{access, progress};
use crate::rt::spin::Yield;
use crate::rt::threads::thread;
use crate::rt::{heap, races};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

/// A C memory order, as the compiler passes it.
type Order = c_int;

/// Before an access that would read `value`; `changes` if it would then store another one.
#[inline(always)]
unsafe fn before(address: u64, writes: bool, value: u64, changes: bool, code: u64) {
    if !is_controlled() {
        return;
    }
    let yields = match changes {
        true => Yield::No,
        false => (*thread(me())).spin.would_load(code, address, value),
    };
    access(address, writes, code, yields);
    heap::check(address, 1, code);
}

/// After an access that read `value` and then stored another one if it `changed` the location.
#[inline(always)]
unsafe fn after(address: u64, value: u64, changed: bool, code: u64) {
    if !is_controlled() {
        return;
    }
    let spin = &mut (*thread(me())).spin;
    if changed {
        spin.clear();
        progress();
    } else {
        spin.loaded(code, address, value);
    }
}

/// An integer that can be accessed atomically.
pub trait Word: Copy + Eq {
    unsafe fn load(address: *mut Self) -> Self;
    unsafe fn swap(address: *mut Self, value: Self) -> Self;
    /// Whether the location held `expected` and now holds `value`.
    unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool;
    fn low_bits(self) -> u64;
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
                <$atomic>::from_ptr(address).load(SeqCst)
            }
            #[inline(always)]
            unsafe fn swap(address: *mut Self, value: Self) -> Self {
                <$atomic>::from_ptr(address).swap(value, SeqCst)
            }
            #[inline(always)]
            unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool {
                <$atomic>::from_ptr(address).compare_exchange(expected, value, SeqCst, SeqCst).is_ok()
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
        locked(|| address.read_volatile())
    }
    unsafe fn swap(address: *mut Self, value: Self) -> Self {
        locked(|| {
            let found = address.read_volatile();
            address.write_volatile(value);
            found
        })
    }
    unsafe fn replace(address: *mut Self, expected: Self, value: Self) -> bool {
        locked(|| {
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

/// Stores `change` of what the location holds, as one step, and returns what it held.
#[inline(always)]
unsafe fn read_modify_write<T: Word>(address: *mut T, change: impl Fn(T) -> T, code: u64) -> T {
    let found = T::load(address);
    before(
        address as u64,
        true,
        found.low_bits(),
        change(found) != found,
        code,
    );
    loop {
        let found = T::load(address);
        let next = change(found);
        if T::replace(address, found, next) {
            after(address as u64, found.low_bits(), next != found, code);
            return found;
        }
    }
}

pub unsafe extern "C" fn load<T: Word>(address: *mut T, order: Order) -> T {
    let code = caller();
    before(address as u64, false, T::load(address).low_bits(), false, code);
    let value = T::load(address);
    after(address as u64, value.low_bits(), false, code);
    if is_controlled() {
        races::loaded(address as u64, size_of::<T>(), order, code);
    }
    value
}

pub unsafe extern "C" fn store<T: Word>(address: *mut T, value: T, order: Order) {
    let code = caller();
    before(address as u64, true, 0, true, code);
    let changed = T::swap(address, value) != value;
    after(address as u64, value.low_bits(), changed, code);
    if is_controlled() {
        races::stored(address as u64, size_of::<T>(), order, code);
    }
}

pub unsafe extern "C" fn fetch<T: Word, O: FetchOp>(address: *mut T, argument: T, order: Order) -> T {
    let code = caller();
    let found = read_modify_write(address, |found| O::apply(found, argument), code);
    if is_controlled() {
        races::changed(address as u64, size_of::<T>(), order, code);
    }
    found
}

/// Never fails spuriously, the weak one included: the scheduler has no choice between success and failure.
#[inline(always)]
unsafe fn exchange_if<T: Word>(address: *mut T, expected: T, value: T, success: Order, failure: Order) -> T {
    let code = caller();
    let found = read_modify_write(
        address,
        |found| if found == expected { value } else { found },
        code,
    );
    if is_controlled() {
        match found == expected {
            true => races::changed(address as u64, size_of::<T>(), success, code),
            false => races::loaded(address as u64, size_of::<T>(), failure, code),
        }
    }
    found
}

pub unsafe extern "C" fn compare_exchange<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    success: Order,
    failure: Order,
) -> c_int {
    let wanted = *expected;
    *expected = exchange_if(address, wanted, value, success, failure);
    (*expected == wanted).into()
}

pub unsafe extern "C" fn compare_exchange_value<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    success: Order,
    failure: Order,
) -> T {
    exchange_if(address, expected, value, success, failure)
}

pub unsafe extern "C" fn thread_fence(order: Order) {
    core::sync::atomic::fence(SeqCst);
    if is_controlled() {
        races::fence(order);
    }
}

pub unsafe extern "C" fn signal_fence(_order: Order) {
    core::sync::atomic::compiler_fence(SeqCst);
}
