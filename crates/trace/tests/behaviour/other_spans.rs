//! Spans of Jaeger, Zipkin and Chrome.

use omnilink_trace::{
    Args, Encoding, Format, Header, OpenOptions, Operation, Timebox, Trace, TraceWriter, WriteOptions,
};

use crate::spans::read_with;
use crate::support::{draw, notes, read, refusal, without_locations};

#[test]
fn jaeger_traces_are_spans() {
    let text = r#"{"data":[{"traceID":"a1","spans":[
        {"traceID":"a1","spanID":"b1","operationName":"put","references":[],"startTime":10,"duration":5,
         "tags":[{"key":"span.kind","type":"string","value":"client"},{"key":"key","type":"string","value":"a"},
                 {"key":"value","type":"int64","value":5}],"logs":[],"processID":"p1","warnings":null},
        {"traceID":"a1","spanID":"b2","operationName":"get","startTime":20,"duration":5,
         "references":[{"refType":"CHILD_OF","traceID":"a1","spanID":"b1"},{"refType":"FOLLOWS_FROM","traceID":"a1","spanID":"b3"}],
         "tags":[{"key":"span.kind","type":"string","value":"client"},{"key":"error","type":"bool","value":true}],"processID":"p2"}],
        "processes":{"p1":{"serviceName":"client","tags":[{"key":"hostname","type":"string","value":"h"}]},
                     "p2":{"serviceName":"client","tags":[{"key":"service.instance.id","value":"i2"}]}}}],
        "total":0,"limit":0,"offset":0,"errors":null}"#;
    let operations = read(text);
    assert_eq!(
        draw(&operations),
        "\"client@h/00000000000000b1\" [10000,15000] put(key: \"a\", value: 5)\n\"i2/00000000000000b2\" [20000,…] get()\n"
    );
    let meta = operations[1].meta.as_ref().expect("meta").to_json();
    assert!(
        meta.contains("\"parent\":\"000000000000000000000000000000a1-00000000000000b1\""),
        "{meta}"
    );
    assert!(
        meta.contains("\"links\":{\"$set\":[\"000000000000000000000000000000a1-00000000000000b3\"]}"),
        "{meta}"
    );
    let refused = refusal(text.replace("\"startTime\":20", "\"startTime\":\"x\""));
    assert!(
        refused.starts_with("test:5:9: get: the field \"startTime\" holds \"x\""),
        "{refused}"
    );
    let refused = refusal(text.replace("\"spanID\":\"b2\"", "\"spanID\":\"no\""));
    assert!(refused.contains("\"spanID\" holds \"no\""), "{refused}");
    assert_eq!(read("{\"data\":[{\"traceID\":\"a\",\"spans\":[]}]}").len(), 0);
}

#[test]
fn zipkin_spans_come_as_an_array_or_one_for_each_trace() {
    let put = r#"{"id":"b1","traceId":"a1","kind":"CLIENT","name":"put","timestamp":10,"duration":5,"localEndpoint":{"serviceName":"client","ipv4":"10.0.0.1","port":80},"tags":{"key":"a","value":"5"}}"#;
    let get = r#"{"traceId":"a1","parentId":"b1","id":"b2","kind":"CLIENT","name":"get","timestamp":20,"tags":{"error":"late"}}"#;
    let picture = "\"client@10.0.0.1:80/00000000000000b1\" [10000,15000] put(key: \"a\", value: \"5\")\n\"00000000000000b2\" [20000,…] get()\n";
    for text in [
        format!("[{put},{get}]"),
        format!("[[{put},\n{get}]]"),
        format!("[[{get}],[{put}]]"),
        format!("{put}\n{get}\n"),
    ] {
        assert_eq!(draw(&read(&text)), picture, "{text}");
    }
    let refused = refusal(format!("[{put},{{\"resourceSpans\":[]}}]"));
    assert!(refused.contains("the field \"traceId\" is missing"), "{refused}");
    let refused = refusal(format!("[{}]", put.replace("\"duration\":5", "\"duration\":-5")));
    assert!(
        refused.contains("put ends at 5000, before it starts at 10000"),
        "{refused}"
    );
}

