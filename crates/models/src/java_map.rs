//! A sorted map of the Java library, such as `ConcurrentSkipListMap`, with results as Java prints them.
//!
//! Recorded histories of Java objects have results as text (`null`, `{0=1, 2=1}`, `[1, 1, 0]`). So the model computes the
//! result of the method on a sequential map and compares texts. Iterators, views and bulk operations are atomic here. The
//! real ones are not; weaker consistency criteria describe those.

mod call;
mod decode;
mod methods;

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

pub use self::call::{JavaMapCall, JavaMapError, JavaMapOp, KeyMethod, MapEnd, Neighbour, WholeMethod};
use crate::java_text::{
    EntryPart, collection_text, entry_text, java_text, map_text, or_null, write_entry, write_list,
};
use crate::keys::{key as key_of, keys};
use crate::persistent_map::PersistentMap;

/// A sorted map of the Java library.
#[derive(Clone, Debug, Default)]
pub struct JavaMap;

/// The exception that Java throws if there is no first or last key.
const NO_SUCH_ELEMENT: &str = "NoSuchElementException";

type Entries = PersistentMap<Value>;

/// The result of a method on one key, and the map after it.
fn on_key(map: &Entries, method: &KeyMethod, key: &Value) -> (String, Entries) {
    let held = map.get(key);
    let same = || map.clone();
    match method {
        KeyMethod::Get => (or_null(held), same()),
        KeyMethod::GetOrDefault(value) => (java_text(held.unwrap_or(value)), same()),
        KeyMethod::ContainsKey => (held.is_some().to_string(), same()),
        KeyMethod::Put(value) => (or_null(held), map.with(key, value.clone())),
        KeyMethod::PutIfAbsent(value) => (
            or_null(held),
            if held.is_none() {
                map.with(key, value.clone())
            } else {
                same()
            },
        ),
        KeyMethod::ComputeIfAbsent(value) => match held {
            Some(held) => (java_text(held), same()),
            None => (java_text(value), map.with(key, value.clone())),
        },
        KeyMethod::Replace(value) => (
            or_null(held),
            if held.is_some() {
                map.with(key, value.clone())
            } else {
                same()
            },
        ),
        KeyMethod::ReplaceIf(from, to) => {
            if held == Some(from) {
                ("true".to_owned(), map.with(key, to.clone()))
            } else {
                ("false".to_owned(), same())
            }
        }
        KeyMethod::Remove => (or_null(held), map.without(key)),
        KeyMethod::RemoveIf(value) => {
            if held == Some(value) {
                ("true".to_owned(), map.without(key))
            } else {
                ("false".to_owned(), same())
            }
        }
    }
}

fn at(map: &Entries, end: MapEnd) -> Option<(&Value, &Value)> {
    match end {
        MapEnd::First => map.iter().next(),
        MapEnd::Last => map.iter().next_back(),
    }
}

fn on_whole(map: &Entries, method: WholeMethod) -> String {
    match method {
        WholeMethod::Size => map.len().to_string(),
        WholeMethod::IsEmpty => map.is_empty().to_string(),
        WholeMethod::KeySet => collection_text(map.iter().map(|(key, _)| key)),
        WholeMethod::DescendingKeySet => collection_text(map.iter().rev().map(|(key, _)| key)),
        WholeMethod::Values => collection_text(map.iter().map(|(_, value)| value)),
        WholeMethod::EntrySet => {
            let mut text = String::new();
            write_list(&mut text, map.iter(), ["[", "]"], write_entry);
            text
        }
        WholeMethod::Text => map_text(map.iter()),
        WholeMethod::DescendingMap => map_text(map.iter().rev()),
        WholeMethod::At(end, wanted) => match (at(map, end), wanted) {
            (None, EntryPart::Key) => NO_SUCH_ELEMENT.to_owned(),
            (entry, wanted) => entry_text(entry, wanted),
        },
    }
}

fn nearest<'a>(map: &'a Entries, near: Neighbour, key: &Value) -> Option<(&'a Value, &'a Value)> {
    match near {
        Neighbour::Lower => map.iter().rev().find(|(held, _)| *held < key),
        Neighbour::Floor => map.iter().rev().find(|(held, _)| *held <= key),
        Neighbour::Ceiling => map.iter().find(|(held, _)| *held >= key),
        Neighbour::Higher => map.iter().find(|(held, _)| *held > key),
    }
}

fn is_between(key: &Value, low: Option<&(Value, bool)>, high: Option<&(Value, bool)>) -> bool {
    low.is_none_or(|(low, is_included)| key > low || *is_included && key == low)
        && high.is_none_or(|(high, is_included)| key < high || *is_included && key == high)
}

