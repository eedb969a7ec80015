//! The encoding of one operation as a record of format 1.

use omnilink_value::{json, msgpack};

use crate::{Args, Operation};

/// Appends the record of `operation` as JSON, without a newline.
pub fn encode_json(operation: &Operation, out: &mut String) {
    out.push_str("{\"thread\":");
    json::write_value(out, &operation.thread);
    out.push_str(",\"op\":");
    json::write_string(out, &operation.name);
    out.push_str(",\"args\":");
    match &operation.args {
        Args::Named(_) if operation.args.is_empty() => out.push_str("{}"),
        Args::Named(args) | Args::Positional(args) => json::write_value(out, args),
    }
    out.push_str(",\"start\":");
    json::write_int(out, operation.timebox.start);
    if let Some(end) = operation.timebox.end {
        out.push_str(",\"end\":");
        json::write_int(out, end);
    }
    if operation.aborted {
        out.push_str(",\"aborted\":true");
    }
    for (key, value) in extras(operation) {
        out.push(',');
        json::write_string(out, key);
        out.push(':');
        json::write_value(out, value);
    }
    out.push('}');
}

/// The record of `operation` as MessagePack.
pub fn msgpack_record(operation: &Operation) -> Vec<u8> {
    let mut out = Vec::new();
    encode_msgpack(operation, &mut out);
    out
}

/// Appends the record of `operation` as MessagePack.
pub(crate) fn encode_msgpack(operation: &Operation, out: &mut Vec<u8>) {
    let optional = [operation.timebox.end.is_some(), operation.aborted];
    let count = 4 + optional.into_iter().filter(|&is_present| is_present).count() + extras(operation).count();
    msgpack::write_map_len(out, count);
    msgpack::write_str(out, "thread");
    msgpack::write_value(out, &operation.thread);
    msgpack::write_str(out, "op");
    msgpack::write_str(out, &operation.name);
    msgpack::write_str(out, "args");
    match &operation.args {
        Args::Named(_) if operation.args.is_empty() => msgpack::write_map_len(out, 0),
        Args::Named(args) | Args::Positional(args) => msgpack::write_value(out, args),
    }
    msgpack::write_str(out, "start");
    msgpack::write_int(out, operation.timebox.start);
    if let Some(end) = operation.timebox.end {
        msgpack::write_str(out, "end");
        msgpack::write_int(out, end);
    }
    if operation.aborted {
        msgpack::write_str(out, "aborted");
        msgpack::write_value(out, &true.into());
    }
    for (key, value) in extras(operation) {
        msgpack::write_str(out, key);
        msgpack::write_value(out, value);
    }
}

/// The optional fields. A pending call has no result yet, and readers refuse one.
fn extras(operation: &Operation) -> impl Iterator<Item = (&'static str, &omnilink_value::Value)> {
    let has_ended = operation.timebox.end.is_some() || operation.aborted;
    let all = [
        ("ret", if has_ended { &operation.ret } else { &None }),
        ("meta", &operation.meta),
        ("vars", &operation.vars),
        ("clock", &operation.clock),
    ];
    all.into_iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)))
}
