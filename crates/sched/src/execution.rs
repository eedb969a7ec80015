//! What one execution showed.

use crate::{Schedule, ThreadId};

/// One run of a [`TestProgram`](crate::TestProgram) under one schedule.
#[derive(Debug, Clone)]
pub struct Execution {
    /// Calls and returns, in the order in which they happened.
    pub events: Vec<CallEvent>,
    /// How it ended.
    pub ending: Ending,
    /// The decisions of the scheduler while the columns ran, with what each step did.
    pub steps: Vec<SchedulerStep>,
    /// Data races, where they were looked for.
    pub races: Vec<DataRace>,
    /// How many steps were made. More than `steps` holds if the execution was too long to be recorded; it can
    /// then only be repeated by its seed.
    pub steps_made: u64,
}

/// A call or a return.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallEvent {
    /// The thread that called.
    pub thread: ThreadId,
    /// Which call of its thread this is, counted from 0; the main thread counts `before` and `after` as one
    /// sequence.
    pub position: u32,
    /// The number of the call in the harness.
    pub op: u32,
    /// The scheduler step in which it happened: a clock that is the same in every repetition.
    pub step: u64,
    /// Call, or return with its result.
    pub kind: CallEventKind,
}

/// What an [`CallEvent`] is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallEventKind {
    /// The call begins.
    Call,
    /// The call ended with this result, as the harness writes it.
    Return(String),
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every call returned.
    Finished,
    /// Some calls can never return.
    Stuck(StuckThreads),
    /// The process died while `thread` was running.
    Crashed {
        /// The thread that held the baton.
        thread: ThreadId,
        /// The signal that killed the process, or none if the component called `exit`.
        signal: Option<i32>,
        /// The code given to `exit`, where the component called it.
        exit_code: Option<i32>,
    },
    /// A thread used memory that must not be used.
    MemoryError {
        /// The thread that held the baton.
        thread: ThreadId,
        /// What it did.
        error: MemoryError,
    },
    /// It was still going on after as many steps as the plan allows.
    StepLimit,
    /// The plan chose a thread that could not run: the component does not depend on the schedule alone.
    Diverged {
        /// The step at which the plan could not be followed.
        step: usize,
        /// The thread that should have run there.
        wanted: ThreadId,
    },
    /// A thread neither went on nor gave the baton back.
    Unresponsive {
        /// The thread that held the baton.
        thread: ThreadId,
        /// What it does instead.
        silence: UnresponsiveReason,
    },
    /// The component created more threads than [`THREADS_MAX`](crate::THREADS_MAX).
    TooManyThreads,
    /// The results of the calls did not fit into the memory for events.
    EventsTooLarge,
}

/// Two accesses to one location that nothing orders, one of them a write and one of them not atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataRace {
    /// The access that came first in this execution, and the other one.
    pub accesses: [RacingAccess; 2],
    /// Whether it proves nothing alone: one of the accesses is volatile, so that the code expects others to change the
    /// location, or gives the memory back, which code that is not seen may have ordered.
    pub is_meant: bool,
}

/// One of the accesses of a [`DataRace`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RacingAccess {
    /// Who made it.
    pub thread: ThreadId,
    /// Where it was made: a return address in the harness, relative to its load address.
    pub code: u64,
    /// Whether it may have changed the location.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Whether it gives the memory back.
    pub frees: bool,
}

/// A use of memory that must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryError {
    /// Which one.
    pub kind: MemoryErrorKind,
    /// Where memory was accessed, as a return address; where it was given back, where the function was called that did so.
    pub code: u64,
    /// Where in the block, which may be before or behind it, and how large that is.
    pub offset: i64,
    /// See `offset`.
    pub size: u64,
    /// Where the function was called that allocated the block, or 0.
    pub allocated: u64,
    /// Where the function was called that gave it back, or 0.
    pub freed: u64,
}

/// Which [`MemoryError`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryErrorKind {
    /// An access to memory that was given back.
    UseAfterFree,
    /// An access before or behind a block.
    OutOfBounds,
    /// A block was given back twice.
    DoubleFree,
    /// Something was given back that is no block.
    BadFree,
}

/// What a thread does that comes to no step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnresponsiveReason {
    /// It uses the processor: it computes for very long, or for ever.
    Computes,
    /// It sleeps in a call of the system that the scheduler does not see, such as a `read`.
    Waits,
    /// It is not known what; the time that an execution may take was over.
    Late,
}

