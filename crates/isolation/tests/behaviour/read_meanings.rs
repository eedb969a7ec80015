//! What a read value means in each workload: banks, sets, ranges, keys that nobody writes.

use omnilink_engine::Limits;
use omnilink_evidence::Verdict;
use omnilink_isolation::{
    InitialValues, Isolation, RecordedHistory, TransactionOptions, check_recorded_transactions,
    infer_recorded_transactions, read_histories,
};
use omnilink_trace::{OpenOptions, Trace};

fn jepsen(events: &str) -> RecordedHistory {
    let reader = std::io::Cursor::new(events.to_owned().into_bytes());
    let trace = Trace::from_reader("history.edn", reader, &OpenOptions::default()).unwrap();
    RecordedHistory::from_operations("history.edn", trace.collect::<Result<_, _>>().unwrap()).unwrap()
}

/// One after the other: what was called, and what it returned.
fn calls(calls: &[(&str, &str, &str)]) -> RecordedHistory {
    let events = calls.iter().map(|(f, called, returned)| {
        format!("{{:process 0, :type :invoke, :f :{f}, :value {called}}}\n{{:process 0, :type :ok, :f :{f}, :value {returned}}}\n")
    });
    jepsen(&events.collect::<String>())
}

/// Transactions of sessions, each with its accesses and its times.
fn transactions(made: &[(usize, &str, (i64, i64))]) -> RecordedHistory {
    let ops = made.iter().map(|(session, accesses, (start, end))| {
        format!(
            r#"{{"op":"txn","thread":{session},"args":[null],"ret":{accesses},"start":{start},"end":{end}}}"#
        )
    });
    let line = format!(r#"{{"ops":[{}]}}"#, ops.collect::<Vec<_>>().join(","));
    read_histories("test", line.as_bytes()).next().unwrap().unwrap()
}

fn verdict(recorded: &RecordedHistory, level: &str) -> Verdict {
    let level = level.parse::<Isolation>().unwrap();
    check_recorded_transactions(recorded, level, Limits::default())
        .unwrap()
        .verdict
}

fn names(recorded: &RecordedHistory) -> Vec<String> {
    let evidence = infer_recorded_transactions(recorded, Limits::default()).unwrap();
    let found = evidence.isolation.unwrap().anomalies;
    found.into_iter().map(|anomaly| anomaly.name).collect()
}

use Verdict::{Valid, Violation};

fn bank(first: &str, transfer: &str, last: &str) -> RecordedHistory {
    calls(&[
        ("read", "nil", first),
        ("transfer", transfer, transfer),
        ("read", "nil", last),
    ])
}

#[test]
fn accounts_are_accounts_whatever_they_are_called() {
    for (first, transfer, last) in [
        ("{0 50, 1 50}", "{:from 0, :to 1, :amount 5}", "{0 45, 1 55}"),
        ("{1 50, 2 50}", "{:from 1, :to 2, :amount 5}", "{1 45, 2 55}"),
        (
            "{1 50, 2 50, 3 7}",
            "{:from 3, :to 2, :amount 5}",
            "{1 50, 2 55, 3 2}",
        ),
        ("[50 50]", "{:from 0, :to 1, :amount 5}", "[45 55]"),
        (
            "{:a 50, :b 50}",
            "{:from :a, :to :b, :amount 5}",
            "{:a 45, :b 55}",
        ),
        ("{7 50, :b 50}", "{:from 7, :to :b, :amount 5}", "{7 45, :b 55}"),
        (
            "{0 50, 1 50, 5 9}",
            "{:from 0, :to 1, :amount 5}",
            "{0 45, 1 55, 5 9}",
        ),
    ] {
        let right = bank(first, transfer, last);
        assert_eq!(verdict(&right, "strict-serializable"), Valid, "{first}");
        let stale = bank(first, transfer, first);
        assert_eq!(verdict(&stale, "strict-serializable"), Violation, "{first}");
        assert_eq!(verdict(&stale, "serializable"), Valid, "{first}");
    }
}

#[test]
fn an_account_without_a_balance_is_an_error_at_every_level() {
    for last in ["{0 nil, 1 55}", "{}", "nil", "{1 55}"] {
        let history = bank("{0 50, 1 50}", "{:from 0, :to 1, :amount 5}", last);
        assert_eq!(verdict(&history, "read-uncommitted"), Violation, "{last}");
        assert!(
            names(&history).contains(&"nil-balance".to_owned()),
            "{last}: {:?}",
            names(&history)
        );
    }
}

#[test]
fn what_nobody_changes_holds_what_is_read_first() {
    let only_read = calls(&[("read", "nil", "{0 10, 1 10}"), ("read", "nil", "{0 10, 1 10}")]);
    assert_eq!(verdict(&only_read, "strict-serializable"), Valid);
    let moved = calls(&[("read", "nil", "{0 10, 1 10}"), ("read", "nil", "{0 9, 1 11}")]);
    assert_eq!(verdict(&moved, "read-committed"), Violation);
    let key =
        |second: &str| transactions(&[(0, r#"[["r","x",5],["w","y",1]]"#, (0, 1)), (1, second, (2, 3))]);
    let evidence = check_recorded_transactions(
        &key(r#"[["r","x",5]]"#),
        Isolation::STRICT_SERIALIZABLE,
        Limits::default(),
    );
    let evidence = evidence.unwrap();
    assert_eq!(evidence.verdict, Valid);
    assert!(evidence.notes[0].contains("\"x\" = 5"), "{:?}", evidence.notes);
    for other in ["6", "null"] {
        let other = key(&format!(r#"[["r","x",{other}]]"#));
        assert_eq!(verdict(&other, "read-committed"), Violation);
    }
}

#[test]
fn initial_values_can_be_given() {
    let history = transactions(&[
        (0, r#"[["r","x",7],["w","x",1]]"#, (0, 1)),
        (1, r#"[["r","x",1],["r","y",7]]"#, (2, 3)),
    ]);
    let with = |initial: InitialValues| {
        let options = TransactionOptions {
            initial,
            ..TransactionOptions::default()
        };
        let evidence = check_recorded_transactions(&history, Isolation::STRICT_SERIALIZABLE, options);
        evidence.unwrap().verdict
    };
    assert_eq!(
        with(InitialValues::default()),
        Violation,
        "x is written, and held nothing"
    );
    assert_eq!(with(InitialValues::FirstRead), Valid);
    assert_eq!(with(InitialValues::All(7.into())), Valid);
    assert_eq!(with(InitialValues::All(8.into())), Violation);
    assert_eq!(
        with(InitialValues::Each(vec![("x".into(), 7.into())])),
        Violation,
        "y held nothing"
    );
    let both = vec![("x".into(), 7.into()), ("y".into(), 7.into())];
    assert_eq!(with(InitialValues::Each(both)), Valid);
}

#[test]
fn who_reads_nothing_where_something_was_at_first_reads_from_who_deleted_it() {
    let history = |second: &str| {
        let made = [
            (0, r#"[["r","x",7]]"#, (0, 1)),
            (1, r#"[["delete","x"]]"#, (2, 3)),
            (2, second, (4, 5)),
        ];
        transactions(&made)
    };
    let options = || TransactionOptions {
        initial: InitialValues::All(7.into()),
        ..TransactionOptions::default()
    };
    for (second, expected) in [(r#"[["r","x",null]]"#, Valid), (r#"[["r","x",7]]"#, Violation)] {
        let evidence =
            check_recorded_transactions(&history(second), Isolation::STRICT_SERIALIZABLE, options());
        assert_eq!(evidence.unwrap().verdict, expected, "{second}");
    }
}

#[test]
fn nothing_read_of_a_set_is_the_empty_set() {
    for empty in ["nil", "[]", "#{}", "{}"] {
        let set = calls(&[("add", "1", "1"), ("add", "2", "2"), ("read", "nil", empty)]);
        assert_eq!(verdict(&set, "strict-serializable"), Violation, "{empty}");
        let keyed = calls(&[
            ("txn", "[[:add :s 1]]", "[[:add :s 1]]"),
            ("txn", "[[:r :s nil]]", &format!("[[:r :s {empty}]]")),
        ]);
        assert_eq!(verdict(&keyed, "strict-serializable"), Violation, "{empty}");
        let never = calls(&[("read", "nil", empty)]);
        assert_eq!(verdict(&never, "strict-serializable"), Valid, "{empty}");
    }
    let failed = jepsen(
        "{:process 0, :type :invoke, :f :add, :value 3}\n{:process 0, :type :fail, :f :add, :value 3}
         {:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value #{}}",
    );
    assert_eq!(verdict(&failed, "strict-serializable"), Valid);
}

#[test]
fn what_cannot_be_read_is_named() {
    let twice = calls(&[("add", "5", "5"), ("read", "nil", "[5 5]")]);
    assert!(
        names(&twice).contains(&"duplicate-elements".to_owned()),
        "{:?}",
        names(&twice)
    );
    let outside = transactions(&[
        (0, r#"[["w",9,1]]"#, (0, 1)),
        (1, r#"[["range",1,5,[[9,1]]]]"#, (2, 3)),
    ]);
    assert!(
        names(&outside).contains(&"outside-range".to_owned()),
        "{:?}",
        names(&outside)
    );
    let key_twice = transactions(&[
        (0, r#"[["w",3,1]]"#, (0, 1)),
        (1, r#"[["range",1,5,[[3,1],[3,1]]]]"#, (2, 3)),
    ]);
    assert_eq!(verdict(&key_twice, "read-committed"), Violation);
}

#[test]
fn nothing_depends_on_the_order_within_one_read() {
    for (accesses, left, right) in [
        (
            r#"[["w",1,1],["w",2,1]]"#,
            r#"[["range",null,null,[[1,1]]]]"#,
            r#"[["range",null,null,[[2,1]]]]"#,
        ),
        (
            r#"[["add","s",1],["add","s",2]]"#,
            r#"[["r","s",[1]]]"#,
            r#"[["r","s",[2]]]"#,
        ),
        (
            r#"[["add","s",1],["add","s",2]]"#,
            r#"[["r","s",[2]],["r","s",[1,2]]]"#,
            r#"[["r","s",[1]],["r","s",[2,1]]]"#,
        ),
    ] {
        for level in Isolation::all() {
            let of = |read: &str| {
                let history = transactions(&[(0, accesses, (0, 9)), (1, read, (0, 9))]);
                verdict(&history, &level.name())
            };
            assert_eq!(of(left), of(right), "{level}: {left} {right}");
        }
    }
}

#[test]
fn a_list_that_misses_what_is_in_the_past_is_not_weakly_causal() {
    let history = transactions(&[
        (1, r#"[["append","z",1]]"#, (0, 1)),
        (0, r#"[["append","z",3]]"#, (0, 1)),
        (1, r#"[["r","z",[3]]]"#, (3, 4)),
    ]);
    assert_eq!(verdict(&history, "weak-causal"), Violation);
    assert_eq!(verdict(&history, "strong-weak-causal"), Violation);
    assert_eq!(verdict(&history, "read-committed"), Valid);
}

#[test]
fn repeatable_reads_allow_phantoms_and_nothing_else() {
    let skew =
        |first: &str| transactions(&[(0, first, (0, 10)), (1, r#"[["r",1,null],["w",3,4]]"#, (0, 10))]);
    let item = skew(r#"[["r",3,null],["range",null,null,[]],["w",1,1]]"#);
    assert_eq!(
        verdict(&item, "repeatable-read"),
        Violation,
        "3 is read as an item, too"
    );
    assert_eq!(
        verdict(&skew(r#"[["range",null,null,[]],["w",1,1]]"#), "repeatable-read"),
        Valid
    );
    let inserts = transactions(&[
        (0, r#"[["range",null,null,[]],["w",1,1]]"#, (0, 10)),
        (1, r#"[["range",null,null,[]],["w",1,4]]"#, (0, 10)),
    ]);
    assert_eq!(verdict(&inserts, "repeatable-read"), Valid);
    assert_eq!(verdict(&inserts, "cursor-stability"), Valid, "no item was read");
    assert_eq!(verdict(&inserts, "serializable"), Violation);
    let future = transactions(&[(0, r#"[["range",null,null,[]],["r",1,2],["w",1,2]]"#, (0, 10))]);
    assert_eq!(verdict(&future, "repeatable-read"), Violation);
    let circle = transactions(&[
        (0, r#"[["range",2,null,[]],["w",1,1],["r",3,1]]"#, (0, 10)),
        (1, r#"[["r",1,1],["w",3,1]]"#, (0, 10)),
    ]);
    assert_eq!(verdict(&circle, "repeatable-read"), Violation);
}
