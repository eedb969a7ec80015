//! What is refused, and what is said about it.

use omnilink_trace::{Format, OpenOptions, Trace};
use omnilink_value::Value;

use crate::support::refusal;

fn line(fields: &str) -> String {
    format!("{{{fields}}}\n")
}

#[test]
fn every_refusal_names_the_place_and_the_remedy() {
    for (fields, message) in [
        (
            r#""thread":0,"op":"pop","start":5,"end":4"#,
            "test:1: pop ends at 4, before it starts at 5; check the clock of the recorder",
        ),
        (
            r#""thread":0,"op":"pop","start":5,"ret":3"#,
            "test:1: pop has a result (\"ret\") but no \"end\"; give the time when it returned, or leave the result out if it never did",
        ),
        (
            r#""thread":0,"op":"pop","strat":5"#,
            "test:1: unknown field \"strat\" (did you mean \"start\"?); arguments go under \"args\", the result is \"ret\", and anything of your own goes under \"meta\"",
        ),
        (
            r#""thread":0,"op":"pop","host":5"#,
            "test:1: unknown field \"host\"; arguments go under \"args\", the result is \"ret\", and anything of your own goes under \"meta\"",
        ),
        (
            r#""thread":0,"op":"pop""#,
            "test:1: pop: the field \"start\" is missing; expected an integer, or \"clock\" or \"vars\" on a log line",
        ),
        (
            r#""op":"pop","start":5"#,
            "test:1: pop: the field \"thread\" is missing; expected a number or a string",
        ),
        (
            r#""thread":0,"start":5"#,
            "test:1: the field \"op\" is missing; expected the name of the operation",
        ),
        (
            r#""thread":0,"op":"pop","start":"5""#,
            "test:1: pop: the field \"start\" holds \"5\"; expected an integer, such as a time in microseconds",
        ),
        (
            r#""thread":[0],"op":"pop","start":5"#,
            "test:1: the field \"thread\" holds <<0>>; expected a number, a string or another scalar",
        ),
        (
            r#""thread":0,"op":"pop","args":3,"start":5"#,
            "test:1: pop: the field \"args\" holds 3; expected an object (arguments by name) or an array (by position)",
        ),
        (
            r#""thread":0,"op":"pop","op":"pop","start":5"#,
            "test:1: the field \"op\" occurs twice in one record",
        ),
        (
            r#""thread":0,"op":"pop","start":5.5"#,
            "test:1: not a JSON record: byte 31: expected a 64-bit integer, found a number with a fraction or an \
             exponent",
        ),
        (
            r#""omnilink":2"#,
            "test:1: trace format 2 is not known; this version reads format 1",
        ),
    ] {
        assert_eq!(refusal(line(fields)), message);
    }
}

