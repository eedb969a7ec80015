//! One execution and what was observed of it.

use crate::{Schedule, ScheduledStep, ThreadId};
use omnilink_sched_runtime::layout::UNKNOWN_NAME_CAP;
use std::fmt;

/// One run of a [`TestProgram`](crate::TestProgram) under one schedule.
#[derive(Debug, Clone)]
pub struct Execution {
    /// Calls and returns, in the order in which they happened.
    pub events: Vec<HarnessEvent>,
    /// How it ended.
    pub ending: Ending,
    /// The steps while the columns ran.
    pub steps: Vec<SchedulerStep>,
    /// Data races, if they were detected.
    pub races: Vec<DataRace>,
    /// The number of steps. More than `steps` holds if the execution was too long to be recorded; it can then only be repeated
    /// by its seed.
    pub steps_made: u64,
    /// Whether a thread made a relaxed load and then a relaxed store elsewhere, with nothing between them that orders the two: C++ lets
    /// the store come first, which no execution shows.
    pub may_buffer_loads: bool,
    /// What the component printed, if its process died: the beginning and the end of a long text.
    pub output: String,
    /// The functions that the running thread was in when it crashed: code addresses as those of steps, the innermost first.
    pub stack: Vec<u64>,
}

/// A call or a return.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HarnessEvent {
    /// The thread that called.
    pub thread: ThreadId,
    /// The index of the call in its thread, from 0; `before` and `after` are one sequence of the main thread.
    pub position: u32,
    /// The number of the call in the harness.
    pub op: u32,
    /// The step in which it happened: a clock that is the same in every repetition.
    pub step: u64,
    /// Call, or return with its result.
    pub kind: HarnessEventKind,
}

/// The kind of a [`HarnessEvent`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HarnessEventKind {
    /// The call begins.
    Call,
    /// The call ended with this result, as the harness formats it.
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
        /// The thread that was running.
        thread: ThreadId,
        /// The signal that killed the process, or none if the component called `exit`.
        signal: Option<i32>,
        /// The code given to `exit`, where the component called it.
        exit_code: Option<i32>,
    },
    /// An invalid use of heap memory.
    MemoryError {
        /// The thread that was running.
        thread: ThreadId,
        /// What it did.
        error: MemoryError,
    },
    /// It reached the limit on steps.
    StepLimit,
    /// The schedule chose a thread that could not run: the component depends on something besides the schedule.
    Diverged {
        /// The step at which the schedule could not be followed.
        step: usize,
        /// The thread that should have run there.
        wanted: ThreadId,
    },
    /// The running thread reached no scheduling point.
    Unresponsive {
        /// The thread that was running.
        thread: ThreadId,
        /// What it did instead.
        reason: UnresponsiveReason,
    },
    /// The component created more threads than [`THREADS_MAX`](crate::THREADS_MAX).
    TooManyThreads,
    /// The results of the calls did not fit into the memory for events.
    EventsTooLarge,
    /// A thread went on past its yield, and then waited in the same way for as long as it was followed: but for rounds of its loop
    /// without an effect, this is an execution in which it did not go on.
    Idle,
}

/// Two accesses to one location without happens-before between them, at least one a write and at least one not atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataRace {
    /// The access that came first in this execution, and the other one.
    pub accesses: [RacingAccess; 2],
    /// Whether it proves no bug by itself: one of the accesses is volatile, so that the code expects concurrent changes, or it
    /// frees the memory, and code that is not instrumented may order the two.
    pub is_inconclusive: bool,
    /// A call into code of which nothing is known, which may order the two: then the race is only suspected.
    pub unknown_call: Option<UnknownCall>,
}

/// A function of a prebuilt library of which it is not known that it orders nothing between threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownCall(pub(crate) [u8; UNKNOWN_NAME_CAP]);

impl fmt::Display for UnknownCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.split(|byte| *byte == 0).next().unwrap_or_default();
        f.write_str(&String::from_utf8_lossy(name))
    }
}

/// One of the accesses of a [`DataRace`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RacingAccess {
    /// Its thread.
    pub thread: ThreadId,
    /// Its code address: a return address in the harness, relative to the load address.
    pub code: u64,
    /// Whether it may have changed the location.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Whether it frees the memory.
    pub frees: bool,
}

/// An invalid use of heap memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryError {
    /// Which one.
    pub kind: MemoryErrorKind,
    /// The code address of the access; for a free, the call site of the function that freed.
    pub code: u64,
    /// The offset from the beginning of the block, negative before it; of a leak, the number of blocks.
    pub offset: i64,
    /// The size of the block in bytes.
    pub size: u64,
    /// The call site of the function that allocated the block, or 0.
    pub allocated: u64,
    /// The call site of the function that freed it, or 0.
    pub freed: u64,
}

/// Which [`MemoryError`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryErrorKind {
    /// An access to freed memory.
    UseAfterFree,
    /// An access before the beginning or after the end of a block.
    OutOfBounds,
    /// A block was freed twice.
    DoubleFree,
    /// An address was freed that is not the beginning of a block.
    BadFree,
    /// Nothing points to a block when the component has been destroyed.
    Leak,
}

