//! Error messages for invalid operations and options, and refusal reasons of operations that cannot have happened.

use crate::common::{check_text, decoded, line};
use omnilink_engine::{CheckOutcome, Conclusion, Continuation};
use omnilink_models::{NativeModel, Visitor, with_model};

#[test]
fn what_makes_no_sense_is_refused_with_place_and_remedy() {
    let cases = [
        (
            "register",
            r#""op":"raed""#,
            r#"t.ndjson:1: the model register has no operation "raed" (did you mean "read"?); it has read, write"#,
        ),
        (
            "register",
            r#""op":"dance","aborted":true"#,
            r#"t.ndjson:1: the model register has no operation "dance"; it has read, write"#,
        ),
        (
            "register",
            r#""op":"write""#,
            r#"t.ndjson:1: write has no argument "value"; expected the value to write"#,
        ),
        (
            "register",
            r#""op":"write","args":[1],"ret":false"#,
            r#"t.ndjson:1: write: the result is FALSE; expected nothing, true, 0 or "ok"; what did not happen is marked "aborted": true"#,
        ),
        (
            "cas-register",
            r#""op":"cas","args":[1,2],"ret":7"#,
            "t.ndjson:1: cas: the result is 7; expected true or false",
        ),
        (
            "kv",
            r#""op":"append","args":["k",7]"#,
            "t.ndjson:1: append: value is 7; expected a text",
        ),
        (
            "set",
            r#""op":"read","ret":[1,1]"#,
            "t.ndjson:1: read: the result is <<1, 1>>; expected each element once",
        ),
        (
            "map",
            r#""op":"insert","args":[1,0,0]"#,
            r#"t.ndjson:1: insert: 0 stands for "no value" in this model; if it is an element, use --model map:none=nil"#,
        ),
        (
            "map",
            r#""op":"insert","args":[1,5],"ret":true"#,
            "t.ndjson:1: insert: the result is TRUE; expected the previous value, or nil",
        ),
        (
            "queue",
            r#""op":"enq","args":[-1]"#,
            r#"t.ndjson:1: enq: -1 stands for "empty" in this model; if it is an element, use the model option empty=nil"#,
        ),
        (
            "queue",
            r#""op":"dequeue-many","args":{"max":-1}"#,
            "t.ndjson:1: dequeue-many: max is -1; expected how many elements to take at most",
        ),
        (
            "counter",
            r#""op":"inc","ret":5"#,
            "t.ndjson:1: inc: the result is 5; expected nothing (fetch-add returns the count before, add-and-get the count after)",
        ),
        (
            "bank",
            r#""op":"transfer","args":[1,2,-3]"#,
            "t.ndjson:1: transfer: amount is -3; expected an amount, 0 or more",
        ),
        (
            "semaphore",
            r#""op":"acquire","args":{"permits":"two"}"#,
            r#"t.ndjson:1: acquire: permits is "two"; expected a number of permits"#,
        ),
    ];
    for (model, op, message) in cases {
        assert_eq!(decoded(model, &line(op)), message);
    }
}

