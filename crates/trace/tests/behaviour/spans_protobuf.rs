//! Spans of OpenTelemetry as protobuf.

use omnilink_trace::{Format, OpenOptions, Trace};

use crate::spans::{otlp, span};
use crate::support::{draw, notes, read, refusal};

/// A field of bytes in protobuf.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        field.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend(bytes);
    field
}

fn proto_pair(key: &str, value: &[u8]) -> Vec<u8> {
    [field(1, key.as_bytes()), field(2, value)].concat()
}

/// A message `TracesData` with one span.
pub fn proto_message(end: u64, more: &[u8]) -> Vec<u8> {
    let mut span = field(1, &[0x4b; 16]);
    span.extend(field(2, &[0, 0, 0, 0, 0, 0, 0, 1]));
    span.extend(field(5, b"put"));
    span.extend([6 << 3, 3]);
    span.push(7 << 3 | 1);
    span.extend(10_u64.to_le_bytes());
    span.push(8 << 3 | 1);
    span.extend(end.to_le_bytes());
    span.extend(field(9, &proto_pair("key", &field(1, b"a"))));
    // -2 as a number of 64 bits.
    let negative = [[3 << 3, 0xfe].as_slice(), &[0xff; 8], &[1]].concat();
    span.extend(field(9, &proto_pair("value", &negative)));
    span.extend(field(9, &proto_pair("bytes", &field(7, &[1, 2]))));
    span.extend(more);
    let resource = field(1, &proto_pair("service.name", &field(1, b"client")));
    let scope = [field(1, &field(1, b"library")), field(2, &span)].concat();
    field(1, &[field(1, &resource), field(2, &scope)].concat())
}

pub fn framed(message: &[u8]) -> Vec<u8> {
    [(message.len() as u32).to_be_bytes().as_slice(), message].concat()
}

#[test]
fn protobuf_messages_come_behind_their_lengths() {
    let link = [field(1, &[0x4b; 16]), field(2, &[0, 0, 0, 0, 0, 0, 0, 9])].concat();
    let status = [field(2, b"late"), vec![3 << 3, 2]].concat();
    let more = [
        field(4, &[0, 0, 0, 0, 0, 0, 0, 7]),
        field(13, &link),
        field(15, &status),
    ]
    .concat();
    let mut operations = read(framed(&proto_message(20, &[])));
    operations.extend(read(framed(&proto_message(30, &more))));
    let call = "put(bytes: \"AQI=\", key: \"a\", value: -2)";
    assert_eq!(
        draw(&operations),
        format!("\"client/0000000000000001\" [10,20] {call}\n\"client/0000000000000001\" [10,…] {call}\n")
    );
    let meta = operations[1].meta.as_ref().expect("meta").to_json();
    for part in ["\"error\":\"late\"", "-0000000000000009", "-0000000000000007"] {
        assert!(meta.contains(part), "{meta}");
    }
    assert!(operations[0].location.to_string().starts_with("test: byte "));
    // An exporter that tries again may write a span twice.
    let twice = [framed(&proto_message(20, &[])), framed(&proto_message(20, &[]))].concat();
    let trace = Trace::from_bytes("test", twice.as_slice(), &OpenOptions::new()).expect("a trace");
    assert_eq!(trace.format(), Format::Otlp);
    let refused = refusal(twice);
    assert!(
        refused.contains("starts put at 10 while its put (test: byte 48) is open until 20"),
        "{refused}"
    );
}

#[test]
fn each_message_may_be_compressed_by_itself() {
    let text = otlp(&[span(2, "get", 40, 50, "")]);
    let whole = [proto_message(20, &[]), text.into_bytes()];
    let frames = whole.map(|message| framed(&zstd::encode_all(message.as_slice(), 3).expect("compressed")));
    let operations = read(frames.concat());
    let names: Vec<&str> = operations
        .iter()
        .map(|operation| operation.name.as_str())
        .collect();
    assert_eq!(names, ["put", "get"]);
    // All of the file may be compressed as well.
    let file = zstd::encode_all(framed(&proto_message(20, &[])).as_slice(), 3).expect("compressed");
    assert_eq!(read(file).len(), 1);
}

#[test]
fn protobuf_that_stops_early_is_cut_and_other_bytes_are_refused() {
    let message = framed(&proto_message(20, &[]));
    let two = [message.clone(), message.clone()].concat();
    for length in message.len() + 1..two.len() {
        let cut = &two[..length];
        assert_eq!(read(cut).len(), 1, "{length}");
        assert!(
            notes(cut).iter().any(|note| note.contains("cut off here")),
            "{length}"
        );
    }
    // A length within the span goes beyond it.
    let mut damaged = two.clone();
    let at = message.len()
        + 4
        + message[4..]
            .windows(3)
            .position(|bytes| bytes == b"put")
            .expect("a name")
        - 1;
    damaged[at] = 200;
    let refused = refusal(damaged);
    assert!(
        refused.contains(&format!(
            "byte {}: not a protobuf message: a field goes beyond the end",
            at - 1
        )),
        "{refused}"
    );
    let refused = refusal(framed(&proto_message(5, &[])));
    assert!(
        refused.contains("put ends at 5, before it starts at 10"),
        "{refused}"
    );
    let refused = refusal(framed(&proto_message(20, &field(4, &[1, 2, 3]))));
    assert!(
        refused.contains("\"parentSpanId\" holds \"3 bytes\"; expected 8 bytes"),
        "{refused}"
    );
}

#[test]
fn values_in_protobuf_nest_a_hundred_levels() {
    let mut deep = field(1, b"x");
    for _ in 0..200 {
        deep = field(5, &field(1, &deep));
    }
    let refused = refusal(framed(&proto_message(20, &field(9, &proto_pair("deep", &deep)))));
    assert!(refused.contains("nested deeper than 100 levels"), "{refused}");
}
