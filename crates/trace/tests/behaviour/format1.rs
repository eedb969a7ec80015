//! Trace format 1 as it is documented.

use std::sync::Arc;

use omnilink_trace::{Args, Format, OpenOptions, Trace};
use omnilink_value::Value;

use crate::support::{draw, open, read, read_all};

#[test]
fn the_line_of_the_design_is_read() {
    let operations =
        read(r#"{"thread":0,"op":"KVInsert","args":{"key":3,"value":4,"result":0},"start":12,"end":40}"#);
    assert_eq!(
        draw(&operations),
        "0 [12,40] KVInsert(key: 3, result: 0, value: 4)\n"
    );
    assert_eq!(operations[0].args.get("key", 9), Some(&Value::int(3)));
    assert_eq!(operations[0].location.to_string(), "test:1");
}

#[test]
fn every_field_is_read() {
    let operations = read(
        r#"
        {"thread":"a","op":"x","args":[1,{"$set":[2]}],"ret":null,"start":-1,"end":null,"aborted":true,"meta":{"host":"h"}}
        {"thread":"b","op":"y","start":0,"args":{}}
        "#,
    );
    assert_eq!(
        draw(&operations),
        "\"a\" [-1,…] x(1, {2}) = null aborted\n\"b\" [0,…] y()\n"
    );
    assert_eq!(operations[0].args.get("any", 0), Some(&Value::int(1)));
    assert_eq!(
        operations[0].meta.as_ref().and_then(|meta| meta.field("host")),
        Some(&Value::str("h"))
    );
    assert_eq!(operations[1].args, Args::Named(Value::tuple([])));
    assert_eq!(operations[1].location.to_string(), "test:3");
}

#[test]
fn log_lines_happen_at_their_clock_or_in_their_turn() {
    let operations = read(
        r#"{"op":"Send","vars":{"x":1}}
        {"thread":"n1","op":"Recv","clock":{"n1":2,"n2":1}}
        {"vars":{"x":2},"clock":9}"#,
    );
    assert_eq!(
        draw(&operations),
        "null [0,0] Send()\n\"n1\" [1,1] Recv()\nnull [9,9] ()\n"
    );
    assert_eq!(
        operations[1].clock.as_ref().and_then(|clock| clock.field("n1")),
        Some(&Value::int(2))
    );
}

#[test]
fn the_header_is_read_and_is_no_operation() {
    let trace =
        open("{\"omnilink\":1,\"spec\":\"Queue\",\"seed\":7}\n{\"thread\":0,\"op\":\"x\",\"start\":1}\n")
            .expect("a trace");
    assert_eq!(
        trace.header().and_then(|header| header.get("seed")),
        Some(&Value::int(7))
    );
    assert_eq!(trace.format(), Format::Ndjson);
    assert_eq!(trace.count(), 1);
}

#[test]
fn an_empty_input_is_an_empty_trace() {
    for empty in ["", "\n\n", "{\"omnilink\":1}\n"] {
        assert_eq!(read(empty).len(), 0);
    }
}

#[test]
fn a_byte_order_mark_and_carriage_returns_do_no_harm() {
    assert_eq!(
        read("\u{feff}{\"thread\":0,\"op\":\"x\",\"start\":1}\r\n\r\n").len(),
        1
    );
}

#[test]
fn messagepack_carries_the_same_maps() {
    let line = r#"{"thread":0,"op":"an operation name","args":{"key":3},"ret":[1],"start":12,"end":40}"#;
    let operations = read(Value::from_json(line.as_bytes()).expect("JSON").to_msgpack());
    assert_eq!(draw(&operations), "0 [12,40] an operation name(key: 3) = <<1>>\n");
    assert_eq!(operations[0].location.to_string(), "test: byte 0");
}

#[test]
fn threads_may_overlap_themselves_when_the_trace_is_asynchronous() {
    let text = "{\"thread\":0,\"op\":\"x\",\"start\":1,\"end\":5}\n{\"thread\":0,\"op\":\"y\",\"start\":2,\"end\":3}\n";
    let options = OpenOptions::new().with_async_threads(true);
    let trace = Trace::from_bytes("test", text.as_bytes(), &options).expect("a trace");
    assert_eq!(trace.filter(Result::is_ok).count(), 2);
}

#[test]
fn a_thread_may_call_again_at_the_reading_at_which_it_returned() {
    let text = "{\"thread\":0,\"op\":\"x\",\"start\":1,\"end\":5}\n{\"thread\":0,\"op\":\"y\",\"start\":5,\"end\":5}\n";
    assert_eq!(read(text).len(), 2);
}

/// Calls are remembered by their text. Whatever came before, a line means what it means alone.
#[test]
fn a_line_means_the_same_whatever_was_read_before() {
    let calls = [
        r#","op":"a","args":{"x":1}"#,
        r#","op":"b","args":{"x":1}"#,
        r#","op":"a","args":{"x":1,"y":"}"}"#,
        r#","op":"a","args":{"x":1,"y":"}","z":2}"#,
        r#","op":"a","args":{"x":{"y":1}}"#,
        r#","op":"a","args":{"x":{"y":1},"z":{"y":1}}"#,
        r#","op":"a","args":[{"x":1}]"#,
        r#","op":"a","args":[{"x":1},{"x":1}]"#,
        r#","op":"a","args":{}"#,
        r#","op":"a","args":{"$set":[1]}"#,
        r#","op":"a}","args":{"x":1}"#,
        r#","op":"a","args":null"#,
        r#","op":7,"args":{"x":1}"#,
        r#","op":"a","args":{"x":1.5}"#,
        r#","op":"a","args":{"x":1},"op":"b""#,
        r#","op":"a","args":{"x":1},"args":{"x":1}"#,
        r#","op":"a", "args":{"x":1}"#,
        r#","args":{"x":1},"op":"a""#,
        r#","op":"a""#,
        r#","op":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","args":{"a long text":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}"#,
    ];
    let line = |at: usize, call: &str| {
        format!(
            "{{\"thread\":1{call},\"start\":{},\"end\":{}}}\n",
            2 * at,
            2 * at + 1
        )
    };
    for first in calls {
        // A refused line ends the reading, so it cannot come before another.
        let before = match read_all(line(0, first)) {
            Ok(_) => line(0, first) + &line(1, first),
            Err(_) => line(0, calls[0]) + &line(1, calls[2]),
        };
        for call in calls {
            let alone = read_all(line(2, call));
            let after = read_all(before.clone() + &line(2, call));
            match (alone, after) {
                (Ok(alone), Ok(after)) => {
                    assert_eq!(draw(&alone), draw(&after[2..]), "{call} after {first}");
                    assert_eq!(alone[0].args, after[2].args, "{call} after {first}");
                }
                (Err(alone), Err(after)) => {
                    let after = after.to_string().replacen("test:3", "test:1", 1);
                    assert_eq!(alone.to_string(), after, "{call} after {first}");
                }
                (alone, after) => panic!("{call}: alone {alone:?}, after {first} {after:?}"),
            }
        }
    }
}

#[test]
fn arguments_that_are_written_alike_are_shared() {
    let operations = read(
        r#"{"thread":0,"op":"put","args":{"key":1},"start":0,"end":1}
{"thread":0,"op":"put","args":{"key":1},"start":2,"end":3}
"#,
    );
    let keys = |at: usize| operations[at].args.get("key", 0).map(std::ptr::from_ref);
    assert_eq!(keys(0), keys(1), "one record in memory");
}

#[test]
fn calls_that_are_written_alike_are_one_and_others_are_not() {
    let operations = read(
        r#"{"thread":0,"op":"get","args":{"key":1},"start":0,"end":1,"ret":7}
{"thread":0,"op":"get","args":{"key":1},"start":2,"end":3,"ret":8}
{"thread":1,"op":"get","args":{"key":1},"start":4,"end":5,"ret":7}
{"thread":1,"op":"get","args":{"key":1},"start":6,"end":7}
{"thread":1,"op":"get","args":{"key":1},"start":8,"end":9,"ret":7,"aborted":true}
{"thread":1,"op":"get","args":{"key":1},"start":10,"end":11}
{"thread":1,"op":"get","args":{"key":1},"start":12,"end":13,"meta":{"ret":7}}
"#,
    );
    let returned: Vec<Option<Value>> = operations.iter().map(|operation| operation.ret.clone()).collect();
    let seven = || Some(Value::int(7));
    assert_eq!(
        returned,
        [seven(), Some(8.into()), seven(), None, seven(), None, None]
    );
    let twins = |one: usize| {
        let is_same = |other: &usize| Arc::ptr_eq(&operations[one].call, &operations[*other].call);
        (0..operations.len()).filter(is_same).collect::<Vec<_>>()
    };
    assert_eq!([twins(0), twins(1)], [vec![0, 2], vec![1]]);
    assert_eq!([twins(3), twins(4), twins(6)], [vec![3, 5], vec![4], vec![6]]);
    assert!(operations[4].aborted && !operations[0].aborted);
    assert!(operations[6].meta.is_some() && operations[3].meta.is_none());
}

#[test]
fn a_change_of_one_operation_leaves_those_that_were_written_alike() {
    let line = r#"{"thread":0,"op":"put","args":{"key":1},"start":0,"end":0}"#;
    let mut operations = read(format!("{line}\n{line}\n"));
    operations[0].ret = Some(Value::int(3));
    assert_eq!(
        (operations[0].ret.clone(), operations[1].ret.clone()),
        (Some(3.into()), None)
    );
}
