//! One test under many schedules.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use omnilink_sched::{
    MemoryModel, ObservedStop, OutsideUse, ProgramExecution, ProgramPolicy, ProgramSchedule, SchedError,
    StopConditions, StopReason, ThreadPlace, UnknownCall, UnresponsiveReason, WholeProgram,
};
use omnilink_source_lines::SourceLines;
use rustc_hash::FxHashSet;

use crate::failure::{FailureKind, TestFailure};
use crate::feedback::Feedback;
use crate::framework::ScheduledTest;
use crate::interleaving::Interleaving;
use crate::place::project_lines;
use crate::schedule_text::ScheduleText;
use crate::session::SessionOptions;
use crate::shrinking::Shrinking;
use crate::strategy::{FirstRun, ScheduleStrategy, mixed};
use crate::waiting_points::{SeenWaits, WaitingPoints};

/// What a failure needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCause {
    /// An interleaving: it does not fail without preemptions, and fails again with the same switches.
    Interleaving,
    /// No switch, but other random numbers or slower steps than usual.
    Environment,
    /// Nothing: it fails without preemptions.
    AnySchedule {
        /// It also fails without the scheduler.
        natively: bool,
    },
    /// Something that the scheduler does not control: the same schedule does not make it fail again.
    NotRepeatable,
    /// It is not known: there was no time to run the schedule again, or it has too many switches to be written down.
    NotRepeated,
}

impl FailureCause {
    /// Whether the scheduler itself may be the reason.
    fn is_doubtful(self) -> bool {
        matches!(
            self,
            Self::AnySchedule { natively: false } | Self::NotRepeatable | Self::NotRepeated
        )
    }
}

/// Why a test cannot be run under the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Its program is not linked with the scheduler.
    NotInstrumented,
    /// It has more threads than the scheduler can control.
    TooManyThreads,
    /// It asks for another machine, and fails because it does not get it.
    OtherMachine,
    /// It did not go on, for this reason, although it passes without the scheduler. It called this before, of which nothing is known.
    Unresponsive(UnresponsiveReason, Option<UnknownCall>),
}

impl Obstacle {
    /// What kind of a failure is none: the scheduler is the reason, or may be.
    fn of(kind: &FailureKind, unknown_call: Option<UnknownCall>) -> Option<Self> {
        match kind {
            FailureKind::TooManyThreads => Some(Self::TooManyThreads),
            FailureKind::Unresponsive(reason) => Some(Self::Unresponsive(*reason, unknown_call)),
            _ => None,
        }
    }
}

/// A failure of a test, repeated and shrunk.
#[derive(Debug, Clone)]
pub struct FoundFailure {
    /// The failure, in the shortest run that was found.
    pub failure: TestFailure,
    /// What it needs.
    pub cause: FailureCause,
    /// The number of the schedule that made it fail first; 0 is the one without preemptions, `None` one that was kept or given.
    pub number: Option<u64>,
    /// The schedule that makes it fail, shrunk.
    pub schedule: ScheduleText,
    /// How many switches the first failing run had.
    pub switches_before: usize,
    /// Runs that were made to repeat and to shrink it.
    pub shrinking_runs: u64,
    /// The steps of the run; none if it was not repeated.
    pub interleaving: Interleaving,
}

/// What became of a test.
#[derive(Debug, Clone)]
pub struct TestResult {
    /// The test.
    pub test: ScheduledTest,
    /// Schedules that were run, without those that repeat and shrink a failure.
    pub schedules: u64,
    /// How many of them were different.
    pub interleavings: usize,
    /// The most steps of a run.
    pub steps: u64,
    /// The most threads of a run.
    pub threads: u32,
    /// The failure, if there was one.
    pub failure: Option<FoundFailure>,
    /// A failure that is only suspected: the first one.
    pub suspected: Option<FoundFailure>,
    /// Whether it made accesses with a weaker order than sequential consistency.
    pub weak_orders: bool,
    /// Whether loads could read other stores than the newest.
    pub weak_memory: bool,
    /// Why nothing is known about its schedules.
    pub obstacle: Option<Obstacle>,
    /// Whether all runs were looked at for data races as a whole: at most 32 threads can be.
    pub has_all_races: bool,
    /// Where its threads may wait.
    pub waiting_points: WaitingPoints,
    /// Files, processes and shared memory that it used, which are not controlled.
    pub outside: BTreeSet<OutsideUse>,
    /// What ended it before all schedules were run.
    pub stopped: Option<StopReason>,
    /// How long it took.
    pub duration: Duration,
}

