//! The live check: no false alarms whatever was forgotten, and what happens within the window is found.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_isolation::{Isolation, LiveTransactionCheck, RecordedHistory, check_transactions};
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

fn whole(session: usize, start: i64, end: i64, accesses: Vec<Value>) -> Operation {
    let accesses = Value::tuple(accesses);
    let args = Args::named([("value", accesses.clone())]);
    let mut op = Operation::new(session as i64, "txn", args, Timebox::new(start, end));
    op.ret = Some(accesses);
    op
}

fn access(name: &str, key: usize, value: Value) -> Value {
    Value::tuple([Value::from(name), Value::int(key as i64), value])
}

/// A run of a store of lists or registers. Once in `lag` transactions the snapshot is some transactions old.
pub(crate) fn run(rng: &mut Rng, count: usize, is_list: bool, lag: usize) -> Vec<Operation> {
    let keys = 4;
    let mut states: Vec<Vec<Vec<i64>>> = vec![vec![Vec::new(); keys]];
    let mut next = 0;
    let mut ops = Vec::new();
    for at in 0..count {
        let now = states.len() - 1;
        let shown = match rng.usize(..lag) {
            0 => now.saturating_sub(1 + rng.usize(..3)),
            _ => now,
        };
        let mut state = states[now].clone();
        let mut is_own = vec![false; keys];
        let mut accesses = Vec::new();
        for _ in 0..1 + rng.usize(..4) {
            let key = rng.usize(..keys);
            if rng.bool() && !is_own[key] {
                let held = &states[shown][key];
                let held = match (is_list, held.last()) {
                    (true, _) => Value::tuple(held.iter().map(|one| Value::int(*one))),
                    (false, None) => Value::null(),
                    (false, Some(last)) => Value::int(*last),
                };
                accesses.push(access("r", key, held));
            } else {
                next += 1;
                is_own[key] = true;
                state[key].push(next);
                accesses.push(access(
                    if is_list { "append" } else { "w" },
                    key,
                    Value::int(next),
                ));
            }
        }
        let start = 10 * at as i64;
        ops.push(whole(at % 5, start, start + 5 + 10 * rng.i64(0..3), accesses));
        states.push(state);
    }
    ops
}

fn followed(ops: &[Operation], level: Isolation, window: usize) -> Evidence {
    let mut live = LiveTransactionCheck::new("live", level).with_window(window);
    for op in ops {
        if let Some(violation) = live.feed(op.clone()).unwrap() {
            return violation;
        }
    }
    live.finish().unwrap()
}

#[test]
fn what_the_live_check_reports_is_a_violation_of_the_whole() {
    let mut rng = Rng::with_seed(3);
    let (mut reported, mut missed) = (0, 0);
    for round in 0..60 {
        let ops = run(&mut rng, 40, round % 2 == 0, 12);
        let recorded = RecordedHistory::from_operations("whole", ops.clone()).unwrap();
        for level in Isolation::all() {
            let is_valid = check_transactions(&recorded, level, Limits::default())
                .unwrap()
                .is_valid();
            let evidence = followed(&ops, level, 4 + 2 * (round % 8));
            match (is_valid, evidence.verdict) {
                (false, Verdict::Violation) => reported += 1,
                (false, Verdict::Valid) => missed += 1,
                (true, Verdict::Valid) => {
                    let says_so = evidence
                        .notes
                        .iter()
                        .any(|note| note.contains("within the window"));
                    assert!(says_so, "transactions were forgotten: {:?}", evidence.notes);
                }
                (is_valid, verdict) => panic!("{level}, round {round}: {is_valid} {verdict:?}"),
            }
        }
    }
    assert!(
        reported > 200 && missed < reported,
        "{reported} reported, {missed} missed"
    );
}

