//! One run of a test matrix, as whatever ran it tells about it.

use omnilink_sched::Schedule;

use crate::slot::{CallSlot, Lane};

/// Something that a run did that its callers can see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunEvent {
    /// A call began.
    Call(CallSlot),
    /// A call came back, with this result. A panic that was caught is a result too.
    Return(CallSlot, Box<str>),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunEnding {
    /// Every call came back.
    Finished,
    /// No thread that has not come to its end can go on, for ever.
    Stuck(StuckKind),
    /// The process died in a call.
    Crashed {
        /// The call that was running, if one was.
        slot: Option<CallSlot>,
        /// What it died of: `SIGSEGV`, `abort`.
        reason: Box<str>,
    },
    /// The run was stopped before anything was decided. Nothing follows from it.
    Cut(Cut),
    /// The run did not follow the schedule that it was given: something is outside the scheduler's control. Nothing
    /// follows from it.
    Diverged,
}

/// Why a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It was still going on after the largest number of steps.
    Steps(u64),
    /// This call computes without coming to a step that the scheduler sees.
    Computes(Option<CallSlot>),
    /// This call waits in the kernel for something that the scheduler does not see.
    Waits(Option<CallSlot>),
    /// It took too much time.
    Late(Option<CallSlot>),
    /// The component created more threads than the scheduler has room for.
    TooManyThreads,
    /// Results did not fit into the memory for them.
    ResultsTooLarge,
}

impl Cut {
    /// The call that never came to a step, where one is to blame.
    pub fn silent_call(&self) -> Option<CallSlot> {
        match self {
            Self::Computes(slot) | Self::Waits(slot) => *slot,
            Self::Steps(_) | Self::Late(_) | Self::TooManyThreads | Self::ResultsTooLarge => None,
        }
    }
}

/// Why no thread can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StuckKind {
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
pub struct MatrixRun {
    /// Calls and returns in the order in which they happened.
    pub events: Vec<RunEvent>,
    /// How it ended.
    pub ending: RunEnding,
    /// How to repeat it.
    pub schedule: Schedule,
    /// How often a thread was interrupted that could have gone on.
    pub preemptions: u32,
    /// Where threads took turns.
    pub switches: Vec<Switch>,
    /// Data races that were seen.
    pub races: Vec<RaceReport>,
    /// What memory error it ended with, and where, one fact after the other.
    pub facts: Vec<Fact>,
    /// Plain accesses at which threads were switched, because races had been seen there.
    pub places: Vec<u64>,
}

/// Two accesses to one location that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceReport {
    /// The two, in the order in which they were made.
    pub accesses: [Fact; 2],
    /// Whether it proves nothing alone: the code expects others to change the location, which is then volatile, or one of
    /// the two gives the memory back, which code that is not seen may have ordered.
    pub is_meant: bool,
    /// Whether one of the two gives the memory back.
    pub frees: bool,
}

impl RaceReport {
    /// Whether both are of the same places.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let codes = |race: &Self| race.accesses.each_ref().map(|access| access.code);
        codes(self) == codes(other)
    }
}

/// Something that was done at a place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What: `thread 0 writes`.
    pub what: String,
    /// Where in the program, or 0.
    pub code: u64,
    /// Where in the source, where it was looked up and is known.
    pub place: Option<String>,
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} at {place}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