#[test]
fn calls_of_one_thread_must_not_overlap() {
    let first = r#""thread":7,"op":"push","start":1,"end":5"#;
    let overlapping = line(first) + &line(r#""thread":7,"op":"pop","start":3,"end":4"#);
    assert_eq!(
        refusal(overlapping),
        "test:2: thread 7 starts pop at 3 while its push (test:1) is open until 5; \
         if calls of one thread may overlap, open the trace as asynchronous"
    );
    let after_pending =
        line(r#""thread":7,"op":"push","start":1"#) + &line(r#""thread":7,"op":"pop","start":3"#);
    assert!(refusal(after_pending).contains("never returned"));
}

#[test]
fn a_broken_line_in_the_middle_is_an_error() {
    let good = line(r#""thread":0,"op":"x","start":1,"end":1"#);
    let text = format!("{good}{{\"thread\":0,\"op\n{good}");
    assert!(refusal(text).starts_with("test:2: not a JSON record: byte 15: a control character"));
    assert!(refusal(format!("{good}\u{0}\u{0}\n{good}")).starts_with("test:2: not a JSON record: byte 0"));
}

#[test]
fn a_header_in_the_middle_is_an_error() {
    let good = line(r#""thread":0,"op":"x","start":1,"end":1"#);
    assert_eq!(
        refusal(good + "{\"omnilink\":1}\n"),
        "test:2: a header in the middle; to read several traces as one, give their files together"
    );
}

#[test]
fn a_line_without_its_opening_brace_is_an_error() {
    let good = line(r#""thread":0,"op":"x","start":1,"end":1"#);
    assert!(
        refusal(format!("{good},\"op\":\"x\",\"start\":1}}\n"))
            .starts_with("test:2: not a JSON record: byte 0")
    );
}

#[test]
fn what_is_no_trace_is_refused_by_name_of_the_formats() {
    let message = refusal("hello world\nthis is a diary\n");
    assert_eq!(
        message,
        "test: not a trace in any known format (ndjson, json, msgpack, omnilink, jepsen-edn, jepsen-json, jepsen-log, porcupine, fastlin, fptlin, limo, plume, dbcop, awdit, dbcop-json, dbcop-bincode, cobra, viper, csv, otlp, jaeger, zipkin, chrome); \
         name the format if it is one of them, and translate a log or a table of your own (docs/plain-text-log.md)"
    );
}

#[test]
fn messagepack_refusals_name_the_byte() {
    let record = |fields: &str| {
        Value::from_json(line(fields).trim().as_bytes())
            .expect("JSON")
            .to_msgpack()
    };
    let good = record(r#""thread":0,"op":"x","start":1,"end":1"#);
    let bad = record(r#""thread":0,"op":"x","start":"now""#);
    let message = refusal([good.clone(), bad].concat());
    assert_eq!(
        message,
        format!(
            "test: byte {}: x: the field \"start\" holds \"now\"; expected an integer, such as a time in microseconds",
            good.len()
        )
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Trace::open("/no/such/trace", &Default::default()).expect_err("no such file");
    assert!(
        error.to_string().starts_with("/no/such/trace: No such file"),
        "{error}"
    );
}

#[test]
fn the_field_that_is_meant_is_named() {
    for (field, meant) in [
        ("result", "ret"),
        ("output", "ret"),
        ("arguments", "args"),
        ("method", "op"),
        ("process", "thread"),
        ("timestamp", "start"),
    ] {
        let said = refusal(line(&format!(
            r#""thread":0,"op":"pop","start":5,"end":6,"{field}":1"#
        )));
        assert!(said.contains(&format!("(did you mean \"{meant}\"?)")), "{said}");
    }
    let said = refusal(line(r#""thread":0,"op":"write","value":1,"start":5,"end":6"#));
    assert!(
        said.contains("arguments go under \"args\", the result is \"ret\""),
        "{said}"
    );
}

#[test]
fn what_only_looks_like_a_trace_is_called_what_it_is() {
    let record = r#"{"thread":0,"op":"pop","start":5,"end":6}"#;
    let bytes = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for wide in [bytes(&format!("\u{feff}{record}\n")), bytes(record)] {
        let read = Trace::from_bytes("test", wide, &OpenOptions::default());
        let said = read.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.starts_with("test: this is UTF-16"), "{said}");
        assert!(said.contains("iconv -f UTF-16 -t UTF-8"), "{said}");
    }
    for single in [
        record.replace('"', "'"),
        format!("[{}]", record.replace('"', "'")),
    ] {
        let said = refusal(&single);
        assert!(
            said.contains("strings in single quotes") && said.contains("json.dumps"),
            "{said}"
        );
    }
}

#[test]
fn records_that_span_lines_are_read_as_they_stand() {
    let pretty = "{\n  \"thread\": 0,\n  \"op\": \"pop\",\n  \"start\": 5,\n  \"end\": 6\n}\n";
    let text = format!("{pretty}{}", pretty.replace("5", "7").replace("6", "8"));
    let trace = Trace::from_bytes("test", text.into_bytes(), &OpenOptions::default()).unwrap();
    assert_eq!(trace.format(), Format::Json);
    let operations = trace.collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(operations.len(), 2);
    assert_eq!(operations[1].location.to_string(), "test:7");
    // A line that is cut off is still a line.
    let cut = Trace::from_bytes("test", &b"{\"thread\":0,\"op\":\"p"[..], &OpenOptions::default()).unwrap();
    assert_eq!(cut.format(), Format::Ndjson);
}

#[test]
fn a_place_among_several_records_of_a_line_has_a_column() {
    let record = |start: i64| format!(r#"{{"thread":0,"op":"pop","start":{start},"end":{start}}}"#);
    let text = format!("[{}, {},\n {}]", record(1), record(2), record(3));
    let trace = Trace::from_bytes("test", text.into_bytes(), &OpenOptions::default()).unwrap();
    let places: Vec<String> = trace
        .map(|operation| operation.unwrap().location.to_string())
        .collect();
    assert_eq!(places, ["test:1", "test:1:45", "test:2"]);
    let bad = format!(
        "[{}, {}]",
        record(1),
        record(2).replace("\"pop\"", "\"pop\",\"x\":1")
    );
    assert!(
        refusal(&bad).starts_with("test:1:45: unknown field"),
        "{}",
        refusal(&bad)
    );
}

#[test]
fn threads_that_look_alike_are_noted() {
    let text = r#"{"thread":0,"op":"pop","start":1,"end":2}
{"thread":"0","op":"pop","start":3,"end":4}
{"thread":"a","op":"pop","start":5,"end":6}
"#;
    let mut trace = Trace::from_bytes("test", text.as_bytes(), &OpenOptions::default()).unwrap();
    assert_eq!(trace.by_ref().count(), 3);
    let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("test:2: \"0\" and 0 are two threads"),
        "{notes:?}"
    );
}
