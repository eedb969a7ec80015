//! The functions that ThreadSanitizer's instrumentation calls for atomic accesses.
//!
//! Every atomic access is performed here, with full ordering: executions are sequentially consistent.

use crate::baton::{access, progress};
use crate::heap;
use crate::races;
use crate::spin::Yield;
use crate::threads::{is_controlled, me, thread};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// An access that gives `value` and, if `next` differs from it, changes the location to `next`.
#[inline(always)]
unsafe fn before(address: u64, writes: bool, value: u64, changes: bool, code: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        let yields = if changes { Yield::No } else { (*thread(me())).spin.would_load(code, address, value) };
        access(address, writes, code, yields);
        heap::check(address, 1, code);
    }
}

#[inline(always)]
unsafe fn after(address: u64, value: u64, changed: bool, code: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        let spin = &mut (*thread(me())).spin;
        if changed {
            spin.forget();
            progress();
        } else {
            spin.loaded(code, address, value);
        }
    }
}

/// What an access was, with its memory order.
enum Ordered {
    Loaded(c_int),
    Stored(c_int),
    Changed(c_int),
}

impl Ordered {
    /// A compare-and-swap, which may have failed.
    fn of(succeeds: bool, order: c_int, failure: c_int) -> Self {
        if succeeds { Self::Changed(order) } else { Self::Loaded(failure) }
    }
}

#[inline(always)]
unsafe fn ordered(address: u64, size: usize, what: Ordered, code: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        match what {
            Ordered::Loaded(order) => races::loaded(address, size, order, code),
            Ordered::Stored(order) => races::stored(address, size, order, code),
            Ordered::Changed(order) => races::changed(address, size, order, code),
        }
    }
}

/// Applies `change` to the location as one step; `change` gives the new value.
macro_rules! read_modify_write {
    ($cell:ident, $address:ident, $code:ident, $size:expr, $orders:expr, $change:expr) => {{
        let change = $change;
        let found = $cell.load(SeqCst);
        before($address as u64, true, found as u64, change(found) != found, $code);
        loop {
            let found = $cell.load(SeqCst);
            let next = change(found);
            if $cell.compare_exchange(found, next, SeqCst, SeqCst).is_ok() {
                after($address as u64, found as u64, next != found, $code);
                ordered($address as u64, $size, $orders(found), $code);
                break found;
            }
        }
    }};
}

/// An exported function: keeps the registers of its caller, then calls one of the same name that does the work.
macro_rules! exported {
    ($bits:literal, $name:ident($($argument:ident: $type:ty),*) -> $result:ty $work:block with $code:ident) => {
        #[unsafe(export_name = concat!("__tsan_atomic", $bits, "_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            #[inline(never)]
            unsafe fn work($($argument: $type,)* $code: u64) -> $result {
                unsafe { $work }
            }
            unsafe {
                let code = enter();
                work($($argument,)* code)
            }
        }
    };
}

/// Functions that apply a change to a location and return what they found: `name(found, argument) = new value`.
macro_rules! changes {
    ($int:ty, $cell:ty, $bits:literal, $($name:ident($found:ident, $argument:ident) = $next:expr;)*) => { $(
        exported! { $bits, $name(address: *mut $int, $argument: $int, order: c_int) -> $int {
            let cell = <$cell>::from_ptr(address);
            let orders = |_| Ordered::Changed(order);
            read_modify_write!(cell, address, code, size_of::<$int>(), orders, |$found: $int| $next)
        } with code }
    )* };
}

/// Functions that exchange a value if the location holds what is expected, and leave what they found in `expected`. The
/// weak one never fails without reason: that would be a choice which the scheduler does not make.
macro_rules! exchanges {
    ($int:ty, $cell:ty, $bits:literal, $($name:ident)*) => { $(
        exported! { $bits, $name(
            address: *mut $int, expected: *mut $int, value: $int, order: c_int, failure: c_int
        ) -> c_int {
            let (cell, wanted) = (<$cell>::from_ptr(address), *expected);
            let orders = |found| Ordered::of(found == wanted, order, failure);
            let found = read_modify_write!(cell, address, code, size_of::<$int>(), orders, |found: $int| {
                if found == wanted { value } else { found }
            });
            *expected = found;
            (found == wanted) as c_int
        } with code }
    )* };
}