#[test]
fn a_model_that_is_asked_for_wrongly_says_what_there_is() {
    struct Nothing;
    impl Visitor for Nothing {
        type Output = ();
        fn visit<M: NativeModel>(self, _: M) {}
    }
    let cases = [
        (
            "regster",
            r#"there is no model "regster" (did you mean "register"?); there are register, cas-register"#,
        ),
        (
            "register:inital=3",
            r#"the model register has no option "inital" (did you mean "initial"?); it has initial"#,
        ),
        ("kv:size=3", r#"the model kv has no option "size"; it has none"#),
        (
            "queue:capacity",
            r#"the option "capacity" of the model queue has no value: write capacity=VALUE"#,
        ),
        (
            "queue:capacity=1,capacity=2",
            r#"the option "capacity" of the model queue is given twice"#,
        ),
        (
            "queue:capacity=-1",
            "the option capacity=-1 of the model queue is not a number of elements",
        ),
        (
            "semaphore:permits=3,capacity=2",
            "the option permits=3 of the model semaphore is not at most the capacity",
        ),
        (
            "bank:accounts=a",
            "the option accounts=a of the model bank is not NAME:BALANCE/NAME:BALANCE/...",
        ),
        (
            "mutex:owned=maybe",
            "the option owned=maybe of the model mutex is not yes or no",
        ),
    ];
    for (spec, message) in cases {
        let error = with_model(spec, Nothing).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    for spec in [
        "Cas_Register",
        "register: initial = nil",
        "bank:accounts=a:5/b:7,overdraft=yes",
        "priority-queue:first=least",
    ] {
        with_model(spec, Nothing).unwrap();
    }
}

#[test]
fn options_change_what_is_accepted() {
    let cases = [
        ("register:initial=0", r#""op":"read","ret":0"#, true),
        ("register", r#""op":"read","ret":0"#, false),
        ("register", r#""op":"read","ret":null"#, true),
        ("counter:initial=7", r#""op":"read","ret":7"#, true),
        ("log:first=1", r#""op":"append","args":["a"],"ret":1"#, true),
        ("log", r#""op":"append","args":["a"],"ret":1"#, false),
        ("queue:capacity=0", r#""op":"offer","args":[1],"ret":false"#, true),
        ("queue", r#""op":"offer","args":[1],"ret":false"#, false),
        (
            "semaphore:permits=2",
            r#""op":"try-acquire","args":[2],"ret":true"#,
            true,
        ),
        ("semaphore:capacity=2", r#""op":"release""#, false),
        (
            "bank:accounts=a:5/7:1",
            r#""op":"read","ret":{"a":5,"7":1,"c":0}"#,
            true,
        ),
        (
            "bank:balance=2",
            r#""op":"withdraw","args":["x",3],"ret":true"#,
            false,
        ),
        (
            "bank:balance=2,overdraft=yes",
            r#""op":"withdraw","args":["x",3],"ret":true"#,
            true,
        ),
    ];
    for (spec, op, expected) in cases {
        let outcome = check_text(spec, &line(op)).unwrap();
        assert_eq!(outcome.conclusion.is_valid(), expected, "{spec}: {op}");
    }
}

/// The reason why the first operation that cannot be explained was refused.
fn refusal(outcome: &CheckOutcome) -> String {
    let Conclusion::Violation(counterexample) = &outcome.conclusion else {
        panic!("expected a violation")
    };
    let candidates = counterexample
        .alternatives
        .iter()
        .flat_map(|alternative| &alternative.candidates);
    let mut reasons = candidates.filter_map(|candidate| match &candidate.continuation {
        Continuation::Refused { reason, .. } => reason.clone(),
        Continuation::LeadsTo { .. } => None,
    });
    reasons.next().unwrap_or_else(|| panic!("no reason given"))
}

#[test]
fn a_refusal_says_what_the_model_held_instead() {
    let cases = [
        (
            "register:initial=4",
            r#""op":"read","ret":3"#,
            "read 3, but the register holds 4",
        ),
        (
            "cas-register:initial=4",
            r#""op":"cas","args":[3,5],"ret":true"#,
            "cas from 3 succeeded, but the register holds 4",
        ),
        (
            "multi-register:initial=0",
            r#""op":"read","args":["x"],"ret":1"#,
            r#"read 1 from register "x", but it holds 0"#,
        ),
        (
            "kv",
            r#""op":"get","args":["x"],"ret":"v""#,
            r#"got "v" for "x", which holds nothing"#,
        ),
        (
            "set",
            r#""op":"contains","args":[1],"ret":true"#,
            "contains(1) = true, but 1 is not in the set",
        ),
        (
            "map",
            r#""op":"get","args":[1],"ret":7"#,
            "get(1) = 7, but 1 is not mapped",
        ),
        (
            "map",
            r#""op":"range","args":[1,5],"ret":2"#,
            "counted 2 keys from 1 to 5, but there are 0",
        ),
        (
            "queue",
            r#""op":"dequeue","ret":1"#,
            "dequeued [1], but the queue holds []",
        ),
        (
            "stack",
            r#""op":"pop","ret":1"#,
            "pop() = 1, but the stack is empty",
        ),
        (
            "priority-queue",
            r#""op":"poll","ret":1"#,
            "poll() = 1, but the queue is empty",
        ),
        ("mutex", r#""op":"unlock""#, "release(), but it is free"),
        (
            "semaphore",
            r#""op":"acquire","args":[2]"#,
            "acquire(2) = true, but 1 permits are available",
        ),
        (
            "counter",
            r#""op":"read","ret":2"#,
            "read() = 2, but the counter holds 0",
        ),
        (
            "bank",
            r#""op":"balance","args":["a"],"ret":1"#,
            r#"balance("a") = 1, but "a" holds 0"#,
        ),
        (
            "log",
            r#""op":"length","ret":2"#,
            "length 2, but the log has 0 entries",
        ),
    ];
    for (spec, op, reason) in cases {
        let outcome = check_text(spec, &line(op)).unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert_eq!(refusal(&outcome), reason);
    }
}

/// Every result is decoded or refused.
#[test]
fn no_result_is_dropped_unread() {
    for (spec, op) in [
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"value":"ERR timeout"}"#,
        ),
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"error":"timeout"}"#,
        ),
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"value":"","err":"timeout"}"#,
        ),
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"ok":false}"#,
        ),
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"exists":true}"#,
        ),
        ("kv", r#""op":"put","args":["x","b",{"value":7}]"#),
        (
            "kv",
            r#""op":"append","args":{"key":"x","value":"b"},"ret":{"result":"no leader"}"#,
        ),
        (
            "kv",
            r#""op":"get","args":{"key":"x"},"ret":{"value":"b","err":"stale"}"#,
        ),
        (
            "kv",
            r#""op":"get","args":{"key":"x"},"ret":{"value":"b","ok":false}"#,
        ),
        ("kv", r#""op":"get","args":{"key":"x"},"ret":{"ok":true}"#),
        (
            "kv",
            r#""op":"get","args":{"key":"x"},"ret":{"exists":false,"value":"b"}"#,
        ),
        (
            "kv",
            r#""op":"get","args":{"key":"x","value":"a"},"ret":{"value":""}"#,
        ),
        ("kv", r#""op":"delete","args":{"key":"x"},"ret":{"value":"ERR"}"#),
        (
            "kv",
            r#""op":"delete","args":{"key":"x"},"ret":{"ok":true,"value":"b"}"#,
        ),
        (
            "register",
            r#""op":"write","args":{"value":1},"ret":{"values":[1,2]}"#,
        ),
        (
            "cas-register",
            r#""op":"cas","args":[1,2],"ret":{"value":"refused"}"#,
        ),
        ("set", r#""op":"add","args":{"value":1},"ret":{"value":"full"}"#),
        (
            "set",
            r#""op":"contains","args":{"value":1},"ret":{"error":"timeout"}"#,
        ),
        (
            "stack",
            r#""op":"push","args":{"value":1},"ret":{"value":"full"}"#,
        ),
        (
            "queue",
            r#""op":"enqueue","args":{"value":1},"ret":{"value":"full"}"#,
        ),
        ("queue", r#""op":"dequeue","ret":{"value":1,"error":"timeout"}"#),
        (
            "priority-queue",
            r#""op":"insert","args":{"value":1},"ret":{"value":"full"}"#,
        ),
        ("mutex", r#""op":"release","ret":{"value":"not held"}"#),
        ("mutex", r#""op":"acquire","ret":{"value":"busy"}"#),
        ("semaphore", r#""op":"release","ret":{"value":"overflow"}"#),
        ("counter", r#""op":"add","args":{"value":1},"ret":{"value":7}"#),
        ("counter", r#""op":"read","ret":{"value":7,"error":"stale"}"#),
        (
            "bank",
            r#""op":"deposit","args":{"account":1,"amount":1},"ret":{"value":"closed"}"#,
        ),
        ("bank", r#""op":"read","ret":{"error":"timeout"}"#),
        (
            "log",
            r#""op":"append","args":{"value":1},"ret":{"value":"full"}"#,
        ),
        (
            "multi-register",
            r#""op":"write","args":{"key":1,"value":2},"ret":{"value":"ERR"}"#,
        ),
        ("java-map", r#""op":"clear","args":[],"ret":{"value":"ERR"}"#),
        (
            "java-collection",
            r#""op":"clear","args":[],"ret":{"value":"ERR"}"#,
        ),
    ] {
        let said = decoded(spec, &line(op));
        assert!(said.starts_with("t.ndjson:1: "), "{spec} {op}: {said}");
    }
}

#[test]
fn results_that_say_something_are_understood() {
    for (spec, op, expected) in [
        (
            "set",
            r#""op":"contains","args":{"value":1},"ret":{"found":false}"#,
            "contains(1) = false",
        ),
        (
            "set",
            r#""op":"add","args":{"value":1},"ret":{"value":true}"#,
            "add(1) = true",
        ),
        (
            "kv",
            r#""op":"delete","args":{"key":"x"},"ret":{"exists":true}"#,
            "delete(\"x\") = true",
        ),
        (
            "cas-register",
            r#""op":"cas","args":[1,2],"ret":{"ok":false,"err":null}"#,
            "cas(1, 2) = false",
        ),
        (
            "kv",
            r#""op":"put","args":{"key":"x","value":"b"},"ret":{"value":"b","ok":true}"#,
            "put(\"x\", \"b\")",
        ),
        ("register", r#""op":"read","ret":1.50"#, "read() = 1.5"),
        (
            "register:initial=1.5",
            r#""op":"write","args":{"value":18446744073709551615}"#,
            "write(18446744073709551615)",
        ),
    ] {
        assert_eq!(decoded(spec, &line(op)), expected, "{spec} {op}");
    }
}

#[test]
fn a_name_that_says_the_other_end_of_the_priorities_is_refused() {
    for (spec, op, remedy) in [
        ("priority-queue", "deleteMin", "priority-queue:first=least"),
        ("priority-queue", "extract_min", "priority-queue:first=least"),
        ("priority-queue", "min", "priority-queue:first=least"),
        (
            "priority-queue:first=least",
            "delete-max",
            "priority-queue:first=greatest",
        ),
        (
            "priority-queue:first=least",
            "peek_max",
            "priority-queue:first=greatest",
        ),
    ] {
        let said = decoded(spec, &line(&format!(r#""op":"{op}","ret":1"#)));
        assert!(said.contains(remedy), "{spec} {op}: {said}");
    }
    for (spec, op) in [
        ("priority-queue:first=least", "delete_min"),
        ("priority-queue", "pop-max"),
    ] {
        let said = decoded(spec, &line(&format!(r#""op":"{op}","ret":1"#)));
        assert_eq!(said, "poll() = 1", "{spec} {op}");
    }
}

#[test]
fn a_number_without_a_place_in_order_is_refused_where_order_counts() {
    for (spec, op) in [
        ("priority-queue", r#""op":"insert","args":{"value":1.5}"#),
        ("priority-queue", r#""op":"poll","ret":9223372036854775808"#),
        (
            "map",
            r#""op":"KVInsert","args":{"key":1.5,"value":4,"result":0}"#,
        ),
        ("map", r#""op":"KVRangeQuery","args":{"lo":0.5,"hi":5,"count":2}"#),
        ("counter", r#""op":"add","args":{"value":1.5}"#),
    ] {
        let said = decoded(spec, &line(op));
        assert!(said.contains("; expected "), "{spec} {op}: {said}");
    }
}