/// What a thread does that reaches no scheduling point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnresponsiveReason {
    /// It computes for very long, or for ever.
    Computes,
    /// It waits in a system call that the scheduler does not control, such as a `read`.
    Waits,
    /// Not known; the execution took too long.
    Late,
}

/// An execution in which some calls never return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckThreads {
    /// Deadlock or livelock.
    pub reason: StuckReason,
    /// The columns that have not finished; in a serial execution only the one whose call was running.
    pub threads: Vec<ThreadId>,
}

/// Why no call can return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StuckReason {
    /// Every thread waits to be woken.
    Deadlock,
    /// Threads run, but the state of the program repeats.
    Livelock,
}

/// A scheduling decision, and what the chosen thread then did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerStep {
    /// The thread that was running, if there was one.
    pub current: Option<ThreadId>,
    /// The thread that was chosen.
    pub chosen: ThreadId,
    /// The threads that could have been chosen, as a set of bits.
    pub candidates: u32,
    /// The threads that had yielded, and could have been chosen to go on past their yields.
    pub yielded: u32,
    /// The chosen thread goes on past its yield.
    pub goes_on: bool,
    /// The current thread could go on and does not yield: choosing another one preempts it.
    pub preemptible: bool,
    /// The current thread yields: it called `yield` or sleeps, or a loop reads the same values again.
    pub yielding: bool,
    /// The current thread was between two of its calls.
    pub between_calls: bool,
    /// In this step the chosen thread began a call.
    pub calls: bool,
    /// In this step a call of the chosen thread returned.
    pub returns: bool,
    /// What the chosen thread accessed.
    pub access: StepAccess,
    /// The code address at which the current thread stopped: a return address in the harness, relative to the load address, or
    /// 0.
    pub current_code: u64,
    /// The code address at which the chosen thread went on.
    pub chosen_code: u64,
    /// How many stores its access could choose from under a weak memory model, or 0.
    pub stores: u8,
    /// Which of them it chose, the newest being 0.
    pub store: u8,
    /// What its atomic access read and stored.
    pub values: StepValues,
}

/// The values of an atomic access; of an access of sixteen bytes the lower half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepValues {
    /// The value that was read.
    pub read: Option<u64>,
    /// The value that was stored.
    pub written: Option<u64>,
    /// The step in which the value was stored that was read, if it is known.
    pub read_step: Option<u32>,
    /// The newest value at the location, and the step in which it was stored, if the access chose another one.
    pub newest: Option<(u64, Option<u32>)>,
    /// It was a weak compare-and-swap that failed although it read the expected value.
    pub fails_spuriously: bool,
    /// Its memory order.
    pub order: Option<AccessOrder>,
}

/// The memory order of an atomic access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessOrder {
    /// Orders nothing.
    Relaxed,
    /// Acquires, as `consume` does too.
    Acquire,
    /// Releases.
    Release,
    /// Does both.
    AcquireRelease,
    /// Sequentially consistent.
    SeqCst,
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
    /// Not all accesses of the step are known: it depends on every other step.
    pub opaque: bool,
}

impl StepAccess {
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
        self.access.conflicts_with(&other.access)
            || (self.calls && other.returns)
            || (self.returns && other.calls)
    }

    /// Whether its access did not choose the newest store.
    pub fn is_stale(&self) -> bool {
        self.store > 0
    }

    /// Whether this decision preempted a thread that could have gone on.
    pub fn is_preemption(&self) -> bool {
        self.preemptible && self.current != Some(self.chosen)
    }
}

impl Execution {
    /// The schedule that repeats the execution.
    pub fn schedule(&self) -> Schedule {
        let scheduled = |step: &SchedulerStep| ScheduledStep {
            thread: step.chosen,
            store: step.store,
            goes_on: step.goes_on,
        };
        Schedule::new(self.steps.iter().map(scheduled))
    }

    /// The number of accesses that did not choose the newest store.
    pub fn stale_reads(&self) -> u32 {
        self.steps.iter().filter(|step| step.is_stale()).count() as u32
    }

    /// The number of times that a thread went on past its yield.
    pub fn spins(&self) -> u32 {
        self.steps.iter().filter(|step| step.goes_on).count() as u32
    }

    /// The number of preemptions.
    pub fn preemptions(&self) -> u32 {
        self.steps.iter().filter(|step| step.is_preemption()).count() as u32
    }

    /// The steps that changed the running thread, with their index in the schedule.
    pub fn switches(&self) -> impl Iterator<Item = (usize, &SchedulerStep)> {
        self.steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.current != Some(step.chosen))
    }

    /// The events with neighbouring calls, and neighbouring returns, in the order of their threads.
    ///
    /// A history says only which operation ended before which other one began, so executions with equal canonical events have
    /// the same history. Steps are set to 0: they are not part of it.
    pub fn canonical_events(&self) -> Vec<HarnessEvent> {
        let mut events: Vec<HarnessEvent> = self
            .events
            .iter()
            .map(|e| HarnessEvent { step: 0, ..e.clone() })
            .collect();
        let is_call = |event: &HarnessEvent| event.kind == HarnessEventKind::Call;
        for run in events.chunk_by_mut(|a, b| is_call(a) == is_call(b)) {
            run.sort();
        }
        events
    }
}
