//! Histories of registers in which no value is written twice: decided by a graph, at any length.

use std::time::Instant;

use fastrand::Rng;
use omnilink_consistency::{
    AnyHistory, ConsistencyLevel, Guarantee, History, HistoryOp, LongHistory, LongViolation, LongWitness,
    MethodLevels, Order, Ret, WeakChecker, WeakOptions, confirm, infer, naive,
};
use omnilink_evidence::{Anomaly, Conclusion};
use omnilink_models::{Decode, Kv, KvOp};
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

/// The levels below sequential consistency.
const WEAK: [ConsistencyLevel; 10] = [
    ConsistencyLevel::ReturnValue,
    ConsistencyLevel::ReadMyWrites,
    ConsistencyLevel::MonotonicReads,
    ConsistencyLevel::MonotonicWrites,
    ConsistencyLevel::WritesFollowReads,
    ConsistencyLevel::Weak,
    ConsistencyLevel::Monotonic,
    ConsistencyLevel::Peer,
    ConsistencyLevel::CausalConvergence,
    ConsistencyLevel::Causal,
];

fn kv() -> Kv {
    Kv
}

fn decoded(name: &str, args: Vec<Value>, ret: Option<Value>, is_pending: bool) -> KvOp {
    let timebox = if is_pending {
        Timebox::pending(0)
    } else {
        Timebox::new(0, 1)
    };
    let mut operation = Operation::new(Value::int(0), name, Args::Positional(Value::tuple(args)), timebox);
    operation.ret = ret;
    kv().decode(&operation).unwrap().into_last().unwrap()
}

fn history_op(
    op: KvOp,
    effect: KvOp,
    method: &str,
    thread: usize,
    label: usize,
    optional: bool,
) -> HistoryOp<KvOp> {
    HistoryOp {
        op,
        effect,
        method: method.to_owned(),
        thread: thread as u32,
        optional,
        label: label.to_string(),
    }
}

/// `put(key, value)`.
fn put(thread: usize, label: usize, key: usize, value: usize, is_pending: bool) -> HistoryOp<KvOp> {
    let args = vec![Value::int(key as i64), Value::int(value as i64)];
    let op = decoded("put", args, None, is_pending);
    history_op(op.clone(), op, "put", thread, label, is_pending)
}

/// `get(key) = value`; the value 0 is nil.
fn get(thread: usize, label: usize, key: usize, value: usize) -> HistoryOp<KvOp> {
    let ret = match value {
        0 => Value::null(),
        value => Value::int(value as i64),
    };
    let args = vec![Value::int(key as i64)];
    let op = decoded("get", args.clone(), Some(ret), false);
    let effect = decoded("get", args, None, true);
    // Two names for reads, so that they can have different levels.
    let method = ["get", "peek"][label % 2];
    history_op(op, effect, method, thread, label, false)
}

/// Writes of distinct values, and reads of any value that some operation of the history writes.
fn random_ops(rng: &mut Rng, count: usize, threads: usize, keys: usize) -> Vec<HistoryOp<KvOp>> {
    let is_write: Vec<bool> = (0..count).map(|_| rng.usize(..5) < 2).collect();
    let key_of: Vec<usize> = (0..count).map(|_| rng.usize(..keys)).collect();
    let mut ended = vec![false; threads];
    (0..count)
        .map(|label| {
            let mut thread = rng.usize(..threads);
            if ended[thread] {
                thread = 0;
            }
            let key = key_of[label];
            if is_write[label] {
                let is_pending = thread > 0 && rng.usize(..8) == 0;
                ended[thread] |= is_pending;
                return put(thread, label, key, label + 1, is_pending);
            }
            let written = (0..count).filter(|other| is_write[*other] && key_of[*other] == key);
            // Earlier writes are more likely: a history in which every read returns what comes later says little.
            let written = written.filter(|other| *other < label || rng.usize(..6) == 0);
            let values: Vec<usize> = std::iter::once(0).chain(written.map(|write| write + 1)).collect();
            let nearest = values[values.len() - 1];
            let value = if rng.bool() {
                nearest
            } else {
                values[rng.usize(..values.len())]
            };
            get(thread, label, key, value)
        })
        .collect()
}

