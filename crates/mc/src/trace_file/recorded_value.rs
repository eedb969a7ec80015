//! A value of a trace that was read from a file.

use omnilink_value::{Value, ValueKind};
use serde_json::Value as Json;

/// A value as its file, or another program, has it.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedValue {
    /// The value.
    Exact(Value),
    /// A value in the form of TLC's JSON, where an array may be a set or a sequence, a string a model value, and an object a function. The
    /// marks of ITF, such as `{"#set": […]}`, say which. `null` is a part that is not known.
    Json(Json),
}

impl RecordedValue {
    /// Whether this is, or may be, the value.
    pub fn matches(&self, value: &Value) -> bool {
        match self {
            Self::Exact(exact) => exact == value,
            Self::Json(json) => matches(json, value),
        }
    }

    /// The value, if it is one of the kind of another value.
    pub fn like(&self, other: Option<&Value>) -> Value {
        match self {
            Self::Exact(exact) => exact.clone(),
            Self::Json(json) => like(json, other),
        }
    }
}

/// The text of a key in TLC's JSON: a string as it is, anything else as TLA+ prints it.
pub(super) fn key_text(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

/// A value that the marks of ITF make certain.
fn marked(json: &Json) -> Option<Value> {
    let fields = json.as_object().filter(|fields| fields.len() == 1)?;
    fields.keys().next().filter(|mark| mark.starts_with('#'))?;
    super::itf::from_json(json).ok()
}

fn matches(json: &Json, value: &Value) -> bool {
    if json.is_null() {
        return true;
    }
    if let Some(exact) = marked(json) {
        return exact == *value;
    }
    match value.kind() {
        ValueKind::Bool => json.as_bool() == value.as_bool(),
        ValueKind::Int => json.as_i64() == value.as_int(),
        ValueKind::Str => json.as_str() == value.as_str(),
        ValueKind::Model => json.as_str() == Some(value.to_string().as_str()),
        ValueKind::Tuple => match json {
            Json::Array(elements) => {
                let parts = value.as_tuple().unwrap_or_default();
                elements.len() == parts.len()
                    && elements.iter().zip(parts).all(|(json, part)| matches(json, part))
            }
            // The empty function is the empty sequence.
            Json::Object(fields) => fields.is_empty() && value.as_tuple().is_some_and(<[Value]>::is_empty),
            _ => false,
        },
        ValueKind::Set => {
            let elements = value.as_set().unwrap_or_default();
            // Distinct elements have distinct forms, except for those that JSON does not tell apart.
            json.as_array().is_some_and(|listed| {
                listed.len() == elements.len()
                    && elements
                        .iter()
                        .all(|element| listed.iter().any(|json| matches(json, element)))
                    && listed
                        .iter()
                        .all(|json| elements.iter().any(|element| matches(json, element)))
            })
        }
        ValueKind::Record | ValueKind::Function => {
            let entries = value.as_entries().unwrap_or_default();
            json.as_object().is_some_and(|fields| {
                fields.len() == entries.len()
                    && entries.iter().all(|(key, value)| {
                        fields
                            .get(&key_text(key))
                            .is_some_and(|json| matches(json, value))
                    })
            })
        }
    }
}

/// A value for some JSON, of the kind of another value where JSON leaves it open.
fn like(json: &Json, other: Option<&Value>) -> Value {
    let kind = other.map(Value::kind);
    if let Some(exact) = marked(json) {
        return exact;
    }
    match json {
        Json::Null => Value::null(),
        Json::Bool(value) => Value::bool(*value),
        Json::Number(number) => number
            .as_i64()
            .map_or_else(|| Value::float(number.as_f64().unwrap_or_default()), Value::int),
        Json::String(text) if kind == Some(ValueKind::Model) => Value::model(text),
        Json::String(text) => Value::str(text),
        Json::Array(elements) if kind == Some(ValueKind::Set) => {
            let first = other.and_then(|other| other.as_set()?.first());
            Value::set(elements.iter().map(|json| like(json, first)))
        }
        Json::Array(elements) => {
            let first = other.and_then(|other| other.as_tuple()?.first());
            Value::tuple(elements.iter().map(|json| like(json, first)))
        }
        Json::Object(fields) => {
            let entries = other.and_then(Value::as_entries).unwrap_or_default();
            let known = |text: &str| entries.iter().find(|(key, _)| key_text(key) == text);
            let first = entries.first().map(|(_, value)| value);
            let fields = fields.iter().map(|(name, json)| match known(name) {
                Some((key, value)) => (key.clone(), like(json, Some(value))),
                None => (Value::str(name), like(json, first)),
            });
            Value::function(fields.collect::<Vec<_>>()).unwrap_or_else(|_| Value::null())
        }
    }
}