/// All functions for one width.
macro_rules! atomics {
    ($width:ident, $int:ty, $cell:ty, $bits:literal) => {
        mod $width {
            use super::{Ordered, after, before, ordered};
            use crate::situation::enter;
            use core::ffi::c_int;
            use core::sync::atomic::Ordering::SeqCst;

            exported! { $bits, load(address: *mut $int, order: c_int) -> $int {
                let cell = <$cell>::from_ptr(address);
                before(address as u64, false, cell.load(SeqCst) as u64, false, code);
                let value = cell.load(SeqCst);
                after(address as u64, value as u64, false, code);
                ordered(address as u64, size_of::<$int>(), Ordered::Loaded(order), code);
                value
            } with code }

            exported! { $bits, store(address: *mut $int, value: $int, order: c_int) -> () {
                let cell = <$cell>::from_ptr(address);
                before(address as u64, true, 0, true, code);
                let changed = cell.swap(value, SeqCst) != value;
                after(address as u64, value as u64, changed, code);
                ordered(address as u64, size_of::<$int>(), Ordered::Stored(order), code);
            } with code }

            changes! { $int, $cell, $bits,
                exchange(_found, value) = value;
                fetch_add(found, value) = found.wrapping_add(value);
                fetch_sub(found, value) = found.wrapping_sub(value);
                fetch_and(found, value) = found & value;
                fetch_or(found, value) = found | value;
                fetch_xor(found, value) = found ^ value;
                fetch_nand(found, value) = !(found & value);
            }

            exchanges! { $int, $cell, $bits, compare_exchange_strong compare_exchange_weak }

            exported! { $bits, compare_exchange_val(
                address: *mut $int, expected: $int, value: $int, order: c_int, failure: c_int
            ) -> $int {
                let cell = <$cell>::from_ptr(address);
                let orders = |found| Ordered::of(found == expected, order, failure);
                read_modify_write!(cell, address, code, size_of::<$int>(), orders, |found: $int| {
                    if found == expected { value } else { found }
                })
            } with code }
        }
    };
}

atomics!(width8, u8, core::sync::atomic::AtomicU8, "8");
atomics!(width16, u16, core::sync::atomic::AtomicU16, "16");
atomics!(width32, u32, core::sync::atomic::AtomicU32, "32");
atomics!(width64, u64, core::sync::atomic::AtomicU64, "64");
atomics!(width128, u128, super::Wide, "128");

/// Sixteen bytes, atomic among instrumented accesses by a lock: the baton makes it free, and threads outside
/// the scheduler are rare.
struct Wide(*mut u128);

static WIDE: AtomicBool = AtomicBool::new(false);

impl Wide {
    unsafe fn from_ptr(address: *mut u128) -> Self {
        Self(address)
    }

    fn locked<T>(&self, access: impl FnOnce(*mut u128) -> T) -> T {
        while WIDE.swap(true, SeqCst) {
            core::hint::spin_loop();
        }
        let result = access(self.0);
        WIDE.store(false, SeqCst);
        result
    }

    fn load<O>(&self, _order: O) -> u128 {
        self.locked(|location| unsafe { location.read_volatile() })
    }

    fn swap<O>(&self, value: u128, _order: O) -> u128 {
        self.locked(|location| unsafe {
            let found = location.read_volatile();
            location.write_volatile(value);
            found
        })
    }

    fn compare_exchange<O>(&self, wanted: u128, value: u128, _success: O, _failure: O) -> Result<u128, u128> {
        self.locked(|location| unsafe {
            let found = location.read_volatile();
            if found != wanted {
                return Err(found);
            }
            location.write_volatile(value);
            Ok(found)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    core::sync::atomic::fence(SeqCst);
    if is_controlled() {
        unsafe { races::fence(order) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    core::sync::atomic::compiler_fence(SeqCst);
}
