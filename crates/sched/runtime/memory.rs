//! The functions that ThreadSanitizer's instrumentation calls.
//!
//! Every atomic access is performed here, with full ordering: executions are sequentially consistent.

use crate::baton::{access, progress, shared};
use crate::spin::Yield;
use crate::code::caller;
use crate::threads::{is_controlled, me, thread};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

#[inline(always)]
unsafe fn plain(address: *const c_void, writes: bool, code: u64) {
    unsafe {
        if is_controlled() && (*shared()).plain != 0 {
            access(address as u64, writes, code, Yield::No);
        }
    }
}

macro_rules! plain_access {
    ($($name:ident $writes:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(address: *const c_void) {
            unsafe { plain(address, $writes, caller()) };
        }
    )* };
}

plain_access! {
    __tsan_read1 false; __tsan_read2 false; __tsan_read4 false; __tsan_read8 false; __tsan_read16 false;
    __tsan_write1 true; __tsan_write2 true; __tsan_write4 true; __tsan_write8 true; __tsan_write16 true;
    __tsan_read_write1 true; __tsan_read_write2 true; __tsan_read_write4 true; __tsan_read_write8 true;
    __tsan_read_write16 true;
    __tsan_unaligned_read2 false; __tsan_unaligned_read4 false; __tsan_unaligned_read8 false;
    __tsan_unaligned_read16 false;
    __tsan_unaligned_write2 true; __tsan_unaligned_write4 true; __tsan_unaligned_write8 true;
    __tsan_unaligned_write16 true;
    __tsan_unaligned_read_write2 true; __tsan_unaligned_read_write4 true; __tsan_unaligned_read_write8 true;
    __tsan_unaligned_read_write16 true;
    __tsan_volatile_read1 false; __tsan_volatile_read2 false; __tsan_volatile_read4 false;
    __tsan_volatile_read8 false; __tsan_volatile_read16 false;
    __tsan_volatile_write1 true; __tsan_volatile_write2 true; __tsan_volatile_write4 true;
    __tsan_volatile_write8 true; __tsan_volatile_write16 true;
    __tsan_unaligned_volatile_read2 false; __tsan_unaligned_volatile_read4 false;
    __tsan_unaligned_volatile_read8 false; __tsan_unaligned_volatile_read16 false;
    __tsan_unaligned_volatile_write2 true; __tsan_unaligned_volatile_write4 true;
    __tsan_unaligned_volatile_write8 true; __tsan_unaligned_volatile_write16 true;
    __tsan_vptr_read false;
}

macro_rules! plain_access_by {
    ($($name:ident $writes:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(address: *const c_void, _by: *const c_void) {
            unsafe { plain(address, $writes, caller()) };
        }
    )* };
}

// The second parameter is the new value, a length or a place in the code.
plain_access_by! {
    __tsan_vptr_update true;
    __tsan_read_range false; __tsan_write_range true;
    __tsan_read1_pc false; __tsan_read2_pc false; __tsan_read4_pc false; __tsan_read8_pc false;
    __tsan_read16_pc false;
    __tsan_write1_pc true; __tsan_write2_pc true; __tsan_write4_pc true; __tsan_write8_pc true;
    __tsan_write16_pc true;
}

macro_rules! nothing {
    ($($name:ident($($argument:ident),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: usize),*) { let _ = ($($argument,)*); }
    )* };
}

