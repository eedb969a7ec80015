//! A minimal history is a violation by itself, made of operations of the original.

use crate::test_models::{self, Register, RegisterOp, TestModel};
use fastrand::Rng;
use omnilink_engine::{Consistency, Model, Options, Outcomes, TimedOp, minimize, naive};
use omnilink_trace::Timebox;

fn shrinks_every_violation<T: TestModel>(seed: u64, consistency: Consistency) {
    let model = T::new();
    let mut rng = Rng::with_seed(seed);
    let options = Options {
        consistency,
        ..Options::default()
    };
    let mut smaller = 0;
    for _ in 0..1_500 {
        let history = test_models::random_history(&model, &mut rng);
        let valid = naive::explain(&model, &history, consistency).is_some();
        let minimal = minimize(&model, history.clone(), options).expect("test models do not fail");
        assert_eq!(minimal.is_none(), valid, "{history:?}");
        let Some(minimal) = minimal else { continue };
        assert_eq!(minimal.confirmed, Some(true), "{history:?}\n{minimal:?}");
        assert_eq!(minimal.left_out + minimal.operations.len(), history.len());
        for (operation, id) in minimal.operations.iter().zip(&minimal.ids) {
            assert_eq!(operation.op, history[*id].op);
            assert_eq!(operation.thread, history[*id].thread);
        }
        smaller += usize::from(minimal.left_out > 0);
    }
    assert!(smaller > 100, "only {smaller} histories shrank");
}

#[test]
fn of_registers() {
    shrinks_every_violation::<Register>(11, Consistency::Linearizable);
}

#[test]
fn of_maps() {
    shrinks_every_violation::<test_models::Map>(12, Consistency::Linearizable);
}

#[test]
fn of_queues() {
    shrinks_every_violation::<test_models::Queue>(13, Consistency::Linearizable);
}

#[test]
fn of_sequentially_inconsistent_queues() {
    shrinks_every_violation::<test_models::Queue>(14, Consistency::Sequential);
}

/// ```text
/// t0  |-w 1-|  |-w 2-|                       ... 400 more writes and reads of register 1, all fine ...
/// t1                    |-r 1-|              the stale read: only `w 2` and `r 1` matter
/// ```
#[test]
fn a_stale_read_needs_two_operations() {
    let at = |thread, op, start: i64| TimedOp::new(thread, op, Timebox::new(start, start + 5));
    let mut history = vec![
        at(0, RegisterOp::Write(0, 1), 0),
        at(0, RegisterOp::Write(0, 2), 10),
    ];
    for round in 0..200 {
        let value = (round % 3) as u8;
        history.push(at(0, RegisterOp::Write(1, value), 100 + 20 * round));
        history.push(at(0, RegisterOp::Read(1, Some(value)), 110 + 20 * round));
    }
    history.push(at(1, RegisterOp::Read(0, Some(1)), 50));
    let minimal = minimize(&Register, history, Options::default())
        .expect("no failure")
        .expect("a violation");
    let ops: Vec<_> = minimal
        .operations
        .iter()
        .map(|operation| operation.op.clone())
        .collect();
    assert_eq!(ops, [RegisterOp::Write(0, 2), RegisterOp::Read(0, Some(1))]);
    assert_eq!(minimal.left_out, 401);
    assert!(
        minimal.operations[0]
            .timebox
            .precedes(&minimal.operations[1].timebox)
    );
}

/// The minimal history starts from the states directly before its first operation, and lists them.
#[test]
fn a_long_beginning_is_replaced_by_its_states() {
    let at = |thread, op, start: i64| TimedOp::new(thread, op, Timebox::new(start, start + 5));
    let mut history: Vec<_> = (0..300)
        .map(|n| at(0, RegisterOp::Write(0, (n % 2) as u8), 10 * n))
        .collect();
    history.push(at(1, RegisterOp::Read(0, Some(2)), 10_000));
    let minimal = minimize(&Register, history, Options::default())
        .expect("no failure")
        .expect("a violation");
    assert_eq!(minimal.operations.len(), 1);
    assert_eq!(minimal.from, Some(vec![Register.describe_state(&[1, 0])]));
}

