//! One rule for the results of all models: a missing result is unknown, and null is the result null.

use crate::common::{decoded, line};

/// An operation that answers something, without its result, and its text if the result is unknown.
const ANSWERING: [(&str, &str, &str); 21] = [
    ("cas-register", r#""op":"cas","args":[1,2]"#, "cas(1, 2) = ?"),
    ("set", r#""op":"contains","args":{"value":1}"#, "contains(1) = ?"),
    ("set", r#""op":"size""#, "size() = ?"),
    ("set", r#""op":"read""#, "read() = ?"),
    ("bag", r#""op":"contains","args":{"value":1}"#, "contains(1) = ?"),
    ("bag", r#""op":"size""#, "size() = ?"),
    ("map", r#""op":"contains","args":{"key":1}"#, "contains(1) = ?"),
    ("map", r#""op":"range","args":{"lo":1,"hi":2}"#, "range(1, 2) = ?"),
    ("queue", r#""op":"size""#, "size() = ?"),
    (
        "queue:capacity=1",
        r#""op":"try-enqueue","args":[1]"#,
        "enqueue(1) = ?",
    ),
    ("stack", r#""op":"size""#, "size() = ?"),
    ("priority-queue", r#""op":"size""#, "size() = ?"),
    ("mutex", r#""op":"try-acquire""#, "acquire() = ?"),
    ("mutex", r#""op":"is-held""#, "is_held() = ?"),
    ("semaphore", r#""op":"try-acquire""#, "acquire(1) = ?"),
    ("semaphore", r#""op":"available""#, "available() = ?"),
    ("counter", r#""op":"read""#, "read() = ?"),
    ("counter", r#""op":"add-and-get""#, "add(1)"),
    ("bank", r#""op":"read""#, "read() = ?"),
    ("bank", r#""op":"balance","args":["a"]"#, r#"balance("a") = ?"#),
    ("log", r#""op":"length""#, "length() = ?"),
];

#[test]
fn a_missing_result_is_unknown() {
    for (spec, op, unknown) in ANSWERING {
        assert_eq!(decoded(spec, &line(op)), unknown, "{spec} {op}");
    }
}

#[test]
fn null_is_refused_where_it_is_no_result() {
    for (spec, op, _) in ANSWERING {
        let said = decoded(spec, &line(&format!(r#"{op},"ret":null"#)));
        assert!(said.starts_with("t.ndjson:1: "), "{spec} {op}: {said}");
        assert!(
            said.contains("the result is null; expected"),
            "{spec} {op}: {said}"
        );
        assert!(
            said.contains(r#"leave "ret" out if it is not known"#),
            "{spec} {op}: {said}"
        );
    }
}

#[test]
fn null_is_a_result_where_something_may_be_nil_or_missing() {
    for (spec, op, expected) in [
        ("register", r#""op":"read""#, "read() = null"),
        ("cas-register", r#""op":"read""#, "read() = null"),
        (
            "multi-register",
            r#""op":"read","args":["x"]"#,
            r#"read("x") = null"#,
        ),
        ("kv", r#""op":"get","args":["x"]"#, r#"get("x") = null"#),
        ("map", r#""op":"get","args":[1]"#, "get(1) = none"),
        ("queue", r#""op":"dequeue""#, "dequeue() = empty"),
        ("stack", r#""op":"pop""#, "pop() = empty"),
        ("bag", r#""op":"take""#, "take() = empty"),
        ("priority-queue", r#""op":"poll""#, "poll() = empty"),
        ("log", r#""op":"read","args":[0]"#, "read(0) = none"),
    ] {
        assert_eq!(
            decoded(spec, &line(&format!(r#"{op},"ret":null"#))),
            expected,
            "{spec} {op}"
        );
    }
}

/// Python's `None`, for example, where the function has no result or only says when it failed.
#[test]
fn null_is_what_an_operation_returns_that_returns_nothing() {
    for (spec, op, expected) in [
        ("register", r#""op":"write","args":[1]"#, "write(1)"),
        ("set", r#""op":"add","args":[1]"#, "add(1) = ?"),
        ("set", r#""op":"remove","args":[1]"#, "remove(1) = ?"),
        ("bag", r#""op":"remove","args":[1]"#, "remove(1) = ?"),
        ("kv", r#""op":"delete","args":["x"]"#, r#"delete("x") = ?"#),
        ("log", r#""op":"append","args":["a"]"#, r#"append("a") = ?"#),
        ("queue:capacity=1", r#""op":"enqueue","args":[1]"#, "enqueue(1)"),
        ("mutex", r#""op":"acquire""#, "acquire() = true"),
        ("semaphore", r#""op":"acquire""#, "acquire(1) = true"),
        (
            "bank",
            r#""op":"transfer","args":[1,2,3]"#,
            "transfer(1, 2, 3) = true",
        ),
        ("bank", r#""op":"withdraw","args":[1,3]"#, "withdraw(1, 3) = true"),
    ] {
        assert_eq!(
            decoded(spec, &line(&format!(r#"{op},"ret":null"#))),
            expected,
            "{spec} {op}"
        );
    }
}

#[test]
fn an_enqueue_without_a_result_may_not_have_fitted() {
    let enqueue = line(r#""op":"enqueue","args":{"value":1}"#);
    assert_eq!(decoded("queue:capacity=1", &enqueue), "enqueue(1) = ?");
    assert_eq!(decoded("queue", &enqueue), "enqueue(1)");
}

/// `:value nil` of an invocation stands where the completion puts what was read.
#[test]
fn the_placeholder_of_an_invocation_is_no_result() {
    for (spec, op, expected) in [
        ("register", r#""op":"read","args":{"value":null}"#, "read() = ?"),
        ("counter", r#""op":"read","args":{"value":null}"#, "read() = ?"),
        ("set", r#""op":"read","args":{"value":null}"#, "read() = ?"),
        (
            "multi-register",
            r#""op":"txn","args":{"value":[["r","x",null]]}"#,
            r#"read("x") = ?"#,
        ),
        // Under a name that is only the result's, null is one.
        (
            "register",
            r#""op":"read","args":{"result":null}"#,
            "read() = null",
        ),
    ] {
        assert_eq!(decoded(spec, &line(op)), expected, "{spec} {op}");
    }
}

#[test]
fn what_a_transaction_read_may_stand_among_its_arguments() {
    let txn = r#""op":"txn","args":{"value":[["r","x",1],["w","y",2]]}"#;
    let expected = r#"txn[read("x") = 1, write("y", 2)]"#;
    assert_eq!(decoded("multi-register", &line(txn)), expected);
    let null = decoded("multi-register", &line(&format!(r#"{txn},"ret":null"#)));
    assert!(null.contains("the result is null; expected a list"), "{null}");
    let other = decoded(
        "multi-register",
        &line(&format!(r#"{txn},"ret":[["r","x",3],["w","y",2]]"#)),
    );
    assert!(
        other.contains("expected the access that was asked for"),
        "{other}"
    );
}