/// The same operations as a history that is searched, and as a long one.
struct Both {
    searched: History<KvOp>,
    long: LongHistory<KvOp>,
}

fn random_history(rng: &mut Rng, count: usize) -> Both {
    let (threads, keys) = (1 + rng.usize(..3), 1 + rng.usize(..2));
    let ops = random_ops(rng, count, threads, keys);
    if rng.bool() {
        let mut now = vec![0_i64; threads];
        let mut clock = 0;
        let timeboxes: Vec<Timebox> = ops
            .iter()
            .map(|op| {
                let thread = op.thread as usize;
                clock += rng.i64(0..3);
                let start = now[thread].max(clock - rng.i64(0..4));
                let end = start.max(clock) + rng.i64(0..3);
                now[thread] = end;
                if op.optional {
                    Timebox::pending(start)
                } else {
                    Timebox::new(start, end)
                }
            })
            .collect();
        let searched = History::from_timeboxes(ops.clone(), &timeboxes).unwrap();
        let long = LongHistory::from_timeboxes(ops, timeboxes);
        return Both { searched, long };
    }
    let density = rng.usize(..3);
    let mut pairs = Vec::new();
    for second in 0..count {
        for (first, op) in ops.iter().enumerate().take(second) {
            if rng.usize(..5) < density && !op.optional {
                pairs.push((first, second));
            }
        }
    }
    let order = Order::from_pairs(count, pairs.iter().copied()).unwrap();
    Both {
        searched: History::new(ops.clone(), &order).unwrap(),
        long: LongHistory::from_pairs(ops, pairs).unwrap(),
    }
}

/// The answer of the graph; `None` if it does not decide.
fn decide(history: &LongHistory<KvOp>, guarantee: &Guarantee) -> Option<bool> {
    match history.check(&kv(), guarantee, &WeakOptions::default()).unwrap() {
        Conclusion::Valid(LongWitness { implied_by: None, .. }) => Some(true),
        Conclusion::Violation(violation) => {
            assert!(matches!(*violation, LongViolation::Anomaly { .. }));
            let criterion = guarantee.criterion().unwrap();
            let confirmation = history.confirm(&kv(), guarantee, &criterion, &violation);
            // What everything is visible to is not decided by what is visible at least.
            let is_complete = |levels: &MethodLevels| {
                levels
                    .methods
                    .values()
                    .any(|level| *level == ConsistencyLevel::Linearizable)
            };
            match guarantee {
                Guarantee::Levels(levels) if is_complete(levels) => {}
                _ => assert!(
                    confirmation.as_ref().unwrap().is_confirmed(),
                    "{guarantee:?}: {confirmation:?} of {violation:?} in {history:#?}"
                ),
            }
            Some(false)
        }
        _ => None,
    }
}

fn search(history: &History<KvOp>, guarantee: &Guarantee) -> bool {
    let options = WeakOptions {
        minimise: false,
        ..WeakOptions::default()
    };
    let criterion = guarantee.criterion().unwrap();
    match WeakChecker::new(&kv())
        .check(history, &criterion, &options)
        .unwrap()
        .conclusion
    {
        Conclusion::Unknown(unfinished) => panic!("{unfinished:?}"),
        verdict => verdict.is_valid(),
    }
}

