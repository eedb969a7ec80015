//! Waiting and waking: futexes, yields and sleep.
//!
//! A waiting thread is woken in the order of arrival, as the kernel does it. A wait with a time limit may end
//! at any moment that the scheduler likes: the limit is then what the clock shows.

use crate::code;
use crate::baton::{self, Asking, access};
use crate::clock;
use crate::races;
use crate::situation::enter;
use crate::spin::{Spin, Yield};
use crate::sys::{self, number, raw};
use crate::threads::{self, State, ids, is_controlled, me, thread};
use core::ffi::{c_int, c_long};

#[unsafe(link_section = "omnilink_state")]
static mut WAIT_NUMBER: u64 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    ByOther,
    ByTime,
}

/// The calling thread waits until somebody wakes `address`.
pub unsafe fn wait(address: u64, mask: u32, deadline_ns: Option<u64>, code: u64) -> Woken {
    unsafe {
        let waiting = &mut *thread(me());
        WAIT_NUMBER += 1;
        waiting.first_access = false;
        waiting.state = State::Waiting;
        waiting.wait_address = address;
        waiting.wait_mask = mask;
        waiting.wait_number = WAIT_NUMBER;
        waiting.deadline_ns = deadline_ns;
        waiting.next_address = address;
        waiting.next_writes = true;
        waiting.next_code = code;
        let yields = match deadline_ns {
            None => Yield::No,
            Some(_) => limited(&mut waiting.spin, code, address),
        };
        baton::stop(Asking { yields, boundary: false });
        match deadline_ns.is_some() && (*thread(me())).deadline_ns.is_none() {
            true => Woken::ByTime,
            false => Woken::ByOther,
        }
    }
}

/// A thread that waits with a time limit was chosen: the time is over.
pub unsafe fn time_out(id: u8) {
    unsafe {
        let waiting = &mut *thread(id);
        if let Some(deadline_ns) = waiting.deadline_ns.take() {
            clock::advance_to(deadline_ns);
            baton::mark_opaque(id);
        }
        waiting.state = State::Ready;
    }
}

/// What a wait with a time limit asks for: the time may be over at once, but a loop of such waits yields like a loop
/// of loads.
unsafe fn limited(spin: &mut Spin, code: u64, address: u64) -> Yield {
    const NOT_WOKEN: u64 = 0;
    let yields = match spin.would_load(code, address, NOT_WOKEN) {
        Yield::Asked => Yield::Asked,
        Yield::No | Yield::Offered => Yield::Offered,
    };
    spin.loaded(code, address, NOT_WOKEN);
    yields
}

/// Wakes up to `most` threads that wait at `address`, the longest waiting first.
pub unsafe fn wake(address: u64, most: usize, mask: u32) -> usize {
    unsafe {
        let mut woken = 0;
        while woken < most {
            let waits = |&id: &u8| {
                let other = &*thread(id);
                other.state == State::Waiting && other.wait_address == address && other.wait_mask & mask != 0
            };
            let Some(first) = ids().filter(waits).min_by_key(|&id| (*thread(id)).wait_number) else { break };
            (*thread(first)).state = State::Ready;
            woken += 1;
        }
        if woken > 0 {
            baton::progress();
        }
        woken
    }
}

unsafe fn futex(word: *mut u32, operation: c_long, value: c_long, limit: *const clock::TimeSpec, mask: c_long, code: u64) -> c_long {
    unsafe {
        let address = word as u64;
        let command = operation & !(sys::FUTEX_PRIVATE | sys::FUTEX_CLOCK_REALTIME);
        // Whoever calls the kernel is often not instrumented, such as Rust's prebuilt library: what it does
        // before and after the call is not seen.
        baton::mark_opaque(me());
        access(address, true, code, Yield::No);
        baton::mark_opaque(me());
        races::release(address);
        let result = futex_command(word, command, value, limit, mask, code);
        baton::mark_opaque(me());
        // What is woken up takes a lock next to the word, or the one that a function of the library was given.
        (0..5).for_each(|near| races::acquire((address + 4 * near).wrapping_sub(8)));
        crate::library::acquire();
        result
    }
}

unsafe fn futex_command(word: *mut u32, command: c_long, value: c_long, limit: *const clock::TimeSpec, mask: c_long, code: u64) -> c_long {
    unsafe {
        let address = word as u64;
        match command {
            sys::FUTEX_WAIT | sys::FUTEX_WAIT_BITSET => {
                if word.read_volatile() != value as u32 {
                    return sys::fail(sys::EAGAIN).into();
                }
                let (mask, relative) = match command {
                    sys::FUTEX_WAIT => (u32::MAX, true),
                    _ => (mask as u32, false),
                };
                let deadline_ns = clock::deadline(limit, relative);
                match wait(address, mask, deadline_ns, code) {
                    Woken::ByOther => 0,
                    Woken::ByTime => sys::fail(sys::ETIMEDOUT).into(),
                }
            }
            sys::FUTEX_WAKE => wake(address, value.max(0) as usize, u32::MAX) as c_long,
            sys::FUTEX_WAKE_BITSET => wake(address, value.max(0) as usize, mask as u32) as c_long,
            // Being woken too early is something every waiter has to expect.
            _ => wake(address, usize::MAX, u32::MAX) as c_long,
        }
    }
}

/// Replaces the C library's. The real one takes a variable number of arguments; on the systems supported here
/// those are passed like these.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(call: c_long, a: c_long, b: c_long, c: c_long, d: c_long, e: c_long, f: c_long) -> c_long {
    unsafe {
        if is_controlled() {
            match call {
                number::FUTEX => {
                    let command = b & !(sys::FUTEX_PRIVATE | sys::FUTEX_CLOCK_REALTIME);
                    if matches!(
                        command,
                        sys::FUTEX_WAIT
                            | sys::FUTEX_WAKE
                            | sys::FUTEX_REQUEUE
                            | sys::FUTEX_CMP_REQUEUE
                            | sys::FUTEX_WAIT_BITSET
                            | sys::FUTEX_WAKE_BITSET
                    ) {
                        return futex(a as *mut u32, b, c, d as *const clock::TimeSpec, f, code::caller());
                    }
                }
                number::SCHED_YIELD => return sched_yield().into(),
                number::CLOCK_GETTIME => return clock::clock_gettime(a as c_int, b as *mut clock::TimeSpec).into(),
                number::NANOSLEEP => return clock::nanosleep(a as *const clock::TimeSpec, b as *mut clock::TimeSpec).into(),
                _ => {}
            }
        }
        if call == number::GETRANDOM {
            return crate::random::getrandom(a as *mut core::ffi::c_void, b as usize, c as u32) as c_long;
        }
        match raw(call, a, b, c, d, e, f) {
            failure @ -4095..0 => sys::fail(-failure as c_int).into(),
            result => result,
        }
    }
}

/// The calling thread lets others run first.
pub unsafe fn yield_now(code: u64) {
    unsafe {
        let current = &mut *thread(threads::me());
        current.next_address = 0;
        current.next_writes = false;
        current.next_code = code;
        current.first_access = false;
        baton::stop(Asking { yields: Yield::Asked, boundary: false });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_yield() -> c_int {
    unsafe {
        let code = enter();
        sched_yield_at(code)
    }
}

#[inline(never)]
unsafe fn sched_yield_at(code: u64) -> c_int {
    unsafe {
        match is_controlled() {
            true => yield_now(code),
            false => _ = raw(number::SCHED_YIELD, 0, 0, 0, 0, 0, 0),
        }
        0
    }
}