/// The result of a call, and the map after it.
fn run(map: &Entries, call: &JavaMapCall) -> (String, Entries) {
    match call {
        JavaMapCall::Key(method, key) => on_key(map, method, key),
        JavaMapCall::Whole(method) => (on_whole(map, *method), map.clone()),
        JavaMapCall::ContainsValue(value) => {
            (map.iter().any(|(_, held)| held == value).to_string(), map.clone())
        }
        JavaMapCall::Neighbour(near, wanted, key) => {
            (entry_text(nearest(map, *near, key), *wanted), map.clone())
        }
        JavaMapCall::Between(low, high) => {
            let inside = map
                .iter()
                .filter(|(key, _)| is_between(key, low.as_ref(), high.as_ref()));
            (map_text(inside), map.clone())
        }
        JavaMapCall::PutAll(entries) => {
            let filled = entries
                .iter()
                .fold(map.clone(), |map, (key, value)| map.with(key, value.clone()));
            ("void".to_owned(), filled)
        }
        JavaMapCall::Clear => ("void".to_owned(), PersistentMap::new()),
        JavaMapCall::Poll(end) => match at(map, *end) {
            None => ("null".to_owned(), map.clone()),
            Some((key, value)) => (entry_text(Some((key, value)), EntryPart::Entry), map.without(key)),
        },
    }
}

impl JavaMap {
    /// The result of `call` on a sequential map, as Java prints it.
    pub fn result_of(&self, map: &PersistentMap<Value>, call: &JavaMapCall) -> String {
        run(map, call).0
    }
}

impl Model for JavaMap {
    type State = PersistentMap<Value>;
    type Op = JavaMapOp;

    fn initial(&self) -> Vec<Entries> {
        vec![PersistentMap::new()]
    }

    fn step(&self, state: &Entries, op: &JavaMapOp, outcomes: &mut Outcomes<Entries>) {
        let (returned, next) = run(state, &op.call);
        match op.result.as_ref().and_then(Value::as_str) {
            Some(observed) if observed != returned => outcomes.refuse(|| {
                format!(
                    "returned {observed}, but would return {returned} on {}",
                    map_text(state.iter())
                )
            }),
            _ => outcomes.accept(next),
        }
    }

    /// Besides the methods that only read: a remove or poll that found nothing, a put-if-absent or compute-if-absent that found a value, a put that
    /// found the same value, and a replace or conditional remove that did not happen.
    fn is_pure(&self, op: &JavaMapOp) -> bool {
        let Some(result) = op.result.as_ref().and_then(Value::as_str) else {
            return !op.call.writes();
        };
        match &op.call {
            JavaMapCall::Key(KeyMethod::Put(value), _) => result == java_text(value) && result != "null",
            JavaMapCall::Key(KeyMethod::PutIfAbsent(_), _) => result != "null",
            JavaMapCall::Key(KeyMethod::ComputeIfAbsent(value), _) => result != java_text(value),
            JavaMapCall::Key(KeyMethod::Replace(value), _) => result == "null" || result == java_text(value),
            JavaMapCall::Key(KeyMethod::Remove, _) | JavaMapCall::Poll(_) => result == "null",
            JavaMapCall::Key(KeyMethod::ReplaceIf(..) | KeyMethod::RemoveIf(_), _) => result == "false",
            call => !call.writes(),
        }
    }

    fn footprint(&self, op: &JavaMapOp) -> Footprint {
        let is_seen = op.result.is_some();
        let is_pure = self.is_pure(op);
        match &op.call {
            JavaMapCall::Key(method, key) => match method {
                _ if is_pure && !is_seen => Footprint::reads(Keys::none()),
                _ if is_pure => Footprint::reads(key_of(key)),
                KeyMethod::Put(_) | KeyMethod::Remove if !is_seen => Footprint::overwrites(key_of(key)),
                _ => Footprint::updates(key_of(key)),
            },
            JavaMapCall::PutAll(entries) => Footprint::overwrites(keys(entries.iter().map(|(key, _)| key))),
            JavaMapCall::Clear => Footprint::overwrites(Keys::All),
            JavaMapCall::Poll(_) if !is_pure => Footprint::updates(Keys::All),
            JavaMapCall::Poll(_)
            | JavaMapCall::Whole(_)
            | JavaMapCall::ContainsValue(_)
            | JavaMapCall::Neighbour(..)
            | JavaMapCall::Between(..) => Footprint::reads(if is_seen { Keys::All } else { Keys::none() }),
        }
    }

    fn describe_state(&self, state: &Entries) -> String {
        map_text(state.iter())
    }

    fn describe_op(&self, op: &JavaMapOp) -> String {
        let result = op.result.as_ref().and_then(Value::as_str).unwrap_or("?");
        format!("{} = {result}", op.call)
    }

    fn state_bytes(&self, state: &Entries) -> usize {
        state.heap_bytes()
    }
}
