//! Many matrices, and what is left of the one that fails.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use omnilink_evidence::Limit;
use omnilink_lineup::{
    Allowance, Alphabet, CheckedMatrix, Diagnosis, ExecutorError, LineupOptions, Matrices, Matrix,
    MatrixExecutor, MatrixRun, MatrixVerdict, PassCoverage, Request, RunCoverage, RunPlan, RunSelection,
    Schedule, Summary, Visit, run_campaign,
};

use crate::machines::components::{
    Barrier, BlockingQueue, ImpatientBag, ManualResetEvent, MoodyBag, Queue, RacyCounter,
};
use crate::machines::{Machine, Machines};

pub(crate) fn campaign<M: Machine>(
    make: impl Fn(u64) -> M,
    calls: &[&str],
    matrices: &Matrices,
    options: &LineupOptions,
) -> (Summary, Alphabet) {
    let alphabet = Alphabet::of_calls(calls.iter().copied()).unwrap();
    let mut machines = Machines {
        make,
        alphabet: alphabet.clone(),
    };
    let request = Request {
        alphabet: &alphabet,
        options,
        specification: None,
    };
    let summary = run_campaign(&mut machines, request, matrices, &mut |_, _| {}, &mut || {}).unwrap();
    (summary, alphabet)
}

/// The smallest matrix of a random check, and what it suffers from.
fn found<M: Machine>(make: impl Fn(u64) -> M, calls: &[&str]) -> (String, Option<Diagnosis>) {
    let options = LineupOptions {
        search: RunSelection::Bounded { preemptions: 1 },
        executions_max: 500,
        ..LineupOptions::default()
    };
    let (summary, alphabet) = campaign(make, calls, &Matrices::default(), &options);
    let failure = summary.failure.expect("a failure");
    let (finding, shrinking) = (summary.executions, failure.shrink_executions);
    println!(
        "{}: {finding} runs to find, {shrinking} to shrink",
        calls.join(" ")
    );
    // Below ten thousand runs nobody waits. A few are made again in other surroundings.
    assert!(shrinking <= finding.max(10_000) + 2 * 24, "{finding} {shrinking}");
    let smallest = failure.smallest;
    if matches!(smallest.verdict, MatrixVerdict::Violation(_)) {
        assert_eq!(failure.is_repeatable, Some(true));
    }
    (
        smallest.matrix.display(&alphabet).to_string(),
        Diagnosis::of(&smallest),
    )
}

#[test]
fn a_random_check_finds_each_bug_and_leaves_the_smallest_matrix() {
    let (matrix, diagnosis) = found(|_| RacyCounter::default(), &["inc()", "get()"]);
    assert_eq!(diagnosis, Some(Diagnosis::NotLinearizable));
    assert!(
        ["inc() | inc(), get()", "inc(), get() | inc()"].contains(&matrix.as_str()),
        "{matrix}"
    );

    let (matrix, diagnosis) = found(|_| ImpatientBag::default(), &["add(1)", "try_take()"]);
    assert_eq!(diagnosis, Some(Diagnosis::NotLinearizable));
    assert_eq!(
        matrix.matches("()").count() + matrix.matches("(1)").count(),
        3,
        "{matrix}"
    );

    let (matrix, diagnosis) = found(|_| Barrier::default(), &["arrive()"]);
    assert_eq!(matrix, "arrive() | arrive()");
    assert!(matches!(diagnosis, Some(Diagnosis::Rendezvous(_))));

    let (matrix, diagnosis) = found(|_| ManualResetEvent::default(), &["set()", "reset()", "wait()"]);
    assert!(
        matches!(diagnosis, Some(Diagnosis::LostWakeup(_))),
        "{matrix}: {diagnosis:?}"
    );

    let (matrix, diagnosis) = found(|_| BlockingQueue::losing_wakeups(), &["push(1)", "pop()"]);
    assert!(
        matches!(diagnosis, Some(Diagnosis::LostWakeup(_))),
        "{matrix}: {diagnosis:?}"
    );

    // Two threads that wait and one that wakes them: three threads, whatever the shape of the matrix.
    assert_eq!(matrix.split(['|', ',']).count(), 4, "{matrix}");
    assert_eq!(matrix.split('|').count(), 3, "{matrix}");

    let (matrix, diagnosis) = found(MoodyBag::new, &["add(1)", "add(2)", "take()"]);
    assert_eq!(diagnosis, None);
    assert_eq!(matrix.matches("add").count(), 2, "{matrix}");
    assert_eq!(matrix.matches("take").count(), 1, "{matrix}");
}

