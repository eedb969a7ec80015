//! One run of a test matrix.

use omnilink_sched::Schedule;

use crate::slot::{CallSlot, Lane};

/// A call or a return.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunEvent {
    /// A call began.
    Call(CallSlot),
    /// A call returned this result. A caught panic is a result too.
    Return(CallSlot, Box<str>),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunEnding {
    /// Every call returned.
    Finished,
    /// No unfinished thread can ever go on.
    Stuck(StuckKind),
    /// The process died in a call.
    Crashed {
        /// The call that was running, if one was.
        slot: Option<CallSlot>,
        /// The reason: `SIGSEGV`, `use after free`.
        reason: Box<str>,
    },
    /// The run was cut short. Nothing follows from it.
    Cut(Cut),
    /// The run did not follow its schedule: the component depends on something that the scheduler does not control. Nothing
    /// follows from it.
    Diverged,
}

/// Why a run was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It reached the limit on steps.
    Steps(u64),
    /// This call computes without reaching a scheduling point.
    Computes(Option<CallSlot>),
    /// This call waits in the kernel for something that the scheduler does not control.
    Waits(Option<CallSlot>),
    /// It took too much time.
    Late(Option<CallSlot>),
    /// The component created more threads than the scheduler has room for.
    TooManyThreads,
    /// Results did not fit into the memory for them.
    ResultsTooLarge,
}

impl Cut {
    /// The call that reached no scheduling point, if one is to blame.
    pub fn unresponsive_call(&self) -> Option<CallSlot> {
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
    /// Threads run, but the state of the program repeats.
    Livelock,
}

/// A switch from one thread to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The number of events before it.
    pub after_events: usize,
    /// The step with which the other thread goes on.
    pub step: usize,
    /// The thread that ran before.
    pub from: Lane,
    /// The thread that runs next.
    pub to: Lane,
    /// Whether the thread that ran before could have gone on.
    pub is_preemption: bool,
    /// The code address at which the thread that ran before stopped, or 0.
    pub code: u64,
    /// The source line of that address, such as `src/queue.rs:33`, if it was looked up and is known.
    pub source_line: Option<String>,
}

/// An atomic access of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAccess {
    /// The number of events before it.
    pub after_events: usize,
    /// Its step.
    pub step: usize,
    /// The thread.
    pub lane: Lane,
    /// What it did: `reads 0`, `stores 1`.
    pub what: String,
    /// Whether it did not choose the newest store.
    pub is_stale: bool,
    /// Its code address.
    pub code: u64,
    /// The source line of that address, if it was looked up and is known.
    pub source_line: Option<String>,
    /// What the source calls the location: `queue.head`.
    pub name: Option<String>,
}

/// One run of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRun {
    /// Calls and returns in their order.
    pub events: Vec<RunEvent>,
    /// How it ended.
    pub ending: RunEnding,
    /// The schedule that repeats it.
    pub schedule: Schedule,
    /// The number of preemptions.
    pub preemptions: u32,
    /// How many accesses did not choose the newest store, under a weak memory model.
    pub stale_reads: u32,
    /// The switches between threads.
    pub switches: Vec<Switch>,
    /// The atomic accesses, if the run was repeated for a report.
    pub accesses: Vec<RunAccess>,
    /// The data races that were detected.
    pub races: Vec<RaceReport>,
    /// The memory error that it ended with: what happened, and where the block was allocated and freed.
    pub memory_error: Vec<Located>,
    /// Code addresses of plain accesses that were scheduling points, because they race.
    pub racy_accesses: Vec<u64>,
    /// What the component printed, if the run crashed.
    pub output: String,
    /// The functions that the thread was in that crashed, the innermost first.
    pub stack: Vec<StackFrame>,
}

impl MatrixRun {
    /// The source lines that are known of the stack.
    pub(crate) fn stack_lines(&self) -> Vec<String> {
        let lines = self.stack.iter().map(|frame| frame.source_line.clone());
        lines.flatten().collect()
    }

    /// The plain accesses that were scheduling points, as `--switch-at` takes them.
    pub(crate) fn switch_places(&self) -> Vec<String> {
        let places = self.racy_accesses.iter().map(|code| format!("{code:x}"));
        places.collect()
    }
}

/// A function that a thread was in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The code address at which it would have gone on.
    pub code: u64,
    /// The source line of that address, if it was looked up and is known.
    pub source_line: Option<String>,
}

/// Two accesses to one location without happens-before between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceReport {
    /// The two accesses in their order.
    pub accesses: [Located; 2],
    /// Whether it proves no bug by itself: an access is volatile, so that the code expects concurrent changes, or it frees the
    /// memory, and code that is not instrumented may order the two.
    pub is_inconclusive: bool,
    /// Whether one of the two frees the memory.
    pub frees: bool,
    /// A function of a prebuilt library that was called in between and may order the two.
    pub unknown_call: Option<String>,
}

impl RaceReport {
    /// Whether it may be a bug although it proves none.
    pub(crate) fn is_suspicious(&self) -> bool {
        self.frees || self.unknown_call.is_some()
    }

    /// Whether both are races of the same code addresses.
    pub(crate) fn has_same_code(&self, other: &Self) -> bool {
        let codes = |race: &Self| race.accesses.each_ref().map(|access| access.code);
        codes(self) == codes(other)
    }
}

/// Something that happened at a code address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What happened: `thread 0 writes`.
    pub what: String,
    /// The code address, or 0.
    pub code: u64,
    /// Its source line, if it was looked up and is known.
    pub source_line: Option<String>,
}

impl std::fmt::Display for Located {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.source_line {
            Some(line) => write!(f, "{} at {line}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
