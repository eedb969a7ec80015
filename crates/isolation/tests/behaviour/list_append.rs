//! Transactions that are one operation each: Jepsen's accesses, and lists that are appended to.

use std::collections::BTreeMap;
use std::fmt::Write;

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_isolation::{
    Isolation, IsolationConclusion, IsolationFamily, IsolationScope, RecordedHistory, check_transactions,
    read_histories,
};

#[derive(Clone, Debug, PartialEq)]
enum Access {
    Append(usize, i64),
    Read(usize, Vec<i64>),
}

#[derive(Clone, Debug)]
struct Txn {
    thread: usize,
    start: i64,
    end: i64,
    accesses: Vec<Access>,
}

fn recorded(txns: &[Txn]) -> RecordedHistory {
    let mut ops = String::new();
    for (at, txn) in txns.iter().enumerate() {
        let listed = |has_returned: bool| -> String {
            let each = txn.accesses.iter().map(|access| match access {
                Access::Append(key, element) => format!(r#"["append",{key},{element}]"#),
                Access::Read(key, list) if has_returned => format!(r#"["r",{key},{list:?}]"#),
                Access::Read(key, _) => format!(r#"["r",{key},null]"#),
            });
            format!("[{}]", each.collect::<Vec<_>>().join(","))
        };
        let (called, returned) = (listed(false), listed(true));
        write!(
            ops,
            r#"{}{{"thread":{},"start":{},"end":{},"op":"txn","args":[{called}],"ret":{returned}}}"#,
            if at > 0 { "," } else { "" },
            txn.thread,
            txn.start,
            txn.end
        )
        .unwrap();
    }
    let line = format!(r#"{{"id":"test","ops":[{ops}]}}"#);
    read_histories("test", line.as_bytes()).next().unwrap().unwrap()
}

fn verdict(txns: &[Txn], level: Isolation) -> IsolationConclusion {
    check_transactions(&recorded(txns), level, Limits::default()).unwrap()
}

fn is_valid(txns: &[Txn], level: Isolation) -> bool {
    verdict(txns, level).is_valid()
}

type Lists = BTreeMap<usize, Vec<i64>>;

/// Runs a transaction on a store; `None` if a read is not what it would be.
fn run(txn: &Txn, store: &Lists) -> Option<Lists> {
    let mut store = store.clone();
    for access in &txn.accesses {
        match access {
            Access::Append(key, element) => store.entry(*key).or_default().push(*element),
            Access::Read(key, list) if store.get(key).map_or(&[][..], Vec::as_slice) == list.as_slice() => {}
            Access::Read(..) => return None,
        }
    }
    Some(store)
}

fn precedes(a: usize, b: usize, txns: &[Txn], is_strict: bool) -> bool {
    (txns[a].thread == txns[b].thread && a < b) || (is_strict && txns[a].end < txns[b].start)
}

/// Whether some order of the transactions explains all reads: the definition.
fn is_serializable(txns: &[Txn], is_strict: bool, placed: &mut Vec<usize>, store: &Lists) -> bool {
    placed.len() == txns.len()
        || (0..txns.len()).any(|next| {
            let is_free = !placed.contains(&next)
                && (0..txns.len()).all(|other| {
                    placed.contains(&other) || other == next || !precedes(other, next, txns, is_strict)
                });
            is_free
                && run(&txns[next], store).is_some_and(|store| {
                    placed.push(next);
                    let is_found = is_serializable(txns, is_strict, placed, &store);
                    placed.pop();
                    is_found
                })
        })
}

/// Whether some order of beginnings and commits explains all reads from snapshots, without two that overlap appending to the same
/// key: the definition.
fn is_snapshot_isolated(
    txns: &[Txn],
    begun: &mut Vec<(usize, Lists)>,
    committed: &mut Vec<usize>,
    store: &Lists,
) -> bool {
    if committed.len() == txns.len() {
        return true;
    }
    let keys = |one: usize| {
        let appended = |access: &Access| match access {
            Access::Append(key, _) => Some(*key),
            Access::Read(..) => None,
        };
        txns[one].accesses.iter().filter_map(appended).collect::<Vec<_>>()
    };
    (0..txns.len()).any(|one| {
        if committed.contains(&one) {
            return false;
        }
        let snapshot = begun
            .iter()
            .find(|(other, _)| *other == one)
            .map(|(_, snapshot)| snapshot.clone());
        match snapshot {
            None => {
                let is_free =
                    (0..one).all(|other| committed.contains(&other) || !precedes(other, one, txns, false));
                if !is_free || run(&txns[one], store).is_none() {
                    return false;
                }
                begun.push((one, store.clone()));
                let is_found = is_snapshot_isolated(txns, begun, committed, store);
                begun.pop();
                is_found
            }
            Some(snapshot) => {
                // Who committed to one of its keys since it began?
                if keys(one).iter().any(|key| snapshot.get(key) != store.get(key)) {
                    return false;
                }
                let mut after = store.clone();
                for access in &txns[one].accesses {
                    if let Access::Append(key, element) = access {
                        after.entry(*key).or_default().push(*element);
                    }
                }
                committed.push(one);
                let is_found = is_snapshot_isolated(txns, begun, committed, &after);
                committed.pop();
                is_found
            }
        }
    })
}

fn random(rng: &mut Rng) -> Vec<Txn> {
    let count = 2 + rng.usize(..3);
    let mut element = 0;
    let mut txns: Vec<Txn> = (0..count)
        .map(|at| {
            let start = at as i64 * 10;
            let accesses = (0..1 + rng.usize(..3))
                .map(|_| {
                    let key = rng.usize(..2);
                    element += 1;
                    match rng.usize(..2) {
                        0 => Access::Append(key, element),
                        _ => Access::Read(key, Vec::new()),
                    }
                })
                .collect();
            let end = start + [5, 25][rng.usize(..2)];
            Txn {
                thread: at,
                start,
                end,
                accesses,
            }
        })
        .collect();
    // Reads from some order of steps: often explained, often not.
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, rng.usize(..at + 1));
    }
    let mut lists = Lists::new();
    let stale = rng.usize(..3) == 0;
    let mut old = Lists::new();
    for one in order {
        let mut own = if stale && rng.usize(..2) == 0 {
            old.clone()
        } else {
            lists.clone()
        };
        old = lists.clone();
        for access in &mut txns[one].accesses {
            match access {
                Access::Append(key, element) => {
                    own.entry(*key).or_default().push(*element);
                    lists.entry(*key).or_default().push(*element);
                }
                Access::Read(key, list) => {
                    *list = own.get(key).cloned().unwrap_or_default();
                    if rng.usize(..12) == 0 {
                        list.pop();
                    }
                }
            }
        }
    }
    if rng.usize(..2) == 0 {
        txns.iter_mut().for_each(|txn| txn.thread %= 2);
        let mut free = [0; 2];
        for txn in &mut txns {
            txn.start = txn.start.max(free[txn.thread]);
            txn.end = txn.end.max(txn.start + 1);
            free[txn.thread] = txn.end + 1;
        }
    }
    txns
}

#[test]
fn lists_agree_with_the_definition() {
    let mut rng = Rng::with_seed(17);
    let mut met = [[0; 2]; 3];
    for _ in 0..6_000 {
        let txns = random(&mut rng);
        let expected = [
            (
                Isolation::STRONG_SESSION_SERIALIZABLE,
                is_serializable(&txns, false, &mut Vec::new(), &Lists::new()),
            ),
            (
                Isolation::STRICT_SERIALIZABLE,
                is_serializable(&txns, true, &mut Vec::new(), &Lists::new()),
            ),
            (
                Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session),
                is_snapshot_isolated(&txns, &mut Vec::new(), &mut Vec::new(), &Lists::new()),
            ),
        ];
        for (at, (level, expected)) in expected.into_iter().enumerate() {
            let found = verdict(&txns, level);
            assert_eq!(found.is_valid(), expected, "{level}: {found:?}\n{txns:#?}");
            met[at][usize::from(expected)] += 1;
        }
        let levels = Isolation::LADDER.map(|level| is_valid(&txns, level));
        assert!(
            levels.is_sorted_by(|weaker, stronger| weaker >= stronger),
            "{levels:?} {txns:#?}"
        );
    }
    assert!(met.iter().flatten().all(|count| *count > 300), "{met:?}");
}

fn txn(thread: usize, start: i64, end: i64, accesses: &[Access]) -> Txn {
    Txn {
        thread,
        start,
        end,
        accesses: accesses.to_vec(),
    }
}

fn read(key: usize, list: &[i64]) -> Access {
    Access::Read(key, list.to_vec())
}

#[test]
fn what_no_level_allows_is_said_in_words() {
    let append = Access::Append;
    for (txns, words) in [
        (
            vec![
                txn(0, 0, 1, &[append(5, 1), read(5, &[1])]),
                txn(1, 2, 3, &[append(5, 2), read(5, &[2])]),
            ],
            "neither is a prefix of the other",
        ),
        (
            vec![txn(0, 0, 1, &[append(5, 1)]), txn(0, 2, 3, &[read(5, &[7])])],
            "no transaction appended 7",
        ),
        (
            vec![txn(0, 0, 1, &[append(5, 1)]), txn(1, 2, 3, &[read(5, &[1, 1])])],
            "1 stands twice",
        ),
        (
            vec![
                txn(0, 0, 9, &[append(5, 1), append(5, 2)]),
                txn(1, 0, 9, &[append(5, 3)]),
                txn(2, 10, 11, &[read(5, &[1, 3, 2])]),
            ],
            "does not stand together",
        ),
        (
            vec![
                txn(0, 0, 9, &[append(5, 1), append(5, 2)]),
                txn(1, 0, 9, &[read(5, &[1])]),
            ],
            "wrote and then wrote over",
        ),
        (
            vec![txn(0, 0, 9, &[append(5, 1), read(5, &[])])],
            "wrote [… 1] to 5 and then read nil from it",
        ),
    ] {
        for level in Isolation::LADDER {
            let verdict = verdict(&txns, level);
            assert!(
                !verdict.is_valid() && format!("{verdict:?}").contains(words),
                "{level}: {verdict:?}"
            );
        }
    }
}

#[test]
fn blind_appends_may_lose_no_order_but_need_no_snapshot_of_each_other() {
    let append = Access::Append;
    // Each appended to both keys, in opposite orders: a dirty write, which the weakest level forbids.
    let dirty = [
        txn(0, 0, 9, &[append(1, 1), append(2, 1)]),
        txn(1, 0, 9, &[append(1, 2), append(2, 2)]),
        txn(2, 10, 11, &[read(1, &[1, 2]), read(2, &[2, 1])]),
    ];
    assert!(!is_valid(&dirty, Isolation::MONOTONIC_READ_COMMITTED));
    // Appended behind another without having seen it: no snapshot, but every transaction is seen whole.
    let lost = [
        txn(0, 0, 9, &[append(1, 1), append(2, 1)]),
        txn(1, 0, 9, &[read(2, &[]), append(1, 2)]),
        txn(2, 10, 11, &[read(1, &[1, 2])]),
    ];
    assert!(is_valid(
        &lost,
        Isolation::new(IsolationFamily::ReadAtomic, IsolationScope::Session)
    ));
    assert!(!is_valid(
        &lost,
        Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session)
    ));
}

