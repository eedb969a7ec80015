//! Many matrices, and what is left of the one that fails.

use omnilink_lineup::{
    Alphabet, Diagnosis, LineupOptions, Matrices, MatrixVerdict, Request, RunSelection, Summary, run_campaign,
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
    let summary = run_campaign(&mut machines, request, matrices, &mut |_| {}, &mut || {}).unwrap();
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
