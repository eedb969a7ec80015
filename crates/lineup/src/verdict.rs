//! What came of a check.

use omnilink_engine::Counterexample;
use omnilink_evidence::Limit;

use crate::execution::{Cut, MatrixRun, RaceReport, RunEnding};
use crate::history::{CallHistory, ResultId, Results};
use crate::matrix::Matrix;
use crate::serial::{Nondeterminism, SerialHistories};
use crate::slot::{CallSlot, Lane};
use crate::translation::LEAK;

/// What came of checking one matrix.
#[derive(Clone, Debug)]
pub struct CheckedMatrix {
    /// The matrix.
    pub matrix: Matrix,
    /// The results that were seen.
    pub results: Results,
    /// The serial histories: what the component is taken to be specified as.
    pub serial: SerialHistories,
    /// The serial runs.
    pub serial_phase: PhaseFigures,
    /// The concurrent runs, bound by bound.
    pub phases: Vec<PhaseFigures>,
    /// Why the first run was stopped that was cut short.
    pub cut: Option<Cut>,
    /// A race that may be none, because not everything is seen that could order its accesses.
    pub suspected: Option<RaceReport>,
    /// Concurrent runs that were made but not looked at, because another run shows the same.
    pub redundant: u64,
    /// The answer.
    pub verdict: MatrixVerdict,
}

impl CheckedMatrix {
    /// Runs of all phases.
    pub fn executions(&self) -> u64 {
        let concurrent: u64 = self.phases.iter().map(|phase| phase.executions).sum();
        self.serial_phase.executions + concurrent + self.redundant
    }
}

/// The answer.
#[derive(Clone, Debug)]
pub enum MatrixVerdict {
    /// Every history that was seen is explained.
    Passed,
    /// One is not.
    Violation(Box<RunViolation>),
    /// Serial runs contradict each other: there is no deterministic specification to check against.
    Nondeterministic(Box<Nondeterminism>),
    /// Nothing can be concluded.
    Unknown(Undecided),
}

impl MatrixVerdict {
    /// Whether the component did something wrong (or at least nondeterministic).
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Violation(_) | Self::Nondeterministic(_))
    }

    /// Whether this fails as `other` does: a violation may turn into another while it gets smaller, but not into serial
    /// runs that contradict each other, nor the other way round.
    pub(crate) fn fails_like(&self, other: &Self) -> bool {
        let is_race = |violation: &RunViolation| matches!(violation.why, Why::Race(_));
        match (self, other) {
            // A race alone says less than what may come of it.
            (Self::Violation(one), Self::Violation(other)) => is_race(one) == is_race(other),
            (Self::Nondeterministic(_), Self::Nondeterministic(_)) => true,
            _ => false,
        }
    }
}

/// A call that is stuck where no serial run is stuck.
#[derive(Clone, Debug)]
pub struct StuckCall {
    /// Which call.
    pub slot: CallSlot,
    /// What serial runs do instead.
    pub counterexample: Box<Counterexample>,
}

/// Counts a run from which nothing follows, and keeps the first reason.
pub(crate) fn count_inconclusive(phase: &mut PhaseFigures, first: &mut Option<Cut>, execution: &MatrixRun) {
    match execution.ending {
        RunEnding::Cut(cut) => {
            phase.cut += 1;
            // A call that is to blame is a better reason than a number of steps.
            if first.is_none_or(|first| first.unresponsive_call().is_none()) {
                *first = Some(cut);
            }
        }
        _ => phase.diverged += 1,
    }
}

/// Why nothing can be concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// There are more serial runs than were allowed.
    TooManySerialRuns,
    /// A serial run was cut short.
    SerialRunCut(Cut),
    /// Serial runs did not follow their schedule.
    SerialRunsDiverged,
    /// Nothing was found, but a concurrent run was cut short.
    RunCut(Cut),
    /// A limit or an interrupt ended the check.
    Limit(Limit),
    /// The run of a given schedule went another way.
    NotRepeated,
}

/// A history that nothing explains.
#[derive(Clone, Debug)]
pub struct RunViolation {
    /// The history.
    pub history: CallHistory,
    /// The run that has it.
    pub execution: MatrixRun,
    /// Whether that run was a serial one.
    pub is_serial: bool,
    /// Why nothing explains it.
    pub why: Why,
}

impl RunViolation {
    /// The last step of the thread whose call nothing explains, or of the run.
    pub fn last_step(&self) -> usize {
        let steps = self.execution.schedule.steps();
        let thread = match &self.why {
            // Operations are given to the engine in the order of their calls.
            Why::Results(counterexample) => {
                let at = usize::try_from(counterexample.op.id).ok();
                at.and_then(|at| self.history.calls().nth(at))
                    .map(|slot| slot.lane)
            }
            Why::Race(_) | Why::Specification(_) => None,
            Why::Stuck(stuck) => stuck.first().map(|call| call.slot.lane),
            Why::Crash(slot, _) | Why::CrashAlone(slot, _) => Some(slot.lane),
            Why::Blocked(slots) => slots.first().map(|slot| slot.lane),
        };
        let last = steps.iter().rposition(|step| match thread {
            Some(Lane::Thread(thread)) => step.thread == thread,
            _ => true,
        });
        last.unwrap_or(0)
    }

    /// Whether it is memory that nothing points to when the component has been destroyed.
    pub(crate) fn is_leak(&self) -> bool {
        matches!(&self.execution.ending, RunEnding::Crashed { reason, .. } if &**reason == LEAK)
    }
}

/// Why nothing explains a history.
#[derive(Clone, Debug)]
pub enum Why {
    /// Every call came back, but in no possible order with these results.
    Results(Box<Counterexample>),
    /// These calls are stuck where nothing says that they may be.
    Stuck(Vec<StuckCall>),
    /// The process died in this call, where nothing says that it may.
    Crash(CallSlot, Box<Counterexample>),
    /// The process died in this call of a serial run: it needs no concurrency to be wrong.
    CrashAlone(CallSlot, ResultId),
    /// Two accesses race. What comes of them in this run is explained.
    Race(RaceReport),
    /// These calls are stuck, and it was said that none may ever be.
    Blocked(Vec<CallSlot>),
    /// The specification does not allow it, for this reason.
    Specification(String),
}

/// What a series of runs came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseFigures {
    /// The number of preemptions of these runs, where runs are made by their number.
    pub bound: Option<u32>,
    /// Runs.
    pub executions: u64,
    /// New histories: none of the phases before has them.
    pub histories: u64,
    /// Of these, different in what overlaps: those that were checked.
    pub checked: u64,
    /// Histories in which a call is stuck.
    pub stuck: u64,
    /// Histories that end in a crash.
    pub crashed: u64,
    /// Runs that were cut short, from which nothing follows.
    pub cut: u64,
    /// Runs that did not follow their schedule, from which nothing follows.
    pub diverged: u64,
    /// Checked histories that nothing explains.
    pub unexplained: u64,
    /// Whether these are all runs that there are.
    pub is_complete: bool,
    /// How long it took.
    pub seconds: f64,
}

impl PhaseFigures {
    /// Adds what came of the same phase of another matrix.
    pub(crate) fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.histories += other.histories;
        self.checked += other.checked;
        self.stuck += other.stuck;
        self.crashed += other.crashed;
        self.cut += other.cut;
        self.diverged += other.diverged;
        self.unexplained += other.unexplained;
        self.is_complete &= other.is_complete;
        self.seconds += other.seconds;
    }
}