/// An execution in which some calls never return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckThreads {
    /// Why nothing goes on.
    pub reason: StuckReason,
    /// The columns that have not finished; in a serial execution only the one whose call was running.
    pub threads: Vec<ThreadId>,
}

/// Why nothing goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StuckReason {
    /// Every thread waits to be woken.
    Deadlock,
    /// Threads run, but they only read the same values over and over.
    Livelock,
}

/// One decision of the scheduler and what the chosen thread then did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerStep {
    /// The thread that held the baton before, if it was one that the decision could have continued.
    pub current: Option<ThreadId>,
    /// The thread that was chosen.
    pub chosen: ThreadId,
    /// The threads that could have been chosen, as a set of bits.
    pub candidates: u32,
    /// The current thread could go on and was not asking to be switched: choosing another preempts it.
    pub preemptible: bool,
    /// The current thread was asking to be switched (it yields, sleeps or reads in vain), so that whoever runs
    /// next is what it waited for.
    pub yielding: bool,
    /// The current thread was between two of its calls.
    pub boundary: bool,
    /// In this step the chosen thread began a call.
    pub calls: bool,
    /// In this step a call of the chosen thread returned.
    pub returns: bool,
    /// What the chosen thread accessed, or [`StepAccess::ANYTHING`].
    pub touch: StepAccess,
    /// Where the current thread was when the decision was made: a return address in the harness, relative to
    /// its load address, or 0.
    pub current_code: u64,
    /// Where the chosen thread went on.
    pub chosen_code: u64,
}

/// What a step accessed, as far as it matters for the order of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepAccess {
    /// The address of the shared location, 0 for none.
    pub address: u64,
    /// A second location that the step changed, such as the mutex of a condition variable; 0 for none.
    pub second: u64,
    /// Whether the access may have changed the location.
    pub writes: bool,
    /// What else happened is not known: the step depends on every other.
    pub opaque: bool,
}

impl StepAccess {
    /// No access at all.
    pub const NOTHING: Self = Self {
        address: 0,
        second: 0,
        writes: false,
        opaque: false,
    };
    /// An access to who knows what.
    pub const ANYTHING: Self = Self {
        address: 0,
        second: 0,
        writes: true,
        opaque: true,
    };

    /// Whether the order of two accesses by different threads can matter.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        let meets = |a: u64, b: u64| a != 0 && a == b;
        self.opaque
            || other.opaque
            || (meets(self.address, other.address) && (self.writes || other.writes))
            || meets(self.second, other.second)
            || meets(self.second, other.address)
            || meets(self.address, other.second)
    }
}

impl SchedulerStep {
    /// Whether the order of two steps of different threads can matter: for memory, or because a return comes
    /// before a call. The order of two calls, or of two returns, orders no operations.
    pub fn depends_on(&self, other: &Self) -> bool {
        self.touch.conflicts_with(&other.touch)
            || (self.calls && other.returns)
            || (self.returns && other.calls)
    }

    /// Whether this decision took the baton from a thread that would have gone on.
    pub fn is_preemption(&self) -> bool {
        self.preemptible && self.current != Some(self.chosen)
    }
}

impl Execution {
    /// The decisions as a schedule that repeats the execution.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.steps.iter().map(|step| step.chosen).collect())
    }

    /// How many decisions were preemptions.
    pub fn preemptions(&self) -> u32 {
        self.steps.iter().filter(|step| step.is_preemption()).count() as u32
    }

    /// The decisions that changed the running thread, with their place in the schedule.
    pub fn switches(&self) -> impl Iterator<Item = (usize, &SchedulerStep)> {
        self.steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.current != Some(step.chosen))
    }

    /// The events with neighbouring calls, and neighbouring returns, in the order of their threads.
    ///
    /// Which operation ended before which one began is all that a history says; executions with equal
    /// canonical events have the same history. Steps are set to 0, since they count what is not part of it.
    pub fn canonical_events(&self) -> Vec<CallEvent> {
        let mut events: Vec<CallEvent> = self
            .events
            .iter()
            .map(|e| CallEvent { step: 0, ..e.clone() })
            .collect();
        let is_call = |event: &CallEvent| event.kind == CallEventKind::Call;
        for run in events.chunk_by_mut(|a, b| is_call(a) == is_call(b)) {
            run.sort();
        }
        events
    }
}
