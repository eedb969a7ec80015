//! All tests, some of them at the same time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use omnilink_sched::{MemoryModel, SchedError, StopConditions, StopReason};
use omnilink_source_lines::SourceLines;

use crate::framework::ScheduledTest;
use crate::schedule_text::ScheduleText;
use crate::strategy::ScheduleStrategy;
use crate::test_run::{TestResult, TestRun};

/// How tests are run.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Schedules for each test, the one without preemptions included.
    pub schedules: u64,
    /// How they are chosen.
    pub strategy: ScheduleStrategy,
    /// What all random choices are derived from.
    pub seed: u64,
    /// Tests at the same time.
    pub jobs: usize,
    /// Time for all tests.
    pub time_max: Option<Duration>,
    /// Whether data races are failures.
    pub detects_races: bool,
    /// Whether memory that nothing points to at the end is a failure.
    pub detects_leaks: bool,
    /// Which stores an atomic load may read.
    pub memory_model: MemoryModel,
    /// How long a thread may compute between two steps.
    pub compute_max: Duration,
    /// How long one run may take.
    pub run_max: Duration,
    /// Runs that repeat and shrink a failure.
    pub shrinking_runs_max: u64,
    /// End with the first test that fails.
    pub until_failure: bool,
    /// Run this schedule only.
    pub schedule: Option<ScheduleText>,
    /// Schedules that made tests fail before, by the names of the tests: they are run first.
    pub regressions: BTreeMap<String, Vec<ScheduleText>>,
    /// Set by Ctrl-C.
    pub interrupt: Option<&'static AtomicBool>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            schedules: 100,
            strategy: ScheduleStrategy::default(),
            seed: 0,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            time_max: None,
            detects_races: true,
            detects_leaks: false,
            memory_model: MemoryModel::SequentiallyConsistent,
            compute_max: Duration::from_secs(5),
            run_max: Duration::from_secs(60),
            shrinking_runs_max: 200,
            until_failure: false,
            schedule: None,
            regressions: BTreeMap::new(),
            interrupt: None,
        }
    }
}

/// What is told while tests run.
pub trait TestProgress: Sync {
    /// A test has ended: its number among all tests, and what became of it.
    fn ended(&self, number: usize, result: &TestResult);
}

/// A session.
#[derive(Debug)]
pub struct TestSession {
    /// The results, in the order of the tests. Tests that were not begun are left out.
    pub results: Vec<TestResult>,
    /// How many tests were not begun.
    pub not_begun: usize,
}

impl TestSession {
    /// Runs tests.
    ///
    /// # Errors
    /// When one of them cannot be started.
    pub fn run(
        tests: &[ScheduledTest],
        options: &SessionOptions,
        progress: &dyn TestProgress,
    ) -> Result<Self, SchedError> {
        let deadline = options.time_max.map(|time| Instant::now() + time);
        let next = AtomicUsize::new(0);
        let is_over = AtomicBool::new(false);
        let results: Mutex<Vec<(usize, TestResult)>> = Mutex::default();
        let failed: Mutex<Option<SchedError>> = Mutex::default();
        let jobs = options.jobs.clamp(1, tests.len().max(1));
        let work = || {
            let mut sources: BTreeMap<&Path, SourceLines> = BTreeMap::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(test) = tests.get(number).filter(|_| !is_over.load(Ordering::Relaxed)) else {
                    return;
                };
                let stop = StopConditions {
                    deadline: deadline.map(|end| share_of(end, tests.len() - number, jobs)),
                    memory_bytes_max: None,
                    interrupt: options.interrupt,
                };
                let program = test.program.as_path();
                let source = sources.entry(program).or_insert_with(|| SourceLines::of(program));
                match TestRun::new(test, options, stop, source).finish() {
                    Ok(result) => {
                        let ends_all = result.stopped == Some(StopReason::Interrupted)
                            || (options.until_failure && result.failure.is_some())
                            || deadline.is_some_and(|end| Instant::now() >= end);
                        if ends_all {
                            is_over.store(true, Ordering::Relaxed);
                        }
                        progress.ended(number, &result);
                        lock(&results).push((number, result));
                    }
                    Err(error) => {
                        is_over.store(true, Ordering::Relaxed);
                        lock(&failed).get_or_insert(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
        if let Some(error) = lock(&failed).take() {
            return Err(error);
        }
        let mut results = std::mem::take(&mut *lock(&results));
        results.sort_by_key(|(number, _)| *number);
        Ok(Self {
            not_begun: tests.len() - results.len(),
            results: results.into_iter().map(|(_, result)| result).collect(),
        })
    }

    /// The tests that failed.
    pub fn failures(&self) -> impl Iterator<Item = &TestResult> {
        self.results.iter().filter(|result| result.failure.is_some())
    }
}

/// When a test has to end, so that those after it have as much time: what one does not need is left for the others.
fn share_of(end: Instant, left: usize, jobs: usize) -> Instant {
    let now = Instant::now();
    let time = end.saturating_duration_since(now);
    let share = time * u32::try_from(jobs).unwrap_or(1) / u32::try_from(left.max(1)).unwrap_or(u32::MAX);
    now + share.min(time)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
