//! Every format in which a trace may contain an operation.

use crate::common::{check_text, decoded, line};
use omnilink_models::catalogue;

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
        assert!(outcome.conclusion.is_valid(), "{}", entry.name);
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
        r#""op":"read","args":{"value":0},"ret":{"value":3,"exists":true}"#,
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
    let pending = r#"{"thread":0,"op":"read","args":{"value":3},"start":1}"#;
    assert_eq!(decoded("register", pending), "read() = ?");
    reads_as(
        "register",
        &[
            r#""op":"read""#,
            r#""op":"read","ret":{"unknown":true,"value":0}"#,
        ],
        "read() = ?",
    );
    reads_as("cas-register", &[r#""op":"cas","args":[1,2]"#], "cas(1, 2) = ?");
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
        r#""op":"CAS","args":{"arg1":1,"arg2":2},"ret":{"ok":true,"exists":false,"value":0,"unknown":false}"#,
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
            r#""op":"Get","args":{"Key":"x","Value":""},"ret":{"Value":"v"}"#,
            r#""op":"get","args":{"key":"x"},"ret":{"value":"v","err":""}"#,
            r#""op":"get","args":{"key":"x","value":"v"},"ret":"v""#,
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
fn a_result_that_is_no_result_of_the_transaction_is_an_error() {
    let write_only = include_str!("../data/multi-register.write-only-txn.error.ndjson");
    let error = decoded("multi-register", write_only.trim());
    assert!(
        error.contains(r#"the result is <<"r", "y", 7>>; expected the access that was asked for"#),
        "{error}"
    );
    let asked = r#""op":"txn","args":{"value":[["r","x",null],["w","y",2]]}"#;
    for returned in [
        r#"[["r","x",1],["w","y",3]]"#,
        r#"[["r","x",1],["w","z",2]]"#,
        r#"[["r","x",1],["r","y",2]]"#,
        r#"[["w","x",1],["w","y",2]]"#,
        r#"[["r","z",1],["w","y",2]]"#,
    ] {
        let error = decoded("multi-register", &line(&format!(r#"{asked},"ret":{returned}"#)));
        assert!(
            error.contains("expected the access that was asked for"),
            "{returned}: {error}"
        );
    }
    let other_key = r#""op":"read","args":{"value":[7,null]},"ret":[8,3]"#;
    assert!(decoded("multi-register", &line(other_key)).contains("the key that was asked for"));
}
