//! The same runs, explained by a given specification and by weaker criteria.

use omnilink_lineup::{Alphabet, Criterion, Matrix, Options, Request, Specification, Verdict, check_matrix};

use crate::counts::checked;
use crate::machines::components::{Queue, ReplicatedRegister};
use crate::machines::{Machine, Machines};

fn against<M: Machine>(
    make: impl Fn(u64) -> M,
    calls: &[&str],
    matrix: &str,
    model: &str,
    level: &str,
) -> Verdict {
    let alphabet = Alphabet::of_calls(calls.iter().copied()).unwrap();
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let specification = Specification::new(model, level).unwrap();
    let mut machines = Machines {
        make,
        alphabet: alphabet.clone(),
    };
    let options = Options::default();
    let request = Request {
        alphabet: &alphabet,
        options: &options,
        specification: Some(&specification),
    };
    check_matrix(&mut machines, request, &matrix, &mut || {})
        .unwrap()
        .verdict
}

#[test]
fn a_shipped_model_explains_a_queue_and_not_a_stack() {
    let calls = &["push(1)", "push(2)", "pop()"];
    let matrix = "push(1), pop() | push(2), pop()";
    let verdict = against(
        |_| Queue::default(),
        calls,
        matrix,
        "queue:empty=empty",
        "linearizable",
    );
    assert!(matches!(verdict, Verdict::Passed), "{verdict:?}");
    // One after the other, without any overlap, already contradicts a stack.
    let serially = "push(1), push(2), pop()";
    let verdict = against(
        |_| Queue::default(),
        calls,
        serially,
        "stack:empty=empty",
        "linearizable",
    );
    assert!(matches!(verdict, Verdict::Violation(_)), "{verdict:?}");
}

/// A reader of one replica sees the write, then a reader of the other does not: no order in real time, but one in which
/// each thread's own calls are in order.
const TOO_LATE: &str = "write(1) | read() | read()";

#[test]
fn a_register_of_two_replicas_is_sequentially_consistent_and_no_more() {
    let calls = &["write(1)", "read()"];
    let by_itself = |criterion| {
        let options = Options {
            criterion,
            ..Options::default()
        };
        checked(|_| ReplicatedRegister::default(), calls, TOO_LATE, options).verdict
    };
    assert!(matches!(
        by_itself(Criterion::Linearizable),
        Verdict::Violation(_)
    ));
    assert!(matches!(by_itself(Criterion::Sequential), Verdict::Passed));
    let by_model = |level| {
        against(
            |_| ReplicatedRegister::default(),
            calls,
            TOO_LATE,
            "register:initial=0",
            level,
        )
    };
    assert!(matches!(by_model("linearizable"), Verdict::Violation(_)));
    assert!(matches!(by_model("sequential"), Verdict::Passed));
    assert!(matches!(by_model("read-my-writes"), Verdict::Passed));
}

#[test]
fn a_model_that_does_not_know_a_call_says_so() {
    let alphabet = Alphabet::of_calls(["shuffle()"]).unwrap();
    let specification = Specification::new("queue", "linearizable").unwrap();
    let mut machines = Machines {
        make: |_| Queue::default(),
        alphabet: alphabet.clone(),
    };
    let request = Request {
        alphabet: &alphabet,
        options: &Options::default(),
        specification: Some(&specification),
    };
    let matrix = Matrix::parse("shuffle()", &alphabet).unwrap();
    let error = check_matrix(&mut machines, request, &matrix, &mut || {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("no operation \"shuffle\""), "{error}");
    assert!(Specification::new("kettle", "linearizable").is_err());
    assert!(Specification::new("queue", "sort of").is_err());
}
