//! A preload library that stalls threads at random instructions.
//!
//! Each thread that is created gets a timer of its own whose signal makes it yield or sleep: often enough for a
//! stall to fall between two neighbouring instructions now and then, which is where the bugs are. The timer is a
//! software event of the kernel that counts only while the thread runs (no hardware counters, no privilege);
//! where that is not allowed, a timer of the monotonic clock.
//!
//! The seed decides what is drawn, not when it happens: there is no exact repetition.
//!
//! Environment: `OMNILINK_CHAOS_SEED`, `OMNILINK_CHAOS_MIN_US` and `OMNILINK_CHAOS_MAX_US` (time between two
//! stalls), `OMNILINK_CHAOS_STALL_US` (the longest stall), `OMNILINK_CHAOS_TIMER=monotonic` (not the software
//! event), `OMNILINK_CHAOS_VERBOSE` (say at exit how often threads were stalled).
#![no_std]
#![feature(thread_local)]
#![allow(unused_unsafe)]

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[path = "../runtime/sys.rs"]
#[allow(dead_code, unused_macros, unused_imports, reason = "the runtime needs more of the system than this")]
mod sys;

use sys::{number, raw, real};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { sys::exit_process(134) }
}

/// Named by the unwind tables of the compiler's library, never called: nothing unwinds here.
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}

/// A real-time signal that programs rarely use.
const SIGNAL: c_int = 62;
const PERIOD_NS_MIN: u64 = 10_000;

static SEED: AtomicU64 = AtomicU64::new(0);
static PERIOD_NS: [AtomicU64; 2] = [AtomicU64::new(10_000), AtomicU64::new(60_000)];
static STALL_NS_MAX: AtomicU64 = AtomicU64::new(1_000_000);
static MONOTONIC_ONLY: AtomicU64 = AtomicU64::new(0);
static THREADS: AtomicU64 = AtomicU64::new(0);
static STALLS: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy)]
enum Timer {
    None,
    /// The file of a software event.
    Event(i64),
    /// The number of a timer.
    Monotonic(c_int),
}

#[thread_local]
static mut TIMER: Timer = Timer::None;
#[thread_local]
static mut RANDOM: u64 = 0;
#[thread_local]
static mut IS_WELCOME: bool = true;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
    fn sigaction(signal: c_int, new: *const SignalAction, old: *mut SignalAction) -> c_int;
}

