//! The JSON that TLC writes with `-dumpTrace json`: `{"counterexample": {"state": [[1, {…}], …], "action": [[…], …]}, "vars": […]}`.
//!
//! An action is `[[1, {…}], {"name": …, "location": …}, [2, {…}]]`; one that leads to a state before or to the same state closes a
//! cycle.

use omnilink_value::{Value, ValueKind};
use serde_json::{Map, Value as Json, json};

use super::{RecordedTrace, RecordedValue, TraceFileError, WrittenBehaviour, position};
use crate::report::ActionTaken;

pub(super) fn text(behaviour: &WrittenBehaviour<'_>) -> String {
    let states: Vec<Json> = behaviour
        .states
        .iter()
        .enumerate()
        .map(|(at, (_, values))| {
            let named = behaviour.variables.iter().zip(values);
            let values: Map<String, Json> = named
                .map(|(name, value)| ((*name).to_owned(), plain_json(value)))
                .collect();
            json!([at + 1, values])
        })
        .collect();
    let action = |from: usize, taken: Option<&ActionTaken>, to: usize| {
        let (name, place) = taken.map_or(("", ""), |taken| (taken.name.as_str(), taken.place.as_str()));
        json!([states[from], {"name": name, "location": place}, states[to]])
    };
    let steps = behaviour.states.iter().enumerate().skip(1);
    let mut actions: Vec<Json> = steps.map(|(to, (taken, _))| action(to - 1, *taken, to)).collect();
    if let Some((back_to, taken)) = behaviour.back {
        actions.push(action(states.len() - 1, taken, back_to));
    }
    let document = json!({
        "counterexample": {"state": states, "action": actions},
        "vars": behaviour.variables,
    });
    format!("{document:#}\n")
}

/// A value as TLC writes it: sets and sequences are arrays, strings and model values strings, records and functions objects.
pub fn plain_json(value: &Value) -> Json {
    match value.kind() {
        ValueKind::Bool => value.as_bool().unwrap_or_default().into(),
        ValueKind::Int => value.as_int().unwrap_or_default().into(),
        ValueKind::Str => value.as_str().unwrap_or_default().into(),
        ValueKind::Model => value.to_string().into(),
        ValueKind::Set => value
            .as_set()
            .unwrap_or_default()
            .iter()
            .map(plain_json)
            .collect(),
        ValueKind::Tuple => value
            .as_tuple()
            .unwrap_or_default()
            .iter()
            .map(plain_json)
            .collect(),
        ValueKind::Record | ValueKind::Function => {
            let entries = value.as_entries().unwrap_or_default().iter();
            let named = entries.map(|(key, value)| (super::recorded_value::key_text(key), plain_json(value)));
            Json::Object(named.collect())
        }
    }
}

pub(super) fn read(counterexample: &Json) -> Result<RecordedTrace, TraceFileError> {
    let listed = counterexample.get("state").and_then(Json::as_array);
    let listed = listed.ok_or(TraceFileError::NoStates)?;
    let mut numbered = Vec::with_capacity(listed.len());
    for (at, state) in (1..).zip(listed) {
        let parts = state.as_array().map(Vec::as_slice);
        let Some([Json::Number(number), Json::Object(values)]) = parts else {
            let message = "it is not a pair of a number and an object".to_owned();
            return Err(TraceFileError::State { state: at, message });
        };
        let values = values
            .iter()
            .map(|(name, value)| (name.clone(), RecordedValue::Json(value.clone())));
        numbered.push((number.as_u64().unwrap_or(0), values.collect()));
    }
    // The states are a set, in any order.
    numbered.sort_by_key(|(number, _)| *number);
    let states: Vec<_> = numbered.into_iter().map(|(_, values)| values).collect();
    let actions = counterexample.get("action").and_then(Json::as_array);
    let closing = actions.into_iter().flatten().find_map(|action| {
        let (from, to) = (action.get(0)?.get(0)?.as_u64()?, action.get(2)?.get(0)?.as_u64()?);
        (to <= from).then_some(to)
    });
    let back_to = match closing {
        None => None,
        Some(number) => Some(position(number.checked_sub(1), states.len(), number)?),
    };
    let steps = Vec::new();
    Ok(RecordedTrace {
        states,
        steps,
        back_to,
    })
}