impl TestResult {
    /// Whether it fails only if the time or random numbers are other ones than usual.
    pub fn depends_on_environment(&self) -> bool {
        let is_usual = |schedule: &ScheduleText| {
            (schedule.step_ns, schedule.environment)
                == (ScheduleText::USUAL.step_ns, ScheduleText::USUAL.environment)
        };
        self.failure.as_ref().is_some_and(|found| match found.cause {
            FailureCause::Environment => true,
            FailureCause::Interleaving => !is_usual(&found.schedule),
            _ => false,
        })
    }

    /// Whether something may be wrong with it, and nothing is known to be.
    pub fn is_suspected(&self) -> bool {
        self.suspected.is_some() && self.failure.is_none()
    }

    /// Whether it was linked with the scheduler, but cannot be run under it.
    pub fn is_uncontrolled(&self) -> bool {
        self.obstacle
            .is_some_and(|obstacle| obstacle != Obstacle::NotInstrumented)
    }

    /// Whether the test has created no thread.
    pub fn has_one_thread(&self) -> bool {
        self.threads <= 1 + u32::from(self.test.harness_threads)
    }
}

impl ScheduledTest {
    /// Its program under the scheduler.
    pub(crate) fn whole_program(&self, options: &SessionOptions) -> WholeProgram {
        let mut environment = self.environment.clone();
        // A stack of calls for each panic takes longer than most tests, and a repetition can show it.
        if options.schedule.is_none() {
            environment.push(("RUST_BACKTRACE".into(), "0".into()));
        }
        WholeProgram {
            path: self.program.clone(),
            arguments: self.arguments.clone(),
            directory: self.directory.clone(),
            environment,
            background_threads: self.harness_threads,
            detects_races: options.detects_races,
            detects_leaks: options.detects_leaks,
            memory_model: options.memory_model,
            compute_max: options.compute_max,
            time_max: options.run_max,
        }
    }
}

/// Runs of one test.
pub(crate) struct TestRun<'a> {
    test: &'a ScheduledTest,
    options: &'a SessionOptions,
    program: WholeProgram,
    stop: StopConditions,
    result: TestResult,
    seen: FxHashSet<u64>,
    /// Whether a run looked at the time or used random numbers.
    is_influenced: bool,
    /// Runs that ended with a suspicion only, after the first one.
    suspicions: u64,
    first_run: FirstRun,
    /// Where the steps of the first run were made.
    first_places: Vec<ThreadPlace>,
    waits: SeenWaits,
    feedback: Feedback,
    source: &'a mut SourceLines,
}

/// More runs that end with a suspicion do not end with something better: they take long.
const SUSPICIONS_MAX: u64 = 20;

/// Schedules of a test with one thread.
const ONE_THREAD_SCHEDULES_MAX: u64 = 21;

impl<'a> TestRun<'a> {
    /// `source` has the source lines of its program.
    pub(crate) fn new(
        test: &'a ScheduledTest,
        options: &'a SessionOptions,
        stop: StopConditions,
        source: &'a mut SourceLines,
    ) -> Self {
        Self {
            test,
            options,
            program: test.whole_program(options),
            stop,
            result: TestResult {
                test: test.clone(),
                schedules: 0,
                interleavings: 0,
                steps: 0,
                threads: 0,
                failure: None,
                suspected: None,
                weak_orders: false,
                weak_memory: options.memory_model != MemoryModel::SequentiallyConsistent,
                obstacle: None,
                has_all_races: true,
                waiting_points: WaitingPoints::default(),
                outside: BTreeSet::new(),
                stopped: None,
                duration: Duration::ZERO,
            },
            seen: FxHashSet::default(),
            is_influenced: false,
            suspicions: 0,
            first_run: FirstRun::default(),
            first_places: Vec::new(),
            waits: SeenWaits::default(),
            feedback: Feedback::default(),
            source,
        }
    }