#[test]
fn growing_matrices_find_the_smallest_first() {
    let options = LineupOptions::default();
    let (summary, alphabet) = campaign(
        |_| RacyCounter::default(),
        &["inc()", "get()"],
        &Matrices::Growing { largest: 3 },
        &options,
    );
    let failure = summary.failure.expect("a failure");
    assert_eq!(failure.found.shape(), "2 × 2");
    assert_eq!(
        failure.smallest.matrix.len(),
        3,
        "{}",
        failure.smallest.matrix.display(&alphabet)
    );
}

#[test]
fn a_correct_component_passes_all_matrices() {
    let matrices = Matrices::Random {
        threads: 2,
        cells: 2,
        samples: 20,
    };
    let options = LineupOptions {
        executions_max: u64::MAX,
        ..LineupOptions::default()
    };
    let (summary, _) = campaign(
        |_| Queue::default(),
        &["push(1)", "push(2)", "pop()"],
        &matrices,
        &options,
    );
    assert!(summary.failure.is_none() && summary.is_complete);
    assert_eq!(summary.matrices, 20);
    assert_eq!(summary.undecided, 0);
    // 2 × 2 calls of two steps: see the counts of preemptions.
    let executions: Vec<u64> = summary.phases.iter().map(|phase| phase.executions).collect();
    assert_eq!(executions, [2 * 20, 6 * 20, 18 * 20]);
}

#[test]
fn nothing_is_concluded_from_some_of_the_serial_runs() {
    let matrices = Matrices::Random {
        threads: 2,
        cells: 2,
        samples: 1,
    };
    let options = LineupOptions {
        serial_max: 3,
        ..LineupOptions::default()
    };
    let (summary, _) = campaign(
        |_| RacyCounter::default(),
        &["inc()", "get()"],
        &matrices,
        &options,
    );
    assert!(summary.failure.is_none());
    assert_eq!((summary.matrices, summary.undecided), (1, 1));
}

/// Passes runs on, and keeps the plan of each exploration.
struct Logged<E> {
    executor: E,
    plans: Vec<(String, RunPlan)>,
    alphabet: Alphabet,
}

impl<E: MatrixExecutor> MatrixExecutor for Logged<E> {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        self.plans
            .push((matrix.display(&self.alphabet).to_string(), plan));
        self.executor.explore(matrix, plan, allowance, visit)
    }

    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        racy_accesses: &[u64],
    ) -> Result<MatrixRun, ExecutorError> {
        self.executor.replay(matrix, schedule, racy_accesses)
    }
}

/// The bounds with which matrices of two threads were checked, in order, and the summary. Stops after this many checks.
fn bounds_of(checks_max: usize) -> (Vec<(String, u32)>, usize, Summary) {
    let alphabet = Alphabet::of_calls(["push(1)", "pop()"]).unwrap();
    let machines = Machines {
        make: |_| Queue::default(),
        alphabet: alphabet.clone(),
    };
    let mut logged = Logged {
        executor: machines,
        plans: Vec::new(),
        alphabet: alphabet.clone(),
    };
    let interrupt: &'static AtomicBool = Box::leak(Box::default());
    let mut options = LineupOptions::default();
    options.stop.interrupt = Some(interrupt);
    let request = Request {
        alphabet: &alphabet,
        options: &options,
        specification: None,
    };
    let mut checks = 0;
    let mut seen = |_: &CheckedMatrix, _: bool| {
        checks += 1;
        interrupt.store(checks == checks_max, SeqCst);
    };
    let matrices = Matrices::Growing { largest: 2 };
    let summary = run_campaign(&mut logged, request, &matrices, &mut seen, &mut || {}).unwrap();
    let serial = logged.plans.iter();
    let serial = serial
        .filter(|(_, plan)| matches!(plan, RunPlan::Serial { .. }))
        .count();
    let bounded = logged.plans.into_iter().filter_map(|(matrix, plan)| match plan {
        RunPlan::Bounded { preemptions } => Some((matrix, preemptions)),
        _ => None,
    });
    (bounded.collect(), serial, summary)
}

