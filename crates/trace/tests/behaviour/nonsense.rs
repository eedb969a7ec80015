//! Nonsense for every reader: it is refused with its place, or read with a note, and never taken for something else.

use crate::support::{notes, refusal};

const WRITE: &str = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;

/// Each text is refused with a message that begins and goes on like this.
#[track_caller]
fn refused(cases: &[(&str, &str)]) {
    for (text, words) in cases {
        let said = refusal(text);
        assert!(
            said.starts_with("test") && said.contains(words),
            "{text:?}: {said}"
        );
    }
}

#[test]
fn records_of_format_1() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    refused(&[
        (
            &WRITE.replace("\"start\":0", "\"start\":\"2026-01-01T00:00:00Z\""),
            "such as a time in microseconds",
        ),
        (
            &WRITE.replace("\"start\":0", "\"start\":true"),
            "expected an integer",
        ),
        (
            &WRITE.replace("\"end\":1", "\"end\":1.0"),
            "expected a 64-bit integer",
        ),
        (
            &WRITE.replace("{\"value\":1}", &format!("{{\"value\":{deep}}}")),
            "nested deeper than",
        ),
        (
            &format!("{WRITE}{WRITE}\n"),
            "test:1: not a JSON record: byte 62: text after the end",
        ),
        (
            "thread,op,start,end\n0,write,0,1\n",
            "not a trace in any known format",
        ),
        (
            &format!("{{\"operations\":[{WRITE}]}}"),
            "unknown field \"operations\"",
        ),
        ("[1,2,3]", "test:1: "),
    ]);
    assert_eq!(
        notes(format!(
            "{WRITE}\r\n{}\r\n",
            WRITE.replace("0,\"end\":1", "2,\"end\":3")
        )),
        [""; 0]
    );
    assert!(notes("[")[0].contains("the array is not closed"));
}

#[test]
fn msgpack() {
    let cut = |bytes: &[u8]| notes(bytes).join("\n");
    for bytes in [&b"\x84"[..], b"\xde\xff\xff\xa1a\x01", &[0x85; 40]] {
        assert!(cut(bytes).contains("byte 0: cut off here"), "{}", cut(bytes));
    }
    let said = refusal(b"\x81\xa6thread\x00\x81\xa6thread\x00");
    assert!(
        said.starts_with("test: byte 0: the field \"start\" is missing"),
        "{said}"
    );
    let said = refusal(b"\x83\xa6thread\x00\xa2op\x07\xa5start\x01");
    assert!(said.contains("the field \"op\" holds 7"), "{said}");
}

#[test]
fn jepsen() {
    refused(&[
        (
            "{:process 0 :type :ok :f :read :value 1}\n",
            "returns, but the process has no open call",
        ),
        (
            "{:process 0 :type :invoke :f :read :value}",
            "a map needs a value for each key",
        ),
        ("(comment)", "expected an event map"),
        ("{:process 0 :type :maybe :f :read}", "the field \"type\""),
        ("{:process [1] :type :invoke :f :read}", "the number of a process"),
        (
            r#"[{"type":"invoke","process":0,"f":"read"},{"type":"ok","process":1,"f":"read"}]"#,
            "test:1:43: read of process 1",
        ),
        (r#"[{"type":"ok"}]"#, "the field \"f\" is missing"),
        (
            r#"[{"type":"invoke","process":{"a":1},"f":"read"}]"#,
            "the number of a process",
        ),
        ("INFO jepsen.util - 0\t:ok\t:read\t3\n", "has no open call"),
        (
            "INFO jepsen.util - 0\t:invoke\t:read\tnil\nINFO jepsen.util - 0\t:ok\t:write\t3\n",
            "test:2: process 0 returns from write",
        ),
        ("INFO jepsen.util - 0\t:invoke\t:read\t[[[\n", "not an EDN form"),
        (
            "INFO jepsen.util - x\t:invoke\t:read\tnil\n",
            "not a trace in any known format",
        ),
    ]);
    let cut = notes("[{:process 0 :type :invoke :f :read :value nil}");
    assert!(cut[0].contains("the history is not closed"), "{cut:?}");
}

#[test]
fn porcupine() {
    refused(&[
        (
            r#"[{"ClientId":0,"Input":{"op":"w"},"Call":5,"Output":null,"Return":1}]"#,
            "ends at 1, before it starts at 5",
        ),
        (
            r#"[{"ClientId":0,"Kind":"maybe","Value":1,"Id":1}]"#,
            "the field \"Kind\" holds \"maybe\"",
        ),
        (
            r#"[{"ClientId":0,"Kind":"return","Value":1,"Id":1}]"#,
            "has no open call",
        ),
        (r#"[{"ClientId":0,"Kind":"call","Value":1}]"#, "\"Id\""),
        (r#"[{"ClientId":0,"Call":5,"Return":7}]"#, "\"Input\""),
        (
            r#"[{"ClientId":0,"Input":1,"Call":"now","Return":7}]"#,
            "the field \"Call\" holds \"now\"",
        ),
    ]);
}

#[test]
fn fastlin_and_fptlin() {
    refused(&[
        ("# stack\npush 1 0\n", "test:2: expected a line"),
        ("# stack\npush one 0 1\n", "test:2: expected a line"),
        (
            "# stack\npush 1 5 2\n",
            "test:2: push ends at 2, before it starts at 5",
        ),
        (
            "# stack\npush 1 0 9223372036854775807\n",
            "times of at most 62 bits",
        ),
        ("# set\ncontains 1 0 1\n", "test:2: expected a line"),
        ("# queue\n0 0 1 ENQ\n", "test:2: expected a line"),
        ("# queue\n0 x 1 ENQ 3\n", "test:2: expected a line"),
        ("# queue\n0 5 1 ENQ 3\n", "test:2: enq ends at 1"),
        ("# queue\n0 0 1 ENQ 3 4 5\n", "test:2: expected a line"),
        ("# queue\n0 0 1\n", "test:2: expected a line"),
    ]);
}

#[test]
fn limo() {
    refused(&[
        (
            "# @object queue\n[1] call enq(5)\n[1] call enq(6)\n",
            "test:3: process 1 calls enq while",
        ),
        ("# @object queue\n[1] return 5\n", "test:2: "),
        (
            "# @object queue\n[x] call enq(5)\n",
            "test:2: expected a line such as",
        ),
        (
            "# @object queue\n[1] call enq(5\n",
            "test:2: expected a line such as",
        ),
        (
            "# @object queue\n[1] shout enq(5)\n",
            "test:2: expected a line such as",
        ),
        (
            "# @object queue\n[1] call (5)\n",
            "test:2: expected a line such as",
        ),
    ]);
}
