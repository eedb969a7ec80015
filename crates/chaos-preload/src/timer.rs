//! The timer of a thread: a software event of the kernel, or a timer of the monotonic clock.

use core::ffi::{c_int, c_long};

/// A real-time signal that programs rarely use.
pub const SIGNAL: c_int = 62;
/// Shorter periods would leave no time for the program itself.
pub const PERIOD_NS_MIN: u64 = 10_000;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn close(file: c_int) -> c_int;
    fn fcntl(file: c_int, command: c_int, ...) -> c_int;
    fn ioctl(file: c_int, request: usize, ...) -> c_int;
}

#[cfg(target_arch = "x86_64")]
mod number {
    use core::ffi::c_long;

    pub const GETTID: c_long = 186;
    pub const TIMER_CREATE: c_long = 222;
    pub const TIMER_SETTIME: c_long = 223;
    pub const TIMER_DELETE: c_long = 226;
    pub const PERF_EVENT_OPEN: c_long = 298;
}

#[cfg(target_arch = "aarch64")]
mod number {
    use core::ffi::c_long;

    pub const GETTID: c_long = 178;
    pub const TIMER_CREATE: c_long = 107;
    pub const TIMER_SETTIME: c_long = 110;
    pub const TIMER_DELETE: c_long = 111;
    pub const PERF_EVENT_OPEN: c_long = 241;
}

#[derive(Clone, Copy)]
pub enum Timer {
    /// The system allows none.
    None,
    /// The file of a software event.
    Event(c_int),
    /// The number of a kernel timer.
    Monotonic(c_int),
}

impl Timer {
    /// A timer that signals the calling thread when it is armed.
    pub fn open(is_monotonic: bool) -> Self {
        let event = if is_monotonic { None } else { open_event() };
        event.or_else(open_monotonic).unwrap_or(Self::None)
    }

    /// Sets the time until the signal.
    pub fn arm(self, period_ns: u64) {
        const SET_PERIOD: usize = 0x4008_2404;
        const REFRESH: usize = 0x2402;
        match self {
            Self::None => {}
            Self::Event(file) => {
                // SAFETY: the file is an event of this thread; the kernel reads the period and keeps no pointer to it.
                unsafe {
                    ioctl(file, SET_PERIOD, &raw const period_ns);
                    ioctl(file, REFRESH, 1 as c_long);
                }
            }
            Self::Monotonic(timer) => {
                let once = [0_i64, 0, 0, period_ns as i64];
                // SAFETY: the timer is one of this thread; `once` is an `itimerspec`.
                unsafe {
                    syscall(
                        number::TIMER_SETTIME,
                        c_long::from(timer),
                        0 as c_long,
                        once.as_ptr(),
                        0 as c_long,
                    )
                };
            }
        }
    }

    pub fn close(self) {
        match self {
            Self::None => {}
            // SAFETY: the file was opened by `open` and is closed once.
            Self::Event(file) => _ = unsafe { close(file) },
            // SAFETY: the timer was created by `open` and is deleted once.
            Self::Monotonic(timer) => _ = unsafe { syscall(number::TIMER_DELETE, c_long::from(timer)) },
        }
    }
}

fn thread_id() -> c_int {
    // SAFETY: it has no arguments.
    unsafe { syscall(number::GETTID) as c_int }
}

/// A software event that counts the processor time of the calling thread.
fn open_event() -> Option<Timer> {
    /// The first version of the kernel's `perf_event_attr` has all that is needed.
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
    const CLOSE_ON_EXEC: c_long = 8;
    const F_SETFL: c_int = 4;
    const F_SETSIG: c_int = 10;
    const F_SETOWN_EX: c_int = 15;
    const ASYNC_NONBLOCK: c_int = 0o20000 | 0o4000;
    let attributes = Attributes {
        kind: SOFTWARE,
        size: size_of::<Attributes>() as u32,
        config: TASK_CLOCK,
        period: PERIOD_NS_MIN,
        sample_type: 0,
        read_format: 0,
        flags: DISABLED_USER_ONLY,
        wakeup_events: 1,
        breakpoint_type: 0,
        config1: 0,
    };
    let (this_thread, any): (c_long, c_long) = (0, -1);
    // SAFETY: the kernel reads the attributes, which say how long they are.
    let file = unsafe {
        syscall(
            number::PERF_EVENT_OPEN,
            &raw const attributes,
            this_thread,
            any,
            any,
            CLOSE_ON_EXEC,
        )
    } as c_int;
    if file < 0 {
        return None;
    }
    let owner = [0, thread_id()];
    // SAFETY: the file was just opened; `owner` is an `f_owner_ex`.
    let is_owned = unsafe {
        fcntl(file, F_SETOWN_EX, owner.as_ptr()) >= 0
            && fcntl(file, F_SETSIG, SIGNAL) >= 0
            && fcntl(file, F_SETFL, ASYNC_NONBLOCK) >= 0
    };
    let timer = Timer::Event(file);
    if !is_owned {
        timer.close();
        return None;
    }
    Some(timer)
}

fn open_monotonic() -> Option<Timer> {
    const CLOCK_MONOTONIC: c_long = 1;
    const SIGEV_THREAD_ID: c_int = 4;
    let mut event: [c_int; 16] = [0; 16];
    event[2] = SIGNAL;
    event[3] = SIGEV_THREAD_ID;
    event[4] = thread_id();
    let mut timer: c_int = 0;
    // SAFETY: `event` is a `sigevent`, and the kernel writes the number of the timer.
    let failure = unsafe {
        syscall(
            number::TIMER_CREATE,
            CLOCK_MONOTONIC,
            event.as_ptr(),
            &raw mut timer,
        )
    };
    (failure == 0).then_some(Timer::Monotonic(timer))
}