/// ```text
/// t0  |-----------------------------r 7-----------------------------|    no operation writes 7
/// t1    |------------------------cas 1 2-----------------------|         took effect between `w 1` and `r 2`
/// t2      |-w 1-|  |-r 2-|  |-w 3-|  |-r 3-|  … 20 times …
/// ```
/// The history is cut after `r 2`. The compare-and-swap is placed by then and cannot happen again; that is no violation.
#[test]
fn an_operation_across_the_cut_that_has_happened_need_not_happen_again() {
    let at = |op, start: i64| TimedOp::new(2, op, Timebox::new(start, start + 5));
    let mut history = vec![
        TimedOp::new(0, RegisterOp::Read(0, Some(7)), Timebox::new(0, 2_000)),
        TimedOp::new(1, RegisterOp::Cas(0, 1, 2, Some(true)), Timebox::new(1, 1_500)),
        at(RegisterOp::Write(0, 1), 10),
        at(RegisterOp::Read(0, Some(2)), 20),
    ];
    for round in 0..20 {
        history.push(at(RegisterOp::Write(0, 3), 100 + 20 * round));
        history.push(at(RegisterOp::Read(0, Some(3)), 110 + 20 * round));
    }
    let minimal = minimize(&Register, history, Options::default())
        .expect("no failure")
        .expect("a violation");
    let ops: Vec<_> = minimal.operations.iter().map(|operation| &operation.op).collect();
    assert_eq!(ops, [&RegisterOp::Read(0, Some(7))]);
}

/// Where parts are linked by threads, the violation needs both.
/// ```text
/// t0  |-w x 1-|-r y 0-|
/// t1  |-w y 1-|-r x 0-|
/// ```
#[test]
fn a_violation_across_parts_keeps_both_parts() {
    let op = |thread, op, start, end| TimedOp::new(thread, op, Timebox::new(start, end));
    let history = vec![
        op(0, RegisterOp::Write(0, 1), 0, 5),
        op(1, RegisterOp::Write(1, 1), 0, 5),
        op(0, RegisterOp::Read(1, Some(0)), 5, 6),
        op(1, RegisterOp::Read(0, Some(0)), 5, 6),
        op(2, RegisterOp::Read(0, Some(1)), 10, 12),
    ];
    let minimal = minimize(&Register, history.clone(), Options::default())
        .expect("no failure")
        .expect("a violation");
    assert_eq!((minimal.ids, minimal.confirmed), (vec![0, 1, 2, 3], Some(true)));
    let asynchronous = Options {
        async_threads: true,
        ..Options::default()
    };
    assert!(
        minimize(&Register, history, asynchronous)
            .expect("no failure")
            .is_none()
    );
}

/// ```text
/// t0  |--------------------w 1--------------------|
/// t1       |-r 1-|   |-r 0-|   |-r 2-|
/// ```
/// The write may be hidden: `r 1` and `r 0` have no explanation whether it happened or not. But without it what is shown would blame
/// `r 1`. Nothing after `r 0` is needed.
#[test]
fn what_is_shown_blames_the_operation_that_all_others_leave_unexplained() {
    let op = |thread, op, start, end| TimedOp::new(thread, op, Timebox::new(start, end));
    let history = vec![
        op(0, RegisterOp::Write(0, 1), 0, 100),
        op(1, RegisterOp::Read(0, Some(1)), 10, 15),
        op(1, RegisterOp::Read(0, Some(0)), 20, 25),
        op(1, RegisterOp::Read(0, Some(2)), 30, 35),
    ];
    let minimal = minimize(&Register, history, Options::default())
        .expect("no failure")
        .expect("a violation");
    assert_eq!(minimal.ids, [0, 1, 2]);
    assert_eq!(minimal.ids[minimal.counterexample.op.id as usize], 2);
}

/// A register whose specification fails when it is asked for what it never held.
struct Partial;

impl Model for Partial {
    type State = u8;
    type Op = (bool, u8);

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn step(&self, state: &u8, (is_write, value): &Self::Op, outcomes: &mut Outcomes<u8>) {
        match (is_write, state) {
            (true, _) => outcomes.accept(*value),
            (false, 0) => outcomes.fail("nothing was written yet".to_owned()),
            (false, held) if held == value => outcomes.accept(*held),
            (false, _) => outcomes.refuse(|| "another value".to_owned()),
        }
    }
}

/// Hiding the writes leads to a state in which the model fails. Then they are not hidden.
#[test]
fn a_model_that_fails_in_other_states_only_keeps_its_operations() {
    let at = |op, start: i64| TimedOp::new(0, op, Timebox::new(start, start + 5));
    let history = vec![at((true, 1), 0), at((true, 2), 10), at((false, 1), 20)];
    let minimal = minimize(&Partial, history, Options::default())
        .expect("only relaxed histories fail")
        .expect("a violation");
    assert!(
        minimal.ids.contains(&2) && minimal.ids.len() >= 2,
        "{:?}",
        minimal.ids
    );
}