#[test]
fn a_window_that_holds_everything_decides_as_the_check_does() {
    let mut rng = Rng::with_seed(4);
    let mut found = [0, 0];
    for round in 0..40 {
        let ops = run(&mut rng, 30, round % 2 == 0, 30);
        let recorded = RecordedHistory::from_operations("whole", ops.clone()).unwrap();
        for level in Isolation::all() {
            let is_valid = check_transactions(&recorded, level, Limits::default())
                .unwrap()
                .is_valid();
            let evidence = followed(&ops, level, 100);
            assert_eq!(
                evidence.verdict == Verdict::Valid,
                is_valid,
                "{level}, round {round}"
            );
            assert!(evidence.notes.is_empty());
            found[usize::from(is_valid)] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 50), "{found:?}");
}

#[test]
fn an_anomaly_in_a_long_run_is_found_within_a_window() {
    let mut rng = Rng::with_seed(5);
    for is_list in [false, true] {
        let mut ops = run(&mut rng, 2_000, is_list, usize::MAX);
        let at = 1_000;
        let write = if is_list { "append" } else { "w" };
        let nothing = if is_list { Value::tuple([]) } else { Value::null() };
        let skewed = |session, key, other, value| {
            let accesses = vec![
                access("r", key, nothing.clone()),
                access(write, other, Value::int(value)),
            ];
            whole(session, 10 * at, 10 * at + 9, accesses)
        };
        ops.splice(1_000..1_000, [skewed(7, 100, 101, -1), skewed(8, 101, 100, -2)]);
        let mut live = LiveTransactionCheck::new("live", Isolation::SERIALIZABLE).with_window(200);
        let found = ops.iter().position(|op| live.feed(op.clone()).unwrap().is_some());
        let found = found.expect("a write skew");
        // Reads of registers count once half a window has come in after them.
        let last = if is_list { 1_101 } else { 1_201 };
        assert!((1_001..last).contains(&found), "{found}");
        assert_eq!(followed(&ops, Isolation::SNAPSHOT, 200).verdict, Verdict::Valid);
    }
}

#[test]
fn a_transaction_of_several_operations_counts_when_it_is_complete() {
    let part = |session: i64, txn: i64, name: &str, args: Vec<Value>, ret: Option<Value>| {
        let mut op = Operation::new(
            session,
            name,
            Args::Positional(Value::tuple(args)),
            Timebox::new(0, 100),
        );
        op.ret = ret;
        op.meta = Some(Value::record([("txn".to_owned(), Value::int(txn))]));
        op
    };
    let mut live = LiveTransactionCheck::new("live", Isolation::READ_COMMITTED).with_window(4);
    let key = || Value::from("x");
    // What it wrote is read before it aborts: only then is it wrong.
    assert!(
        live.feed(part(0, 1, "write", vec![key(), Value::int(1)], None))
            .unwrap()
            .is_none()
    );
    assert!(
        live.feed(part(1, 2, "read", vec![key()], Some(Value::int(1))))
            .unwrap()
            .is_none()
    );
    assert!(
        live.feed(part(1, 3, "read", vec![key()], Some(Value::int(1))))
            .unwrap()
            .is_none()
    );
    assert!(live.check().unwrap().is_none(), "it may still commit");
    live.feed(part(0, 1, "abort", Vec::new(), None)).unwrap();
    assert_eq!(live.finish().unwrap().verdict, Verdict::Violation);
}

