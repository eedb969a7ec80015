//! Changes of a history that change no verdict: other names of sessions, unrelated transactions, another order in the file.

use omnilink_consistency::{Isolation, RecordedHistory, check_transactions};
use omnilink_engine::Limits;
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

use crate::golden_levels::{history, labels};

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
