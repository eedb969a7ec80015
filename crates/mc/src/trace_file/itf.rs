//! The Informal Trace Format, JSON that several TLA+ tools read and write.
//!
//! Sequences are arrays, records objects, and what JSON lacks is marked: `{"#set": […]}`, `{"#map": [[k, v], …]}`, `{"#tup": […]}`,
//! `{"#bigint": "…"}`. A model value is `{"#unserializable": "name"}`.

use omnilink_value::{Value, ValueKind};
use serde_json::{Map, Value as Json, json};

use super::{RecordedStep, RecordedTrace, RecordedValue, TraceFileError, WrittenBehaviour, position};

/// JSON numbers beyond this lose precision in other programs.
const SAFE_MAX: u64 = (1 << 53) - 1;

pub(super) fn text(behaviour: &WrittenBehaviour<'_>) -> String {
    let states = behaviour
        .states
        .iter()
        .enumerate()
        .map(|(index, (action, values))| {
            let mut meta = Map::new();
            meta.insert("index".into(), index.into());
            if let Some(action) = action {
                meta.insert("action".into(), action.name.clone().into());
                if !action.bindings.is_empty() {
                    let parameters = action.bindings.iter();
                    let parameters = parameters.map(|(name, value)| (name.clone(), to_json(value)));
                    meta.insert("parameters".into(), Json::Object(parameters.collect()));
                }
            }
            let mut state = Map::new();
            state.insert("#meta".into(), meta.into());
            let named = behaviour.variables.iter().zip(values);
            state.extend(named.map(|(name, value)| ((*name).to_owned(), to_json(value))));
            Json::from(state)
        });
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html",
            "description": behaviour.description,
        },
        "vars": behaviour.variables,
        "states": states.collect::<Vec<_>>(),
    });
    if let Some((back_to, _)) = behaviour.back {
        document["loop"] = back_to.into();
    }
    format!("{document:#}\n")
}

fn to_json(value: &Value) -> Json {
    let all = |values: &[Value]| Json::Array(values.iter().map(to_json).collect());
    match value.kind() {
        ValueKind::Bool => value.as_bool().unwrap_or_default().into(),
        ValueKind::Int => match value.as_int().unwrap_or_default() {
            number if number.unsigned_abs() <= SAFE_MAX => number.into(),
            number => json!({"#bigint": number.to_string()}),
        },
        ValueKind::Str => value.as_str().unwrap_or_default().into(),
        ValueKind::Model => json!({"#unserializable": value.to_string()}),
        ValueKind::Set => json!({"#set": all(value.as_set().unwrap_or_default())}),
        ValueKind::Tuple => all(value.as_tuple().unwrap_or_default()),
        ValueKind::Record | ValueKind::Function => {
            let entries = value.as_entries().unwrap_or_default();
            let keys = entries.iter().map(|(key, _)| key.as_str());
            // A key that looks like a mark would be read as one.
            let is_record = keys
                .clone()
                .all(|key| key.is_some_and(|key| !key.starts_with('#')));
            if is_record {
                let named = keys
                    .zip(entries)
                    .map(|(key, (_, value))| (key.unwrap_or_default().to_owned(), to_json(value)));
                return Json::Object(named.collect());
            }
            let pairs = entries
                .iter()
                .map(|(key, value)| json!([to_json(key), to_json(value)]));
            json!({"#map": pairs.collect::<Vec<_>>()})
        }
    }
}

pub(super) fn read(states: &Json, back_to: Option<&Json>) -> Result<RecordedTrace, TraceFileError> {
    let listed = states.as_array().ok_or(TraceFileError::NoStates)?;
    let mut read = Vec::with_capacity(listed.len());
    let mut steps = Vec::with_capacity(listed.len());
    for (number, state) in (1..).zip(listed) {
        let wrong = |message: String| TraceFileError::State {
            state: number,
            message,
        };
        let fields = state.as_object().ok_or_else(|| wrong("it is no object".into()))?;
        steps.push(step(fields).map_err(wrong)?);
        // Quint keeps the action of a step among the variables.
        let variables = fields
            .iter()
            .filter(|(name, _)| !name.starts_with('#') && !name.starts_with("mbt::"));
        let values = variables.map(|(name, value)| match from_json(value) {
            Ok(value) => Ok((name.clone(), RecordedValue::Exact(value))),
            Err(message) => Err(wrong(format!("{name}: {message}"))),
        });
        read.push(values.collect::<Result<Vec<_>, _>>()?);
    }
    let back_to = match back_to.and_then(Json::as_u64) {
        None => None,
        Some(index) => Some(position(Some(index), read.len(), index + 1)?),
    };
    Ok(RecordedTrace {
        states: read,
        steps,
        back_to,
    })
}

