//! Runs in which a scheduler decides every step: unmodified code in an instrumented harness, or whatever else the crate `sched`
//! can drive, such as code that was ported to shuttle.

#[cfg(target_os = "linux")]
use omnilink_sched::HarnessExecutor;
#[cfg(not(target_os = "linux"))]
use omnilink_sched::build::BuildError;
use omnilink_sched::{
    CallEventKind, Ending, Execution, ExplorationStrategy, ExploreOptions, MemoryErrorKind, SchedError,
    Schedule, SchedulingPoints, StopReason, StuckReason, TestProgram, ThreadId, UnresponsiveReason, explore,
    replay,
};

use crate::description::Description;
use crate::execution::{Cut, Fact, MatrixRun, RaceReport, RunEnding, RunEvent, StuckKind, Switch};
use crate::executor::{Allowance, Coverage, ExecutorError, MatrixExecutor, RunPlan, Visit};
use crate::harness::{HarnessCommand, HarnessError};
use crate::matrix::Matrix;
use crate::places::Places;
use crate::scope::{self, Scope};
use crate::slot::{CallSlot, Lane};

/// How runs are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledOptions {
    /// Also switch at accesses that are not atomic: for code with data races.
    pub plain_accesses: bool,
    /// Leave runs out whose history another run shows.
    pub reduction: bool,
    /// Look for data races.
    pub races: bool,
    /// Steps after which a run is cut short.
    pub steps_max: u64,
    /// Processors to use.
    pub processors: usize,
}

