//! Spans of tracing systems as operations.

use omnilink_trace::{OpenOptions, Operation, SpanRules, Timebox, Trace, TraceError};

use crate::support::{draw, notes, read, refusal};

/// A message of the collector's file exporter with these spans, of the service `client` and the instance `c1`.
pub fn otlp(spans: &[String]) -> String {
    let resource = r#"{"attributes":[{"key":"service.name","value":{"stringValue":"client"}},{"key":"service.instance.id","value":{"stringValue":"c1"}}]}"#;
    let spans = spans.join(",");
    format!(
        r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"scope":{{}},"spans":[{spans}]}}]}}]}}"#
    )
}

/// A span of kind client.
pub fn span(id: u64, name: &str, start: u64, end: u64, rest: &str) -> String {
    format!(
        r#"{{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"{id:016x}","name":"{name}","kind":3,"startTimeUnixNano":"{start}","endTimeUnixNano":"{end}"{rest}}}"#
    )
}

fn attributes(pairs: &[(&str, &str)]) -> String {
    let pair = |(key, value): &(&str, &str)| format!(r#"{{"key":"{key}","value":{value}}}"#);
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    format!(r#","attributes":[{}]"#, pairs.join(","))
}

pub fn read_with(bytes: impl AsRef<[u8]>, rules: &[&str]) -> Result<Vec<Operation>, TraceError> {
    let rules = SpanRules::from_rules(rules).expect("rules");
    Trace::from_bytes("test", bytes.as_ref(), &OpenOptions::new().with_spans(rules))?.collect()
}

fn refusal_with(bytes: impl AsRef<[u8]>, rules: &[&str]) -> String {
    let refused = read_with(bytes, rules);
    refused.expect_err("spans that are refused").to_string()
}

const PUT: [(&str, &str); 3] = [
    ("key", r#"{"stringValue":"a"}"#),
    ("value", r#"{"intValue":"5"}"#),
    ("http.method", r#"{"stringValue":"PUT"}"#),
];

#[test]
fn what_jaegers_api_wraps_spans_in_is_removed_once() {
    let message = otlp(&[span(1, "put", 10, 20, "")]);
    let wrapped = format!(r#"{{"result":{message}}}"#);
    assert_eq!(draw(&read(&wrapped)), draw(&read(&message)));
    let deep = format!(
        "{}{message}{}",
        r#"{"result":"#.repeat(50_000),
        "}".repeat(50_000)
    );
    assert!(!refusal(&deep).is_empty());
}

#[test]
fn a_span_is_an_operation_with_its_attributes_as_arguments() {
    let put = span(1, "put", 10, 20, &attributes(&PUT));
    let get = span(
        2,
        "get",
        15,
        30,
        &attributes(&[("key", r#"{"stringValue":"a"}"#), ("ret", r#"{"intValue":5}"#)]),
    );
    let text = format!("{}\n{}\n", otlp(&[get]), otlp(&[put]));
    let operations = read(&text);
    assert_eq!(
        draw(&operations),
        "\"c1/0000000000000001\" [10,20] put(key: \"a\", value: 5)\n\"c1/0000000000000002\" [15,30] get(key: \"a\") = 5\n"
    );
    let meta = operations[0].meta.clone().expect("meta");
    assert_eq!(
        meta.to_json(),
        r#"{"attributes":{"http.method":"PUT"},"kind":"client","node":"c1","span":"4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001"}"#
    );
    assert!(operations[1].location.to_string().starts_with("test:1:"));
    assert_eq!(operations[0].location.position(), Some(2));
    assert!(notes(&text)[0].contains("--spans thread=ATTRIBUTE"));
}

#[test]
fn other_spellings_are_the_same_spans() {
    let text = r#"{"resource_spans":[{"instrumentation_library_spans":[{"spans":[
        {"trace_id":"S/kvNXezTaajzpKdDg5HNg==","span_id":"AAAAAAAAAAE=","parent_span_id":"","name":"put","kind":"SPAN_KIND_CLIENT",
         "start_time_unix_nano":10,"end_time_unix_nano":20,
         "attributes":[{"key":"list","value":{"array_value":{"values":[{"int_value":1},{"bool_value":true}]}}},
                       {"key":"map","value":{"kvlist_value":{"values":[{"key":"x","value":{"double_value":1.5}}]}}},
                       {"key":"nothing","value":{}}]}]}],
        "resource":{"attributes":[{"key":"service.name","value":{"string_value":"client"}},{"key":"host.name","value":{"string_value":"h"}}]}}]}"#;
    assert_eq!(
        draw(&read(text)),
        "\"client@h/0000000000000001\" [10,20] put(list: <<1, TRUE>>, map: [x |-> 1.5], nothing: null)\n"
    );
}

#[test]
fn what_the_attributes_mean_can_be_said() {
    let pairs = [
        ("rpc.method", r#"{"stringValue":"Put"}"#),
        ("kv.key", r#"{"stringValue":"a"}"#),
        ("kv.result.json", r#"{"stringValue":"[null,{\"x\":1}]"}"#),
        ("session", r#"{"intValue":"7"}"#),
    ];
    let text = otlp(&[span(1, "kv.Store/Put", 10, 20, &attributes(&pairs))]);
    let rules = [
        "name=rpc.method",
        "args=kv.*",
        "ret=kv.result",
        "thread=session",
        "node=service.name",
    ];
    let operations = read_with(&text, &rules).expect("operations");
    assert_eq!(
        draw(&operations),
        "\"client/7\" [10,20] Put(key: \"a\") = <<null, [x |-> 1]>>\n"
    );
    assert_eq!(read_with(&text, &["only=get"]).expect("none").len(), 0);
    let refused = refusal_with(&text, &["thread=user"]);
    assert!(
        refused.contains("kv.Store/Put has no attribute \"user\""),
        "{refused}"
    );
    let refused = refusal_with(&text, &["node=pod"]);
    assert!(
        refused.contains("the resource has no attribute \"pod\""),
        "{refused}"
    );
}

#[test]
fn an_error_is_an_unknown_outcome_unless_it_is_said_what_it_means() {
    let failed = r#","status":{"code":2,"message":"timeout"}"#;
    let conflict = format!(
        "{}{failed}",
        attributes(&[("error.type", r#"{"stringValue":"conflict"}"#)])
    );
    let text = otlp(&[span(1, "put", 10, 20, failed), span(2, "put", 30, 40, &conflict)]);
    let drawn = |rules: &[&str]| draw(&read_with(&text, rules).expect("operations"));
    let (one, two) = ("\"c1/0000000000000001\"", "\"c1/0000000000000002\"");
    assert_eq!(drawn(&[]), format!("{one} [10,…] put()\n{two} [30,…] put()\n"));
    assert!(
        notes(&text)
            .iter()
            .any(|note| note.contains("2 spans ended in an error"))
    );
    assert_eq!(
        drawn(&["aborted=conflict"]),
        format!("{one} [10,…] put()\n{two} [30,40] put() aborted\n")
    );
    assert_eq!(
        drawn(&["error=aborted"]),
        format!("{one} [10,20] put() aborted\n{two} [30,40] put() aborted\n")
    );
    assert_eq!(
        drawn(&["error=returned"]),
        format!("{one} [10,20] put()\n{two} [30,40] put()\n")
    );
    // The thread goes on after a call of which nothing is known.
    assert_eq!(
        drawn(&["thread=node", "aborted=conflict"]),
        "\"c1 (0000000000000001)\" [10,…] put()\n\"c1\" [30,40] put() aborted\n"
    );
}

#[test]
fn spans_of_several_kinds_need_a_decision() {
    let server =
        span(2, "put", 12, 18, r#","parentSpanId":"0000000000000001""#).replace("\"kind\":3", "\"kind\":2");
    let text = otlp(&[span(1, "put", 10, 20, ""), server]);
    let refused = refusal(&text);
    assert!(
        refused.contains("spans of several kinds (1 client, 1 server)"),
        "{refused}"
    );
    assert!(refused.contains("--spans kind=client"), "{refused}");
    let count = |rules: &[&str]| read_with(&text, rules).expect("operations").len();
    assert_eq!((count(&["kind=server"]), count(&["kind=any"])), (1, 2));
    let marked = text.replacen(
        "\"kind\":2",
        r#""kind":2,"attributes":[{"key":"omnilink.op","value":{"stringValue":"Write"}}]"#,
        1,
    );
    assert_eq!(draw(&read(&marked)), "\"c1/0000000000000002\" [12,18] Write()\n");
    assert!(notes(&marked)[0].contains("skipped 1 spans that are no operations"));
}

#[test]
fn parents_and_links_may_be_the_order() {
    // 1 is the parent of 2, which is none of the operations, and that of 3; 4 follows 3; 5 follows a span that is not there.
    let inner = span(2, "handle", 11, 19, r#","parentSpanId":"0000000000000001""#);
    let text = otlp(&[
        span(1, "send", 10, 20, ""),
        inner,
        span(3, "store", 12, 18, r#","parentSpanId":"0000000000000002""#),
        span(
            4,
            "ack",
            5,
            6,
            r#","links":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"0000000000000003"}]"#,
        ),
        span(5, "ack", 30, 31, r#","parentSpanId":"00000000000000ff""#),
    ]);
    let operations = read_with(&text, &["only=send,store,ack", "order=parents"]).expect("operations");
    let after: Vec<String> = operations
        .iter()
        .map(|operation| {
            let meta = operation.meta.as_ref().expect("meta");
            let id = meta.field("id").and_then(|id| id.as_str()).expect("an id");
            format!(
                "{} after {}",
                &id[48..],
                meta.field("after").expect("an order").len().expect("a list")
            )
        })
        .collect();
    assert_eq!(after, ["4 after 1", "1 after 0", "3 after 1", "5 after 0"]);
    let twice = otlp(&[span(1, "send", 10, 20, ""), span(1, "send", 30, 40, "")]);
    let refused = refusal_with(twice, &["order=parents"]);
    assert!(refused.contains("is also in test:1:"), "{refused}");
}

#[test]
fn what_is_no_span_is_refused_with_its_place() {
    for (text, message) in [
        (
            otlp(&[span(1, "put", 20, 10, "")]),
            "put ends at 10, before it starts at 20",
        ),
        (
            otlp(&[span(1, "put", 0, 10, "")]),
            "put: the field \"startTimeUnixNano\" is missing",
        ),
        (
            otlp(&[span(1, "put", 10, 20, "").replace("\"10\"", "\"now\"")]),
            "put: the field \"startTimeUnixNano\" holds \"now\"",
        ),
        (
            otlp(&[span(1, "put", 10, 20, "").replace("0000000000000001", "not hex")]),
            "the field \"spanId\" holds \"not hex\"; expected at most 16 hexadecimal digits",
        ),
        (
            otlp(&[span(1, "put", 10, 20, r#","parentSpanId":"xyz""#)]),
            "the field \"parentSpanId\" holds \"xyz\"",
        ),
        (
            otlp(&[span(1, "put", 10, 20, r#","droppedAttributesCount":3"#)]),
            "put: 3 attributes of this span were dropped",
        ),
        (otlp(&[span(1, "", 10, 20, "")]), "the field \"name\" is missing"),
        (
            otlp(&[span(
                1,
                "put",
                10,
                20,
                &attributes(&[("ret.json", r#"{"stringValue":"{"}"#)]),
            )]),
            "not a JSON record",
        ),
        (
            otlp(&[span(
                1,
                "put",
                10,
                20,
                &attributes(&[("key", r#"{"textValue":"a"}"#)]),
            )]),
            "expected a value with its type: stringValue",
        ),
    ] {
        let refused = refusal(&text);
        assert!(
            refused.starts_with("test:1:") && refused.contains(message),
            "{refused}"
        );
    }
    let mixed = format!(
        "{}\n{}\n",
        otlp(&[span(1, "put", 10, 20, "")]),
        r#"{"traceId":"1","id":"2","name":"put","timestamp":1,"duration":2}"#
    );
    let refused = refusal(mixed);
    assert!(
        refused.starts_with("test:2:1: the field \"resourceSpans\" is missing"),
        "{refused}"
    );
}

#[test]
fn a_span_without_an_end_is_pending_and_a_last_line_without_end_is_cut() {
    let text = format!(
        "{}\n{}",
        otlp(&[span(1, "put", 10, 0, "")]),
        &otlp(&[span(2, "get", 10, 20, "")])[..80]
    );
    assert_eq!(draw(&read(&text)), "\"c1/0000000000000001\" [10,…] put()\n");
    assert!(notes(&text)[0].contains("cut off here: the last element is incomplete"));
}

#[test]
fn metrics_and_logs_are_no_spans() {
    let text = format!(
        "{}\n{{\"resourceMetrics\":[]}}\n",
        otlp(&[span(1, "put", 10, 20, "")])
    );
    assert_eq!(read(&text).len(), 1);
    assert!(notes(&text)[0].contains("skipped 1 messages with metrics or log records"));
    assert_eq!(read("{\"resourceLogs\":[]}").len(), 0);
}

#[test]
fn a_link_narrows_times_where_it_is_known_to_follow() {
    let link = r#","links":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"0000000000000001"}]"#;
    let text = otlp(&[span(1, "send", 10, 90, ""), span(2, "receive", 5, 40, link)]);
    let trace = Trace::from_bytes("test", text.as_bytes(), &OpenOptions::new()).expect("a trace");
    let rules = ["tighten=span,links".parse().expect("a rule")];
    let retimed = trace.retimed(&rules).expect("retimed");
    let operations: Vec<Operation> = retimed.collect::<Result<_, _>>().expect("operations");
    let times: Vec<_> = operations.iter().map(|operation| operation.timebox).collect();
    assert_eq!(times, [Timebox::new(10, 40), Timebox::new(10, 40)]);
}