/// The action that led to a state: as this tool writes it, beside the variables, or as Quint does, among them.
fn step(fields: &Map<String, Json>) -> Result<Option<RecordedStep>, String> {
    let meta = fields.get("#meta");
    let (action, parameters) = match meta.and_then(|meta| meta.get("action")) {
        Some(action) => (action, meta.and_then(|meta| meta.get("parameters"))),
        None => match fields.get("mbt::actionTaken") {
            Some(action) => (action, fields.get("mbt::nondetPicks")),
            None => return Ok(None),
        },
    };
    let action = action
        .as_str()
        .ok_or_else(|| format!("{action} is no name of an action"))?;
    // Quint calls the beginning of a behaviour a step of the action `init`, or of none.
    if action.is_empty() || (meta.is_none_or(|meta| meta.get("action").is_none()) && action == "init") {
        return Ok(None);
    }
    let mut read = Vec::new();
    match parameters {
        None => {}
        Some(Json::Object(parameters)) => {
            for (name, value) in parameters {
                // A choice of Quint may be absent: `{"tag": "None", …}`, or `{"tag": "Some", "value": …}`.
                let value = match (value.get("tag").and_then(Json::as_str), value.get("value")) {
                    (Some("None"), _) => continue,
                    (Some("Some"), Some(value)) => value,
                    _ => value,
                };
                let value = from_json(value).map_err(|message| format!("{name}: {message}"))?;
                read.push((name.clone(), value));
            }
        }
        Some(other) => {
            return Err(format!(
                "the parameters of {action} are {other}, which is no object"
            ));
        }
    }
    Ok(Some(RecordedStep {
        action: action.to_owned(),
        parameters: read,
    }))
}

pub(super) fn from_json(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Bool(value) => Value::bool(*value),
        Json::Number(number) => number
            .as_i64()
            .map(Value::int)
            .ok_or_else(|| format!("{number} is no integer of 64 bits"))?,
        Json::String(text) => Value::str(text),
        Json::Array(elements) => Value::tuple(all(elements)?),
        Json::Null => return Err("null has no meaning here".into()),
        Json::Object(fields) => match fields.iter().next() {
            Some((mark, content)) if fields.len() == 1 && mark.starts_with('#') => marked(mark, content)?,
            _ => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| Ok((name.as_str(), from_json(value)?)));
                Value::record(fields.collect::<Result<Vec<_>, String>>()?)
            }
        },
    })
}

fn marked(mark: &str, content: &Json) -> Result<Value, String> {
    let elements = || {
        content
            .as_array()
            .ok_or_else(|| format!("{mark} is followed by no list"))
    };
    let text = || {
        content
            .as_str()
            .ok_or_else(|| format!("{mark} is followed by no text"))
    };
    Ok(match mark {
        "#bigint" => {
            let text = text()?;
            Value::int(
                text.parse()
                    .map_err(|_| format!("{text} is no integer of 64 bits"))?,
            )
        }
        "#set" => Value::set(all(elements()?)?),
        "#tup" => Value::tuple(all(elements()?)?),
        "#map" => {
            let pairs = elements()?
                .iter()
                .map(|pair| match pair.as_array().map(Vec::as_slice) {
                    Some([key, value]) => Ok((from_json(key)?, from_json(value)?)),
                    _ => Err("#map is followed by something other than pairs".to_owned()),
                });
            let pairs = pairs.collect::<Result<Vec<_>, String>>()?;
            Value::function(pairs).map_err(|_| "a #map has the same key twice".to_owned())?
        }
        "#unserializable" => Value::model(text()?),
        _ => return Err(format!("{mark} is not known")),
    })
}

fn all(elements: &[Json]) -> Result<Vec<Value>, String> {
    elements.iter().map(from_json).collect()
}
