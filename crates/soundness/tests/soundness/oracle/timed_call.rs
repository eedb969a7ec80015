//! Operations of a trace.

use std::fmt::Write as _;

use super::spec::Spec;
use super::value::Val;

#[derive(Clone, Debug, PartialEq)]
pub struct TimedCall {
    pub thread: u32,
    /// The number of the operation.
    pub operation: usize,
    /// One for each parameter; `None` for a result that was not recorded.
    pub args: Vec<Option<Val>>,
    pub start: i64,
    pub end: Option<i64>,
}

/// As NDJSON, in order of start.
pub fn ndjson(spec: &Spec, calls: &[TimedCall]) -> String {
    let mut text = String::new();
    for call in in_order(calls) {
        let operation = &spec.operations[call.operation];
        let args = operation
            .params
            .iter()
            .zip(&call.args)
            .filter_map(|(param, arg)| {
                let arg = arg.as_ref()?;
                Some(format!("\"{}\":{}", param.name, arg.json()))
            });
        let end = call.end.map_or("null".to_owned(), |end| end.to_string());
        let _ = writeln!(
            text,
            "{{\"thread\":{},\"op\":\"{}\",\"args\":{{{}}},\"start\":{},\"end\":{end}}}",
            call.thread,
            operation.name,
            args.collect::<Vec<_>>().join(","),
            call.start
        );
    }
    text
}

/// In order of start; calls that start together stay as they are.
pub fn in_order(calls: &[TimedCall]) -> Vec<TimedCall> {
    let mut calls = calls.to_vec();
    calls.sort_by_key(|call| call.start);
    calls
}
