//! Reads through cursors and of ranges, and the anomalies that sessions and time have names for.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::Verdict;
use omnilink_isolation::naive;
use omnilink_isolation::{Isolation, RecordedHistory, Transactions, infer_recorded_transactions};
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;

/// Transactions of sessions, each with its accesses as JSON and its times.
fn history(made: &[(i64, &str, (i64, i64))]) -> RecordedHistory {
    let operation = |(session, accesses, (start, end)): &(i64, &str, (i64, i64))| {
        let accesses = Value::from_json(accesses.as_bytes()).unwrap();
        let args = Args::named([("value", accesses.clone())]);
        let mut op = Operation::new(*session, "txn", args, Timebox::new(*start, *end));
        std::sync::Arc::make_mut(&mut op.call).ret = Some(accesses);
        op
    };
    RecordedHistory::from_operations("made", made.iter().map(operation).collect()).unwrap()
}

fn is_valid(recorded: &RecordedHistory, level: &str) -> bool {
    let transactions = Transactions::from_recorded(recorded).unwrap();
    let level = level.parse::<Isolation>().unwrap();
    transactions.check(level, Limits::default()).unwrap().is_valid()
}

fn names(recorded: &RecordedHistory) -> Vec<String> {
    let evidence = infer_recorded_transactions(recorded, Limits::default()).unwrap();
    let found = evidence.isolation.unwrap().anomalies;
    found.into_iter().map(|anomaly| anomaly.name).collect()
}

fn has(recorded: &RecordedHistory, name: &str) -> bool {
    names(recorded).iter().any(|found| found == name)
}