fn serializable_ops(ops: &str) -> Result<bool, String> {
    let line = format!(r#"{{"id":"test","ops":[{ops}]}}"#);
    let recorded = read_histories("test", line.as_bytes()).next().unwrap().unwrap();
    check_transactions(
        &recorded,
        Isolation::STRONG_SESSION_SERIALIZABLE,
        Limits::default(),
    )
    .map(|verdict| verdict.is_valid())
    .map_err(|error| error.to_string())
}

#[test]
fn one_that_never_returned_took_effect_if_it_was_seen() {
    let lost = r#"{"thread":0,"start":0,"op":"txn","args":[[["append",1,1],["append",2,1]]]}"#;
    let seen = r#"{"thread":1,"start":1,"end":2,"op":"txn","args":[],"ret":[["r",1,[1]],["r",2,LIST]]}"#;
    assert_eq!(
        serializable_ops(&format!("{lost},{}", seen.replace("LIST", "[1]"))),
        Ok(true)
    );
    assert_eq!(
        serializable_ops(&format!("{lost},{}", seen.replace("LIST", "null"))),
        Ok(false)
    );
    // Seen in the middle of a list, behind another element.
    let second = r#"{"thread":2,"start":1,"end":2,"op":"txn","args":[],"ret":[["append",1,2]]}"#;
    let behind = seen.replace("[1]]", "[1,2]]");
    assert_eq!(
        serializable_ops(&format!("{lost},{second},{}", behind.replace("LIST", "[1]"))),
        Ok(true)
    );
    assert_eq!(
        serializable_ops(&format!("{lost},{second},{}", behind.replace("LIST", "null"))),
        Ok(false)
    );
    let failed = lost.replace(r#""start":0"#, r#""start":0,"end":5,"aborted":true"#);
    assert_eq!(
        serializable_ops(&format!("{failed},{}", seen.replace("LIST", "[1]"))),
        Ok(false)
    );
}

#[test]
fn registers_and_lists_may_stand_side_by_side_but_not_under_one_key() {
    let txn = |accesses: &str| {
        format!(r#"{{"thread":0,"start":0,"end":1,"op":"txn","args":[{accesses}],"ret":{accesses}}}"#)
    };
    assert_eq!(
        serializable_ops(&txn(
            r#"[["w","a",1],["append","b",1],["r","a",1],["r","b",[1]]]"#
        )),
        Ok(true)
    );
    assert_eq!(
        serializable_ops(&txn(r#"[["r","a",[]],["r","b",null]]"#)),
        Ok(true)
    );
    for (accesses, words) in [
        (
            r#"[["w","a",1],["append","a",2]]"#,
            "written as well as appended to",
        ),
        (r#"[["append","a",2],["r","a",2]]"#, "is no list"),
        (
            r#"[["append","a",2],["append","a",2]]"#,
            "appends 2 to \"a\", which it appends as well",
        ),
        (r#"[["multiply","a",2]]"#, "expected a list of"),
    ] {
        let error = serializable_ops(&txn(accesses)).expect_err(accesses);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_read_of_a_set_or_a_range_misses_what_it_does_not_show() {
    let txn = |thread: usize, accesses: &str| {
        format!(r#"{{"thread":{thread},"op":"txn","args":[null],"ret":[{accesses}],"start":0,"end":9}}"#)
    };
    let skew = |first: &str, second: &str| serializable_ops(&[txn(0, first), txn(1, second)].join(","));
    let set = |other: &str| {
        skew(
            r#"["r","s",[]],["add","t",1]"#,
            &format!(r#"["r","t",{other}],["add","s",2]"#),
        )
    };
    assert_eq!(set("[]"), Ok(false));
    assert_eq!(set("[1]"), Ok(true));
    assert_eq!(set("[1,7]"), Ok(false), "nobody added 7");
    let range = |bound: u32| {
        let scan = format!(r#"["range",1,{bound},[]]"#);
        skew(&format!(r#"{scan},["w",3,1]"#), &format!(r#"{scan},["w",5,1]"#))
    };
    assert_eq!(range(9), Ok(false));
    assert_eq!(range(4), Ok(true));
}
