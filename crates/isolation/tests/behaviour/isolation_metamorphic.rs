//! Changes of a history that change no verdict: other names of sessions, keys and values, unrelated transactions, another order in the file.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_isolation::{Isolation, RecordedHistory, check_transactions};
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

use crate::golden_levels::{history, labels};
use crate::live_transactions::run;

fn verdicts(ops: Vec<Operation>) -> Vec<bool> {
    let recorded = RecordedHistory::from_operations("changed", ops).unwrap();
    let check = |level| check_transactions(&recorded, level, Limits::default()).unwrap();
    Isolation::all()
        .into_iter()
        .map(|level| check(level).is_valid())
        .collect()
}

/// A transaction of a session of its own that reads and writes a key of its own.
fn unrelated(ops: &[Operation], number: i64) -> Operation {
    let last = ops.iter().filter_map(|op| op.timebox.end).max().unwrap_or(0);
    let accesses = [("r", Value::null()), ("w", Value::int(number))];
    let access = |(name, value): (&str, Value)| {
        Value::tuple([Value::from(name), Value::from(format!("own {number}")), value])
    };
    let accesses = Value::tuple(accesses.map(access));
    let timebox = Timebox::new(last + 2 * number, last + 2 * number + 1);
    let args = Args::named([("value", accesses.clone())]);
    let mut op = Operation::new(format!("unrelated {number}"), "txn", args, timebox);
    op.ret = Some(accesses);
    op
}

#[test]
fn names_of_sessions_and_unrelated_transactions_change_no_verdict() {
    for label in labels().into_iter().step_by(3) {
        let ops = history(&label).ops;
        let expected = verdicts(ops.clone());
        let mut renamed = ops.clone();
        renamed
            .iter_mut()
            .for_each(|op| op.thread = Value::from(format!("session of {}", op.thread)));
        assert_eq!(verdicts(renamed), expected, "renamed: {label}");
        let mut more = ops.clone();
        more.extend([unrelated(&ops, 1), unrelated(&ops, 2)]);
        assert_eq!(verdicts(more), expected, "with unrelated transactions: {label}");
    }
}

/// The same accesses of other keys, with other values and elements.
fn renamed(op: &Operation) -> Operation {
    let value = |value: &Value| {
        if value.is_null() {
            Value::null()
        } else {
            Value::from(format!("value {value}"))
        }
    };
    let access = |access: &Value| match access.as_tuple() {
        Some([name, key, held]) => {
            let held = match held.as_tuple() {
                Some(elements) => Value::tuple(elements.iter().map(value)),
                None => value(held),
            };
            Value::tuple([name.clone(), Value::from(format!("key {key}")), held])
        }
        _ => access.clone(),
    };
    let all = |list: &Value| match list.as_tuple() {
        Some(accesses) => Value::tuple(accesses.iter().map(access)),
        None => list.clone(),
    };
    let mut renamed = op.clone();
    renamed.args = Args::named([("value", all(op.args.field("value").unwrap_or(&Value::null())))]);
    renamed.ret = op.ret.as_ref().map(all);
    renamed
}

#[test]
fn names_of_keys_and_values_change_no_verdict() {
    for label in labels().into_iter().step_by(3) {
        let ops = history(&label).ops;
        let other: Vec<Operation> = ops.iter().map(renamed).collect();
        assert_eq!(verdicts(other), verdicts(ops), "{label}");
    }
}

/// Another interleaving of the sessions, each in its own order.
fn interleaved(rng: &mut Rng, ops: &[Operation]) -> Vec<Operation> {
    let mut sessions: Vec<(Value, Vec<Operation>)> = Vec::new();
    for op in ops.iter().rev() {
        match sessions.iter_mut().find(|(thread, _)| *thread == op.thread) {
            Some((_, own)) => own.push(op.clone()),
            None => sessions.push((op.thread.clone(), vec![op.clone()])),
        }
    }
    let mut mixed = Vec::new();
    while !sessions.is_empty() {
        let at = rng.usize(..sessions.len());
        mixed.extend(sessions[at].1.pop());
        sessions.retain(|(_, own)| !own.is_empty());
    }
    mixed
}

#[test]
fn the_order_of_sessions_in_the_file_changes_no_verdict() {
    let mut rng = Rng::with_seed(1);
    for label in labels().into_iter().step_by(3) {
        let ops = history(&label).ops;
        let other = interleaved(&mut rng, &ops);
        assert_eq!(verdicts(other), verdicts(ops), "{label}");
    }
}

#[test]
fn an_anomaly_that_is_planted_in_a_long_run_breaks_exactly_the_levels_that_forbid_it() {
    let mut rng = Rng::with_seed(2);
    let mut broken = vec![0; Isolation::all().len()];
    for label in labels().into_iter().step_by(5) {
        let ops = history(&label).ops;
        let expected = verdicts(ops.clone());
        let is_list = rng.bool();
        let mut long = run(&mut rng, 150, is_list, usize::MAX);
        let middle = 10 * 75;
        let from = ops.iter().map(|op| op.timebox.start).min().unwrap_or(0);
        let planted = ops.iter().map(|op| {
            let mut op = renamed(op);
            op.thread = Value::from(format!("planted {}", op.thread));
            op.timebox.start += middle - from;
            op.timebox.end = op.timebox.end.map(|end| end + middle - from);
            op
        });
        let planted: Vec<Operation> = planted.collect();
        long.splice(75..75, planted);
        let found = verdicts(long);
        assert_eq!(found, expected, "{label}");
        let each = broken.iter_mut().zip(found);
        each.for_each(|(count, is_valid)| *count += usize::from(!is_valid));
    }
    assert!(
        broken.iter().all(|count| *count > 0),
        "every level is broken by some: {broken:?}"
    );
}
