//! Noticing an execution that comes to no step any more.
//!
//! A thread that computes for ever, or that waits in the kernel for something that no other thread will do, never asks the
//! scheduler again. The two are told apart by what the system says about the process: it uses the processor, or all of its
//! threads sleep. Time on the wall alone says nothing on a busy machine.

use crate::UnresponsiveReason;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often to look.
pub(crate) const LOOK: Duration = Duration::from_millis(100);
/// A process all of whose threads sleep for so long is not going to go on. None of the calls that are under control sleeps.
const ASLEEP_MAX: Duration = Duration::from_secs(1);

/// An execution that is being made.
#[derive(Debug)]
pub(crate) struct Watch {
    /// How long it may compute between two steps.
    computing_max: Duration,
    /// The scheduler's count when it last changed, and what the process had used of the processor then.
    beat: u64,
    used: Duration,
    /// Since when all threads have been asleep.
    asleep: Option<Instant>,
}

impl Watch {
    pub(crate) fn new(computing_max: Duration) -> Self {
        Self {
            computing_max,
            beat: u64::MAX,
            used: Duration::ZERO,
            asleep: None,
        }
    }

    /// Looks at the process, whose scheduler has counted to `beat`.
    pub(crate) fn look(&mut self, process: u32, beat: u64) -> Option<UnresponsiveReason> {
        let (used, is_asleep) = state_of(process)?;
        if beat != self.beat {
            self.beat = beat;
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
        (used.saturating_sub(self.used) >= self.computing_max).then_some(UnresponsiveReason::Computes)
    }
}

/// What a process has used of the processor, and whether all of its threads sleep. None if it has ended.
fn state_of(process: u32) -> Option<(Duration, bool)> {
    let folder = PathBuf::from(format!("/proc/{process}/task"));
    let mut ticks = 0;
    let mut is_asleep = true;
    for thread in std::fs::read_dir(folder).ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
        // The name of the program, in brackets, may hold anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        is_asleep &= *fields.first()? == "S";
        let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        ticks += number(11)? + number(12)?;
    }
    // SAFETY: it asks the system for a number.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Some((Duration::from_millis(ticks * 1000 / per_second), is_asleep))
}