#[repr(C)]
struct SignalAction {
    handler: unsafe extern "C" fn(c_int),
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

unsafe fn random() -> u64 {
    unsafe {
        RANDOM = RANDOM.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (RANDOM ^ (RANDOM >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// A number between the limits whose logarithm is spread evenly: all orders of magnitude are as likely.
unsafe fn random_between(low: u64, high: u64) -> u64 {
    unsafe {
        let (low, high) = (low.max(1), high.max(low).max(1));
        let doublings = u64::from(64 - (high / low).leading_zeros());
        let scaled = low << (random() % doublings.max(1));
        (scaled + random() % scaled.max(1)).clamp(low, high)
    }
}

unsafe fn period_ns() -> u64 {
    unsafe { random_between(PERIOD_NS[0].load(Relaxed), PERIOD_NS[1].load(Relaxed)) }
}

/// A program that knows where stalls are of use (our harnesses: within the calls of a component) tells so for each
/// thread; it then wastes no time elsewhere. All other programs are stalled everywhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_chaos_welcome(is_welcome: c_int) {
    unsafe { IS_WELCOME = is_welcome != 0 };
}

unsafe extern "C" fn stall(_signal: c_int) {
    unsafe {
        let errno = *sys::__errno_location();
        if !IS_WELCOME {
            arm();
            *sys::__errno_location() = errno;
            return;
        }
        STALLS.fetch_add(1, Relaxed);
        if random() & 1 == 0 {
            raw(number::SCHED_YIELD, 0, 0, 0, 0, 0, 0);
        } else {
            let time = [0, random_between(1_000, STALL_NS_MAX.load(Relaxed)) as i64];
            raw(number::NANOSLEEP, time.as_ptr() as i64, 0, 0, 0, 0, 0);
        }
        arm();
        *sys::__errno_location() = errno;
    }
}

/// Sets the timer of the calling thread for its next stall.
unsafe fn arm() {
    const SET_PERIOD: i64 = 0x4008_2404;
    const REFRESH: i64 = 0x2402;
    unsafe {
        let period = period_ns();
        match TIMER {
            Timer::None => {}
            Timer::Event(file) => {
                raw(call::IOCTL, file, SET_PERIOD, (&raw const period) as i64, 0, 0, 0);
                raw(call::IOCTL, file, REFRESH, 1, 0, 0, 0);
            }
            Timer::Monotonic(timer) => {
                let once = [0, 0, 0, period as i64];
                raw(call::TIMER_SETTIME, timer.into(), 0, once.as_ptr() as i64, 0, 0, 0);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod call {
    pub const IOCTL: i64 = 16;
    pub const FCNTL: i64 = 72;
    pub const GETTID: i64 = 186;
    pub const TIMER_CREATE: i64 = 222;
    pub const TIMER_SETTIME: i64 = 223;
    pub const TIMER_DELETE: i64 = 226;
    pub const PERF_EVENT_OPEN: i64 = 298;
    pub const CLOSE: i64 = 3;
}

#[cfg(target_arch = "aarch64")]
mod call {
    pub const IOCTL: i64 = 29;
    pub const FCNTL: i64 = 25;
    pub const GETTID: i64 = 178;
    pub const TIMER_CREATE: i64 = 107;
    pub const TIMER_SETTIME: i64 = 110;
    pub const TIMER_DELETE: i64 = 111;
    pub const PERF_EVENT_OPEN: i64 = 241;
    pub const CLOSE: i64 = 57;
}

/// A software event that counts the time of the calling thread and signals it.
unsafe fn open_event() -> Option<Timer> {
    /// The first version of the kernel's structure is all that is needed.
    #[repr(C)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        breakpoint_type: u32,
        config1: u64,
    }
    const SOFTWARE: u32 = 1;
    const TASK_CLOCK: u64 = 1;
    const DISABLED_USER_ONLY: u64 = 1 | 1 << 5 | 1 << 6;
    const CLOSE_ON_EXEC: i64 = 8;
    const F_SETFL: i64 = 4;
    const F_SETSIG: i64 = 10;
    const F_SETOWN_EX: i64 = 15;
    const ASYNC_NONBLOCK: i64 = 0o20000 | 0o4000;
    unsafe {
        let attributes = Attributes {
            kind: SOFTWARE,
            size: size_of::<Attributes>() as u32,
            config: TASK_CLOCK,
            period: period_ns().max(PERIOD_NS_MIN),
            sample_type: 0,
            read_format: 0,
            flags: DISABLED_USER_ONLY,
            wakeup_events: 1,
            breakpoint_type: 0,
            config1: 0,
        };
        let file = raw(call::PERF_EVENT_OPEN, (&raw const attributes) as i64, 0, -1, -1, CLOSE_ON_EXEC, 0);
        if file < 0 {
            return None;
        }
        let owner = [0_i32, raw(call::GETTID, 0, 0, 0, 0, 0, 0) as i32];
        let owned = raw(call::FCNTL, file, F_SETOWN_EX, owner.as_ptr() as i64, 0, 0, 0) >= 0
            && raw(call::FCNTL, file, F_SETSIG, SIGNAL.into(), 0, 0, 0) >= 0
            && raw(call::FCNTL, file, F_SETFL, ASYNC_NONBLOCK, 0, 0, 0) >= 0;
        if !owned {
            raw(call::CLOSE, file, 0, 0, 0, 0, 0);
            return None;
        }
        Some(Timer::Event(file))
    }
}

unsafe fn open_monotonic() -> Option<Timer> {
    const CLOCK_MONOTONIC: i64 = 1;
    const SIGNAL_THREAD: i32 = 4;
    unsafe {
        let mut event = [0_i32; 16];
        event[2] = SIGNAL;
        event[3] = SIGNAL_THREAD;
        event[4] = raw(call::GETTID, 0, 0, 0, 0, 0, 0) as i32;
        let mut timer: c_int = 0;
        let opened =
            raw(call::TIMER_CREATE, CLOCK_MONOTONIC, event.as_ptr() as i64, (&raw mut timer) as i64, 0, 0, 0);
        (opened == 0).then_some(Timer::Monotonic(timer))
    }
}

unsafe fn begin_thread() {
    unsafe {
        let number = THREADS.fetch_add(1, Relaxed) + 1;
        RANDOM = SEED.load(Relaxed) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let event = if MONOTONIC_ONLY.load(Relaxed) == 0 { open_event() } else { None };
        TIMER = event.or_else(|| open_monotonic()).unwrap_or(Timer::None);
        arm();
    }
}

unsafe fn end_thread() {
    unsafe {
        match core::mem::replace(&mut *(&raw mut TIMER), Timer::None) {
            Timer::None => 0,
            Timer::Event(file) => raw(call::CLOSE, file, 0, 0, 0, 0, 0),
            Timer::Monotonic(timer) => raw(call::TIMER_DELETE, timer.into(), 0, 0, 0, 0, 0),
        };
    }
}

type StartRoutine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

struct Start {
    routine: StartRoutine,
    argument: *mut c_void,
}

unsafe extern "C" fn trampoline(start: *mut c_void) -> *mut c_void {
    unsafe {
        let Start { routine, argument } = start.cast::<Start>().read();
        free(start);
        begin_thread();
        let result = routine(argument);
        end_thread();
        result
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    handle: *mut usize,
    attributes: *const c_void,
    routine: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    unsafe {
        let start = malloc(size_of::<Start>()).cast::<Start>();
        if start.is_null() {
            return sys::EAGAIN;
        }
        start.write(Start { routine, argument });
        let result = real!(
            "pthread_create",
            fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
            handle, attributes, trampoline, start.cast()
        );
        if result != 0 {
            free(start.cast());
        }
        result
    }
}

unsafe fn number_in(variable: &'static [u8]) -> Option<u64> {
    unsafe {
        let mut text: *const c_char = sys::getenv(variable.as_ptr().cast());
        if text.is_null() || !(b'0'..=b'9').contains(&(*text as u8)) {
            return None;
        }
        let mut value: u64 = 0;
        while (b'0'..=b'9').contains(&(*text as u8)) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(*text as u8 - b'0'));
            text = text.add(1);
        }
        Some(value)
    }
}

unsafe extern "C" fn begin() {
    const RESTART: c_int = 0x1000_0000;
    unsafe {
        let micros = |variable| number_in(variable).map(|micros| micros.saturating_mul(1_000));
        SEED.store(number_in(b"OMNILINK_CHAOS_SEED\0").unwrap_or(0), Relaxed);
        if let Some(least) = micros(b"OMNILINK_CHAOS_MIN_US\0") {
            PERIOD_NS[0].store(least.max(PERIOD_NS_MIN), Relaxed);
        }
        if let Some(most) = micros(b"OMNILINK_CHAOS_MAX_US\0") {
            PERIOD_NS[1].store(most.clamp(PERIOD_NS_MIN, 999_999_999), Relaxed);
        }
        if let Some(most) = micros(b"OMNILINK_CHAOS_STALL_US\0") {
            STALL_NS_MAX.store(most.clamp(1_000, 999_999_999), Relaxed);
        }
        MONOTONIC_ONLY.store(u64::from(!sys::getenv(c"OMNILINK_CHAOS_TIMER".as_ptr()).is_null()), Relaxed);
        let action = SignalAction { handler: stall, mask: [u64::MAX; 16], flags: RESTART, restorer: 0 };
        sigaction(SIGNAL, &raw const action, core::ptr::null_mut());
    }
}

unsafe extern "C" fn end() {
    unsafe {
        if sys::getenv(c"OMNILINK_CHAOS_VERBOSE".as_ptr()).is_null() {
            return;
        }
        let mut text = *b"omnilink chaos: stalls 00000000000000000000\n";
        let mut rest = STALLS.load(Relaxed);
        for place in (23..43).rev() {
            if let Some(digit) = text.get_mut(place) {
                *digit = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
        }
        raw(number::WRITE, 2, text.as_ptr() as i64, text.len() as i64, 0, 0, 0);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: unsafe extern "C" fn() = begin;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: unsafe extern "C" fn() = end;