#[test]
fn chrome_events_are_spans() {
    let text = r#"{"displayTimeUnit":"ms","traceEvents":[
        {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker"}},
        {"ph":"X","cat":"kv","pid":1,"tid":2,"name":"put","ts":10.5,"dur":2.25,"args":{"key":"a","value":5}},
        {"ph":"B","cat":"kv","pid":1,"tid":2,"name":"get","ts":20,"args":{"key":"a"}},
        {"ph":"b","cat":"kv","id":"0x1","name":"scan","ts":21},
        {"ph":"E","pid":1,"tid":2,"ts":22,"args":{"ret":5}},
        {"ph":"e","cat":"kv","id":"0x1","name":"scan","ts":24},
        {"ph":"B","cat":"kv","pid":1,"tid":3,"name":"get","ts":30,"args":{"key":"b"}}],
        "otherData":{}}"#;
    assert_eq!(
        draw(&read(text)),
        "\"1/2\" [10500,12750] put(key: \"a\", value: 5)\n\"1/2\" [20000,22000] get(key: \"a\") = 5\n\
         \"kv:0x1\" [21000,24000] scan()\n\"1/3\" [30000,…] get(key: \"b\")\n"
    );
    assert!(notes(text)[0].contains("skipped 1 events that are no spans"));
    let array = r#"[{"name":"put","cat":"kv","ph":"X","pid":1,"tid":1,"ts":1,"dur":2},"#;
    assert_eq!(read(array).len(), 1);
    for (text, message) in [
        (
            r#"[{"name":"put","ph":"E","pid":1,"tid":1,"ts":1}]"#,
            "put of process \"1/1\" returns, but",
        ),
        (
            r#"[{"name":"put","ph":"B","pid":1,"tid":1,"ts":1},{"name":"get","ph":"E","pid":1,"tid":1,"ts":1}]"#,
            "returns from get, but its open call is put",
        ),
        (
            r#"[{"name":"put","ph":"X","pid":1,"tid":1,"dur":1}]"#,
            "put: the field \"ts\" is missing",
        ),
        (
            r#"[{"name":"put","ph":"X","ts":1,"dur":-1}]"#,
            "put ends at 0, before it starts at 1000",
        ),
        (
            r#"[{"name":"a","cat":"x","ph":"X","ts":1,"dur":1},{"name":"b","cat":"y","ph":"X","ts":1,"dur":1}]"#,
            "spans of several kinds (1 x, 1 y)",
        ),
        (
            r#"{"traceEvents":5}"#,
            "the field \"traceEvents\" is missing; expected an array",
        ),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn calls_that_nest_in_a_thread_of_chrome_are_refused_until_some_are_named() {
    let text = r#"[{"name":"outer","ph":"X","pid":1,"tid":1,"ts":1,"dur":9},{"name":"inner","ph":"X","pid":1,"tid":1,"ts":2,"dur":3}]"#;
    let refused = refusal(text);
    assert!(
        refused.contains("thread \"1/1\" starts inner at 2000 while its outer"),
        "{refused}"
    );
    assert_eq!(read_with(text, &["only=inner"]).expect("operations").len(), 1);
}

#[test]
fn chrome_events_that_were_written_are_read_back() {
    let operations = [
        Operation::new(1, "push", Args::positional([7.into()]), Timebox::new(-3, 5)).returning(true),
        Operation::new(
            "n1/2",
            "pop",
            Args::named([("key", "a".into())]),
            Timebox::pending(-3),
        ),
        Operation {
            call: {
                let mut failed = Operation::new(1, "push", Args::none(), Timebox::new(0, 1));
                (failed.aborted, failed.meta) = (true, Some("m".into()));
                failed.call
            },
            ..Operation::new(1, "push", Args::none(), Timebox::new(1 << 52, (1 << 52) + 1))
        },
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (name, unit) in [("trace.json", "ns"), ("trace.json.gz", "ticks")] {
        let path = folder.path().join(name);
        let options = WriteOptions::for_path(&path)
            .with_encoding(Encoding::Chrome)
            .with_header(Header::new([("unit", unit.into())]));
        let mut writer = TraceWriter::create(&path, &options).expect("a file");
        for operation in &operations {
            writer.write(operation).expect("written");
        }
        writer.finish().expect("finished");
        let trace = Trace::open(&path, &OpenOptions::new()).expect("a trace");
        assert_eq!(trace.format(), Format::Chrome);
        let read: Vec<Operation> = trace.collect::<Result<_, _>>().expect("operations");
        assert_eq!(
            without_locations(read),
            without_locations(operations.to_vec()),
            "{unit}"
        );
    }
    let empty = folder.path().join("empty.json");
    let options = WriteOptions::new().with_encoding(Encoding::Chrome);
    TraceWriter::create(&empty, &options)
        .expect("a file")
        .finish()
        .expect("finished");
    assert_eq!(
        Trace::open(&empty, &OpenOptions::new()).expect("a trace").count(),
        0
    );
}
