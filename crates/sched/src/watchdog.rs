//! Detecting an execution that reaches no scheduling point any more.
//!
//! A thread that computes for ever, or that waits in the kernel for something that no other thread will do, never calls the
//! scheduler again. The state of its process distinguishes the two: it uses the processor, or all of its threads sleep. Wall
//! clock time alone would mean nothing on a busy machine.

use crate::UnresponsiveReason;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A process whose threads have all slept for this long will not go on: controlled threads never sleep all at once.
const ASLEEP_MAX: Duration = Duration::from_secs(1);

/// Watches one execution.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// How long it may compute between two steps.
    compute_max: Duration,
    /// The heartbeat when it last changed, and the processor time of the process then.
    heartbeat: u64,
    used: Duration,
    /// Since when all threads have been asleep.
    asleep: Option<Instant>,
}

impl Watchdog {
    /// The time between two checks.
    pub(crate) const INTERVAL: Duration = Duration::from_millis(100);

    pub(crate) fn new(compute_max: Duration) -> Self {
        Self {
            compute_max,
            heartbeat: u64::MAX,
            used: Duration::ZERO,
            asleep: None,
        }
    }

    /// Whether the process, whose scheduler has this heartbeat, is unresponsive.
    pub(crate) fn check(&mut self, process: u32, heartbeat: u64) -> Option<UnresponsiveReason> {
        let (used, is_asleep) = state_of(process)?;
        if heartbeat != self.heartbeat {
            self.heartbeat = heartbeat;
            self.used = used;
            self.asleep = None;
            return None;
        }
        match (is_asleep, self.asleep) {
            (false, _) => self.asleep = None,
            (true, None) => self.asleep = Some(Instant::now()),
            (true, Some(since)) if since.elapsed() >= ASLEEP_MAX => return Some(UnresponsiveReason::Waits),
            (true, Some(_)) => {}
        }
        (used.saturating_sub(self.used) >= self.compute_max).then_some(UnresponsiveReason::Computes)
    }
}

/// The processor time of a process, and whether all of its threads sleep. None if it has ended.
fn state_of(process: u32) -> Option<(Duration, bool)> {
    let folder = PathBuf::from(format!("/proc/{process}/task"));
    let mut ticks = 0;
    let mut is_asleep = true;
    for thread in std::fs::read_dir(folder).ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
        // The name of the program, in parentheses, may contain any characters.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        is_asleep &= *fields.first()? == "S";
        let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        ticks += number(11)? + number(12)?;
    }
    // SAFETY: it returns a constant of the system.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Some((Duration::from_millis(ticks * 1000 / per_second), is_asleep))
}
