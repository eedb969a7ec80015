//! Histories beyond what a search over visibilities takes, and transactions by the thousand.

use super::ran::{folder, omnilink_in};

const LEVELS: [&str; 12] = [
    "return-value",
    "read-my-writes",
    "monotonic-reads",
    "monotonic-writes",
    "writes-follow-reads",
    "weak",
    "monotonic",
    "peer",
    "causal",
    "causal-convergence",
    "sequential",
    "linearizable",
];

fn write(thread: u32, value: usize, start: usize, end: usize) -> String {
    format!(r#"{{"thread":{thread},"op":"write","args":{{"value":{value}}},"start":{start},"end":{end}}}"#)
}

fn read(thread: u32, value: usize, start: usize, end: usize) -> String {
    format!(r#"{{"thread":{thread},"op":"read","args":{{}},"ret":{value},"start":{start},"end":{end}}}"#)
}

fn codes(history: &[String], levels: &[&str]) -> Vec<i32> {
    let folder = folder(&[("long.ndjson", &history.join("\n"))]);
    let code = |level: &&str| {
        let check = [
            "check",
            "long.ndjson",
            "--model",
            "register",
            "--consistency",
            level,
        ];
        omnilink_in(folder.path(), &check).code
    };
    levels.iter().map(code).collect()
}

#[test]
fn a_long_linearizable_history_satisfies_every_level() {
    let history: Vec<String> = (0..200)
        .flat_map(|at| {
            [
                write(0, at, 10 * at, 10 * at + 5),
                read(1, at, 10 * at + 3, 10 * at + 8),
            ]
        })
        .collect();
    assert_eq!(codes(&history, &LEVELS), [0; 12]);
}

#[test]
fn a_long_history_of_a_lagging_reader_is_decided_as_a_short_one_is() {
    let lagging = |count: usize| -> Vec<String> {
        let writes = (0..count).map(|at| write(0, at, 10 * at, 10 * at + 5));
        let reads = (0..count).map(|at| read(1, at, 2_000 + 10 * at, 2_000 + 10 * at + 5));
        writes.chain(reads).collect()
    };
    let long = codes(&lagging(100), &LEVELS);
    // A short history is searched, a long one is decided by a graph.
    assert_eq!(long, codes(&lagging(10), &LEVELS));
    for (level, code) in LEVELS.iter().zip(long) {
        let expected = match *level {
            "sequential" | "causal-convergence" | "monotonic-reads" => 0,
            "linearizable" | "causal" | "weak" => 1,
            _ => continue,
        };
        assert_eq!(code, expected, "{level}");
    }
}

#[test]
fn a_threads_own_order_holds_where_one_operation_begins_as_the_other_ends() {
    // The only order that the reads allow would put the last two operations of thread 0 the other way round.
    let mut history: Vec<String> = (0..150).map(|at| write(0, at, 10 * at, 10 * at + 5)).collect();
    history.push(write(0, 777, 2_000, 2_005));
    history.push(read(0, 149, 2_005, 2_006));
    assert!(
        codes(&history, &["sequential", "causal", "weak"])
            .iter()
            .all(|code| *code != 0)
    );
}

/// Transactions of ten sessions that overlap, and write without reading.
fn blind(count: usize) -> String {
    let mut lines = Vec::new();
    for txn in 0..count {
        for (step, key) in [txn * 7, txn * 3 + 1].into_iter().enumerate() {
            let (key, start) = (key % (count / 20), 10 * txn + 30 * step);
            lines.push(format!(
                r#"{{"thread":{},"op":"write","args":["k{key}",{}],"start":{start},"end":{},"meta":{{"txn":{txn}}}}}"#,
                txn % 10,
                2 * txn + step,
                start + 29
            ));
        }
    }
    lines.join("\n")
}

#[test]
fn thousands_of_blind_writes_are_decided_at_every_level_in_one_line() {
    let folder = folder(&[("blind.ndjson", &blind(2_000))]);
    for level in [
        "read-committed",
        "read-atomic",
        "snapshot-isolation",
        "serializable",
        "strict-serializable",
    ] {
        let ran = omnilink_in(folder.path(), &["check", "blind.ndjson", "--consistency", level]);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{level}: {ran:?}");
    }
}

#[test]
fn the_order_of_commits_is_a_witness() {
    let folder = folder(&[("blind.ndjson", &blind(200))]);
    let check = [
        "check",
        "blind.ndjson",
        "--consistency",
        "serializable",
        "--witness",
        "w.json",
    ];
    let ran = omnilink_in(folder.path(), &check);
    assert_eq!(ran.code, 0, "{ran:?}");
    let witness = std::fs::read_to_string(folder.path().join("w.json")).unwrap();
    let witness: serde_json::Value = serde_json::from_str(&witness).unwrap();
    let order = witness["witness"]["order"].as_array().unwrap();
    assert_eq!(order.len(), 200, "{witness}");
}
