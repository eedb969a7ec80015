//! Every shape in which a trace may write an operation, and what is said about shapes that make no sense.

mod common;

use common::check_text;
use omnilink_engine::{Fate, Outcome, Verdict};
use omnilink_models::{Decoded, Shipped, Visitor, catalogue, with_model};
use omnilink_trace::{OpenOptions, Operation, Trace};

fn operation(line: &str) -> Operation {
    let mut trace = Trace::from_bytes("t.ndjson", line.as_bytes().to_vec(), &OpenOptions::default()).unwrap();
    trace.next().unwrap().unwrap()
}

/// What the model says the operation is; errors as text.
fn decoded(spec: &str, line: &str) -> String {
    struct Describe(Operation);
    impl Visitor for Describe {
        type Output = String;
        fn visit<M: Shipped>(self, model: M) -> String {
            match model.decode(&self.0) {
                Ok(Decoded::Op(op)) => model.describe_op(&op),
                Ok(Decoded::DidNotHappen) => "did not happen".to_owned(),
                Err(error) => error.to_string(),
            }
        }
    }
    with_model(spec, Describe(operation(line))).unwrap()
}

/// Completes a line with thread and times.
fn line(op: &str) -> String {
    format!(r#"{{"thread":0,"start":1,"end":2,{op}}}"#)
}

#[track_caller]
fn reads_as(spec: &str, ops: &[&str], expected: &str) {
    for op in ops {
        assert_eq!(decoded(spec, &line(op)), expected, "{op}");
    }
}

#[test]
fn every_example_in_the_catalogue_is_valid() {
    for entry in catalogue() {
        let outcome = check_text(entry.name, entry.example);
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(outcome.verdict.is_valid(), "{}", entry.name);
    }
}

#[test]
fn no_two_operations_of_a_model_share_a_name() {
    for entry in catalogue() {
        let mut names: Vec<String> = entry
            .ops
            .iter()
            .flat_map(|op| [op.name].into_iter().chain(op.aliases.iter().copied()))
            .map(|name| name.to_ascii_lowercase().replace(['-', '_'], ""))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{}", entry.name);
    }
}

#[test]
fn a_register_reads_results_wherever_they_stand() {
    let reads = [
        r#""op":"read","ret":3"#,
        r#""op":"get","args":{"result":3}"#,
        r#""op":"READ","args":{"value":3}"#,
        r#""op":"load","args":[3]"#,
        r#""op":"read","args":{"value":null},"ret":3"#,
        r#""op":"read","ret":{"Value":3}"#,
        r#""op":"true","ret":{"value":3,"exists":true}"#,
    ];
    reads_as("register", &reads, "read() = 3");
    let writes = [
        r#""op":"write","args":{"value":3}"#,
        r#""op":"put","args":[3]"#,
        r#""op":"set","args":{"Value":3},"ret":"OK""#,
        r#""op":"write","args":{"value":3},"ret":3"#,
        r#""op":"write","args":{"value":3},"ret":null"#,
        r#""op":"store","args":{"value":3},"ret":true"#,
    ];
    reads_as("register", &writes, "write(3)");
}

#[test]
fn a_result_that_was_not_seen_is_unknown() {
    let pending = r#"{"thread":0,"op":"read","args":{"value":3},"ret":4,"start":1}"#;
    assert_eq!(decoded("register", pending), "read() = ?");
    reads_as(
        "register",
        &[
            r#""op":"read""#,
            r#""op":"read","ret":{"unknown":true,"value":0}"#,
        ],
        "read() = ?",
    );
    reads_as(
        "cas-register",
        &[
            r#""op":"cas","args":[1,2]"#,
            r#""op":"cas","args":[1,2],"ret":null"#,
        ],
        "cas(1, 2) = ?",
    );
    reads_as("queue", &[r#""op":"deq""#], "dequeue() = ?");
}

#[test]
fn a_cas_is_found_in_every_shape() {
    let succeeded = [
        r#""op":"cas","args":{"from":1,"to":2},"ret":true"#,
        r#""op":"cas","args":{"value":[1,2]},"ret":[1,2]"#,
        r#""op":"compare_and_set","args":{"old":1,"new":2,"ok":true}"#,
        r#""op":"compareExchange","args":{"expected":1,"desired":2,"result":true}"#,
        r#""op":"cas","args":[1,2,true]"#,
        r#""op":"2","args":{"arg1":1,"arg2":2},"ret":{"ok":true,"exists":false,"value":0,"unknown":false}"#,
    ];
    reads_as("cas-register", &succeeded, "cas(1, 2) = true");
    reads_as(
        "cas-register",
        &[r#""op":"cas","args":[1,2],"ret":false"#],
        "cas(1, 2) = false",
    );
}

#[test]
fn an_aborted_operation_did_not_happen_unless_a_failed_cas_is_said_to_mean_more() {
    let aborted = r#""op":"cas","args":{"value":[1,2]},"aborted":true"#;
    reads_as("cas-register", &[aborted], "did not happen");
    reads_as(
        "cas-register:failed-cas=differed",
        &[aborted],
        "cas(1, 2) = false",
    );
    reads_as(
        "cas-register:failed-cas=differed",
        &[r#""op":"write","args":[1],"aborted":true"#],
        "did not happen",
    );
    reads_as("queue", &[r#""op":"dequeue","aborted":true"#], "did not happen");
}

#[test]
fn a_map_takes_the_setbench_fields_and_friendlier_ones() {
    reads_as(
        "map",
        &[
            r#""op":"KVInsert","args":{"key":3,"value":4,"result":0}"#,
            r#""op":"insert","args":[3,4,0]"#,
            r#""op":"put","args":{"key":3,"value":4},"ret":null"#,
        ],
        "insert(3, 4) = none",
    );
    reads_as(
        "map",
        &[r#""op":"KVErase","args":{"key":3,"result":7}"#],
        "erase(3) = 7",
    );
    reads_as(
        "map",
        &[r#""op":"KVContains","args":{"key":3,"result":false}"#],
        "contains(3) = false",
    );
    reads_as(
        "map",
        &[r#""op":"KVRangeQuery","args":{"lo":3,"hi":5,"count":2}"#],
        "range(3, 5) = 2",
    );
    reads_as(
        "map",
        &[r#""op":"KVInsertIfAbsent","args":{"key":3,"value":4,"result":9}"#],
        "insert_if_absent(3, 4) = 9",
    );
    reads_as(
        "map:none=nil",
        &[r#""op":"put","args":[3,0,0]"#],
        "insert(3, 0) = 0",
    );
}

#[test]
fn stores_and_collections_take_the_shapes_of_other_tools() {
    reads_as(
        "kv",
        &[
            r#""op":"get","args":{"key":"x","value":null},"ret":"v""#,
            r#""op":"0","args":{"Key":"x","Value":""},"ret":{"Value":"v"}"#,
        ],
        r#"get("x") = "v""#,
    );
    reads_as(
        "kv",
        &[r#""op":"append","args":{"key":"x","value":"y"},"ret":"y""#],
        r#"append("x", "y")"#,
    );
    reads_as(
        "kv",
        &[r#""op":"delete","args":["x"],"ret":true"#],
        r#"delete("x") = true"#,
    );
    reads_as("set", &[r#""op":"add","args":{"value":5},"ret":5"#], "add(5) = ?");
    reads_as(
        "set",
        &[
            r#""op":"read","args":{"value":null},"ret":{"$set":[2,1]}"#,
            r#""op":"read","ret":[2,1]"#,
        ],
        "read() = {1, 2}",
    );
    reads_as(
        "queue",
        &[r#""op":"deq","ret":-1"#, r#""op":"dequeue","ret":null"#],
        "dequeue() = empty",
    );
    reads_as("queue:empty=nil", &[r#""op":"deq","ret":-1"#], "dequeue() = -1");
    reads_as(
        "queue",
        &[r#""op":"dequeue_bulk","args":{"max":3},"ret":[1,2]"#],
        "dequeue(at most 3) = [1, 2]",
    );
    reads_as(
        "queue",
        &[r#""op":"enqueue_many","args":{"values":[1,2]}"#],
        "enqueue([1, 2])",
    );
    reads_as(
        "queue:capacity=1",
        &[r#""op":"offer","args":[1],"ret":false"#],
        "enqueue(1) = full",
    );
    reads_as("stack", &[r#""op":"pop","ret":4"#], "pop() = 4");
    reads_as("priority-queue", &[r#""op":"poll","ret":-1"#], "poll() = empty");
    reads_as(
        "log",
        &[r#""op":"append","args":{"value":"a"},"ret":0"#],
        r#"append("a") = 0"#,
    );
    reads_as(
        "log",
        &[r#""op":"read","args":{"index":2},"ret":null"#],
        "read(2) = none",
    );
}

#[test]
fn locks_counters_and_banks_take_the_shapes_of_other_tools() {
    reads_as(
        "mutex",
        &[
            r#""op":"acquire","args":{"value":null},"ret":null"#,
            r#""op":"lock""#,
        ],
        "acquire() = true",
    );
    reads_as("mutex", &[r#""op":"try_lock","ret":false"#], "acquire() = false");
    reads_as("mutex:owned=yes", &[r#""op":"unlock""#], "release(0)");
    reads_as(
        "semaphore",
        &[r#""op":"acquire""#, r#""op":"p","args":{"value":null}"#],
        "acquire(1) = true",
    );
    reads_as(
        "counter",
        &[r#""op":"add","args":{"value":1},"ret":1"#, r#""op":"inc""#],
        "add(1)",
    );
    reads_as("counter", &[r#""op":"decrement""#], "add(-1)");
    reads_as(
        "counter",
        &[
            r#""op":"incrementAndGet","ret":5"#,
            r#""op":"fetch_add","args":[1],"ret":4"#,
        ],
        "fetch_add(1) = 4",
    );
    let transfers = [
        r#""op":"transfer","args":{"from":"1","to":2,"amount":3},"ret":true"#,
        r#""op":"transfer","args":{"value":{"from":1,"to":2,"amount":3}},"ret":{"from":1,"to":2,"amount":3}"#,
        r#""op":"transfer","args":[1,2,3,true]"#,
    ];
    reads_as("bank", &transfers, "transfer(1, 2, 3) = true");
    reads_as(
        "bank",
        &[
            r#""op":"read","ret":{"1":5,"0":6}"#,
            r#""op":"read","ret":{"$fn":[[0,6],[1,5]]}"#,
        ],
        "read() = {0: 6, 1: 5}",
    );
}

#[test]
fn a_transaction_is_read_with_its_results() {
    let asked = r#""op":"txn","args":{"value":[["r","x",null],["w","y",2]]}"#;
    reads_as("multi-register", &[asked], r#"txn[read("x") = ?, write("y", 2)]"#);
    let returned = format!(r#"{asked},"ret":[["r","x",1],["w","y",2]]"#);
    reads_as(
        "multi-register",
        &[&returned],
        r#"txn[read("x") = 1, write("y", 2)]"#,
    );
    let independent = [
        r#""op":"read","args":{"value":[7,null]},"ret":[7,3]"#,
        r#""op":"read","args":{"key":7},"ret":3"#,
    ];
    reads_as("multi-register", &independent, "read(7) = 3");
    reads_as(
        "multi-register",
        &[r#""op":"write","args":{"value":[7,3]},"ret":[7,3]"#],
        "write(7, 3)",
    );
    let mismatched = format!(r#"{asked},"ret":[["r","x",1]]"#);
    assert!(
        decoded("multi-register", &line(&mismatched)).contains("expected as many accesses as were asked for")
    );
}

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
            r#"t.ndjson:1: write: the result is FALSE; expected nothing, true or "ok"; what did not happen is marked "aborted": true"#,
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
        fn visit<M: Shipped>(self, _: M) {}
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
        assert_eq!(outcome.verdict.is_valid(), expected, "{spec}: {op}");
    }
}

/// The reason why the first operation that cannot be explained was refused.
fn refusal(outcome: &Outcome) -> String {
    let Verdict::Violation(counterexample) = &outcome.verdict else {
        panic!("expected a violation")
    };
    let candidates = counterexample
        .alternatives
        .iter()
        .flat_map(|alternative| &alternative.candidates);
    let mut reasons = candidates.filter_map(|candidate| match &candidate.fate {
        Fate::Refused(reason) => reason.clone(),
        Fate::LeadsTo(_) => None,
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