#[test]
fn every_weak_level_agrees_with_the_definition() {
    let mut rng = Rng::with_seed(1);
    let mut found = [[0, 0]; WEAK.len()];
    for round in 0..1_500 {
        let Both { searched, long } = random_history(&mut rng, 1 + round % 5);
        for (at, level) in WEAK.into_iter().enumerate() {
            let expected = naive::explain(&kv(), &searched, &level.criterion(), Ret::Own).is_some();
            let decided = decide(&long, &Guarantee::Level(level));
            assert_eq!(decided, Some(expected), "{level}: {long:#?}");
            found[at][usize::from(expected)] += 1;
        }
    }
    assert!(found.iter().flatten().all(|count| *count > 50), "{found:?}");
}

#[test]
fn every_weak_level_agrees_with_the_search() {
    let mut rng = Rng::with_seed(2);
    let mut found = [[0, 0]; WEAK.len()];
    for round in 0..1_500 {
        let Both { searched, long } = random_history(&mut rng, 5 + round % 8);
        for (at, level) in WEAK.into_iter().enumerate() {
            let guarantee = Guarantee::Level(level);
            let expected = search(&searched, &guarantee);
            assert_eq!(decide(&long, &guarantee), Some(expected), "{level}: {long:#?}");
            let confirmation = confirm(&kv(), &searched, &level.criterion(), Ret::Own);
            assert_eq!(
                confirmation.is_err(),
                expected,
                "{level}: {confirmation:?} {long:#?}"
            );
            found[at][usize::from(expected)] += 1;
        }
    }
    assert!(found.iter().flatten().all(|count| *count > 50), "{found:?}");
}

#[test]
fn levels_of_methods_agree_with_the_search() {
    let mut rng = Rng::with_seed(3);
    let (mut found, mut undecided) = ([0, 0], 0);
    for round in 0..6_000 {
        let Both { searched, long } = random_history(&mut rng, 4 + round % 6);
        let mut levels = MethodLevels::default();
        for method in ["put", "get", "peek"] {
            let level = ConsistencyLevel::LADDER[rng.usize(..ConsistencyLevel::LADDER.len())];
            levels.methods.insert(method.to_owned(), level);
        }
        let guarantee = Guarantee::Levels(levels);
        match decide(&long, &guarantee) {
            Some(decided) => {
                let expected = search(&searched, &guarantee);
                assert_eq!(decided, expected, "{guarantee:?}: {long:#?}");
                found[usize::from(expected)] += 1;
            }
            None => undecided += 1,
        }
    }
    assert!(
        found.iter().all(|count| *count > 500) && undecided > 100,
        "{found:?} {undecided}"
    );
}

/// A run of a replicated store: every thread has its own copies, to which writes come in the order of the store, and which lag behind.
fn replicated(
    rng: &mut Rng,
    count: usize,
    threads: usize,
    lag: usize,
) -> (Vec<HistoryOp<KvOp>>, Vec<Timebox>) {
    let keys = 10;
    let mut log: Vec<(usize, usize)> = Vec::new();
    let mut applied = vec![0; threads];
    let (mut ops, mut timeboxes) = (Vec::new(), Vec::new());
    for label in 0..count {
        let thread = label % threads;
        let now = 10 * label as i64;
        let key = rng.usize(..keys);
        if rng.usize(..3) == 0 {
            log.push((key, label + 1));
            // A replica has seen its own writes.
            applied[thread] = log.len();
            ops.push(put(thread, label, key, label + 1, false));
        } else {
            let least = log.len().saturating_sub(lag);
            applied[thread] = applied[thread].max(least + rng.usize(..=log.len() - least));
            let known = log[..applied[thread]]
                .iter()
                .rev()
                .find(|(written, _)| *written == key);
            ops.push(get(thread, label, key, known.map_or(0, |(_, value)| *value)));
        }
        timeboxes.push(Timebox::new(now, now + 5));
    }
    (ops, timeboxes)
}

fn timed(ops: &[HistoryOp<KvOp>], timeboxes: &[Timebox], level: ConsistencyLevel) -> Option<bool> {
    let history = LongHistory::from_timeboxes(ops.to_vec(), timeboxes.to_vec());
    let started = Instant::now();
    let decided = decide(&history, &Guarantee::Level(level));
    println!(
        "{} operations, {level}: {decided:?} in {:?}",
        ops.len(),
        started.elapsed()
    );
    decided
}