    /// Runs the test until it fails, all schedules were run, or time is up.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn finish(mut self) -> Result<TestResult, SchedError> {
        let started = Instant::now();
        let ended = match &self.options.schedule {
            Some(given) => self.run_schedule(None, &given.schedule()),
            None => self.all_schedules(),
        };
        match ended {
            Ok(_) => {}
            Err(SchedError::Stopped(reason)) => self.result.stopped = Some(reason),
            Err(error) => return Err(error),
        }
        self.result.interleavings = self.seen.len();
        if !self.result.has_one_thread() {
            self.result.waiting_points = self.waits.points(&self.first_places, self.source);
        }
        self.result.duration = started.elapsed();
        Ok(self.result)
    }

    fn all_schedules(&mut self) -> Result<bool, SchedError> {
        let kept = self.options.regressions.get(&self.test.full_name());
        for schedule in kept.into_iter().flatten() {
            if self.run_schedule(None, &schedule.schedule())? {
                return Ok(true);
            }
        }
        if self.run_schedule(Some(0), &ScheduleText::USUAL.schedule())? {
            return Ok(true);
        }
        let schedules = match (self.result.obstacle.is_none(), self.result.has_one_thread()) {
            (false, _) => 1,
            // Only the time and random numbers can make a difference.
            (true, true) if !self.is_influenced => 1,
            (true, true) => self.options.schedules.min(ONE_THREAD_SCHEDULES_MAX),
            (true, false) => self.options.schedules,
        };
        let first = std::mem::take(&mut self.first_run);
        let seed = mixed(self.options.seed, hash_of(&self.test.full_name()));
        for number in 1..schedules {
            let mut schedule = self.options.strategy.schedule(number - 1, seed, &first);
            if self.result.has_one_thread() {
                schedule.environment = number;
            }
            let is_changed = self.options.strategy == ScheduleStrategy::ReadsFrom && number % 2 == 0;
            if let (true, Some(switches)) = (is_changed, self.feedback.changed(mixed(seed, number))) {
                schedule.policy = ProgramPolicy::Switches(switches);
            }
            if self.run_schedule(Some(number), &schedule)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs one schedule. Returns whether the test failed; then the failure is repeated and shrunk.
    fn run_schedule(&mut self, number: Option<u64>, schedule: &ProgramSchedule) -> Result<bool, SchedError> {
        let is_first = number == Some(0);
        let uses_feedback = self.options.strategy == ScheduleStrategy::ReadsFrom;
        let mut execution = if is_first || uses_feedback {
            let (execution, observed) = self.program.run_observed(schedule, &self.stop)?;
            self.feedback.add(execution.switches.as_deref(), &observed);
            if is_first {
                let lines = observed.places.iter();
                let lines: Vec<Option<String>> = lines
                    .map(|place| project_lines(place, self.source).into_iter().next())
                    .collect();
                self.first_run = FirstRun {
                    steps: execution.steps,
                    locations: observed.locations,
                    stops: at_new_lines(observed.stops, &lines),
                };
                self.first_places = observed.places;
            }
            execution
        } else {
            self.program.run(schedule, &self.stop)?
        };
        self.result.schedules += 1;
        self.result.steps = self.result.steps.max(execution.steps);
        self.result.threads = self.result.threads.max(execution.threads);
        self.waits.add(std::mem::take(&mut execution.waiting_places));
        self.result.outside.extend(std::mem::take(&mut execution.outside));
        self.result.has_all_races &= execution.has_all_races || !self.options.detects_races;
        if !execution.is_controlled {
            self.result.obstacle = Some(Obstacle::NotInstrumented);
        }
        self.result.weak_orders |= execution.weak_orders;
        self.is_influenced |= execution.depends_on_time || execution.depends_on_random_numbers;
        self.seen.insert(execution.interleaving);
        let Some(failure) = TestFailure::of(&execution) else {
            return Ok(false);
        };
        let is_suspected = failure.suspected().is_some();
        if is_suspected && self.result.suspected.is_some() {
            self.suspicions += 1;
            return Ok(self.suspicions > SUSPICIONS_MAX);
        }
        let mut found = match number {
            Some(0) => self.without_interleaving(failure),
            _ => self.repeated((number, schedule), failure, &execution),
        };
        self.record_steps(&mut found);
        if is_suspected && found.failure.suspected().is_some() {
            self.result.suspected = Some(found);
            return Ok(false);
        }
        let obstacle = if execution.asked_for_other_machine {
            Some(Obstacle::OtherMachine)
        } else {
            Obstacle::of(&found.failure.kind, execution.unknown_calls.last().copied())
        };
        // A program that waits for ever may be wrong. One that computes for long, or has many threads, is only too much for the scheduler.
        // One that asks for another machine may fail for other reasons.
        let may_be_wrong = |obstacle| {
            matches!(
                obstacle,
                Obstacle::OtherMachine | Obstacle::Unresponsive(UnresponsiveReason::Waits, _)
            )
        };
        match obstacle {
            Some(obstacle) if !may_be_wrong(obstacle) || found.cause.is_doubtful() => {
                self.result.obstacle = Some(obstacle);
            }
            _ => self.result.failure = Some(found),
        }
        Ok(true)
    }

    /// Makes the failing run once more, to see its steps and where the accesses of a race were made.
    fn record_steps(&mut self, found: &mut FoundFailure) {
        let race = match &found.failure.kind {
            FailureKind::Race(race) => Some(race),
            _ => None,
        };
        let schedule = found.schedule.schedule();
        let Ok((again, steps)) = self.program.run_recorded(&schedule, race, &self.stop) else {
            return;
        };
        let is_same = TestFailure::of(&again).is_some_and(|again| again.is_like(&found.failure));
        if is_same {
            found.failure.race_places = again.race_places;
            let failed = race.map(|race| race.accesses[1].thread);
            found.interleaving = Interleaving::of(self.test, &steps, failed, self.source);
        }
    }

    /// A failure without preemptions: does it also fail without the scheduler, and with other random numbers?
    fn without_interleaving(&self, failure: TestFailure) -> FoundFailure {
        const OTHERS: std::ops::Range<u64> = 1..4;
        let mut command = Command::new(&self.test.program);
        command
            .args(&self.test.arguments)
            .envs(self.test.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(directory) = &self.test.directory {
            command.current_dir(directory);
        }
        let natively = fails_within(&mut command, self.options.run_max, &self.stop);
        let passes_with = |environment: u64| {
            let other = ScheduleText {
                environment,
                ..ScheduleText::USUAL
            };
            let run = self.program.run(&other.schedule(), &self.stop);
            run.is_ok_and(|run| TestFailure::of(&run).is_none())
        };
        let cause = if !natively && self.is_influenced && OTHERS.into_iter().any(passes_with) {
            FailureCause::Environment
        } else {
            FailureCause::AnySchedule { natively }
        };
        FoundFailure {
            failure,
            cause,
            number: Some(0),
            schedule: ScheduleText::USUAL,
            switches_before: 0,
            shrinking_runs: 0,
            interleaving: Interleaving::default(),
        }
    }

    /// Repeats a failure by its switches, and leaves out what it does not need.
    fn repeated(
        &self,
        (number, schedule): (Option<u64>, &ProgramSchedule),
        failure: TestFailure,
        execution: &ProgramExecution,
    ) -> FoundFailure {
        let made = execution.switches.clone().unwrap_or_default();
        let first = ScheduleText {
            switches: made.clone(),
            step_ns: schedule.step_ns,
            environment: schedule.environment,
        };
        let mut shrinking = Shrinking {
            program: &self.program,
            stop: &self.stop,
            runs_max: self.options.shrinking_runs_max,
            failure: &failure,
            best: None,
            runs: 0,
        };
        let fails_again = if execution.switches.is_some() {
            shrinking.fails(&first)
        } else {
            None
        };
        if fails_again == Some(true) {
            shrinking.simplify();
            shrinking.leave_out();
            // Fewer switches may need less.
            shrinking.simplify();
        }
        let Shrinking { best, runs, .. } = shrinking;
        // A schedule that was kept runs before the one without preemptions, which may fail as well.
        if let Some((failure, _)) = best
            .clone()
            .filter(|(_, schedule)| *schedule == ScheduleText::USUAL)
        {
            return self.without_interleaving(failure);
        }
        let (cause, failure, schedule) = match best {
            None if fails_again.is_none() => (FailureCause::NotRepeated, failure, first),
            None => (FailureCause::NotRepeatable, failure, first),
            Some((failure, schedule)) if schedule.switches.is_empty() => {
                (FailureCause::Environment, failure, schedule)
            }
            Some((failure, schedule)) => (FailureCause::Interleaving, failure, schedule),
        };
        FoundFailure {
            failure,
            cause,
            number,
            schedule,
            switches_before: made.len(),
            shrinking_runs: runs,
            interleaving: Interleaving::default(),
        }
    }
}

/// The stops at which a thread comes to another line of the project than where it has stopped before: of the steps of one call, the first.
fn at_new_lines(stops: Vec<ObservedStop>, lines: &[Option<String>]) -> Vec<ObservedStop> {
    let mut last: BTreeMap<u8, Option<&String>> = BTreeMap::new();
    let comes_to_new_line = |stop: &ObservedStop| {
        let line = lines.get(stop.place).and_then(Option::as_ref);
        line.is_some() && last.insert(stop.thread, line) != Some(line)
    };
    stops.into_iter().filter(comes_to_new_line).collect()
}

/// Whether a command fails; one that takes too long, or longer than a stop condition allows, does.
fn fails_within(command: &mut Command, time_max: Duration, stop: &StopConditions) -> bool {
    let Ok(mut process) = command.spawn() else {
        return true;
    };
    let started = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return !status.success(),
            Ok(None) if started.elapsed() < time_max && stop.reached().is_none() => {
                std::thread::sleep(Duration::from_millis(2))
            }
            _ => {
                let _ = process.kill();
                let _ = process.wait();
                return true;
            }
        }
    }
}

fn hash_of(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| mixed(hash, u64::from(byte)))
}
