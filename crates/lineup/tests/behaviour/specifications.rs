//! The same runs, explained by a given specification and by weaker criteria.

use std::time::{Duration, Instant};

use omnilink_evidence::Limit;
use omnilink_lineup::{
    Alphabet, CorrectnessCondition, LineupOptions, Matrix, MatrixVerdict, ModelSpecification, Request,
    SerialCriterion, Specification, SpecificationError, SpecificationResult, StopConditions, Undecided,
    check_matrix, explain_by,
};
use omnilink_models::{DecodeError, Decoded, NativeModel, Visitor, with_model};
use omnilink_trace::Operation;

use crate::counts::checked;
use crate::machines::components::{Queue, ReplicatedRegister};
use crate::machines::{Machine, Machines};

/// A shipped model at a level.
fn shipped(model: &str, level: &str) -> Specification {
    with_model(model, OfModel(CorrectnessCondition::from_name(level).unwrap())).unwrap()
}

struct OfModel(CorrectnessCondition);

impl Visitor for OfModel {
    type Output = Specification;

    fn visit<M: NativeModel>(self, model: M) -> Specification {
        Specification::new(M::ENTRY.name, move |operations| {
            explained(&model, &self.0, operations)
        })
    }
}

fn explained<M: NativeModel>(
    model: &M,
    condition: &CorrectnessCondition,
    operations: Vec<Operation>,
) -> SpecificationResult {
    let decoder = |operation: &Operation| -> Result<Option<M::Op>, DecodeError> {
        model.decode(operation).map(Decoded::into_last)
    };
    let specification = ModelSpecification {
        model,
        decoder: &decoder,
        methods: &[],
        condition,
        stop: StopConditions::default(),
    };
    explain_by(&specification, operations)
}

fn against<M: Machine>(
    make: impl Fn(u64) -> M,
    calls: &[&str],
    matrix: &str,
    model: &str,
    level: &str,
) -> MatrixVerdict {
    let alphabet = Alphabet::of_calls(calls.iter().copied()).unwrap();
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let specification = shipped(model, level);
    let mut machines = Machines {
        make,
        alphabet: alphabet.clone(),
    };
    let options = LineupOptions::default();
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
    assert!(matches!(verdict, MatrixVerdict::Passed), "{verdict:?}");
    // One after the other, without any overlap, already contradicts a stack.
    let serially = "push(1), push(2), pop()";
    let verdict = against(
        |_| Queue::default(),
        calls,
        serially,
        "stack:empty=empty",
        "linearizable",
    );
    assert!(matches!(verdict, MatrixVerdict::Violation(_)), "{verdict:?}");
}

/// A reader of one replica sees the write, then a reader of the other does not: no order in real time, but one in which
/// each thread's own calls are in order.
const TOO_LATE: &str = "write(1) | read() | read()";

#[test]
fn a_register_of_two_replicas_is_sequentially_consistent_and_no_more() {
    let calls = &["write(1)", "read()"];
    let by_itself = |criterion| {
        let options = LineupOptions {
            criterion,
            ..LineupOptions::default()
        };
        checked(|_| ReplicatedRegister::default(), calls, TOO_LATE, options).verdict
    };
    assert!(matches!(
        by_itself(SerialCriterion::Linearizable),
        MatrixVerdict::Violation(_)
    ));
    assert!(matches!(
        by_itself(SerialCriterion::Sequential),
        MatrixVerdict::Passed
    ));
    let by_model = |level| {
        against(
            |_| ReplicatedRegister::default(),
            calls,
            TOO_LATE,
            "register:initial=0",
            level,
        )
    };
    assert!(matches!(by_model("linearizable"), MatrixVerdict::Violation(_)));
    assert!(matches!(by_model("sequential"), MatrixVerdict::Passed));
    assert!(matches!(by_model("read-my-writes"), MatrixVerdict::Passed));
}

#[test]
fn a_call_that_the_model_does_not_have_is_an_error() {
    let alphabet = Alphabet::of_calls(["shuffle()"]).unwrap();
    let specification = shipped("queue", "linearizable");
    let mut machines = Machines {
        make: |_| Queue::default(),
        alphabet: alphabet.clone(),
    };
    let request = Request {
        alphabet: &alphabet,
        options: &LineupOptions::default(),
        specification: Some(&specification),
    };
    let matrix = Matrix::parse("shuffle()", &alphabet).unwrap();
    let error = check_matrix(&mut machines, request, &matrix, &mut || {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("no operation \"shuffle\""), "{error}");
    assert!(CorrectnessCondition::from_name("sort of").is_err());
}

/// The verdict about one call against a specification.
fn verdict_of(specification: &Specification, deadline: Option<Instant>) -> Result<MatrixVerdict, String> {
    let alphabet = Alphabet::of_calls(["pop()"]).unwrap();
    let mut machines = Machines {
        make: |_| Queue::default(),
        alphabet: alphabet.clone(),
    };
    let request = Request {
        alphabet: &alphabet,
        options: &LineupOptions {
            stop: StopConditions {
                deadline,
                ..StopConditions::default()
            },
            ..LineupOptions::default()
        },
        specification: Some(specification),
    };
    let matrix = Matrix::parse("pop()", &alphabet).unwrap();
    let checked = check_matrix(&mut machines, request, &matrix, &mut || {});
    checked
        .map(|checked| checked.verdict)
        .map_err(|error| error.to_string())
}

#[test]
fn a_specification_in_a_thread_answers_or_fails_with_a_reason() {
    let here = std::thread::current().id();
    let elsewhere = Specification::in_a_thread("elsewhere", move |questions| {
        assert_ne!(std::thread::current().id(), here);
        questions.answer(|_| Ok(None));
        Ok(())
    });
    assert!(matches!(verdict_of(&elsewhere, None), Ok(MatrixVerdict::Passed)));
    let broken = Specification::in_a_thread("broken", |_| Err("Init is nowhere".to_owned()));
    assert_eq!(verdict_of(&broken, None).unwrap_err(), "Init is nowhere");
    let gone = Specification::in_a_thread("gone", |_| Ok(()));
    assert!(verdict_of(&gone, None).unwrap_err().contains("is gone"));
}

#[test]
fn a_specification_that_runs_out_of_time_leaves_the_answer_open() {
    let slow = Specification::new("slow", |_| Err(SpecificationError::Limit(Limit::Time)));
    let verdict = verdict_of(&slow, Some(Instant::now() + Duration::from_secs(60)));
    assert!(
        matches!(verdict, Ok(MatrixVerdict::Unknown(Undecided::Limit(Limit::Time)))),
        "{verdict:?}"
    );
}