#[test]
fn nothing_is_told_that_a_later_transaction_explains() {
    let one = |session: usize, (start, end): (i64, i64), accesses: &[(&str, usize, Value)]| {
        let accesses = accesses
            .iter()
            .map(|(name, key, value)| access(name, *key, value.clone()));
        whole(session, start, end, accesses.collect())
    };
    let (nil, int) = (Value::null, |value: i64| Value::int(value));
    // The reader comes in before the one that it read from: a deleter, a second writer of the same value, an increment.
    let late = [
        [
            one(0, (0, 5), &[("w", 0, int(1)), ("w", 1, int(1))]),
            one(1, (10, 20), &[("r", 1, int(1)), ("r", 0, nil())]),
            one(2, (8, 30), &[("w", 0, nil())]),
        ],
        [
            one(0, (0, 5), &[("w", 0, int(1))]),
            one(
                1,
                (6, 20),
                &[("r", 0, int(1)), ("w", 0, int(2)), ("r", 1, int(9))],
            ),
            one(2, (8, 30), &[("w", 1, int(9))]),
        ],
        [
            one(0, (0, 5), &[("inc", 0, int(1)), ("w", 1, int(1))]),
            one(1, (10, 20), &[("r", 1, int(1)), ("r", 0, int(3))]),
            one(2, (8, 30), &[("inc", 0, int(2))]),
        ],
    ];
    for ops in late {
        for level in Isolation::all() {
            let recorded = RecordedHistory::from_operations("whole", ops.to_vec()).unwrap();
            let whole = check_transactions(&recorded, level, Limits::default()).unwrap();
            let mut live = LiveTransactionCheck::new("live", level).with_window(20);
            for op in &ops {
                live.feed(op.clone()).unwrap();
                assert!(
                    live.check().unwrap().is_none(),
                    "{level}: nothing may be told yet"
                );
            }
            assert_eq!(live.finish().unwrap().verdict, whole.verdict(), "{level}");
        }
    }
}

/// Registers in which values are written again, and keys are deleted.
fn repeating(rng: &mut Rng, count: usize) -> Vec<Operation> {
    let mut ops = run(rng, count, false, 6);
    for op in &mut ops {
        let changed = |accesses: &Value| {
            let each = accesses.as_tuple().unwrap().iter().map(|access| {
                let parts = access.as_tuple().unwrap();
                let value = match parts[2].as_int() {
                    Some(value) if value % 7 == 0 => Value::null(),
                    Some(value) => Value::int(value % 5),
                    None => Value::null(),
                };
                Value::tuple([parts[0].clone(), parts[1].clone(), value])
            });
            Value::tuple(each)
        };
        let accesses = changed(op.ret.as_ref().unwrap());
        let call = std::sync::Arc::make_mut(&mut op.call);
        call.args = Args::named([("value", accesses.clone())]);
        call.ret = Some(accesses);
    }
    ops
}

#[test]
fn whatever_the_chunks_and_the_order_what_is_told_is_so_in_the_end() {
    let more = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|more| more.parse().ok());
    let mut rng = Rng::with_seed(54);
    let mut found = [0, 0];
    for round in 0..150 * more.unwrap_or(1) {
        let count = 4 + rng.usize(..16);
        let mut ops = match round % 3 {
            0 => run(&mut rng, count, true, 8),
            1 => run(&mut rng, count, false, 8),
            _ => repeating(&mut rng, count),
        };
        // As they end, some of them late.
        ops.sort_by_key(|op| op.timebox.end.unwrap_or(0) + rng.i64(0..30));
        for level in [
            Isolation::SERIALIZABLE,
            Isolation::STRICT_SERIALIZABLE,
            Isolation::READ_ATOMIC,
        ] {
            let recorded = RecordedHistory::from_operations("whole", ops.clone()).unwrap();
            let whole = check_transactions(&recorded, level, Limits::default()).unwrap();
            let window = if rng.bool() { 64 } else { 6 + rng.usize(..8) };
            let mut live = LiveTransactionCheck::new("live", level).with_window(window);
            let mut told = None;
            for op in &ops {
                told = live.feed(op.clone()).unwrap();
                if told.is_none() && rng.usize(..4) == 0 {
                    told = live.check().unwrap();
                }
                if told.is_some() {
                    break;
                }
            }
            match told {
                Some(told) => {
                    let is_within = told.notes.iter().any(|note| note.contains("within the window"));
                    assert!(!whole.is_valid() || is_within, "{level}, round {round}: {told:?}");
                    found[0] += 1;
                }
                None => {
                    let answer = live.finish().unwrap();
                    if window == 64 {
                        assert_eq!(answer.verdict, whole.verdict(), "{level}, round {round}");
                    }
                    found[1] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|count| *count > 20), "{found:?}");
}
