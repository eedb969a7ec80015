//! Exactly known numbers of runs and histories.

use omnilink_lineup::{Alphabet, CheckedMatrix, LineupOptions, Matrix, Request, RunSelection, check_matrix};

use crate::machines::components::{BlockingQueue, Queue};
use crate::machines::{Machine, Machines};

pub(crate) fn checked<M: Machine>(
    make: impl Fn(u64) -> M,
    calls: &[&str],
    matrix: &str,
    options: LineupOptions,
) -> CheckedMatrix {
    let alphabet = Alphabet::of_calls(calls.iter().copied()).unwrap();
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let mut machines = Machines {
        make,
        alphabet: alphabet.clone(),
    };
    let request = Request {
        alphabet: &alphabet,
        options: &options,
        specification: None,
    };
    check_matrix(&mut machines, request, &matrix, &mut || {}).unwrap()
}

const QUEUE: &[&str] = &["push(1)", "push(2)", "push(3)", "pop()"];

fn bound(preemptions: u32) -> LineupOptions {
    LineupOptions {
        search: RunSelection::Bounded { preemptions },
        executions_max: u64::MAX,
        ..LineupOptions::default()
    }
}

#[test]
fn a_queue_with_three_threads_of_three_calls_has_1680_serial_histories() {
    let matrix = "push(1), pop(), push(2) | pop(), push(3), pop() | push(1), pop(), pop()";
    let checked = checked(|_| Queue::default(), QUEUE, matrix, bound(0));
    assert_eq!(checked.serial.finished(), 1680);
    assert_eq!(checked.serial.stuck(), 0);
    assert_eq!(checked.serial.histories().len(), 1680);
    // Once, and a few more in two other surroundings.
    assert_eq!(checked.serial_phase.executions, 1680 + 2 * 24);
}

#[test]
fn without_a_preemption_threads_run_one_after_the_other() {
    let checked = checked(
        |_| Queue::default(),
        QUEUE,
        "push(1), pop() | push(2), pop() | pop()",
        bound(0),
    );
    assert_eq!(checked.phases.len(), 1);
    assert_eq!(checked.phases[0].executions, 6);
    assert_eq!(checked.phases[0].histories, 6);
}

/// Each call has two steps, so two threads of two calls have four steps each.
///
/// With one preemption: the thread that begins is interrupted after 1, 2 or 3 steps, the other runs to its end, and the
/// first goes on: 2 × 3. With two: the first is interrupted after i of its 4 steps, the other after j of its: 2 × 3 × 3.
#[test]
fn preemptions_are_counted_exactly() {
    let checked = checked(
        |_| Queue::default(),
        QUEUE,
        "push(1), pop() | push(2), pop()",
        bound(2),
    );
    let executions: Vec<u64> = checked.phases.iter().map(|phase| phase.executions).collect();
    assert_eq!(executions, [2, 6, 18]);
    assert!(checked.phases.iter().all(|phase| phase.is_complete));
    assert!(!checked.verdict.is_failure());
}

/// With as many preemptions as there can be, every interleaving of 4 and 4 steps is met: 8! / (4! 4!) = 70.
#[test]
fn every_interleaving_is_met_when_nothing_is_bounded() {
    let checked = checked(
        |_| Queue::default(),
        QUEUE,
        "push(1), pop() | push(2), pop()",
        bound(16),
    );
    let executions: u64 = checked.phases.iter().map(|phase| phase.executions).sum();
    assert_eq!(executions, 70);
}

#[test]
fn a_blocking_call_ends_a_serial_history_and_is_explained_by_it() {
    let checked = checked(
        |_| BlockingQueue::default(),
        QUEUE,
        "pop() | push(1) | pop()",
        bound(4),
    );
    // push first: then either pop takes 1 and the other is stuck. pop first (either): stuck at once.
    assert_eq!((checked.serial.finished(), checked.serial.stuck()), (0, 4));
    assert!(checked.phases.iter().any(|phase| phase.stuck > 0));
    assert!(!checked.verdict.is_failure(), "{:?}", checked.verdict);
}
