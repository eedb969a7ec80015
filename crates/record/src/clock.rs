//! The clock that all threads of a recorder share.
//!
//! A timebox must *enclose* the operation's effect: `start` is read before any effect of the operation is visible, `end`
//! after all effects are visible. Processors reorder, so a clock reading alone does not ensure that; the fences beside each
//! reading do. See [`fence`].
//!
//! The clock is the time-stamp counter if it passes the checks (about 10 ns a reading, no call), else the raw monotonic clock
//! of the system (20 to 50 ns), else [`Instant`]. In a program whose schedule a seed decides it is the number of readings. The raw clock is preferred to the plain monotonic one because NTP adjusts
//! the latter, which makes durations, not order, differ between hosts.

mod fence;
#[cfg(all(omnilink_instrumented, target_os = "linux"))]
mod schedule;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod tsc;

use std::{sync::OnceLock, time::Instant};

use crate::RecordError;

/// The clock of a recorder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockChoice {
    /// The best reliable one: time-stamp counter, raw monotonic clock, [`Instant`], in this order.
    #[default]
    Auto,
    /// The processor's time-stamp counter; an error if it fails the checks (supported on Linux, x86-64).
    Tsc,
    /// The system's raw monotonic clock; [`Instant`] if there is none.
    Monotonic,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    #[cfg(all(omnilink_instrumented, target_os = "linux"))]
    Schedule,
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Tsc,
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
    MonotonicRaw,
    #[cfg_attr(
        any(target_os = "linux", target_os = "android", target_os = "macos"),
        expect(dead_code, reason = "these systems have a raw clock")
    )]
    Instant,
}

/// A chosen clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    source: Source,
    ticks_per_second: i64,
}

const NANOSECONDS: i64 = 1_000_000_000;

impl Clock {
    pub(crate) fn choose(choice: ClockChoice) -> Result<Self, RecordError> {
        #[cfg(all(omnilink_instrumented, target_os = "linux"))]
        if schedule::is_scheduled() {
            return Ok(Self {
                source: Source::Schedule,
                ticks_per_second: NANOSECONDS,
            });
        }
        match choice {
            ClockChoice::Monotonic => Ok(Self::monotonic()),
            ClockChoice::Tsc => {
                Self::tsc().map_err(|reason| RecordError::ClockUnavailable { clock: "tsc", reason })
            }
            ClockChoice::Auto => Ok(Self::tsc().unwrap_or_else(|_| Self::monotonic())),
        }
    }

    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn tsc() -> Result<Self, String> {
        // The check takes some 20 ms; its result is a property of the machine.
        static CHECKED: OnceLock<Result<i64, String>> = OnceLock::new();
        let ticks_per_second = CHECKED.get_or_init(tsc::check).clone()?;
        Ok(Self {
            source: Source::Tsc,
            ticks_per_second,
        })
    }

    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    fn tsc() -> Result<Self, String> {
        Err("it is only supported on Linux, x86-64".to_owned())
    }

    fn monotonic() -> Self {
        #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
        let source = Source::MonotonicRaw;
        #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
        let source = Source::Instant;
        Self {
            source,
            ticks_per_second: NANOSECONDS,
        }
    }

    /// The unit of the times in the trace's header.
    pub(crate) fn unit(&self) -> &'static str {
        match self.source {
            #[cfg(all(omnilink_instrumented, target_os = "linux"))]
            Source::Schedule => "readings",
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Source::Tsc => "tsc",
            _ => "ns",
        }
    }

    /// The clock's name in the trace's header.
    pub(crate) fn name(&self) -> &'static str {
        match self.source {
            #[cfg(all(omnilink_instrumented, target_os = "linux"))]
            Source::Schedule => "schedule",
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Source::Tsc => "tsc",
            #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
            Source::MonotonicRaw => "monotonic-raw",
            Source::Instant => "instant",
        }
    }

    pub(crate) fn ticks_per_second(&self) -> i64 {
        self.ticks_per_second
    }

    /// The time before a call: nothing that follows this reading in the program can happen before it.
    #[inline]
    pub(crate) fn before_call(&self) -> i64 {
        fence::complete_loads();
        let time = self.read();
        fence::complete_loads();
        time
    }

    /// The time after a call: everything that precedes this reading in the program has happened, including stores if
    /// `drain_stores`.
    #[inline]
    pub(crate) fn after_call(&self, drain_stores: bool) -> i64 {
        if drain_stores {
            fence::complete_stores();
        }
        fence::complete_loads();
        self.read()
    }

    #[inline]
    fn read(&self) -> i64 {
        match self.source {
            #[cfg(all(omnilink_instrumented, target_os = "linux"))]
            Source::Schedule => schedule::omnilink_begin(),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Source::Tsc => tsc::read(),
            #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
            Source::MonotonicRaw => monotonic_raw_ns(),
            Source::Instant => instant_ns(),
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
#[inline]
pub(crate) fn monotonic_raw_ns() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec to write to. The call cannot fail for a clock that the system
    // defines.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    #[allow(clippy::unnecessary_cast, reason = "both are 32 bits wide on some systems")]
    let (seconds, nanoseconds) = (time.tv_sec as i64, time.tv_nsec as i64);
    seconds * NANOSECONDS + nanoseconds
}

/// How many steps the scheduler has made, in a program that was built for `omnilink fuzz --chaos schedule` and runs under a seed.
pub fn scheduler_steps() -> Option<u64> {
    #[cfg(all(omnilink_instrumented, target_os = "linux"))]
    return schedule::is_scheduled().then(schedule::steps);
    #[cfg(not(all(omnilink_instrumented, target_os = "linux")))]
    None
}

fn instant_ns() -> i64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = ORIGIN.get_or_init(Instant::now).elapsed().as_nanos();
    i64::try_from(elapsed).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_is_monotonic() {
        for choice in [ClockChoice::Auto, ClockChoice::Monotonic] {
            let clock = Clock::choose(choice).unwrap();
            let mut last = clock.before_call();
            for _ in 0..10_000 {
                let (start, end) = (clock.before_call(), clock.after_call(true));
                assert!(last <= start && start <= end, "{clock:?}: {last} {start} {end}");
                last = end;
            }
        }
        assert!(instant_ns() <= instant_ns());
    }

    #[test]
    fn an_event_is_later_on_the_thread_that_observes_it() {
        let clock = Clock::choose(ClockChoice::Auto).unwrap();
        let (to, from) = std::sync::mpsc::channel();
        let sender = std::thread::spawn(move || (0..2_000).try_for_each(|_| to.send(clock.before_call())));
        for sent in from {
            assert!(sent <= clock.after_call(true));
        }
        sender.join().unwrap().unwrap();
    }
}
