//! Transactions by the ten thousand. `OMNILINK_TRANSACTIONS=100000 cargo test … -- --nocapture` shows what more take.

use std::time::Instant;

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_isolation::{Isolation, RecordedHistory, Transactions};
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

/// How a store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// What is written was read before.
    ReadModifyWrite,
    /// Half of the operations write without reading.
    Blind,
    /// The same, to three keys only.
    Hot,
    /// Values are from a small range: who read from whom is not always known.
    SameValues,
}

fn op(name: &str, session: usize, txn: usize, key: usize, value: i64, time: (i64, i64)) -> Operation {
    let held = if value == 0 {
        Value::null()
    } else {
        Value::int(value)
    };
    let key = Value::int(key as i64);
    let args = match name {
        "write" => Value::tuple([key, held.clone()]),
        _ => Value::tuple([key]),
    };
    let timebox = Timebox::new(time.0, time.1);
    let mut op = Operation::new(Value::int(session as i64), name, Args::Positional(args), timebox);
    op.ret = (name == "read").then_some(held);
    op.meta = Some(Value::record([("txn", Value::int(txn as i64))]));
    op
}

/// A run of a strictly serializable store, about six transactions at a time.
fn run(count: usize, sessions: usize, usage: Use, seed: u64) -> Vec<Operation> {
    let mut rng = Rng::with_seed(seed);
    let keys = if usage == Use::Hot {
        3
    } else {
        (count / 20).max(10)
    };
    let mut store = vec![0_i64; keys];
    let mut free = vec![0_i64; sessions];
    let mut ops = Vec::new();
    let mut next = 0;
    for txn in 0..count {
        let moment = 10 * txn as i64 + 1_000;
        let session = txn % sessions;
        let start = free[session].max(moment - 30) + 1;
        let end = moment + 30;
        free[session] = end;
        let mut own: Vec<(usize, i64)> = Vec::new();
        let read = |own: &[(usize, i64)], store: &[i64], key: usize| {
            let held = own.iter().find(|(written, _)| *written == key);
            held.map_or(store[key], |(_, value)| *value)
        };
        for _ in 0..1 + rng.usize(..4) {
            let key = rng.usize(..keys);
            let is_write = rng.usize(..2) == 1;
            let is_first = own.iter().all(|(written, _)| *written != key);
            if !is_write || is_first && usage == Use::ReadModifyWrite {
                let value = read(&own, &store, key);
                ops.push(op("read", session, txn, key, value, (start, end)));
            }
            if is_write {
                next += 1;
                let value = if usage == Use::SameValues {
                    rng.usize(..50) as i64
                } else {
                    next
                };
                own.retain(|(written, _)| *written != key);
                own.push((key, value));
                ops.push(op("write", session, txn, key, value, (start, end)));
            }
        }
        own.into_iter().for_each(|(key, value)| store[key] = value);
    }
    ops
}

fn transactions() -> usize {
    let given = std::env::var("OMNILINK_TRANSACTIONS").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

fn check_levels(usage: Use, ops: Vec<Operation>, expected: [bool; 5]) {
    let recorded = RecordedHistory::from_operations("run", ops).unwrap();
    let transactions = Transactions::from_recorded(&recorded).unwrap();
    for (level, expected) in Isolation::LADDER.into_iter().zip(expected) {
        let started = Instant::now();
        let verdict = transactions.check(level, Limits::default()).unwrap();
        println!(
            "{usage:?} {level}: {} in {:.2} s",
            verdict.verdict(),
            started.elapsed().as_secs_f64()
        );
        assert_eq!(verdict.is_valid(), expected, "{usage:?} {level}: {verdict:?}");
    }
}

#[test]
fn a_strictly_serializable_store_is_found_to_be_so_at_every_level() {
    for usage in [Use::ReadModifyWrite, Use::Blind, Use::Hot, Use::SameValues] {
        check_levels(usage, run(transactions(), 10, usage, 1), [true; 5]);
    }
}

#[test]
fn a_session_for_every_transaction_changes_nothing() {
    let count = transactions();
    check_levels(Use::Blind, run(count, count, Use::Blind, 2), [true; 5]);
}

/// Two transactions near the end that both read what neither had written, and use keys of their own.
fn with_anomaly(usage: Use, is_lost_update: bool) -> Vec<Operation> {
    let count = transactions();
    let mut ops = run(count, 10, usage, 3);
    let time = (9 * count as i64, 9 * count as i64 + 100);
    let (x, y) = (1_000_000, 1_000_001);
    for (session, txn) in [(100, count), (101, count + 1)] {
        ops.push(op("read", session, txn, x, 0, time));
        ops.push(op("read", session, txn, y, 0, time));
        let key = if is_lost_update || session == 100 { x } else { y };
        ops.push(op(
            "write",
            session,
            txn,
            key,
            1_000_000_000 + session as i64,
            time,
        ));
    }
    ops.sort_by_key(|op| op.timebox.start);
    ops
}

#[test]
fn one_write_skew_among_many_transactions_is_found() {
    for usage in [Use::ReadModifyWrite, Use::Blind] {
        check_levels(
            usage,
            with_anomaly(usage, false),
            [true, true, true, false, false],
        );
    }
}

#[test]
fn one_lost_update_among_many_transactions_is_found() {
    check_levels(
        Use::Blind,
        with_anomaly(Use::Blind, true),
        [true, true, false, false, false],
    );
}
