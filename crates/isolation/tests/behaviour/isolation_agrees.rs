//! The isolation checks against the definition, on random histories of several kinds.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_isolation::naive;
use omnilink_isolation::{Isolation, IsolationFamily, RecordedHistory, Transactions, read_histories};

/// What a transaction did, and how it ended.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub session: usize,
    pub start: usize,
    /// `None`: it was cut off.
    pub end: Option<usize>,
    pub is_aborted: bool,
    /// Key, value, whether it is a write. 0 is nil.
    pub steps: Vec<(usize, usize, bool)>,
}

pub(crate) fn recorded(made: &[Made], is_timed: bool) -> RecordedHistory {
    let mut ops = Vec::new();
    for (name, one) in made.iter().enumerate() {
        let value = |value: usize| {
            if value == 0 {
                "null".to_owned()
            } else {
                value.to_string()
            }
        };
        for (at, (key, held, is_write)) in one.steps.iter().enumerate() {
            let is_last = at + 1 == one.steps.len();
            let mut op = format!(r#"{{"txn":{name},"thread":{}"#, one.session);
            let is_cut_off = is_last && one.end.is_none();
            if is_timed {
                let end = one.end.unwrap_or(one.start);
                op.push_str(&format!(r#","start":{}"#, one.start));
                if !is_cut_off {
                    op.push_str(&format!(r#","end":{}"#, end.max(one.start)));
                }
            } else if is_cut_off {
                op.push_str(r#","pending":true"#);
            }
            if is_last && one.is_aborted {
                op.push_str(r#","aborted":true"#);
            }
            op.push_str(&match is_write {
                true => format!(r#","op":"write","args":[{key},{}]}}"#, value(*held)),
                // What did not return has no result.
                false if is_cut_off => format!(r#","op":"read","args":[{key}]}}"#),
                false => format!(r#","op":"read","args":[{key}],"ret":{}}}"#, value(*held)),
            });
            ops.push(op);
        }
    }
    let line = format!(r#"{{"ops":[{}]}}"#, ops.join(","));
    read_histories("test", line.as_bytes()).next().unwrap().unwrap()
}

/// The same with keys that hold lists: a write appends, and a read shows what was committed up to the value.
fn recorded_lists(made: &[Made], is_timed: bool) -> RecordedHistory {
    let committed = |key: usize| -> Vec<usize> {
        let kept = made.iter().filter(|one| !one.is_aborted);
        let steps = kept.flat_map(|one| &one.steps);
        let writes = steps.filter(|(of, _, is_write)| *of == key && *is_write);
        writes.map(|(_, value, _)| *value).collect()
    };
    let mut ops = Vec::new();
    for one in made {
        let mut accesses = Vec::new();
        for (at, (key, value, is_write)) in one.steps.iter().enumerate() {
            let own = one.steps[..at]
                .iter()
                .filter(|(of, _, is_write)| of == key && *is_write);
            let own: Vec<usize> = own.map(|(_, value, _)| *value).collect();
            let list = || {
                let mut list = committed(*key);
                let seen = match own.first() {
                    Some(first) => list.iter().position(|other| other == first),
                    None if *value == 0 => Some(0),
                    None => { list.iter() }.position(|other| other == value).map(|at| at + 1),
                };
                list.truncate(seen.unwrap_or(list.len()));
                list.extend(match (own.is_empty(), seen) {
                    (true, None) => vec![*value],
                    (true, Some(_)) => Vec::new(),
                    (false, _) => own.clone(),
                });
                format!("{list:?}")
            };
            accesses.push(match is_write {
                true => format!(r#"["append",{key},{value}]"#),
                false if one.end.is_none() => format!(r#"["r",{key},null]"#),
                false => format!(r#"["r",{key},{}]"#, list()),
            });
        }
        let accesses = accesses.join(",");
        let mut op = format!(r#"{{"op":"txn","thread":{}"#, one.session);
        match (is_timed, one.end) {
            (true, Some(end)) => {
                op.push_str(&format!(r#","start":{},"end":{}"#, one.start, end.max(one.start)))
            }
            (true, None) => op.push_str(&format!(r#","start":{}"#, one.start)),
            (false, None) => op.push_str(r#","pending":true"#),
            (false, Some(_)) => {}
        }
        if one.is_aborted {
            op.push_str(r#","aborted":true"#);
        }
        if one.end.is_some() && !one.is_aborted {
            op.push_str(&format!(r#","args":[null],"ret":[{accesses}]}}"#))
        } else {
            op.push_str(&format!(r#","args":[[{accesses}]]}}"#))
        }
        ops.push(op);
    }
    let line = format!(r#"{{"ops":[{}]}}"#, ops.join(","));
    read_histories("test", line.as_bytes()).next().unwrap().unwrap()
}

/// Checks all levels against the definition. The strongest that holds, counted from 1.
pub(crate) fn agrees(recorded: &RecordedHistory, made: &[Made], is_timed: bool) -> usize {
    let transactions = Transactions::from_recorded(recorded).unwrap();
    let mut held: Vec<Isolation> = Vec::new();
    for level in Isolation::all() {
        // These try orders within orders.
        let is_nested = matches!(
            level.family(),
            IsolationFamily::UpdateSerializable | IsolationFamily::WeakCausal
        );
        if is_nested && made.len() > 5 {
            continue;
        }
        let verdict = transactions.check(level, Limits::default()).unwrap();
        let expected = naive::is_isolated(&transactions, level);
        assert_eq!(
            verdict.is_valid(),
            expected,
            "{level}, timed: {is_timed}: {verdict:?} {made:#?}"
        );
        assert!(verdict.verdict() != omnilink_evidence::Verdict::Unknown);
        if expected {
            held.push(level);
        }
    }
    for level in &held {
        let mut weaker = Isolation::all()
            .into_iter()
            .filter(|weaker| level.implies(*weaker));
        let is_skipped = |weaker: &Isolation| {
            made.len() > 5
                && matches!(
                    weaker.family(),
                    IsolationFamily::UpdateSerializable | IsolationFamily::WeakCausal
                )
        };
        assert!(
            weaker.all(|weaker| held.contains(&weaker) || is_skipped(&weaker)),
            "{level} holds and a weaker level does not: {made:#?}"
        );
    }
    let strongest = Isolation::LADDER.iter().rposition(|level| held.contains(level));
    strongest.map_or(0, |at| at + 1)
}

/// How transactions of a made-up store come to read what they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    /// One after the other, somewhere in their timeboxes.
    Serial,
    /// From a snapshot; the first to commit wins.
    Snapshot,
    /// From a snapshot, without a check for conflicts.
    Careless,
    /// Each read from some past state of its own.
    Torn,
}

/// How values are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Unique,
    /// Of two, and sometimes nil: who was read from is open.
    Few,
    /// Unique, and appended to lists.
    Listed,
}

/// A run of a made-up store. Times are few, so that there are ties.
fn run(rng: &mut Rng, store: Store, values: Values, count: usize, blind: usize) -> Vec<Made> {
    let keys = 1 + rng.usize(..3);
    let sessions = 1 + rng.usize(..4);
    let mut states: Vec<Vec<usize>> = vec![vec![0; keys]];
    let mut written_at = vec![0; keys];
    let mut next = 0;
    let mut free = vec![0; sessions];
    let mut seen = vec![0; sessions];
    let mut clock = 0;
    let mut made = Vec::new();
    for _ in 0..count {
        clock += rng.usize(..3);
        let session = rng.usize(..sessions);
        let start = free[session].max(clock.saturating_sub(rng.usize(..4)));
        let now = states.len() - 1;
        let snapshot = match store {
            Store::Serial => now,
            Store::Snapshot => now.saturating_sub(rng.usize(..3)).max(seen[session]),
            Store::Careless | Store::Torn => now.saturating_sub(rng.usize(..3)),
        };
        let mut own: Vec<Option<usize>> = vec![None; keys];
        let mut steps = Vec::new();
        for _ in 0..1 + rng.usize(..3) {
            let key = rng.usize(..keys);
            let is_write = rng.usize(..2) == 0;
            if !is_write || own[key].is_none() && rng.usize(..10) >= blind {
                let state = match store {
                    Store::Torn => now.saturating_sub(rng.usize(..3)),
                    _ => snapshot,
                };
                steps.push((key, own[key].unwrap_or(states[state][key]), false));
            }
            if is_write {
                next += 1;
                let value = match values {
                    Values::Unique | Values::Listed => next,
                    Values::Few => rng.usize(..3),
                };
                own[key] = Some(value);
                steps.push((key, value, true));
            }
        }
        let is_taken = |key: usize| own[key].is_some() && written_at[key] > snapshot;
        let is_refused = store == Store::Snapshot && (0..keys).any(is_taken);
        let is_aborted = is_refused || rng.usize(..12) == 0;
        let is_cut_off = rng.usize(..10) == 0;
        if !(is_aborted || is_cut_off && rng.usize(..2) == 0) {
            let mut state = states[now].clone();
            for key in 0..keys {
                if let Some(value) = own[key] {
                    state[key] = value;
                    written_at[key] = states.len();
                }
            }
            seen[session] = states.len();
            states.push(state);
        }
        let end = clock.max(start) + rng.usize(..3);
        free[session] = end;
        made.push(Made {
            session,
            start,
            end: (!is_cut_off || is_aborted).then_some(end),
            is_aborted,
            steps,
        });
    }
    made
}

/// Changes one thing that was read, or one time.
fn nearly(rng: &mut Rng, made: &mut [Made]) {
    let at = rng.usize(..made.len());
    let values: Vec<usize> = made
        .iter()
        .flat_map(|one| &one.steps)
        .map(|(_, value, _)| *value)
        .collect();
    let one = &mut made[at];
    match rng.usize(..4) {
        0 => one.end = one.end.map(|end| end + 3),
        1 => one.start = one.start.saturating_sub(3),
        _ => {
            let step = rng.usize(..one.steps.len());
            if !one.steps[step].2 {
                one.steps[step].1 = values[rng.usize(..values.len())];
            }
        }
    }
}

/// `OMNILINK_ROUNDS` multiplies the number of histories.
fn attack(seed: u64, rounds: usize, store: Store, values: Values, blind: usize) -> [usize; 6] {
    let more = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|more| more.parse().ok())
        .unwrap_or(1);
    let mut rng = Rng::with_seed(seed);
    let mut found = [0; 6];
    for round in 0..rounds * more {
        let count = 2 + rng.usize(..if round % 8 == 0 { 5 } else { 4 });
        let mut made = run(&mut rng, store, values, count, blind);
        if rng.usize(..3) == 0 {
            nearly(&mut rng, &mut made);
        }
        let is_timed = rng.usize(..5) > 0;
        let recorded = match values {
            Values::Listed => recorded_lists(&made, is_timed),
            Values::Unique | Values::Few => recorded(&made, is_timed),
        };
        found[agrees(&recorded, &made, is_timed)] += 1;
    }
    found
}

#[test]
fn runs_of_a_serial_store_agree_with_the_definition() {
    let found = attack(1, 600, Store::Serial, Values::Unique, 5);
    assert!(found[5] > 200 && found[0] > 0, "{found:?}");
}

#[test]
fn blind_writes_agree_with_the_definition() {
    let found = attack(2, 600, Store::Serial, Values::Unique, 10);
    assert!(found[5] > 200, "{found:?}");
    let found = attack(3, 600, Store::Torn, Values::Unique, 10);
    assert!(found[1] > 10 && found[4] > 10, "{found:?}");
}

#[test]
fn runs_of_a_store_with_snapshots_agree_with_the_definition() {
    let found = attack(4, 1_500, Store::Snapshot, Values::Unique, 5);
    assert!(found[3] > 5, "{found:?}");
    let found = attack(5, 600, Store::Careless, Values::Unique, 3);
    assert!(found[2] > 5 && found[3] > 0, "{found:?}");
}

#[test]
fn torn_reads_agree_with_the_definition() {
    let found = attack(6, 600, Store::Torn, Values::Unique, 3);
    assert!(found[..4].iter().all(|count| *count > 0), "{found:?}");
}

#[test]
fn values_written_more_than_once_agree_with_the_definition() {
    let found = attack(7, 400, Store::Serial, Values::Few, 5);
    assert!(found[5] > 100, "{found:?}");
    let found = attack(8, 400, Store::Careless, Values::Few, 8);
    assert!(found.iter().filter(|count| **count > 0).count() >= 4, "{found:?}");
    let found = attack(9, 400, Store::Torn, Values::Few, 8);
    assert!(found.iter().filter(|count| **count > 0).count() >= 4, "{found:?}");
}

#[test]
fn lists_agree_with_the_definition_at_every_level() {
    let found = attack(10, 600, Store::Serial, Values::Listed, 7);
    assert!(found[5] > 100, "{found:?}");
    let found = attack(11, 600, Store::Careless, Values::Listed, 7);
    assert!(found.iter().filter(|count| **count > 0).count() >= 4, "{found:?}");
    let found = attack(12, 600, Store::Torn, Values::Listed, 7);
    assert!(found.iter().filter(|count| **count > 0).count() >= 4, "{found:?}");
}
