//! A run of a component with a history that nothing explains.

use serde::Serialize;

use crate::counterexample::Counterexample;
use crate::operation::{ReportedOperation, ThreadName};

/// A run of a test matrix with a history that nothing explains, and how to repeat it.
///
/// Threads of the matrix go by their numbers; the main thread goes by the names of what it does before and after them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailingRun {
    /// The matrix as it was found.
    pub found: String,
    /// The matrix as small as shrinking made it: the one that this run is of.
    pub matrix: String,
    /// How long shrinking took.
    pub shrink_seconds: f64,
    /// How many serial histories the matrix has.
    pub serial_histories: u64,
    /// What kind of bug it is.
    pub diagnosis: String,
    /// Why nothing explains the history.
    pub why: Unexplained,
    /// For each thread of the matrix, its calls with what came of them.
    pub lanes: Vec<MatrixLane>,
    /// The calls, in the order in which they were made. Times are positions among calls and returns.
    pub operations: Vec<ReportedOperation>,
    /// The ids of the operations that cannot be explained.
    pub unexplained: Vec<u64>,
    /// Calls and returns in the order in which they happened.
    pub events: Vec<ScheduleEvent>,
    /// Where the run continued with another thread.
    pub switches: Vec<ThreadSwitch>,
    /// What atomic accesses read and stored, in their order.
    pub accesses: Vec<ThreadAccess>,
    /// How the run ended.
    pub ending: ScheduleEnding,
    /// Whether the run was a serial one.
    pub serial: bool,
    /// How often a thread was interrupted that could have continued.
    pub preemptions: u32,
    /// How many accesses did not choose the newest store.
    pub stale_reads: u32,
    /// The schedule, for `--schedule`; empty if threads were not scheduled.
    pub schedule: String,
    /// Plain accesses at which threads were switched, for `--switch-at`.
    pub switch_at: Vec<String>,
    /// Data races: the accesses of each.
    pub races: Vec<Vec<String>>,
    /// The memory error that the run ended with, line by line.
    pub memory_error: Vec<String>,
    /// What the component printed, if the run crashed: the beginning and the end of a long text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The source lines that the thread was in that crashed, the innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
    /// Whether the run was repeated from its schedule with the same history. `None` if it cannot be repeated or is serial.
    pub repeatable: Option<bool>,
    /// The serial runs that come nearest to it, up to [`FailingRun::SERIAL_RUNS_MAX`]: those that keep the order of calls that did not
    /// overlap first, then those with the most equal outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub serial_runs: Vec<SerialRun>,
}

impl FailingRun {
    /// How many serial runs are listed.
    pub const SERIAL_RUNS_MAX: usize = 8;

    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        self.operations.iter_mut().for_each(&mut *visit);
        self.why.visit_operations(visit);
    }
}

/// Why nothing explains the history of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Unexplained {
    /// Every call returned, but no order explains the results.
    Results {
        /// The result that no order explains.
        counterexample: Counterexample,
    },
    /// Calls are stuck where no serial run is stuck.
    Stuck {
        /// These calls.
        calls: Vec<StuckOperation>,
    },
    /// The process crashed in a call, where no serial run crashes.
    Crash {
        /// The call.
        call: String,
        /// What serial runs do instead.
        counterexample: Counterexample,
    },
    /// The process crashed in a call where no specification allows it, or in a serial run.
    CrashAlone {
        /// The call.
        call: String,
        /// The signal, or how else it died.
        signal: String,
    },
    /// Two accesses race. The results of this run are explained.
    Race {
        /// The accesses.
        accesses: Vec<String>,
    },
    /// Calls are stuck, and the options say that no call may block.
    Blocked {
        /// The calls, each with its thread.
        calls: Vec<String>,
    },
    /// The specification does not allow the history.
    Specification {
        /// The report of the check against it.
        text: String,
    },
}

impl Unexplained {
    fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        match self {
            Self::Results { counterexample } | Self::Crash { counterexample, .. } => {
                counterexample.visit_operations(visit);
            }
            Self::Stuck { calls } => {
                for call in calls {
                    call.counterexample.visit_operations(visit);
                }
            }
            Self::CrashAlone { .. }
            | Self::Race { .. }
            | Self::Blocked { .. }
            | Self::Specification { .. } => {}
        }
    }
}

/// A call that is stuck although no serial run is stuck there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StuckOperation {
    /// The call.
    pub call: String,
    /// Its thread.
    pub thread: ThreadName,
    /// What serial runs do instead.
    pub counterexample: Counterexample,
}

/// A thread of a test matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatrixLane {
    /// Its heading.
    pub name: String,
    /// Its calls with their results, or what else came of them.
    pub calls: Vec<String>,
}

/// A call or a return in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ScheduleEvent {
    /// A call began.
    Call {
        /// The thread.
        thread: ThreadName,
        /// The call.
        call: String,
    },
    /// A call returned.
    Return {
        /// The thread.
        thread: ThreadName,
        /// The call.
        #[serde(rename = "return")]
        call: String,
        /// Its result. A panic that was caught is a result, too.
        result: String,
    },
}

/// A point at which a run continued with another thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadSwitch {
    /// How many events had happened.
    pub after_events: usize,
    /// The step with which the other thread continues.
    pub step: usize,
    /// The thread that ran before.
    pub from: ThreadName,
    /// The thread that runs next.
    pub to: ThreadName,
    /// Whether the thread that ran before could have continued.
    pub preemption: bool,
    /// Where in the source the thread that ran before stands, if that is known.
    pub place: Option<String>,
}

/// A serial run, compared with the run that it does not explain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SerialRun {
    /// Whether it keeps the order of calls that did not overlap.
    pub keeps_order: bool,
    /// Its calls in their order.
    pub calls: Vec<SerialCall>,
}

/// A call of a serial run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SerialCall {
    /// The id of the same call in the run that is compared; `None` if it was not called there.
    pub op: Option<u64>,
    /// Its thread.
    pub thread: ThreadName,
    /// The call with its outcome.
    pub text: String,
    /// Whether it came out as it did in that run.
    pub same: bool,
}

/// An atomic access in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadAccess {
    /// How many events had happened.
    pub after_events: usize,
    /// Its step.
    pub step: usize,
    /// The thread.
    pub thread: ThreadName,
    /// What it did, with the values: `reads 0 and stores 1`.
    pub text: String,
    /// Whether it read a store other than the newest, or placed its own before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Where in the source it is, if that is known.
    pub place: Option<String>,
    /// What the source calls the location: `queue.head`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleEnding {
    /// Every call returned.
    Finished,
    /// No thread can continue.
    Stuck,
    /// The process crashed.
    Crashed,
    /// The run was stopped early.
    Cut,
    /// The run did not follow its schedule.
    Diverged,
}

/// Two serial runs of a matrix that are equal up to a call, and then differ in its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SerialContradiction {
    /// The matrix as it was found.
    pub found: String,
    /// The matrix as small as shrinking made it.
    pub matrix: String,
    /// How long shrinking took.
    pub shrink_seconds: f64,
    /// How many serial histories the matrix has.
    pub serial_histories: u64,
    /// Always `nondeterministic`.
    pub diagnosis: String,
    /// The call whose results differ.
    pub call: String,
    /// The first run.
    pub one: String,
    /// The second run.
    pub other: String,
}