nothing! {
    __tsan_init(); __tsan_func_entry(code); __tsan_func_exit();
    __tsan_ignore_thread_begin(); __tsan_ignore_thread_end();
    __tsan_acquire(address); __tsan_release(address);
    __tsan_mutex_create(address, flags); __tsan_mutex_destroy(address, flags);
    __tsan_mutex_pre_lock(address, flags); __tsan_mutex_post_lock(address, flags, recursion);
    __tsan_mutex_post_unlock(address, flags);
    __tsan_mutex_pre_signal(address, flags); __tsan_mutex_post_signal(address, flags);
    __tsan_mutex_pre_divert(address, flags); __tsan_mutex_post_divert(address, flags);
    __tsan_flush_memory(); __tsan_destroy_fiber(fiber); __tsan_switch_to_fiber(fiber, flags);
    __tsan_set_fiber_name(fiber, name);
    AnnotateHappensBefore(file, line, address); AnnotateHappensAfter(file, line, address);
    AnnotateIgnoreReadsBegin(file, line); AnnotateIgnoreReadsEnd(file, line);
    AnnotateIgnoreWritesBegin(file, line); AnnotateIgnoreWritesEnd(file, line);
    AnnotateIgnoreSyncBegin(file, line); AnnotateIgnoreSyncEnd(file, line);
    AnnotateRWLockCreate(file, line, lock); AnnotateRWLockCreateStatic(file, line, lock);
    AnnotateRWLockDestroy(file, line, lock);
    AnnotateRWLockAcquired(file, line, lock, writing); AnnotateRWLockReleased(file, line, lock, writing);
    AnnotateNewMemory(file, line, address, size); AnnotateBenignRace(file, line, address, what);
    AnnotateBenignRaceSized(file, line, address, size, what);
    AnnotateThreadName(file, line, name);
}

macro_rules! zero {
    ($($name:ident($($argument:ident),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: usize),*) -> usize { let _ = ($($argument,)*); 0 }
    )* };
}

zero! {
    __tsan_mutex_pre_unlock(address, flags);
    __tsan_get_current_fiber(); __tsan_create_fiber(flags);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    unsafe {
        plain(from, false, caller());
        plain(to, true, caller());
        core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), length);
    }
    to
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    unsafe {
        plain(from, false, caller());
        plain(to, true, caller());
        core::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length);
    }
    to
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void {
    unsafe {
        plain(to, true, caller());
        core::ptr::write_bytes(to.cast::<u8>(), value as u8, length);
    }
    to
}