impl Default for ScheduledOptions {
    fn default() -> Self {
        Self {
            plain_accesses: false,
            reduction: true,
            races: true,
            steps_max: omnilink_sched::RunOptions::STEPS_MAX_DEFAULT,
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What a scheduler can drive, ready to run.
pub struct Scheduled {
    pool: Vec<Box<dyn omnilink_sched::Executor>>,
    options: ScheduledOptions,
    /// Where code stands in the source, if that is known.
    places: Option<Places>,
    /// Plain accesses at which to switch.
    racing: Vec<u64>,
    /// Libraries that are not seen into.
    unseen: Vec<String>,
}

impl std::fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduled")
            .field("processes", &self.pool.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Scheduled {
    /// Starts a harness on several processors, and reads what it says about itself.
    ///
    /// # Errors
    /// When it cannot be started or is no harness.
    #[cfg(target_os = "linux")]
    pub fn start(
        harness: &HarnessCommand,
        options: ScheduledOptions,
    ) -> Result<(Self, Description), HarnessError> {
        let (program, started) = (&harness.program, harness.options());
        let first = HarnessExecutor::start(program, &started)?;
        let description = Description::parse(first.description())?;
        drop(first);
        let pool = HarnessExecutor::pool(program, &started, options.processors)?;
        let executor = Self {
            pool,
            options,
            places: Some(Places::of(program)),
            racing: Vec::new(),
            unseen: scope::unseen_libraries(program),
        };
        Ok((executor, description))
    }

    /// Says that no harness can be started on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &HarnessCommand, _: ScheduledOptions) -> Result<(Self, Description), HarnessError> {
        Err(HarnessError::System(BuildError::Unsupported))
    }

    /// Runs on executors that are there already, each of which makes the calls of an alphabet by their numbers.
    ///
    /// For executors that do not say which locations a step touches, such as shuttle's, switch reduction off.
    pub fn over(pool: Vec<Box<dyn omnilink_sched::Executor>>, options: ScheduledOptions) -> Self {
        Self {
            pool,
            // Only the instrumented runtime sees accesses that are not atomic.
            options: ScheduledOptions {
                races: false,
                ..options
            },
            places: None,
            racing: Vec::new(),
            unseen: Vec::new(),
        }
    }

    fn options(&self, allowance: Allowance) -> ExploreOptions {
        ExploreOptions {
            accesses: match self.options.plain_accesses {
                true => SchedulingPoints::All,
                false => SchedulingPoints::Atomic,
            },
            races: self.options.races,
            places: self.racing.clone(),
            steps_max: self.options.steps_max,
            executions_max: allowance.executions,
            time_max: allowance.time,
            environment: 0,
        }
    }
}

impl MatrixExecutor for Scheduled {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<Coverage, ExecutorError> {
        let strategy = match plan {
            RunPlan::Serial { .. } => ExplorationStrategy::Serial,
            RunPlan::Bounded { preemptions } => ExplorationStrategy::Bounded {
                preemptions_max: Some(preemptions),
                reduction: self.options.reduction,
            },
            RunPlan::Random { seed, executions } => ExplorationStrategy::Random { seed, executions },
            RunPlan::Pct {
                seed,
                executions,
                depth,
            } => ExplorationStrategy::Priorities {
                seed,
                executions,
                changes: depth,
            },
        };
        let environment = match plan {
            RunPlan::Serial { environment } => environment,
            _ => 0,
        };
        let options = ExploreOptions {
            environment,
            ..self.options(allowance)
        };
        let program = program_of(matrix);
        let places = self.racing.clone();
        let exploration = explore(&mut self.pool, &program, strategy, &options, &mut |execution| {
            let mut told = told(execution, matrix);
            told.places.clone_from(&places);
            visit(told)
        })
        .map_err(failed)?;
        let is_complete = exploration.stopped == StopReason::Exhausted && exploration.diverged == 0;
        let bound_completed = match plan {
            RunPlan::Bounded { preemptions } if is_complete => Some(preemptions),
            // Bounds follow each other: the one that was being explored is not complete.
            RunPlan::Bounded { .. } => (exploration.bounds.len() as u32).checked_sub(2),
            _ => None,
        };
        Ok(Coverage {
            is_complete,
            bound_completed,
            redundant: exploration.redundant,
        })
    }

    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        places: &[u64],
    ) -> Result<MatrixRun, ExecutorError> {
        let options = ExploreOptions {
            places: places.to_vec(),
            ..self.options(Allowance::UNLIMITED)
        };
        let Some(executor) = self.pool.first_mut() else {
            return Err(ExecutorError::Failed("no harness is running".to_owned()));
        };
        match replay(&mut **executor, &program_of(matrix), schedule, &options, false) {
            Ok(execution) => {
                let mut told = told(&execution, matrix);
                told.places = places.to_vec();
                self.locate(&mut told);
                Ok(told)
            }
            Err(SchedError::Diverged { .. }) => Ok(MatrixRun {
                events: Vec::new(),
                ending: RunEnding::Diverged,
                schedule: schedule.clone(),
                preemptions: 0,
                switches: Vec::new(),
                races: Vec::new(),
                facts: Vec::new(),
                places: Vec::new(),
            }),
            Err(error) => Err(failed(error)),
        }
    }

    fn switch_at(&mut self, places: &[u64]) -> bool {
        let before = self.racing.len();
        for place in places {
            if !self.racing.contains(place) {
                self.racing.push(*place);
            }
        }
        self.racing.len() > before
    }

    fn switched(&self) -> Vec<u64> {
        self.racing.clone()
    }

    fn locate(&mut self, execution: &mut MatrixRun) {
        let Some(places) = &mut self.places else { return };
        for switch in &mut execution.switches {
            switch.place = places.find(switch.code);
        }
        let racing = execution.races.iter_mut().flat_map(|race| &mut race.accesses);
        for fact in racing.chain(&mut execution.facts) {
            fact.place = places.find(fact.code);
        }
    }

    fn scope(&self) -> Option<Scope> {
        Some(Scope {
            plain_accesses: self.options.plain_accesses,
            races: self.options.races,
            racing: self.racing.len(),
            unseen: self.unseen.clone(),
        })
    }
}

pub(crate) fn failed(error: SchedError) -> ExecutorError {
    ExecutorError::Failed(error.to_string())
}

pub(crate) fn program_of(matrix: &Matrix) -> TestProgram {
    let numbers = |lane| matrix.lane(lane).iter().map(|call| u32::from(call.0)).collect();
    TestProgram {
        before: numbers(Lane::Initial),
        columns: (0..matrix.threads.len())
            .map(|thread| numbers(Lane::Thread(thread as u8)))
            .collect(),
        after: numbers(Lane::Final),
    }
}

/// Where a call of the scheduler's stands in the matrix: its main thread makes the calls of the beginning and the end.
fn slot_of(matrix: &Matrix, thread: ThreadId, position: u32) -> CallSlot {
    let position = position.min(u32::from(u8::MAX)) as u8;
    let initial = matrix.initial.len() as u8;
    match lane_of(matrix, thread) {
        Lane::Initial if position >= initial => CallSlot {
            lane: Lane::Final,
            index: position - initial,
        },
        lane => CallSlot {
            lane,
            index: position,
        },
    }
}

fn lane_of(matrix: &Matrix, thread: ThreadId) -> Lane {
    match usize::from(thread) == matrix.threads.len() {
        true => Lane::Initial,
        false => Lane::Thread(thread),
    }
}

pub(crate) fn told(execution: &Execution, matrix: &Matrix) -> MatrixRun {
    let events: Vec<RunEvent> = execution
        .events
        .iter()
        .map(|event| {
            let slot = slot_of(matrix, event.thread, event.position);
            match &event.kind {
                CallEventKind::Call => RunEvent::Call(slot),
                CallEventKind::Return(result) => RunEvent::Return(slot, result.as_str().into()),
            }
        })
        .collect();
    let ending = ending_of(execution, &events, matrix);
    let switches = execution.switches().filter_map(|(at, step)| {
        let from = step.current?;
        let after_events = execution.events.partition_point(|event| event.step <= at as u64);
        Some(Switch {
            after_events,
            from: lane_of(matrix, from),
            to: lane_of(matrix, step.chosen),
            is_preemption: step.is_preemption(),
            code: step.current_code,
            place: None,
        })
    });
    MatrixRun {
        ending,
        schedule: execution.schedule(),
        preemptions: execution.preemptions(),
        switches: switches.collect(),
        races: execution.races.iter().map(|race| race_of(race, matrix)).collect(),
        facts: facts_of(execution, matrix),
        places: Vec::new(),
        events,
    }
}

fn fact(what: String, code: u64) -> Fact {
    Fact {
        what,
        code,
        place: None,
    }
}

fn race_of(race: &omnilink_sched::DataRace, matrix: &Matrix) -> RaceReport {
    let told = |access: &omnilink_sched::RacingAccess| {
        let who = match usize::from(access.thread) {
            thread if thread < matrix.threads.len() => format!("thread {thread}"),
            thread if thread == matrix.threads.len() => "the main thread".to_owned(),
            _ => "a thread of the component".to_owned(),
        };
        let does = match (access.writes, access.atomic) {
            (true, true) => "writes (atomically)",
            (true, false) if access.frees => "frees",
            (true, false) => "writes",
            (false, true) => "reads (atomically)",
            (false, false) => "reads",
        };
        fact(format!("{who} {does}"), access.code)
    };
    let [one, other] = &race.accesses;
    RaceReport {
        accesses: [told(one), told(other)],
        is_meant: race.is_meant,
        frees: one.frees || other.frees,
    }
}

/// What is known about the memory error that a run ended with.
fn facts_of(execution: &Execution, matrix: &Matrix) -> Vec<Fact> {
    let Ending::MemoryError { thread, error } = &execution.ending else {
        return Vec::new();
    };
    let who = match usize::from(*thread) < matrix.threads.len() {
        true => format!("thread {thread}"),
        false => "the main thread".to_owned(),
    };
    let bytes = match error.size {
        1 => "1 byte".to_owned(),
        size => format!("{size} bytes"),
    };
    let what = match error.kind {
        MemoryErrorKind::UseAfterFree => {
            format!("{who} uses freed memory (byte {} of {bytes})", error.offset)
        }
        MemoryErrorKind::OutOfBounds => format!("{who} uses byte {} of a block of {bytes}", error.offset),
        MemoryErrorKind::DoubleFree => format!("{who} frees a block of {bytes} again, in a function called"),
        MemoryErrorKind::BadFree => format!("{who} frees what was never allocated, in a function called"),
    };
    let mut facts = vec![fact(what, error.code)];
    if error.allocated != 0 {
        facts.push(fact(
            "it was allocated in a function called".to_owned(),
            error.allocated,
        ));
    }
    if error.freed != 0 {
        facts.push(fact("it was freed in a function called".to_owned(), error.freed));
    }
    facts
}

fn ending_of(execution: &Execution, events: &[RunEvent], matrix: &Matrix) -> RunEnding {
    match &execution.ending {
        Ending::Finished => RunEnding::Finished,
        Ending::Stuck(stuck) => RunEnding::Stuck(match stuck.reason {
            StuckReason::Deadlock => StuckKind::Deadlock,
            StuckReason::Livelock => StuckKind::Livelock,
        }),
        Ending::Crashed {
            thread,
            signal,
            exit_code,
        } => RunEnding::Crashed {
            slot: open_call(events, *thread, matrix),
            reason: match (signal, exit_code) {
                (Some(signal), _) => signal_name(*signal),
                (None, Some(code)) => format!("exit({code})"),
                (None, None) => "ended".to_owned(),
            }
            .into(),
        },
        Ending::MemoryError { thread, error } => RunEnding::Crashed {
            slot: open_call(events, *thread, matrix),
            reason: match error.kind {
                MemoryErrorKind::UseAfterFree => "use after free",
                MemoryErrorKind::OutOfBounds => "access out of bounds",
                MemoryErrorKind::DoubleFree => "double free",
                MemoryErrorKind::BadFree => "free of what was not allocated",
            }
            .into(),
        },
        Ending::Diverged { .. } => RunEnding::Diverged,
        Ending::Unresponsive { thread, silence } => {
            let slot = open_call(events, *thread, matrix);
            RunEnding::Cut(match silence {
                UnresponsiveReason::Computes => Cut::Computes(slot),
                UnresponsiveReason::Waits => Cut::Waits(slot),
                UnresponsiveReason::Late => Cut::Late(slot),
            })
        }
        Ending::StepLimit => RunEnding::Cut(Cut::Steps(execution.steps_made)),
        Ending::TooManyThreads => RunEnding::Cut(Cut::TooManyThreads),
        Ending::EventsTooLarge => RunEnding::Cut(Cut::ResultsTooLarge),
    }
}

/// The call that a thread was in, if it was in one.
fn open_call(events: &[RunEvent], thread: ThreadId, matrix: &Matrix) -> Option<CallSlot> {
    let is_theirs = |slot: &CallSlot| match (slot.lane, lane_of(matrix, thread)) {
        (Lane::Thread(one), Lane::Thread(other)) => one == other,
        (Lane::Initial | Lane::Final, Lane::Initial) => true,
        _ => false,
    };
    let theirs = |event: &&RunEvent| match event {
        RunEvent::Call(slot) | RunEvent::Return(slot, _) => is_theirs(slot),
    };
    match events.iter().rev().find(theirs) {
        Some(RunEvent::Call(slot)) => Some(*slot),
        _ => None,
    }
}

/// The signals that wrong code dies of.
fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL".to_owned(),
        5 => "SIGTRAP".to_owned(),
        6 => "SIGABRT".to_owned(),
        7 => "SIGBUS".to_owned(),
        8 => "SIGFPE".to_owned(),
        9 => "SIGKILL".to_owned(),
        11 => "SIGSEGV".to_owned(),
        other => format!("signal {other}"),
    }
}
