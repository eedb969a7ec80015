//! The report as one line of JSON: a contract with programs, documented in `docs/mc.md`.

use omnilink_value::Value;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{ActionCoverage, Answer, Report, TraceState, Violation};

#[derive(Serialize)]
struct JsonReport<'a> {
    input: &'a str,
    config: Option<&'a str>,
    verdict: &'static str,
    kind: Option<&'static str>,
    violated: Option<&'a str>,
    distinct: Option<u64>,
    generated: u64,
    depth: u32,
    waiting: u64,
    behaviours: Option<u64>,
    trace: Option<Vec<JsonState<'a>>>,
    false_part: Option<JsonFalsePart<'a>>,
    error: Option<&'a str>,
    limit: Option<&'static str>,
    unchecked: Vec<JsonUnchecked<'a>>,
    coverage: Vec<JsonCoverage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<JsonDefinition<'a>>,
    ops: u64,
    threads: usize,
    seconds: f64,
    peak_bytes: Option<u64>,
    configurations: u64,
    frontier_max: u64,
    notes: &'a [String],
}

#[derive(Serialize)]
struct JsonState<'a> {
    number: usize,
    action: Option<JsonAction<'a>>,
    values: Bindings<'a, Value>,
    changed: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonAction<'a> {
    name: &'a str,
    bindings: Bindings<'a, Value>,
    place: &'a str,
}

#[derive(Serialize)]
struct JsonFalsePart<'a> {
    text: &'a str,
    place: &'a str,
    bindings: Bindings<'a, String>,
}

#[derive(Serialize)]
struct JsonUnchecked<'a> {
    name: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonCoverage<'a> {
    action: &'a str,
    place: &'a str,
    generated: u64,
    distinct: u64,
}

#[derive(Serialize)]
struct JsonDefinition<'a> {
    name: &'a str,
    place: &'a str,
    evaluations: u64,
}

/// Names and what they stand for, as an object.
struct Bindings<'a, V>(&'a [(String, V)]);

impl<V: Serialize> Serialize for Bindings<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Report {
    /// The report as one JSON object, on one line, without a newline at its end.
    pub fn to_json(&self, peak_bytes: Option<u64>) -> String {
        let violation = match &self.answer {
            Answer::Wrong(violation) => Some(&**violation),
            _ => None,
        };
        let json = JsonReport {
            input: &self.input,
            config: self.config.as_deref(),
            verdict: self.verdict().word(),
            kind: violation.map(|violation| violation.kind.word()),
            violated: violation.and_then(|violation| violation.violated.as_deref()),
            distinct: self.behaviours.is_none().then_some(self.figures.distinct),
            generated: self.figures.generated,
            depth: self.figures.depth,
            waiting: self.figures.waiting,
            behaviours: self.behaviours,
            trace: violation.map(trace),
            false_part: violation.and_then(|violation| {
                violation.false_part.as_ref().map(|part| JsonFalsePart {
                    text: &part.text,
                    place: &part.place,
                    bindings: Bindings(&part.bindings),
                })
            }),
            error: violation.and_then(|violation| violation.error.as_deref()),
            limit: match &self.answer {
                Answer::Limit(limit) => Some(limit.word()),
                _ => None,
            },
            unchecked: self
                .unchecked
                .iter()
                .map(|unchecked| JsonUnchecked {
                    name: &unchecked.name,
                    reason: &unchecked.reason,
                })
                .collect(),
            coverage: self.coverage.iter().map(coverage).collect(),
            definitions: self
                .definitions
                .iter()
                .map(|definition| JsonDefinition {
                    name: &definition.name,
                    place: &definition.place,
                    evaluations: definition.evaluations,
                })
                .collect(),
            ops: 0,
            threads: self.workers,
            seconds: self.seconds,
            peak_bytes,
            configurations: self.figures.distinct,
            frontier_max: self.figures.waiting_max,
            notes: &self.notes,
        };
        // Strings, numbers, lists and values all have a JSON form, so this cannot fail.
        serde_json::to_string(&json).unwrap_or_default()
    }
}

fn coverage(action: &ActionCoverage) -> JsonCoverage<'_> {
    JsonCoverage {
        action: &action.name,
        place: &action.place,
        generated: action.generated,
        distinct: action.distinct,
    }
}

fn trace(violation: &Violation) -> Vec<JsonState<'_>> {
    let mut before: Option<&TraceState> = None;
    let mut states = Vec::new();
    for (number, state) in (1..).zip(&violation.trace) {
        let is_changed = |(name, value): &(String, Value)| {
            let old = before.and_then(|before| before.values.iter().find(|(other, _)| other == name));
            old.is_none_or(|(_, old)| old != value)
        };
        states.push(JsonState {
            number,
            action: state.action.as_ref().map(|action| JsonAction {
                name: &action.name,
                bindings: Bindings(&action.bindings),
                place: &action.place,
            }),
            values: Bindings(&state.values),
            changed: state
                .values
                .iter()
                .filter(|entry| is_changed(entry))
                .map(|(name, _)| name.as_str())
                .collect(),
        });
        before = Some(state);
    }
    states
}