#[test]
fn an_update_through_a_cursor_is_not_lost_at_cursor_stability() {
    let with = |read: &str| {
        history(&[
            (0, &format!(r#"[["{read}","x",null],["w","x",1]]"#), (0, 9)),
            (1, &format!(r#"[["{read}","x",null],["w","x",2]]"#), (0, 9)),
            (2, r#"[["cursor","y",null]]"#, (0, 9)),
        ])
    };
    assert!(!is_valid(&with("cursor"), "cursor-stability"));
    assert!(is_valid(&with("cursor"), "read-committed"));
    assert!(
        is_valid(&with("r"), "cursor-stability"),
        "only y was read through a cursor"
    );
    let plain = history(&[
        (0, r#"[["r","x",null],["w","x",1]]"#, (0, 9)),
        (1, r#"[["r","x",null],["w","x",2]]"#, (0, 9)),
    ]);
    assert!(
        !is_valid(&plain, "cursor-stability"),
        "no read is said to be through a cursor: all count"
    );
    let skew = history(&[
        (0, r#"[["r","x",null],["r","y",null],["w","x",1]]"#, (0, 9)),
        (1, r#"[["r","x",null],["r","y",null],["w","y",2]]"#, (0, 9)),
    ]);
    assert!(is_valid(&skew, "cursor-stability"), "no update is lost");
}

#[test]
fn a_phantom_is_no_anomaly_of_items() {
    let phantom = history(&[
        (0, r#"[["range",1,9,[]],["w",3,10]]"#, (0, 9)),
        (1, r#"[["range",1,9,[]],["w",4,20]]"#, (0, 9)),
    ]);
    assert!(
        has(&phantom, "G2") && !has(&phantom, "G2-item"),
        "{:?}",
        names(&phantom)
    );
    assert!(is_valid(&phantom, "repeatable-read"));
    assert!(!is_valid(&phantom, "serializable"));
    let items = history(&[
        (0, r#"[["r",3,null],["r",4,null],["w",3,10]]"#, (0, 9)),
        (1, r#"[["r",3,null],["r",4,null],["w",4,20]]"#, (0, 9)),
    ]);
    assert!(
        has(&items, "G2-item") && !has(&items, "G2"),
        "{:?}",
        names(&items)
    );
    assert!(!is_valid(&items, "repeatable-read"));
}

#[test]
fn sessions_that_go_back_are_named() {
    let reads = history(&[
        (0, r#"[["w","x",1]]"#, (0, 1)),
        (1, r#"[["r","x",1]]"#, (2, 3)),
        (1, r#"[["r","x",null]]"#, (4, 5)),
    ]);
    assert!(
        has(&reads, "non-monotonic-reads") && !has(&reads, "non-monotonic-writes"),
        "{:?}",
        names(&reads)
    );
    let writes = history(&[
        (0, r#"[["w","x",1]]"#, (0, 1)),
        (0, r#"[["w","y",2]]"#, (2, 3)),
        (1, r#"[["r","y",2],["r","x",null]]"#, (4, 5)),
    ]);
    assert!(
        has(&writes, "non-monotonic-writes") && !has(&writes, "non-monotonic-reads"),
        "{:?}",
        names(&writes)
    );
}

#[test]
fn who_sees_a_write_sees_what_its_session_had_read_before() {
    let missed = history(&[
        (0, r#"[["w","x",1]]"#, (0, 9)),
        (1, r#"[["r","x",1]]"#, (0, 9)),
        (1, r#"[["w","y",2]]"#, (10, 19)),
        (2, r#"[["r","y",2],["r","x",null]]"#, (0, 19)),
    ]);
    assert!(!is_valid(&missed, "writes-follow-reads"));
    assert!(is_valid(&missed, "monotonic-writes") && is_valid(&missed, "monotonic-reads"));
}

#[test]
fn what_time_forbids_is_named() {
    let missed = history(&[
        (0, r#"[["w","x",1]]"#, (0, 1)),
        (1, r#"[["r","x",null]]"#, (2, 3)),
    ]);
    assert!(
        has(&missed, "G-SIb") && has(&missed, "G-single-realtime"),
        "{:?}",
        names(&missed)
    );
    let early = history(&[(1, r#"[["r","x",1]]"#, (0, 1)), (0, r#"[["w","x",1]]"#, (2, 3))]);
    assert!(has(&early, "G-SIa"), "{:?}", names(&early));
    let valid = history(&[(0, r#"[["w","x",1]]"#, (0, 1)), (1, r#"[["r","x",1]]"#, (2, 3))]);
    assert!(names(&valid).is_empty());
}

/// Transactions of cursors and ranges, read from some past state each.
fn run(rng: &mut Rng) -> RecordedHistory {
    let mut states = vec![[0; 3]];
    let mut made: Vec<(i64, String, (i64, i64))> = Vec::new();
    for number in 0..2 + rng.i64(0..3) {
        let mut state = states[states.len() - 1];
        let shown = |value: i64| {
            if value == 0 {
                "null".to_owned()
            } else {
                value.to_string()
            }
        };
        let mut accesses: Vec<String> = Vec::new();
        let mut own = [None; 3];
        for step in 0..1 + rng.i64(0..3) {
            let past = states[states.len() - 1 - rng.usize(..states.len().min(3))];
            let key = rng.usize(..3);
            let held = own[key].unwrap_or(past[key]);
            match rng.usize(..6) {
                0 | 1 => {
                    let value = 10 * number + step + 1;
                    (own[key], state[key]) = (Some(value), value);
                    accesses.push(format!(r#"["w",{key},{value}]"#));
                }
                2 | 3 => accesses.push(format!(r#"["cursor",{key},{}]"#, shown(held))),
                4 => accesses.push(format!(r#"["r",{key},{}]"#, shown(held))),
                _ => {
                    let pairs = (0..3).map(|key| (key, own[key].unwrap_or(past[key])));
                    let pairs: Vec<String> = { pairs.filter(|(_, value)| *value != 0) }
                        .map(|(key, value)| format!("[{key},{value}]"))
                        .collect();
                    accesses.push(format!(r#"["range",0,2,[{}]]"#, pairs.join(",")));
                }
            }
        }
        states.push(state);
        let start = (2 * number - rng.i64(0..4)).max(0);
        made.push((
            10 + number % 3,
            format!("[{}]", accesses.join(",")),
            (start, start + rng.i64(0..4)),
        ));
    }
    let made: Vec<(i64, &str, (i64, i64))> = made
        .iter()
        .map(|(one, text, span)| (*one, text.as_str(), *span))
        .collect();
    history(&made)
}

#[test]
fn cursors_and_ranges_agree_with_the_definition() {
    let more = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|more| more.parse().ok());
    let mut rng = Rng::with_seed(381);
    let mut differ = [0; 2];
    for _ in 0..1_500 * more.unwrap_or(1) {
        let recorded = run(&mut rng);
        let transactions = Transactions::from_recorded(&recorded).unwrap();
        let holds = |name: &str| {
            let level = name.parse::<Isolation>().unwrap();
            let verdict = transactions.check(level, Limits::default()).unwrap();
            assert_ne!(verdict.verdict(), Verdict::Unknown);
            let expected = naive::is_isolated(&transactions, level);
            assert_eq!(
                verdict.is_valid(),
                expected,
                "{level}: {verdict:?} {:#?}",
                recorded.ops
            );
            expected
        };
        for level in Isolation::all() {
            holds(&level.name());
        }
        differ[0] += usize::from(holds("read-committed") && !holds("cursor-stability"));
        differ[1] += usize::from(holds("repeatable-read") && !holds("serializable"));
    }
    assert!(differ.iter().all(|count| *count > 5), "{differ:?}");
}
