//! Porcupine operations and events.

use crate::support::{draw, notes, read, refusal};

#[test]
fn operations_come_as_an_array_or_one_after_the_other() {
    let first = r#"{"ClientId":1,"Input":{"Op":"put","Key":"a","Value":"x"},"Call":5,"Output":{"Value":""},"Return":9}"#;
    let second =
        r#"{"client_id":2,"input":7,"call":6,"output":null,"return":9223372036854775807,"metadata":"m"}"#;
    let picture = "1 [5,9] put(Key: \"a\", Value: \"x\") = [Value |-> \"\"]\n2 [6,…] call(value: 7)\n";
    for text in [
        format!("[\n{first},\n{second}\n]\n"),
        format!("{first}\n{second}\n"),
        format!("[{first},{second}]"),
    ] {
        let operations = read(&text);
        assert_eq!(draw(&operations), picture);
        assert_eq!(operations[1].meta, Some("m".into()));
    }
    assert_eq!(read("[]").len(), 0);
}

#[test]
fn an_operation_code_is_a_name() {
    let text = r#"[{"ClientId":0,"Input":{"op":2,"value":5},"Call":1,"Output":0,"Return":2}]"#;
    assert_eq!(draw(&read(text)), "0 [1,2] 2(value: 5) = 0\n");
}

#[test]
fn events_are_paired_by_their_number_and_timed_by_their_order() {
    let text = r#"
        {"ClientId":0,"Kind":"call","Value":{"op":"get","key":1},"Id":10}
        {"ClientId":1,"Kind":0,"Value":{"op":"put","key":1},"Id":11}
        {"ClientId":0,"Kind":1,"Value":"v","Id":10}
    "#;
    assert_eq!(
        draw(&read(text)),
        "0 [0,2] get(key: 1) = \"v\"\n1 [1,…] put(key: 1)\n"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let call = r#"{"ClientId":0,"Kind":"call","Value":1,"Id":10}"#;
    let done = r#"{"ClientId":0,"Kind":"return","Value":1,"Id":10}"#;
    for (text, message) in [
        (
            format!("{call}\n{done}\n{done}"),
            "test:3: call 10 returns a second time; it had already returned in test:2",
        ),
        (
            done.to_owned(),
            "test:1: a call of process 10 returns, but the process has no open call",
        ),
        (
            format!("{call}\n{call}"),
            "test:2: process 10 calls call while its call in test:1 is still open",
        ),
        (
            r#"[{"ClientId":0,"Input":1,"Call":5,"Return":4}]"#.to_owned(),
            "test:1: call ends at 4, before it starts at 5; check the clock of the recorder",
        ),
        (
            r#"[{"ClientId":0,"Input":1,"Call":"now"}]"#.to_owned(),
            "test:1: the field \"Call\" holds \"now\"; expected an integer",
        ),
        (
            r#"[{"ClientId":0,"Inptu":1,"Call":1}]"#.to_owned(),
            "test:1: unknown field \"Inptu\" (did you mean \"Input\"?); an operation of Porcupine has ClientId, Input, Call, Output and Return, an event ClientId, Kind, Value and Id; anything of your own goes under Metadata",
        ),
        (
            format!("[{call}],"),
            "test:1: expected the end of the input, found \",\"; one file holds one document, and several are given one by one",
        ),
        (format!("[{call},]"), "test:1: expected an element, found \"]\""),
        (format!("[,{call}]"), "test:1: expected an element, found"),
        (
            format!("[{call}\n{done}]"),
            "test:2: expected a comma between elements, found",
        ),
    ] {
        let refusal = refusal(&text);
        assert!(refusal.starts_with(message), "{refusal} is not {message}");
    }
}

#[test]
fn an_array_that_is_cut_off_is_read_up_to_the_cut() {
    let text = r#"[{"ClientId":0,"Input":1,"Call":1,"Output":2,"Return":2},{"ClientId":0,"Inp"#;
    assert_eq!(read(text).len(), 1);
    assert_eq!(
        notes(text),
        ["test:1: cut off here: the last element is incomplete; everything before was read"]
    );
}
