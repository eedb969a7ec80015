//! A test of a program that fails under some schedule.

use serde::Serialize;

use crate::operation::{ReportedOperation, ThreadName};
use crate::schedule::{ThreadAccess, ThreadSwitch};

/// How much a test was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestCoverage {
    /// Its program.
    pub program: String,
    /// Schedules that were run, without those that repeat and shrink a failure.
    pub schedules: u64,
    /// How many of them were different interleavings.
    pub interleavings: u64,
    /// The most threads of a run, those of the test harness excepted.
    pub threads: u32,
    /// The most steps of a run.
    pub steps: u64,
    /// Whether all threads were looked at for data races.
    pub all_races: bool,
    /// Lines of the project from which something is called that may wait.
    pub waiting_points: u64,
    /// Those at which no thread has waited in any schedule.
    pub never_waited: Vec<String>,
    /// Files, processes and shared memory that it used and that are not controlled, as far as they are known.
    pub outside: Vec<String>,
    /// Whether it made accesses with a weaker order than sequential consistency.
    pub weak_orders: bool,
    /// Whether loads could read other stores than the newest, as their orders allow.
    pub weak_memory: bool,
}

/// A test that fails under some schedule, and how to repeat it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailingTest {
    /// What failed, in a few words: `panic at src/lib.rs:92:9: assertion failed`.
    pub failure: String,
    /// Why it is only suspected; none if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspected: Option<String>,
    /// More about it, line by line: the two accesses of a race, the rest of a message.
    pub details: Vec<String>,
    /// Where it failed, if that is known.
    pub place: Option<String>,
    /// What the failure needs.
    pub needs: FailureNeed,
    /// The same in a sentence.
    pub needs_text: String,
    /// Whether it fails only if the time or random numbers are other ones than usual.
    pub flaky: bool,
    /// The number of the schedule that failed first; 0 is the one without preemptions, `None` one that was kept or given.
    pub found_in: Option<u64>,
    /// The schedule, for `--schedule`.
    pub schedule: String,
    /// How many of its switches interrupt a thread that could have gone on.
    pub preemptions: u32,
    /// The command that repeats it.
    pub rerun: String,
    /// The decisions that a run without preemptions would not make: the first ones.
    pub decisions: Vec<TestDecision>,
    /// How many more there are.
    pub decisions_left_out: u64,
    /// The threads of a deadlock or livelock, and where they wait.
    pub waiting: Vec<WaitingThread>,
    /// The turns of the threads, from the switch to a thread to the switch away from it. Times are numbers of steps.
    pub turns: Vec<ReportedOperation>,
    /// The turn in which it failed.
    pub failed_in: Option<u64>,
    /// Every switch to another thread.
    pub switches: Vec<ThreadSwitch>,
    /// The steps at the ends of turns, and those in files of the project.
    pub accesses: Vec<ThreadAccess>,
    /// What the test printed itself.
    pub output: String,
    /// The source lines that the thread was in that crashed, the innermost first.
    pub stack: Vec<String>,
}

/// What a failure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureNeed {
    /// An interleaving: without preemptions it does not fail.
    Interleaving,
    /// Other random numbers or slower steps than usual.
    Environment,
    /// No preemption: it fails when each thread runs until it waits.
    NoPreemption,
    /// Nothing: it fails without the scheduler, too.
    Nothing,
    /// Something that is not controlled: the same schedule did not make it fail again.
    Uncontrolled,
    /// It is not known: the schedule was not run again.
    Unknown,
}

/// A decision that a run without preemptions would not make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestDecision {
    /// The thread that stops.
    pub from: ThreadName,
    /// Where it stops; `None` if it has not begun.
    pub place: Option<String>,
    /// The thread that goes on.
    pub to: ThreadName,
    /// Where it goes on; `None` if it begins.
    pub to_place: Option<String>,
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingThread {
    /// The thread.
    pub thread: ThreadName,
    /// Where it waits; `None` if it has not begun.
    pub place: Option<String>,
    /// The lines of the project that it is in, the innermost first.
    pub stack: Vec<String>,
}

impl FailingTest {
    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        self.turns.iter_mut().for_each(visit);
    }
}