/// An access that gives `value` and, if `next` differs from it, changes the location to `next`.
#[inline(always)]
unsafe fn before(address: u64, writes: bool, value: u64, changes: bool, code: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        let yields = if changes { Yield::No } else { (*thread(me())).spin.would_load(code, address, value) };
        access(address, writes, code, yields);
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

/// Applies `change` to the location as one step; `change` gives the new value.
macro_rules! read_modify_write {
    ($cell:ident, $address:ident, $change:expr) => {{
        let code = caller();
        let change = $change;
        let found = $cell.load(SeqCst);
        before($address as u64, true, found as u64, change(found) != found, code);
        loop {
            let found = $cell.load(SeqCst);
            let next = change(found);
            if $cell.compare_exchange(found, next, SeqCst, SeqCst).is_ok() {
                after($address as u64, found as u64, next != found, code);
                break found;
            }
        }
    }};
}

macro_rules! atomics {
    ($int:ty, $cell:ty, $load:ident, $store:ident, $exchange:ident, $add:ident, $sub:ident, $and:ident, $or:ident,
     $xor:ident, $nand:ident, $strong:ident, $weak:ident, $val:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(address: *mut $int, _order: c_int) -> $int {
            unsafe {
                let (cell, code) = (<$cell>::from_ptr(address), caller());
                before(address as u64, false, cell.load(SeqCst) as u64, false, code);
                let value = cell.load(SeqCst);
                after(address as u64, value as u64, false, code);
                value
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(address: *mut $int, value: $int, _order: c_int) {
            unsafe {
                let (cell, code) = (<$cell>::from_ptr(address), caller());
                before(address as u64, true, 0, true, code);
                let changed = cell.swap(value, SeqCst) != value;
                after(address as u64, value as u64, changed, code);
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $exchange(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |_| value)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $add(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| found.wrapping_add(value))
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sub(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| found.wrapping_sub(value))
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $and(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| found & value)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $or(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| found | value)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $xor(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| found ^ value)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $nand(address: *mut $int, value: $int, _order: c_int) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| !(found & value))
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $val(
            address: *mut $int,
            expected: $int,
            value: $int,
            _order: c_int,
            _failure: c_int,
        ) -> $int {
            unsafe {
                let cell = <$cell>::from_ptr(address);
                read_modify_write!(cell, address, |found: $int| if found == expected { value } else { found })
            }
        }

        /// A failed exchange leaves what it found in `expected`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $strong(
            address: *mut $int,
            expected: *mut $int,
            value: $int,
            _order: c_int,
            _failure: c_int,
        ) -> c_int {
            unsafe {
                let (cell, wanted) = (<$cell>::from_ptr(address), *expected);
                let found =
                    read_modify_write!(cell, address, |found: $int| if found == wanted { value } else { found });
                *expected = found;
                (found == wanted) as c_int
            }
        }

        /// Never fails without reason: that would be a choice which the scheduler does not make.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $weak(
            address: *mut $int,
            expected: *mut $int,
            value: $int,
            _order: c_int,
            _failure: c_int,
        ) -> c_int {
            unsafe {
                let (cell, wanted) = (<$cell>::from_ptr(address), *expected);
                let found =
                    read_modify_write!(cell, address, |found: $int| if found == wanted { value } else { found });
                *expected = found;
                (found == wanted) as c_int
            }
        }
    };
}

atomics!(u8, AtomicU8, __tsan_atomic8_load, __tsan_atomic8_store, __tsan_atomic8_exchange, __tsan_atomic8_fetch_add,
    __tsan_atomic8_fetch_sub, __tsan_atomic8_fetch_and, __tsan_atomic8_fetch_or, __tsan_atomic8_fetch_xor,
    __tsan_atomic8_fetch_nand, __tsan_atomic8_compare_exchange_strong, __tsan_atomic8_compare_exchange_weak,
    __tsan_atomic8_compare_exchange_val);
atomics!(u16, AtomicU16, __tsan_atomic16_load, __tsan_atomic16_store, __tsan_atomic16_exchange,
    __tsan_atomic16_fetch_add, __tsan_atomic16_fetch_sub, __tsan_atomic16_fetch_and, __tsan_atomic16_fetch_or,
    __tsan_atomic16_fetch_xor, __tsan_atomic16_fetch_nand, __tsan_atomic16_compare_exchange_strong,
    __tsan_atomic16_compare_exchange_weak, __tsan_atomic16_compare_exchange_val);
atomics!(u32, AtomicU32, __tsan_atomic32_load, __tsan_atomic32_store, __tsan_atomic32_exchange,
    __tsan_atomic32_fetch_add, __tsan_atomic32_fetch_sub, __tsan_atomic32_fetch_and, __tsan_atomic32_fetch_or,
    __tsan_atomic32_fetch_xor, __tsan_atomic32_fetch_nand, __tsan_atomic32_compare_exchange_strong,
    __tsan_atomic32_compare_exchange_weak, __tsan_atomic32_compare_exchange_val);
atomics!(u64, AtomicU64, __tsan_atomic64_load, __tsan_atomic64_store, __tsan_atomic64_exchange,
    __tsan_atomic64_fetch_add, __tsan_atomic64_fetch_sub, __tsan_atomic64_fetch_and, __tsan_atomic64_fetch_or,
    __tsan_atomic64_fetch_xor, __tsan_atomic64_fetch_nand, __tsan_atomic64_compare_exchange_strong,
    __tsan_atomic64_compare_exchange_weak, __tsan_atomic64_compare_exchange_val);
atomics!(u128, Wide, __tsan_atomic128_load, __tsan_atomic128_store, __tsan_atomic128_exchange,
    __tsan_atomic128_fetch_add, __tsan_atomic128_fetch_sub, __tsan_atomic128_fetch_and, __tsan_atomic128_fetch_or,
    __tsan_atomic128_fetch_xor, __tsan_atomic128_fetch_nand, __tsan_atomic128_compare_exchange_strong,
    __tsan_atomic128_compare_exchange_weak, __tsan_atomic128_compare_exchange_val);

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
pub unsafe extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {
    core::sync::atomic::fence(SeqCst);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    core::sync::atomic::compiler_fence(SeqCst);
}
