//! One run of a test matrix, as whatever ran it tells about it.

use omnilink_sched::Schedule;

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
