//! The spans of a tracing system as lines of a log.

use std::io::{self, Read};
use std::path::Path;

use omnilink_trace::{
    OpenOptions, Operation, SpanErrors, SpanRules, SpanThreads, Trace, TraceError, holds_spans,
};
use omnilink_value::Value;

use crate::error::LogError;

/// The lines of a file of spans, one for each span that is an operation, in order of start.
pub(crate) struct SpanLines {
    trace: Trace,
    line: Vec<u8>,
    read: usize,
}

impl SpanLines {
    /// Opens a file; `None` if it holds no spans. Standard input and pipes do not tell before they are read.
    ///
    /// A line is a step that was taken, so a span that ended in an error is a line with the field `error`; what that means is for the link
    /// file to say. Spans of a node that overlap are refused unless the rules name the threads: lines of a node are in order.
    ///
    /// # Errors
    /// If the rules are none, or the file cannot be read.
    pub(crate) fn open(path: &Path, rules: &[String]) -> Result<Option<Self>, LogError> {
        if path.as_os_str() == "-" || !path.is_file() || !holds_spans(path) {
            return Ok(None);
        }
        let rules = SpanRules::from_rules(rules);
        let mut rules = rules.map_err(|error| LogError::Usage(error.to_string()))?;
        rules.errors = SpanErrors::Returned;
        if rules.threads == SpanThreads::Unknown {
            rules.threads = SpanThreads::Node;
        }
        let trace =
            Trace::open(path, &OpenOptions::new().with_spans(rules)).map_err(|error| LogError::File {
                path: path.to_owned(),
                error: in_file(&error),
            })?;
        Ok(Some(Self {
            trace,
            line: Vec::new(),
            read: 0,
        }))
    }
}

impl Read for SpanLines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            let Some(operation) = self.trace.next() else {
                return Ok(0);
            };
            let operation = operation.map_err(|error| in_file(&error))?;
            self.line = line(&operation)?.into_bytes();
            self.line.push(b'\n');
            self.read = 0;
        }
        let rest = &self.line[self.read..];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

/// What is wrong and where, without the file, which the message names anyway.
fn in_file(error: &TraceError) -> io::Error {
    let location = error.location().to_string();
    let place = location
        .strip_prefix(error.location().file())
        .unwrap_or(&location);
    io::Error::other(format!(
        "{}: {}",
        place.trim_start_matches([':', ' ']),
        error.problem()
    ))
}

fn line(operation: &Operation) -> io::Result<String> {
    let Some(end) = operation.timebox.end else {
        return Err(io::Error::other(format!(
            "{}: the span {} has no end, and a line of a log is a step that was taken; leave it out (--spans only=NAME,…)",
            operation.location, operation.name
        )));
    };
    let mut fields = vec![
        ("event", operation.name.as_value().clone()),
        ("node", operation.thread.clone()),
        ("start", Value::int(operation.timebox.start)),
        ("end", Value::int(end)),
    ];
    let meta = operation.meta.iter().filter_map(Value::as_record);
    for (name, value) in meta.flat_map(|meta| meta.iter()) {
        match name {
            "span" => fields.push(("id", value.clone())),
            "node" => fields.push(("service", value.clone())),
            "after" | "error" | "kind" | "parent" | "links" | "attributes" => {
                fields.push((name, value.clone()));
            }
            _ => {}
        }
    }
    // Arguments and the result are fields of their own, which become parameters of these names where an action has them.
    let args = operation.args.as_value().as_record();
    let args = args.iter().flat_map(|args| args.iter());
    let ret = operation.ret.iter().map(|ret| ("ret", ret));
    for (name, value) in args.chain(ret) {
        if fields.iter().any(|(other, _)| *other == name) {
            return Err(io::Error::other(format!(
                "{}: the attribute \"{name}\" has the name of a field that every line of a log has; name the attributes that are arguments \
                 (--spans args=ATTRIBUTE,…)",
                operation.location
            )));
        }
        fields.push((name, value.clone()));
    }
    Ok(Value::record(fields).to_json())
}
