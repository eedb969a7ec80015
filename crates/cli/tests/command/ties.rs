//! A thread calls one operation after the other, also where its clock read the same twice.

use super::ran::{Ran, folder, omnilink_in};

/// Checks a trace in both forms that are read: a record a line, and a history a line.
fn in_both_forms(lines: &[&str], arguments: &[&str]) -> [Ran; 2] {
    let history = format!("{{\"id\":0,\"ops\":[{}]}}\n", lines.join(","));
    let folder = folder(&[
        ("trace.ndjson", &(lines.join("\n") + "\n")),
        ("history.jsonl", &history),
    ]);
    ["trace.ndjson", "history.jsonl"].map(|file| {
        let mut all = vec!["check", file];
        all.extend(arguments);
        omnilink_in(folder.path(), &all)
    })
}

fn codes(lines: &[&str], arguments: &[&str]) -> [i32; 2] {
    in_both_forms(lines, arguments).map(|ran| ran.code)
}

const WRITE: &str = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":5}"#;
const STALE_READ: &str = r#"{"thread":0,"op":"read","ret":null,"start":5,"end":6}"#;

#[test]
fn a_thread_sees_what_it_did_at_the_same_reading_of_the_clock() {
    for level in ["linearizable", "sequential", "causal", "read-my-writes"] {
        let arguments = ["--model", "register", "--consistency", level];
        assert_eq!(codes(&[WRITE, STALE_READ], &arguments), [1, 1], "{level}");
    }
    for strategy in ["portfolio", "sweep", "depth-first"] {
        let arguments = ["--model", "register", "--strategy", strategy];
        assert_eq!(codes(&[WRITE, STALE_READ], &arguments), [1, 1], "{strategy}");
    }
}

#[test]
fn other_threads_and_asynchronous_clients_may_be_either_side_of_a_touch() {
    let other = STALE_READ.replace("\"thread\":0", "\"thread\":1");
    assert_eq!(codes(&[WRITE, &other], &["--model", "register"]), [0, 0]);
    assert_eq!(
        codes(&[WRITE, STALE_READ], &["--model", "register", "--async"]),
        [0, 0]
    );
    let weak = ["--model", "register", "--async", "--consistency", "causal"];
    assert_eq!(codes(&[WRITE, STALE_READ], &weak), [0, 0]);
}

#[test]
fn a_queue_keeps_the_order_of_a_thread() {
    let history = [
        r#"{"thread":0,"op":"enqueue","args":{"value":1},"start":0,"end":5}"#,
        r#"{"thread":0,"op":"enqueue","args":{"value":2},"start":5,"end":6}"#,
        r#"{"thread":0,"op":"dequeue","ret":2,"start":9,"end":10}"#,
    ];
    assert_eq!(codes(&history, &["--model", "queue"]), [1, 1]);
}

