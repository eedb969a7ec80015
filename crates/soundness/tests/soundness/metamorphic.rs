//! Changes of a long trace that do not change its verdict.

use fastrand::Rng;
use omnilink_engine::Options;

use crate::long::collections::{BoundedQueue, Cache, PriorityQueue};
use crate::long::keyed::{Bank, Leases, Map, Transactions, Votes};
use crate::long::object::{Object, Record, ndjson};
use crate::long::simulate::{Load, simulated, with_other_reply};
use crate::long::subject::{Ready, Subject};
use crate::oracle::value::Val;
use crate::product::Answer;
use crate::rounds::{rounds, seed};

fn answer(ready: &Ready, records: &[Record]) -> Answer {
    let text = ndjson(records);
    ready
        .answers(&[(text.as_str(), Options::default())])
        .pop()
        .unwrap_or(Answer::Unknown)
}

/// Other names of threads.
fn renamed_threads(records: &[Record]) -> Vec<Record> {
    let renamed = |record: &Record| Record {
        thread: 1_000 - 3 * record.thread,
        ..record.clone()
    };
    records.iter().map(renamed).collect()
}

/// A later and slower clock.
fn slower(records: &[Record]) -> Vec<Record> {
    let time = |time: i64| 1_000_000 + 17 * time;
    let slower = |record: &Record| Record {
        start: time(record.start),
        end: record.end.map(time),
        ..record.clone()
    };
    records.iter().map(slower).collect()
}

/// The lines in the other order. Those of one thread that start together keep theirs, because it is the order of the calls.
fn in_other_order(records: &[Record]) -> Vec<Record> {
    let mut records = records.to_vec();
    records.sort_by_key(|record| std::cmp::Reverse(record.start));
    records
}

/// Another name for each key, where keys are only names.
fn renamed_keys(records: &[Record], names: &[&str], size: i64) -> Vec<Record> {
    let other = |value: &Val| match value {
        Val::Int(int) => Val::Int(*int % size + 1),
        other => other.clone(),
    };
    let mut records = records.to_vec();
    for record in &mut records {
        for (name, value) in &mut record.request.args {
            if names.contains(name) {
                *value = match value.as_seq() {
                    Some(values) if !values.is_empty() => Val::seq(values.iter().map(other)),
                    _ => other(value),
                };
            }
        }
    }
    records
}

/// The trace up to a moment at which nothing is open, near its middle.
fn up_to_a_quiet_point(records: &[Record]) -> Option<Vec<Record>> {
    let mut latest = i64::MIN;
    let mut quiet = None;
    for (at, record) in records.iter().enumerate() {
        if at > 0 && latest < record.start && at <= records.len() / 2 {
            quiet = Some(at);
        }
        latest = latest.max(record.end.unwrap_or(i64::MAX));
    }
    Some(records[..quiet?].to_vec())
}

/// Traces of one object, valid and perhaps not, and what becomes of them.
fn attack<O: Object>(subject: Subject, keys: &[&str], results: &[&str]) {
    let mut rng = Rng::with_seed(seed(5));
    for _ in 0..rounds(2) {
        let load = Load {
            operations: 4_000,
            threads: rng.u32(3..6),
            size: rng.i64(3..7),
            rest: 2,
            grain: [1, 20][rng.usize(..2)],
            pending: 0,
            seed: rng.u64(..),
        };
        let ready = subject.ready(load.size);
        let valid = simulated::<O>(load);
        let mut changed = valid.clone();
        with_other_reply(&mut rng, &mut changed);
        for records in [valid, changed] {
            let expected = answer(&ready, &records);
            let same = |what: &str, records: &[Record]| {
                assert_eq!(answer(&ready, records), expected, "{subject:?}, {what}, {load:?}");
            };
            same("threads have other names", &renamed_threads(&records));
            same("the clock is slower", &slower(&records));
            same("lines come in another order", &in_other_order(&records));
            if !keys.is_empty() {
                let mut renamed = renamed_keys(&records, keys, load.size);
                for record in &mut renamed {
                    let is_key = record
                        .reply
                        .as_ref()
                        .is_some_and(|_| results.contains(&record.request.op));
                    if is_key && let Some((_, Val::Int(int))) = &mut record.reply {
                        *int = if *int == 0 { 0 } else { *int % load.size + 1 };
                    }
                }
                same("keys have other names", &renamed);
            }
            if expected == Answer::Valid
                && let Some(first) = up_to_a_quiet_point(&records)
            {
                same("it ends at a quiet point", &first);
            }
        }
    }
}

#[test]
fn the_verdict_on_a_map_does_not_depend_on_names_and_clocks() {
    attack::<Map>(Subject::Style("examples/validate/map/Map"), &[], &[]);
    attack::<Map>(Subject::Model("map"), &[], &[]);
}

#[test]
fn the_verdict_on_a_bank_does_not_depend_on_names_and_clocks() {
    attack::<Bank>(Subject::Spec("Bank", ""), &[], &[]);
}

#[test]
fn the_verdict_on_leases_does_not_depend_on_names_and_clocks() {
    attack::<Leases>(Subject::Spec("Leases", ""), &["key"], &[]);
    attack::<Leases>(Subject::Spec("LeaseSet", ""), &["key"], &[]);
}

#[test]
fn the_verdict_on_votes_does_not_depend_on_names_and_clocks() {
    attack::<Votes>(Subject::Spec("Votes", ""), &["who"], &[]);
    attack::<Votes>(Subject::Spec("VoteMap", ""), &["who"], &[]);
}

#[test]
fn the_verdict_on_transactions_does_not_depend_on_names_and_clocks() {
    attack::<Transactions>(
        Subject::Spec("Transactions", ""),
        &["key", "keys", "from", "to"],
        &[],
    );
}

#[test]
fn the_verdict_on_collections_does_not_depend_on_names_and_clocks() {
    attack::<BoundedQueue>(Subject::Spec("BoundedQueue", ""), &["value"], &["Take"]);
    attack::<PriorityQueue>(Subject::Spec("PriorityQueue", ""), &[], &[]);
    attack::<Cache>(Subject::Spec("Cache", ""), &["key"], &[]);
}
