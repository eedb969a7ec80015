//! One run of a test matrix, as whatever ran it tells about it.

use crate::slot::{Lane, Slot};

/// Something that a run did that its callers can see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A call began.
    Call(Slot),
    /// A call came back, with this result. A panic that was caught is a result too.
    Return(Slot, Box<str>),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Every call came back.
    Finished,
    /// No thread that has not come to its end can go on, for ever.
    Stuck(Stuck),
    /// The process died in a call.
    Crashed {
        /// The call that was running, if one was.
        slot: Option<Slot>,
        /// What it died of: `SIGSEGV`, `abort`.
        reason: Box<str>,
    },
    /// The run was stopped before anything was decided: it took too many steps or too much time. Nothing follows from it.
    Cut,
    /// The run did not follow the schedule that it was given: something is outside the scheduler's control. Nothing
    /// follows from it.
    Diverged,
}

/// Why no thread can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stuck {
    /// Every thread waits for another.
    Deadlock,
    /// Threads run, but only in circles: each does the same again and nothing changes.
    Livelock,
}

/// A point at which the run went on with another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// How many events had happened.
    pub after_events: usize,
    /// Who ran before.
    pub from: Lane,
    /// Who runs next.
    pub to: Lane,
    /// Whether the thread that ran before could have gone on.
    pub is_preemption: bool,
    /// Where in the program the thread stands that ran before, or 0.
    pub code: u64,
    /// Where in the source that is: `src/queue.rs:33`, where it was looked up and is known.
    pub place: Option<String>,
}

/// The order in which threads ran, step by step, so that a run can be repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule(pub Vec<u8>);

/// One run of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Calls and returns in the order in which they happened.
    pub events: Vec<Event>,
    /// How it ended.
    pub ending: Ending,
    /// How to repeat it.
    pub schedule: Schedule,
    /// How often a thread was interrupted that could have gone on.
    pub preemptions: u32,
    /// Where threads took turns.
    pub switches: Vec<Switch>,
}

impl Schedule {
    /// Whether it decides nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `0x12 1x3 0`: thread 0 for twelve steps, thread 1 for three, thread 0 for one.
    pub fn to_text(&self) -> String {
        let runs = self.0.chunk_by(|a, b| a == b);
        let written = runs.filter_map(|run| {
            let thread = run.first()?;
            Some(match run.len() {
                1 => thread.to_string(),
                steps => format!("{thread}x{steps}"),
            })
        });
        written.collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`Schedule::to_text`] writes. `None` if it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for run in text.split_whitespace() {
            let (thread, count) = run.split_once('x').unwrap_or((run, "1"));
            let count: usize = count
                .parse()
                .ok()
                .filter(|count| (1..=Self::STEPS_MAX).contains(count))?;
            if steps.len() + count > Self::STEPS_MAX {
                return None;
            }
            steps.extend(std::iter::repeat_n(thread.parse::<u8>().ok()?, count));
        }
        Some(Self(steps))
    }

    /// No run of a small test takes that long: a longer schedule is a mistake.
    const STEPS_MAX: usize = 1 << 24;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_written_in_runs_and_read_back() {
        let schedule = Schedule(vec![0, 0, 0, 1, 2, 2]);
        assert_eq!(schedule.to_text(), "0x3 1 2x2");
        assert_eq!(Schedule::parse("0x3 1 2x2"), Some(schedule));
        for wrong in ["y", "0x", "0x0", "-1", "300", "0x99999999999"] {
            assert_eq!(Schedule::parse(wrong), None, "{wrong}");
        }
    }
}