#[test]
fn operations_that_take_no_time_come_in_the_order_of_the_file() {
    let at = |op: &str| format!(r#"{{"thread":0,"op":{op},"start":5,"end":5}}"#);
    let write = at(r#""write","args":{"value":1}"#);
    let read = at(r#""read","ret":1"#);
    let early = at(r#""read","ret":null"#);
    let register = ["--model", "register"];
    assert_eq!(codes(&[&early, &write, &read], &register), [0, 0]);
    assert_eq!(codes(&[&read, &write, &early], &register), [1, 1]);
    assert_eq!(codes(&[&write, &early, &read], &register), [1, 1]);
}

#[test]
fn a_pending_call_comes_after_what_its_thread_did_at_that_reading() {
    let pending = r#"{"thread":0,"op":"write","args":{"value":2},"start":5,"end":null}"#;
    let read = |value: i64| format!(r#"{{"thread":1,"op":"read","ret":{value},"start":7,"end":8}}"#);
    let later = |value: i64| format!(r#"{{"thread":1,"op":"read","ret":{value},"start":9,"end":9}}"#);
    let register = ["--model", "register"];
    assert_eq!(codes(&[WRITE, pending, &read(1), &later(2)], &register), [0, 0]);
    // Once the second write was seen, the first one does not come back.
    assert_eq!(codes(&[WRITE, pending, &read(2), &later(1)], &register), [1, 1]);
}

#[test]
fn files_of_one_thread_each_keep_their_order() {
    let folder = folder(&[
        ("a.ndjson", &format!("{WRITE}\n{STALE_READ}\n")),
        (
            "b.ndjson",
            "{\"thread\":1,\"op\":\"write\",\"args\":{\"value\":3},\"start\":5,\"end\":5}\n",
        ),
    ]);
    let ran = omnilink_in(folder.path(), &["check", ".", "--model", "register"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

/// Each key alone is fine; together, each read comes before the other thread's write.
#[test]
fn threads_link_keys_that_could_be_checked_apart() {
    let history = [
        r#"{"thread":0,"op":"put","args":{"key":"x","value":"1"},"start":0,"end":5}"#,
        r#"{"thread":1,"op":"put","args":{"key":"y","value":"1"},"start":0,"end":5}"#,
        r#"{"thread":0,"op":"get","args":{"key":"y"},"ret":"","start":5,"end":6}"#,
        r#"{"thread":1,"op":"get","args":{"key":"x"},"ret":"","start":5,"end":6}"#,
    ];
    assert_eq!(codes(&history, &["--model", "kv"]), [1, 1]);
    assert_eq!(codes(&history, &["--model", "kv", "--async"]), [0, 0]);
    let [minimal, _] = in_both_forms(&history, &["--model", "kv", "--minimize"]);
    assert!(
        minimal.code == 1 && !minimal.stdout.contains("could not be shrunk"),
        "{minimal:?}"
    );
}

#[test]
fn a_thread_that_does_two_things_at_once_is_refused_in_both_forms() {
    let overlapping = STALE_READ.replace("\"start\":5", "\"start\":3");
    for level in ["linearizable", "sequential", "weak"] {
        let arguments = ["--model", "register", "--consistency", level];
        for ran in in_both_forms(&[WRITE, &overlapping], &arguments) {
            ran.refused(&["thread 0", "--async"]);
        }
    }
    assert_eq!(
        codes(&[WRITE, &overlapping], &["--model", "register", "--async"]),
        [0, 0]
    );
}

#[test]
fn a_number_too_large_for_the_model_is_no_violation() {
    let add = |start: i64| {
        format!(
            r#"{{"thread":0,"op":"add","args":{{"value":9223372036854775807}},"start":{start},"end":{start}}}"#
        )
    };
    let read = |value: i64| format!(r#"{{"thread":0,"op":"read","ret":{value},"start":5,"end":6}}"#);
    for level in ["linearizable", "sequential", "weak"] {
        let arguments = ["--model", "counter", "--consistency", level];
        for ran in in_both_forms(&[&add(1), &add(3), &read(-2)], &arguments) {
            ran.refused(&["does not fit into 64 bits", "counter:wrap=64"]);
        }
    }
    let wrapping = ["--model", "counter:wrap=64"];
    assert_eq!(codes(&[&add(1), &add(3), &read(-2)], &wrapping), [0, 0]);
    assert_eq!(codes(&[&add(1), &add(3), &read(-3)], &wrapping), [1, 1]);
    for bits in ["counter:wrap=0", "counter:wrap=65", "counter:wrap=8,initial=200"] {
        in_both_forms(&[&add(1)], &["--model", bits])[0].refused(&["counter"]);
    }
    // Where another order explains the history, that one did not happen.
    let other = add(1)
        .replace("\"thread\":0", "\"thread\":1")
        .replace("\"end\":1", "\"end\":4");
    let back = r#"{"thread":2,"op":"add","args":{"value":-9223372036854775807},"start":1,"end":4}"#;
    let history = [&add(1), &other, back, &read(i64::MAX)];
    assert_eq!(codes(&history, &["--model", "counter"]), [0, 0]);
    let deposit = |start: i64| {
        format!(
            r#"{{"thread":0,"op":"deposit","args":{{"account":1,"amount":9223372036854775807}},"start":{start},"end":{start}}}"#
        )
    };
    for ran in in_both_forms(&[&deposit(1), &deposit(2)], &["--model", "bank"]) {
        ran.refused(&["does not fit into 64 bits"]);
    }
    let release = |start: i64| {
        format!(
            r#"{{"thread":0,"op":"release","args":{{"permits":9223372036854775807}},"start":{start},"end":{start}}}"#
        )
    };
    for ran in in_both_forms(&[&release(1), &release(2)], &["--model", "semaphore"]) {
        ran.refused(&["do not fit into 64 bits"]);
    }
}

#[test]
fn a_specification_is_held_to_the_order_of_threads_too() {
    let spec = "---- MODULE Register ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n\
        Write(value) == x' = value\nRead(result) == result = x /\\ UNCHANGED x\n\
        Next == \\E v \\in 0..3 : Write(v) \\/ Read(v)\n====\n";
    let trace = |reader: u32| {
        format!(
            "{{\"thread\":0,\"op\":\"Write\",\"args\":{{\"value\":1}},\"start\":0,\"end\":5}}\n\
             {{\"thread\":{reader},\"op\":\"Read\",\"args\":{{\"result\":0}},\"start\":5,\"end\":6}}\n"
        )
    };
    let folder = folder(&[
        ("Register.tla", spec),
        ("one.ndjson", &trace(0)),
        ("two.ndjson", &trace(1)),
    ]);
    let code = |arguments: &[&str]| {
        let all = [&["validate", "Register.tla"], arguments].concat();
        omnilink_in(folder.path(), &all).code
    };
    assert_eq!(code(&["one.ndjson"]), 1);
    assert_eq!(code(&["two.ndjson"]), 0);
    assert_eq!(code(&["one.ndjson", "--async"]), 0);
}
