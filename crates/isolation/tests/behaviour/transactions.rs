//! Isolation of transactions: the anomalies that have names, and agreement with the definition.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::Conclusion;
use omnilink_isolation::naive;
use omnilink_isolation::{
    Isolation, IsolationConclusion, IsolationFamily, IsolationScope, RecordedHistory, TransactionError,
    Transactions, check_recorded_transactions, check_transactions, read_histories,
};

/// A history from lines such as `T1 s0 w x 1, r y nil`: a transaction, its session, what it did. Transactions run one after
/// the other, unless they end with `~`: those overlap with everything.
fn history(lines: &[&str]) -> RecordedHistory {
    let mut ops = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let (line, overlaps) = match line.strip_suffix('~') {
            Some(line) => (line, true),
            None => (*line, false),
        };
        let mut words = line.splitn(3, ' ');
        let (name, session, steps) = (
            words.next().unwrap(),
            words.next().unwrap(),
            words.next().unwrap(),
        );
        let (start, end) = if overlaps {
            (0, 10_000)
        } else {
            (position * 10 + 1, position * 10 + 5)
        };
        for step in steps.split(',').map(str::trim) {
            let words: Vec<&str> = step.split(' ').collect();
            let head = format!(r#""txn":"{name}","thread":"{session}","start":{start}"#);
            let quoted = |value: &str| {
                if value == "nil" {
                    "null".to_owned()
                } else {
                    value.to_owned()
                }
            };
            ops.push(match words[..] {
                ["r", key, value] => format!(
                    r#"{{{head},"end":{end},"op":"read","args":["{key}"],"ret":{}}}"#,
                    quoted(value)
                ),
                ["w", key, value] => {
                    format!(
                        r#"{{{head},"end":{end},"op":"write","args":["{key}",{}]}}"#,
                        quoted(value)
                    )
                }
                ["w?", key, value] => {
                    format!(r#"{{{head},"op":"write","args":["{key}",{}]}}"#, quoted(value))
                }
                ["abort"] => format!(r#"{{{head},"end":{end},"op":"abort"}}"#),
                _ => panic!("{step}"),
            });
        }
    }
    let line = format!(r#"{{"id":"test","ops":[{}]}}"#, ops.join(","));
    read_histories("test", line.as_bytes()).next().unwrap().unwrap()
}

/// The strongest level at which the history is isolated.
fn strongest(lines: &[&str]) -> Option<Isolation> {
    let recorded = history(lines);
    let transactions = Transactions::from_recorded(&recorded).unwrap();
    let levels = Isolation::LADDER.map(|level| {
        let verdict = check_transactions(&recorded, level, Limits::default()).unwrap();
        assert_eq!(
            verdict.is_valid(),
            naive::is_isolated(&transactions, level),
            "{level}: {verdict:?} {lines:?}"
        );
        verdict.is_valid()
    });
    // What is isolated at a level is isolated at every weaker one.
    assert!(levels.windows(2).all(|pair| pair[0] || !pair[1]), "{levels:?}");
    levels
        .iter()
        .rposition(|is_valid| *is_valid)
        .map(|at| Isolation::LADDER[at])
}

#[test]
fn transactions_one_after_the_other_are_strictly_serializable() {
    let found = strongest(&["1 a w x 1, w y 1", "2 b r x 1, w x 2", "3 a r x 2, r y 1"]);
    assert_eq!(found, Some(Isolation::STRICT_SERIALIZABLE));
}

#[test]
fn a_stale_read_is_serializable_but_not_strictly() {
    assert_eq!(
        strongest(&["1 a w x 1", "2 b r x nil"]),
        Some(Isolation::STRONG_SESSION_SERIALIZABLE)
    );
}

#[test]
fn write_skew_is_snapshot_isolation_only() {
    let found = strongest(&[
        "1 a r x nil, r y nil, w x 1~",
        "2 b r x nil, r y nil, w y 2~",
        "3 c r x 1, r y 2~",
    ]);
    assert_eq!(
        found,
        Some(Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session))
    );
}

#[test]
fn a_lost_update_is_read_atomic_only() {
    let found = strongest(&["1 a r x nil, w x 1~", "2 b r x nil, w x 2~"]);
    assert_eq!(
        found,
        Some(Isolation::new(
            IsolationFamily::ReadAtomic,
            IsolationScope::Session
        ))
    );
}

#[test]
fn a_long_fork_is_read_atomic_only() {
    let found = strongest(&[
        "1 a w x 1~",
        "2 b w y 1~",
        "3 c r x 1, r y nil~",
        "4 d r x nil, r y 1~",
    ]);
    assert_eq!(
        found,
        Some(Isolation::new(
            IsolationFamily::ReadAtomic,
            IsolationScope::Session
        ))
    );
}

#[test]
fn a_fractured_read_is_read_committed_only() {
    let found = strongest(&["1 a w x 1, w y 1~", "2 b r y nil, r x 1~"]);
    assert_eq!(found, Some(Isolation::MONOTONIC_READ_COMMITTED));
}

#[test]
fn reads_that_go_back_are_not_even_read_committed() {
    let found = strongest(&["1 a w x 1, w y 1~", "2 a w x 2, w y 2~", "3 b r x 2, r y 1~"]);
    assert_eq!(found, None);
}

fn anomaly(conclusion: IsolationConclusion) -> String {
    match conclusion {
        Conclusion::Violation(anomaly) => anomaly.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reads_of_what_was_never_committed_say_so() {
    let text = |lines: &[&str]| {
        anomaly(
            check_transactions(
                &history(lines),
                Isolation::MONOTONIC_READ_COMMITTED,
                Limits::default(),
            )
            .unwrap(),
        )
    };
    assert_eq!(
        text(&["1 a w x 1, abort", "2 b r x 1"]),
        "T2 read 1 from \"x\", which T1 wrote and then aborted"
    );
    assert_eq!(
        text(&["1 a w x 1, w x 2", "2 b r x 1"]),
        "T2 read 1 from \"x\", which T1 wrote and then wrote over"
    );
    assert_eq!(
        text(&["1 a r x 7", "2 b w x 1"]),
        "T1 read 7 from \"x\", which no transaction wrote"
    );
    assert_eq!(
        text(&["1 a w x 1, r x 2", "2 b w x 2"]),
        "T1 wrote 1 to \"x\" and then read 2 from it"
    );
}

#[test]
fn a_transaction_of_unknown_outcome_committed_if_another_read_from_it() {
    assert_eq!(
        strongest(&["1 a w? x 1", "2 b r x 1"]),
        Some(Isolation::STRICT_SERIALIZABLE)
    );
    assert_eq!(
        strongest(&["1 a w? x 1", "2 b r x nil"]),
        Some(Isolation::STRICT_SERIALIZABLE)
    );
    assert_eq!(
        strongest(&["1 a w? x 1", "2 b r x 1", "3 b r x nil"]),
        Some(Isolation::new(
            IsolationFamily::ReadAtomic,
            IsolationScope::Session
        ))
    );
}

#[test]
fn who_was_cut_off_need_not_have_taken_effect_because_another_who_was_cut_off_read_from_it() {
    let found = strongest(&[
        "1 a r z 9, w? x 1~",
        "2 b r x 1, w? y 5~",
        "3 c w y 5~",
        "4 d r y 5~",
    ]);
    assert_eq!(found, Some(Isolation::STRICT_SERIALIZABLE));
}

#[test]
fn a_cycle_names_its_reasons() {
    let recorded = history(&["1 a r x nil, w x 1~", "2 b r x nil, w x 2~"]);
    let verdict = check_transactions(
        &recorded,
        Isolation::STRONG_SESSION_SERIALIZABLE,
        Limits::default(),
    )
    .unwrap();
    let text = anomaly(verdict);
    assert!(
        text.contains("T1 before T2: it read \"x\" before the other wrote it"),
        "{text}"
    );
    assert!(
        text.contains("T2 before T1: it read \"x\" before the other wrote it"),
        "{text}"
    );
}

#[test]
fn operations_that_are_no_reads_and_writes_are_refused() {
    let read = |line: &str| {
        let recorded = read_histories("f", line.as_bytes()).next().unwrap().unwrap();
        Transactions::from_recorded(&recorded).unwrap_err()
    };
    let error = read(r#"{"ops":[{"thread":0,"op":"swap","args":["x"]}]}"#);
    assert!(matches!(error, TransactionError::UnknownOp { .. }));
    assert!(
        error.to_string().starts_with("f:1: operation 0: \"swap\""),
        "{error}"
    );
    let error = read(r#"{"ops":[{"thread":0,"op":"read","args":[]}]}"#);
    assert!(error.to_string().ends_with("read has no key"), "{error}");
}

#[test]
fn every_level_agrees_with_the_definition_on_random_transactions() {
    let mut rng = Rng::with_seed(7);
    let mut found = [0; 6];
    for round in 0..8_000 {
        // Many values: who read from whom is determined. Few: it is not, and searches decide.
        let values = [2, 12][round % 2];
        let mut next_value = 0;
        let lines: Vec<String> = (0..1 + rng.usize(..4))
            .map(|name| {
                let steps: Vec<String> = (0..1 + rng.usize(..3))
                    .map(|_| {
                        let key = ["x", "y"][rng.usize(..2)];
                        let value = rng.usize(..values);
                        match rng.usize(..5) {
                            0 | 1 => {
                                next_value = (next_value + 1) % values;
                                format!("w {key} {next_value}")
                            }
                            _ if value == 0 => format!("r {key} nil"),
                            _ => format!("r {key} {}", value.min(next_value)),
                        }
                    })
                    .collect();
                let cut_off = match rng.usize(..20) {
                    0 | 1 => ", w? x 1",
                    2 | 3 => ", abort",
                    _ => "",
                };
                let overlap = if rng.usize(..2) == 0 { "~" } else { "" };
                format!(
                    "{name} s{} {}{cut_off}{overlap}",
                    rng.usize(..3),
                    steps.join(", ")
                )
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let level = strongest(&lines);
        let at = Isolation::LADDER.iter().position(|one| Some(*one) == level);
        found[at.map_or(0, |at| at + 1)] += 1;
    }
    assert!(found.iter().all(|count| *count > 0), "{found:?}");
}

#[test]
fn a_limit_gives_unknown_not_an_answer() {
    // Two wrote the same value: who was read from is open, and a search decides.
    let recorded = history(&["1 a w x 1~", "2 b w x 1~", "3 c r x 1~"]);
    let limits = Limits {
        configurations: Some(1),
        ..Limits::default()
    };
    let verdict = check_transactions(&recorded, Isolation::STRONG_SESSION_SERIALIZABLE, limits).unwrap();
    assert!(matches!(verdict, Conclusion::Unknown(_)), "{verdict:?}");
}

#[test]
fn evidence_tells_what_the_transactions_of_an_anomaly_did() {
    let skew = history(&[
        "T0 s0 w z 5",
        "T1 s1 r x nil, r y nil, w x 1~",
        "T2 s2 r x nil, r y nil, w y 2~",
    ]);
    let evidence = check_recorded_transactions(
        &skew,
        Isolation::new(IsolationFamily::Serializable, IsolationScope::Plain),
        Limits::default(),
    )
    .unwrap();
    let told = evidence.isolation.expect("it is a violation").transactions;
    let texts = |at: usize| -> Vec<&str> { told[at].ops.iter().map(|op| op.text.as_str()).collect() };
    assert_eq!(
        told.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["T1", "T2"]
    );
    assert_eq!(
        texts(0),
        ["read(\"x\") = nil", "read(\"y\") = nil", "write(\"x\", 1)"]
    );
    assert_eq!(
        texts(1),
        ["read(\"x\") = nil", "read(\"y\") = nil", "write(\"y\", 2)"]
    );
    assert_eq!(told[1].ops[0].id, 4);
}