#[test]
fn all_matrices_are_checked_with_one_preemption_before_any_is_with_two() {
    let (bounds, serial, summary) = bounds_of(usize::MAX);
    assert_eq!(bounds.len(), 2 * 13);
    let (first, second) = bounds.split_at(13);
    assert!(first.iter().all(|(_, bound)| *bound == 1) && second.iter().all(|(_, bound)| *bound == 2));
    let names =
        |pass: &[(String, u32)]| -> Vec<String> { pass.iter().map(|(name, _)| name.clone()).collect() };
    assert_eq!(names(first), names(second));
    // Serial runs are made once, in each environment.
    assert_eq!(serial, 13 * 3);
    assert_eq!((summary.matrices, summary.undecided), (13, 0));
    assert!(
        summary.is_complete
            && summary.phases.len() == 3
            && summary.phases.iter().all(|phase| phase.is_complete)
    );
    // Runs with at most one preemption are made twice and counted as runs, but are one set of histories.
    let once: u64 = summary.phases.iter().map(|phase| phase.executions).sum();
    assert!(summary.executions > once);
    let pass = |bound| PassCoverage {
        bound: Some(bound),
        matrices: 13,
        of: 13,
    };
    assert_eq!(summary.coverage[0].passes, [pass(1), pass(2)]);
}

#[test]
fn a_campaign_that_is_stopped_says_how_far_it_came() {
    let (_, _, summary) = bounds_of(13 + 4);
    assert_eq!(summary.limit, Some(Limit::Interrupt));
    let complete: Vec<bool> = summary.phases.iter().map(|phase| phase.is_complete).collect();
    assert_eq!(complete, [true, true, false]);
    assert_eq!(
        summary.reached().as_deref(),
        Some("matrices of 2 threads: 13 of 13 with at most 1 preemption, 4 of 13 with at most 2 preemptions")
    );
    // Stopped in the first pass: no bound is complete for all matrices.
    let (_, _, summary) = bounds_of(5);
    assert_eq!(summary.matrices, 5);
    assert!(!summary.is_complete);
}

/// One random matrix of two threads with one call each is asked for; with two calls there are three.
const ONE_OF_THREE: Matrices = Matrices::Random {
    threads: 2,
    cells: 1,
    samples: 1,
};

fn more_until(until: Option<Instant>) -> LineupOptions {
    LineupOptions {
        more_until: until,
        ..LineupOptions::default()
    }
}

#[test]
fn random_matrices_go_on_until_the_time_is_up_or_there_are_no_more() {
    let checked = |until| {
        let calls = ["push(1)", "pop()"];
        let (summary, _) = campaign(|_| Queue::default(), &calls, &ONE_OF_THREE, &more_until(until));
        assert!(summary.failure.is_none() && summary.is_complete && summary.limit.is_none());
        (summary.matrices, summary.further)
    };
    assert_eq!(checked(None), (1, 0));
    assert_eq!(checked(Some(Instant::now())), (1, 0));
    assert_eq!(
        checked(Instant::now().checked_add(Duration::from_secs(3_600))),
        (1, 2)
    );
}

#[test]
fn what_the_matrices_that_were_asked_for_do_not_show_is_found_in_the_time_that_is_left() {
    let matrices = Matrices::Random {
        threads: 2,
        cells: 2,
        samples: 1,
    };
    let fails = |seed, until| {
        let options = LineupOptions {
            seed,
            ..more_until(until)
        };
        let (summary, _) = campaign(
            |_| RacyCounter::default(),
            &["get()", "inc()"],
            &matrices,
            &options,
        );
        summary.failure.is_some()
    };
    let unlucky = (0..100)
        .find(|seed| !fails(*seed, None))
        .expect("a seed without luck");
    assert!(fails(
        unlucky,
        Instant::now().checked_add(Duration::from_secs(3_600))
    ));
}

/// What ends a check ends shrinking too: the matrix is reported as it was found.
#[test]
fn an_interrupt_ends_shrinking() {
    let alphabet = Alphabet::of_calls(["inc()", "get()"]).unwrap();
    let mut machines = Machines {
        make: |_| RacyCounter::default(),
        alphabet: alphabet.clone(),
    };
    let interrupt: &'static AtomicBool = Box::leak(Box::default());
    let mut options = LineupOptions::default();
    options.stop.interrupt = Some(interrupt);
    let request = Request {
        alphabet: &alphabet,
        options: &options,
        specification: None,
    };
    let matrix = Matrix::parse("inc(), get(), inc() | inc(), get(), inc()", &alphabet).unwrap();
    let mut checked = |interrupts: bool| {
        interrupt.store(false, SeqCst);
        let mut seen = |checked: &CheckedMatrix, _: bool| {
            interrupt.store(interrupts && checked.verdict.is_failure(), SeqCst);
        };
        let matrices = Matrices::Given(vec![matrix.clone()]);
        let summary = run_campaign(&mut machines, request, &matrices, &mut seen, &mut || {}).unwrap();
        let failure = summary.failure.expect("a failure");
        (failure.smallest.matrix.len(), failure.shrink_executions)
    };
    assert_eq!(checked(true), (6, 0));
    let (length, executions) = checked(false);
    assert!(length < 6 && executions > 0);
}
