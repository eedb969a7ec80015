//! What formulas of the link file see of a line: the line, its neighbours and its node.

use omnilink_value::Value;

use crate::log_spec::LogSpec;
use crate::raw_line::RawLine;

/// What the names that formulas have for lines stand for.
#[derive(Clone, Debug)]
pub(crate) struct LineContext {
    pub line: Value,
    pub previous: Option<Value>,
    pub next: Option<Value>,
    pub node: Option<Value>,
}

impl LineContext {
    /// A line between the previous and the next line of its node, with the table of values applied.
    pub fn new(spec: &LogSpec, line: &RawLine, previous: Option<&RawLine>, next: Option<&RawLine>) -> Self {
        let translated = |line: &RawLine| translated(spec, &line.record);
        Self {
            line: translated(line),
            previous: previous.map(translated),
            next: next.map(translated),
            node: line.field(spec.node_field()).cloned(),
        }
    }
}

fn translated(spec: &LogSpec, value: &Value) -> Value {
    let table = &spec.words.table;
    if table.is_empty() {
        return value.clone();
    }
    if let Some(meaning) = table.get(value) {
        return meaning.clone();
    }
    if let Some(elements) = value.as_tuple() {
        return Value::tuple(elements.iter().map(|element| translated(spec, element)));
    }
    match value.as_record() {
        Some(fields) => Value::record(fields.iter().map(|(name, value)| (name, translated(spec, value)))),
        None => value.clone(),
    }
}