#[test]
fn twenty_thousand_operations_of_a_lagging_store_are_decided_at_every_level() {
    let (ops, timeboxes) = replicated(&mut Rng::with_seed(4), 20_000, 8, 40);
    for level in WEAK {
        let is_lag_allowed = !level.implies(ConsistencyLevel::Weak);
        assert_eq!(timed(&ops, &timeboxes, level), Some(is_lag_allowed), "{level}");
    }
    // Replicas that are up to date.
    let (ops, timeboxes) = replicated(&mut Rng::with_seed(5), 20_000, 8, 0);
    for level in WEAK {
        assert_eq!(timed(&ops, &timeboxes, level), Some(true), "{level}");
    }
}

/// ```text
/// t0  |----------------put(99,1)----------------|
/// t1    |--------------put(99,2)--------------|
/// t2       |--get=2--| |--get=1--| |--get=2--|      reads go back and forth
/// ```
#[test]
fn reads_that_go_back_are_found_among_many_operations() {
    let (mut ops, mut timeboxes) = replicated(&mut Rng::with_seed(6), 2_000, 4, 0);
    let (count, now) = (ops.len(), timeboxes.len() as i64 * 10);
    let key = 99;
    let (one, two) = (count + 1, count + 2);
    ops.extend([
        put(0, count, key, one, false),
        put(1, count + 1, key, two, false),
        get(2, count + 2, key, two),
        get(2, count + 3, key, one),
        get(2, count + 4, key, two),
    ]);
    let times = [(0, 100), (1, 99), (10, 11), (12, 13), (14, 15)];
    timeboxes.extend(times.map(|(start, end)| Timebox::new(now + start, now + end)));
    for level in WEAK {
        let is_violated =
            level.implies(ConsistencyLevel::MonotonicReads) || level == ConsistencyLevel::CausalConvergence;
        assert_eq!(timed(&ops, &timeboxes, level), Some(!is_violated), "{level}");
    }
    let history = LongHistory::from_timeboxes(ops, timeboxes);
    let guarantee = Guarantee::Level(ConsistencyLevel::MonotonicReads);
    let verdict = history.check(&kv(), &guarantee, &WeakOptions::default()).unwrap();
    let Conclusion::Violation(violation) = verdict else {
        panic!("{verdict:?}");
    };
    let LongViolation::Anomaly {
        anomaly: Anomaly::Cycle(edges),
        ..
    } = *violation
    else {
        panic!("{violation:?}");
    };
    assert_eq!(edges.len(), 2, "{edges:?}");
    assert!(
        edges
            .iter()
            .all(|edge| edge.contains("put(99") && edge.contains("sees both")),
        "{edges:?}"
    );
}

#[test]
fn levels_of_long_histories_are_inferred() {
    let inferred = |lag: usize| {
        let (ops, timeboxes) = replicated(&mut Rng::with_seed(7), 600, 4, lag);
        let histories = [AnyHistory::Long(LongHistory::from_timeboxes(ops, timeboxes))];
        infer(
            &kv(),
            &histories,
            &MethodLevels::default(),
            &WeakOptions::default(),
        )
        .unwrap()
    };
    let exact = inferred(0);
    assert_eq!(exact.together, Some(ConsistencyLevel::Linearizable));
    assert!(exact.unexplained.is_empty() && exact.undecided.is_empty());
    let lagging = inferred(40);
    assert_eq!(lagging.together, Some(ConsistencyLevel::ReturnValue));
    assert_eq!(lagging.levels.methods["put"], ConsistencyLevel::Linearizable);
    assert_eq!(lagging.levels.methods["get"], ConsistencyLevel::ReturnValue);
    assert!(lagging.unexplained.is_empty());
}
