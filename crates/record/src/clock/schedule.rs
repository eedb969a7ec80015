//! The clock of a program that was built for `omnilink fuzz --chaos schedule`: how often it was read.
//!
//! The scheduler runs one thread at a time, and a seed decides which. So a count of readings is the same in every run of a seed, and no two
//! readings are equal. The recorder for C and C++ does the same.

use std::cell::UnsafeCell;

unsafe extern "C" {
    /// How many steps the scheduler has made; its runtime is linked into every instrumented program.
    fn omnilink_step() -> u64;
}

struct Readings(UnsafeCell<Counter>);

struct Counter {
    count: i64,
    /// The reading at which a debugger gets the process; none if negative.
    stop_at: i64,
}

// SAFETY: the scheduler runs one thread at a time and switches at synchronisation only, of which there is none here.
unsafe impl Sync for Readings {}

static READINGS: Readings = Readings(UnsafeCell::new(Counter {
    count: 0,
    stop_at: -1,
}));

/// Whether a seed decides the schedule of this process. Also takes up OMNILINK_STOP_AT.
pub(super) fn is_scheduled() -> bool {
    if std::env::var_os("OMNILINK_SEED").is_none() {
        return false;
    }
    let stop_at = std::env::var("OMNILINK_STOP_AT")
        .ok()
        .and_then(|text| text.parse().ok());
    if let Some(stop_at) = stop_at {
        // SAFETY: no other thread runs meanwhile, see `Readings`.
        unsafe { (*READINGS.0.get()).stop_at = stop_at };
    }
    true
}

/// One more reading. It has the name by which `omnilink replay` finds its way out of the recorders for C and C++.
// SAFETY: no other function of an instrumented Rust program has this name; those of the C recorder are static.
#[unsafe(no_mangle)]
#[inline(never)]
pub(super) extern "C" fn omnilink_begin() -> i64 {
    // SAFETY: no other thread runs meanwhile, see `Readings`.
    let counter = unsafe { &mut *READINGS.0.get() };
    counter.count += 1;
    if counter.count == counter.stop_at {
        // SAFETY: a signal to this process, which waits for its debugger. The operation starts: go up to the harness's frame.
        unsafe { libc::raise(libc::SIGTRAP) };
    }
    counter.count
}

/// The steps that the scheduler has made.
pub(super) fn steps() -> u64 {
    // SAFETY: the function only reads a counter of the runtime.
    unsafe { omnilink_step() }
}
