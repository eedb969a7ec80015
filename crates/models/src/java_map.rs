//! A sorted map of the Java library: `ConcurrentSkipListMap` and its relatives, results as Java prints them.
//!
//! Recorded histories of Java objects carry results as text (`null`, `{0=1, 2=1}`, `[1, 1, 0]`), so the model computes
//! what the method would return on a map that nobody else touches and compares texts. Iterators, views and bulk
//! operations are atomic here; that the real ones are not is what checking against weaker criteria is for.

use std::fmt::{self, Write};

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use thiserror::Error;

use crate::assoc::Assoc;
use crate::describe::list;
use crate::keys::{key as key_of, keys};

/// A sorted map of the Java library.
#[derive(Clone, Debug, Default)]
pub struct JavaMap;

/// A call on a [`JavaMap`], with what it returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JavaMapOp {
    /// What was called.
    pub call: JavaMapCall,
    /// The result as Java prints it; `None` where it was not seen.
    pub result: Option<Value>,
}

/// A method of [`JavaMap`] with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JavaMapCall {
    /// A method that looks at one key or changes it.
    Key(KeyMethod, Value),
    /// A method that looks at the whole map.
    Whole(WholeMethod),
    /// `containsValue(value)`.
    ContainsValue(Value),
    /// A method that looks for the entry nearest to a key.
    Near(Near, Wanted, Value),
    /// `headMap`, `tailMap` or `subMap`: the entries between two bounds, each with whether it is included.
    Between(Option<(Value, bool)>, Option<(Value, bool)>),
    /// `putAll(entries)`.
    PutAll(Vec<(Value, Value)>),
    /// `clear()`.
    Clear,
    /// `pollFirstEntry()` or `pollLastEntry()`.
    Poll(End),
}

/// A method on one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyMethod {
    /// `get(key)`.
    Get,
    /// `getOrDefault(key, value)`.
    GetOrDefault(Value),
    /// `containsKey(key)`.
    ContainsKey,
    /// `put(key, value)`.
    Put(Value),
    /// `putIfAbsent(key, value)`.
    PutIfAbsent(Value),
    /// `replace(key, value)`.
    Replace(Value),
    /// `replace(key, from, to)`.
    ReplaceIf(Value, Value),
    /// `remove(key)`.
    Remove,
    /// `remove(key, value)`.
    RemoveIf(Value),
}

/// A method on the whole map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WholeMethod {
    /// `size()`.
    Size,
    /// `isEmpty()`.
    IsEmpty,
    /// `keySet()` or `navigableKeySet()`.
    KeySet,
    /// `descendingKeySet()`.
    DescendingKeySet,
    /// `values()`.
    Values,
    /// `entrySet()`.
    EntrySet,
    /// `toString()`, or a view of the whole map.
    Text,
    /// `descendingMap()`.
    DescendingMap,
    /// `firstKey()`, `firstEntry()`, `lastKey()` or `lastEntry()`.
    At(End, Wanted),
}

/// An end of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The least key.
    First,
    /// The greatest key.
    Last,
}

/// What is wanted of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Its key.
    Key,
    /// All of it.
    Entry,
}

/// Which entry counts as nearest to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Near {
    /// The greatest below.
    Lower,
    /// The greatest not above.
    Floor,
    /// The least not below.
    Ceiling,
    /// The least above.
    Higher,
}

/// A call that is none of a sorted map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JavaMapError {
    /// There is no such method.
    #[error("a Java map has no method \"{method}\"; it has {}", METHODS.join(", "))]
    UnknownMethod {
        /// The method.
        method: String,
    },
    /// The arguments do not fit the method.
    #[error("{method} takes {expected}, but was called with {found}")]
    Arguments {
        /// The method.
        method: String,
        /// What it takes.
        expected: &'static str,
        /// What it was given.
        found: String,
    },
    /// The method cannot return this.
    #[error("{method} returns {expected}, but the history has {found}")]
    Result {
        /// The method.
        method: String,
        /// What it returns.
        expected: &'static str,
        /// What it is said to have returned.
        found: Value,
    },
}

/// The methods that [`JavaMap`] knows.
pub const METHODS: [&str; 36] = [
    "put", "get", "remove", "containsKey", "containsValue", "size", "isEmpty", "putAll", "clear",
    "pollFirstEntry", "pollLastEntry", "keySet", "navigableKeySet", "descendingKeySet", "values", "entrySet",
    "headMap", "tailMap", "subMap", "toString", "descendingMap", "firstKey", "lastKey", "firstEntry", "lastEntry",
    "lowerKey", "floorKey", "ceilingKey", "higherKey", "lowerEntry", "floorEntry", "ceilingEntry", "higherEntry",
    "putIfAbsent", "replace", "getOrDefault",
];

/// What Java throws where there is no first or last key.
const NO_SUCH_ELEMENT: &str = "NoSuchElementException";

/// The shape of a method's results.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Void,
    Flag,
    Number,
    Collection,
    Map,
    Any,
}

impl JavaMapCall {
    /// The call of `method` with `arguments`.
    ///
    /// # Errors
    /// If there is no such method, or it takes other arguments.
    pub fn new(method: &str, arguments: &[Value]) -> Result<Self, JavaMapError> {
        let wrong = |expected| {
            Err(JavaMapError::Arguments {
                method: method.to_owned(),
                expected,
                found: match arguments {
                    [] => "none".to_owned(),
                    _ => list(arguments.iter(), ["(", ")"]),
                },
            })
        };
        let key = |action, key: &Value| Ok(Self::Key(action, key.clone()));
        let whole = |what| match arguments {
            [] => Ok(Self::Whole(what)),
            _ => wrong("no arguments"),
        };
        let near = |near, wanted| match arguments {
            [key] => Ok(Self::Near(near, wanted, key.clone())),
            _ => wrong("a key"),
        };
        let bound = |key: &Value, is_included: bool| Some((key.clone(), is_included));
        match (method, arguments) {
            ("get", [k]) => key(KeyMethod::Get, k),
            ("containsKey", [k]) => key(KeyMethod::ContainsKey, k),
            ("remove", [k]) => key(KeyMethod::Remove, k),
            ("remove", [k, value]) => key(KeyMethod::RemoveIf(value.clone()), k),
            ("put", [k, value]) => key(KeyMethod::Put(value.clone()), k),
            ("putIfAbsent", [k, value]) => key(KeyMethod::PutIfAbsent(value.clone()), k),
            ("getOrDefault", [k, value]) => key(KeyMethod::GetOrDefault(value.clone()), k),
            ("replace", [k, value]) => key(KeyMethod::Replace(value.clone()), k),
            ("replace", [k, from, to]) => key(KeyMethod::ReplaceIf(from.clone(), to.clone()), k),
            ("get" | "containsKey", _) => wrong("a key"),
            ("remove", _) => wrong("a key, or a key and a value"),
            ("put" | "putIfAbsent" | "getOrDefault", _) => wrong("a key and a value"),
            ("replace", _) => wrong("a key and a value, or a key and two values"),
            ("containsValue", [value]) => Ok(Self::ContainsValue(value.clone())),
            ("containsValue", _) => wrong("a value"),
            ("putAll", [entries]) => match entries_of(entries) {
                Some(entries) => Ok(Self::PutAll(entries)),
                None => wrong("a map"),
            },
            ("putAll", _) => wrong("a map"),
            ("clear", []) => Ok(Self::Clear),
            ("pollFirstEntry", []) => Ok(Self::Poll(End::First)),
            ("pollLastEntry", []) => Ok(Self::Poll(End::Last)),
            ("clear" | "pollFirstEntry" | "pollLastEntry", _) => wrong("no arguments"),
            ("size", _) => whole(WholeMethod::Size),
            ("isEmpty", _) => whole(WholeMethod::IsEmpty),
            ("keySet" | "navigableKeySet", _) => whole(WholeMethod::KeySet),
            ("descendingKeySet", _) => whole(WholeMethod::DescendingKeySet),
            ("values", _) => whole(WholeMethod::Values),
            ("entrySet", _) => whole(WholeMethod::EntrySet),
            ("toString", _) => whole(WholeMethod::Text),
            ("descendingMap", _) => whole(WholeMethod::DescendingMap),
            ("firstKey", _) => whole(WholeMethod::At(End::First, Wanted::Key)),
            ("lastKey", _) => whole(WholeMethod::At(End::Last, Wanted::Key)),
            ("firstEntry", _) => whole(WholeMethod::At(End::First, Wanted::Entry)),
            ("lastEntry", _) => whole(WholeMethod::At(End::Last, Wanted::Entry)),
            ("lowerKey", _) => near(Near::Lower, Wanted::Key),
            ("floorKey", _) => near(Near::Floor, Wanted::Key),
            ("ceilingKey", _) => near(Near::Ceiling, Wanted::Key),
            ("higherKey", _) => near(Near::Higher, Wanted::Key),
            ("lowerEntry", _) => near(Near::Lower, Wanted::Entry),
            ("floorEntry", _) => near(Near::Floor, Wanted::Entry),
            ("ceilingEntry", _) => near(Near::Ceiling, Wanted::Entry),
            ("higherEntry", _) => near(Near::Higher, Wanted::Entry),
            ("headMap", [to]) => Ok(Self::Between(None, bound(to, false))),
            ("tailMap", [from]) => Ok(Self::Between(bound(from, true), None)),
            ("subMap", [from, to]) => Ok(Self::Between(bound(from, true), bound(to, false))),
            ("headMap", [to, with]) => match with.as_bool() {
                Some(with) => Ok(Self::Between(None, bound(to, with))),
                None => wrong("a key, and optionally whether it is included"),
            },
            ("tailMap", [from, with]) => match with.as_bool() {
                Some(with) => Ok(Self::Between(bound(from, with), None)),
                None => wrong("a key, and optionally whether it is included"),
            },
            ("subMap", [from, with_from, to, with_to]) => match (with_from.as_bool(), with_to.as_bool()) {
                (Some(with_from), Some(with_to)) => {
                    Ok(Self::Between(bound(from, with_from), bound(to, with_to)))
                }
                _ => wrong("two keys, each optionally followed by whether it is included"),
            },
            ("headMap" | "tailMap", _) => wrong("a key, and optionally whether it is included"),
            ("subMap", _) => wrong("two keys, each optionally followed by whether it is included"),
            _ => Err(JavaMapError::UnknownMethod { method: method.to_owned() }),
        }
    }

    fn shape(&self) -> Shape {
        match self {
            Self::PutAll(_) | Self::Clear => Shape::Void,
            Self::ContainsValue(_)
            | Self::Key(KeyMethod::ContainsKey | KeyMethod::RemoveIf(_) | KeyMethod::ReplaceIf(..), _)
            | Self::Whole(WholeMethod::IsEmpty) => Shape::Flag,
            Self::Whole(WholeMethod::Size) => Shape::Number,
            Self::Whole(
                WholeMethod::KeySet
                | WholeMethod::DescendingKeySet
                | WholeMethod::Values
                | WholeMethod::EntrySet,
            ) => Shape::Collection,
            Self::Whole(WholeMethod::Text | WholeMethod::DescendingMap) | Self::Between(..) => Shape::Map,
            Self::Key(..) | Self::Near(..) | Self::Poll(_) | Self::Whole(WholeMethod::At(..)) => Shape::Any,
        }
    }

    /// The key and what is done to it, if it is one key.
    fn writes(&self) -> bool {
        match self {
            Self::Key(method, _) => !matches!(
                method,
                KeyMethod::Get | KeyMethod::GetOrDefault(_) | KeyMethod::ContainsKey
            ),
            Self::PutAll(_) | Self::Clear | Self::Poll(_) => true,
            Self::Whole(_) | Self::ContainsValue(_) | Self::Near(..) | Self::Between(..) => false,
        }
    }
}

impl JavaMapOp {
    /// The call of `method` with `arguments` that returned `result`, as Java prints it or as a plain value.
    ///
    /// # Errors
    /// If there is no such method, it takes other arguments, or it cannot return such a thing.
    pub fn new(method: &str, arguments: &[Value], result: Option<&Value>) -> Result<Self, JavaMapError> {
        let call = JavaMapCall::new(method, arguments)?;
        let Some(found) = result else { return Ok(Self { call, result: None }) };
        let text = java_text(found);
        let text = text.strip_prefix("java.util.").unwrap_or(&text);
        let between = |open, close| text.starts_with(open) && text.ends_with(close);
        let (is_possible, expected) = match call.shape() {
            Shape::Void => (matches!(text, "void" | "null" | ""), "nothing (\"void\")"),
            Shape::Flag => (matches!(text, "true" | "false"), "true or false"),
            Shape::Number => (text.parse::<u64>().is_ok(), "a number"),
            Shape::Collection => (between('[', ']'), "a collection such as [1, 2]"),
            Shape::Map => (between('{', '}'), "a map such as {0=1, 2=1}"),
            Shape::Any => (true, ""),
        };
        if !is_possible {
            return Err(JavaMapError::Result { method: method.to_owned(), expected, found: found.clone() });
        }
        let text = if call.shape() == Shape::Void { "void" } else { text };
        Ok(Self { call, result: Some(Value::str(text)) })
    }
}

/// The entries of a map argument. JSON objects have texts for keys; Java maps of numbers have numbers.
fn entries_of(map: &Value) -> Option<Vec<(Value, Value)>> {
    let key = |name: &str| name.parse().map_or_else(|_| Value::str(name), Value::int);
    if let Some(record) = map.as_record() {
        return Some(record.iter().map(|(name, value)| (key(name), value.clone())).collect());
    }
    if let Some(entries) = map.as_entries() {
        return Some(entries.to_vec());
    }
    map.is_empty().then(Vec::new)
}

/// A value as Java prints it.
fn java_text(value: &Value) -> String {
    let mut text = String::new();
    write_java(&mut text, value);
    text
}

fn write_java(text: &mut String, value: &Value) {
    let written = if value.is_null() {
        text.write_str("null")
    } else if let Some(flag) = value.as_bool() {
        write!(text, "{flag}")
    } else if let Some(word) = value.as_str() {
        text.write_str(word)
    } else if let Some(elements) = value.as_tuple() {
        write_list(text, elements, ["[", "]"], write_java);
        Ok(())
    } else {
        write!(text, "{value}")
    };
    // A text takes whatever is written to it.
    debug_assert_eq!(written, fmt::Result::Ok(()));
}

fn write_list<T>(
    text: &mut String,
    items: impl IntoIterator<Item = T>,
    brackets: [&str; 2],
    mut write_item: impl FnMut(&mut String, T),
) {
    text.push_str(brackets[0]);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        write_item(text, item);
    }
    text.push_str(brackets[1]);
}

fn write_entry(text: &mut String, (key, value): (&Value, &Value)) {
    write_java(text, key);
    text.push('=');
    write_java(text, value);
}

fn map_text<'a>(entries: impl IntoIterator<Item = (&'a Value, &'a Value)>) -> String {
    let mut text = String::new();
    write_list(&mut text, entries, ["{", "}"], write_entry);
    text
}

fn collection_text<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let mut text = String::new();
    write_list(&mut text, values, ["[", "]"], write_java);
    text
}

fn entry_text(entry: Option<(&Value, &Value)>, wanted: Wanted) -> String {
    let mut text = String::new();
    match (entry, wanted) {
        (None, _) => text.push_str("null"),
        (Some((key, _)), Wanted::Key) => write_java(&mut text, key),
        (Some(entry), Wanted::Entry) => write_entry(&mut text, entry),
    }
    text
}

fn or_null(value: Option<&Value>) -> String {
    value.map_or_else(|| "null".to_owned(), java_text)
}

type Entries = Assoc<Value>;

/// What a method that looks at one key returns, and what it leaves.
fn on_key(map: &Entries, method: &KeyMethod, key: &Value) -> (String, Entries) {
    let held = map.get(key);
    let same = || map.clone();
    match method {
        KeyMethod::Get => (or_null(held), same()),
        KeyMethod::GetOrDefault(value) => (java_text(held.unwrap_or(value)), same()),
        KeyMethod::ContainsKey => (held.is_some().to_string(), same()),
        KeyMethod::Put(value) => (or_null(held), map.with(key, value.clone())),
        KeyMethod::PutIfAbsent(value) => {
            (or_null(held), if held.is_none() { map.with(key, value.clone()) } else { same() })
        }
        KeyMethod::Replace(value) => {
            (or_null(held), if held.is_some() { map.with(key, value.clone()) } else { same() })
        }
        KeyMethod::ReplaceIf(from, to) => match held == Some(from) {
            true => ("true".to_owned(), map.with(key, to.clone())),
            false => ("false".to_owned(), same()),
        },
        KeyMethod::Remove => (or_null(held), map.without(key)),
        KeyMethod::RemoveIf(value) => match held == Some(value) {
            true => ("true".to_owned(), map.without(key)),
            false => ("false".to_owned(), same()),
        },
    }
}

fn at(map: &Entries, end: End) -> Option<(&Value, &Value)> {
    match end {
        End::First => map.iter().next(),
        End::Last => map.iter().next_back(),
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
            (None, Wanted::Key) => NO_SUCH_ELEMENT.to_owned(),
            (entry, wanted) => entry_text(entry, wanted),
        },
    }
}

fn nearest<'a>(map: &'a Entries, near: Near, key: &Value) -> Option<(&'a Value, &'a Value)> {
    match near {
        Near::Lower => map.iter().rev().find(|(held, _)| *held < key),
        Near::Floor => map.iter().rev().find(|(held, _)| *held <= key),
        Near::Ceiling => map.iter().find(|(held, _)| *held >= key),
        Near::Higher => map.iter().find(|(held, _)| *held > key),
    }
}

fn is_between(key: &Value, low: Option<&(Value, bool)>, high: Option<&(Value, bool)>) -> bool {
    low.is_none_or(|(low, is_included)| key > low || *is_included && key == low)
        && high.is_none_or(|(high, is_included)| key < high || *is_included && key == high)
}

/// What a call returns, and what it leaves.
fn run(map: &Entries, call: &JavaMapCall) -> (String, Entries) {
    match call {
        JavaMapCall::Key(method, key) => on_key(map, method, key),
        JavaMapCall::Whole(method) => (on_whole(map, *method), map.clone()),
        JavaMapCall::ContainsValue(value) => {
            (map.iter().any(|(_, held)| held == value).to_string(), map.clone())
        }
        JavaMapCall::Near(near, wanted, key) => (entry_text(nearest(map, *near, key), *wanted), map.clone()),
        JavaMapCall::Between(low, high) => {
            let inside = map.iter().filter(|(key, _)| is_between(key, low.as_ref(), high.as_ref()));
            (map_text(inside), map.clone())
        }
        JavaMapCall::PutAll(entries) => {
            let filled = entries.iter().fold(map.clone(), |map, (key, value)| map.with(key, value.clone()));
            ("void".to_owned(), filled)
        }
        JavaMapCall::Clear => ("void".to_owned(), Assoc::new()),
        JavaMapCall::Poll(end) => match at(map, *end) {
            None => ("null".to_owned(), map.clone()),
            Some((key, value)) => (entry_text(Some((key, value)), Wanted::Entry), map.without(key)),
        },
    }
}

impl Model for JavaMap {
    type State = Assoc<Value>;
    type Op = JavaMapOp;

    fn initial(&self) -> Vec<Entries> {
        vec![Assoc::new()]
    }

    fn step(&self, state: &Entries, op: &JavaMapOp, outcomes: &mut Outcomes<Entries>) {
        let (returned, next) = run(state, &op.call);
        match op.result.as_ref().and_then(Value::as_str) {
            Some(observed) if observed != returned => outcomes.refuse(|| {
                format!("returned {observed}, but would return {returned} on {}", map_text(state.iter()))
            }),
            _ => outcomes.accept(next),
        }
    }

    /// Besides the methods that only look: a remove that found nothing, a poll that found nothing, a put-if-absent or a
    /// put that found what it would put, a replace or a conditional remove that did not happen.
    fn is_pure(&self, op: &JavaMapOp) -> bool {
        let Some(result) = op.result.as_ref().and_then(Value::as_str) else { return !op.call.writes() };
        match &op.call {
            JavaMapCall::Key(KeyMethod::Put(value), _) => result == java_text(value) && result != "null",
            JavaMapCall::Key(KeyMethod::PutIfAbsent(_), _) => result != "null",
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
            | JavaMapCall::Near(..)
            | JavaMapCall::Between(..) => {
                Footprint::reads(if is_seen { Keys::All } else { Keys::none() })
            }
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

/// The call as a person would write it.
impl fmt::Display for JavaMapCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = |near: &Near| match near {
            Near::Lower => "lower",
            Near::Floor => "floor",
            Near::Ceiling => "ceiling",
            Near::Higher => "higher",
        };
        let part = |wanted: &Wanted| if *wanted == Wanted::Key { "Key" } else { "Entry" };
        let end = |end: &End| if *end == End::First { "First" } else { "Last" };
        match self {
            Self::Key(method, key) => match method {
                KeyMethod::Get => write!(f, "get({key})"),
                KeyMethod::GetOrDefault(value) => write!(f, "getOrDefault({key}, {value})"),
                KeyMethod::ContainsKey => write!(f, "containsKey({key})"),
                KeyMethod::Put(value) => write!(f, "put({key}, {value})"),
                KeyMethod::PutIfAbsent(value) => write!(f, "putIfAbsent({key}, {value})"),
                KeyMethod::Replace(value) => write!(f, "replace({key}, {value})"),
                KeyMethod::ReplaceIf(from, to) => write!(f, "replace({key}, {from}, {to})"),
                KeyMethod::Remove => write!(f, "remove({key})"),
                KeyMethod::RemoveIf(value) => write!(f, "remove({key}, {value})"),
            },
            Self::Whole(method) => match method {
                WholeMethod::Size => f.write_str("size()"),
                WholeMethod::IsEmpty => f.write_str("isEmpty()"),
                WholeMethod::KeySet => f.write_str("keySet()"),
                WholeMethod::DescendingKeySet => f.write_str("descendingKeySet()"),
                WholeMethod::Values => f.write_str("values()"),
                WholeMethod::EntrySet => f.write_str("entrySet()"),
                WholeMethod::Text => f.write_str("toString()"),
                WholeMethod::DescendingMap => f.write_str("descendingMap()"),
                WholeMethod::At(which, wanted) => {
                    write!(f, "{}{}()", end(which).to_lowercase(), part(wanted))
                }
            },
            Self::ContainsValue(value) => write!(f, "containsValue({value})"),
            Self::Near(which, wanted, key) => write!(f, "{}{}({key})", near(which), part(wanted)),
            Self::Between(None, Some((to, false))) => write!(f, "headMap({to})"),
            Self::Between(None, Some((to, true))) => write!(f, "headMap({to}, true)"),
            Self::Between(Some((from, true)), None) => write!(f, "tailMap({from})"),
            Self::Between(Some((from, false)), None) => write!(f, "tailMap({from}, false)"),
            Self::Between(Some((from, with_from)), Some((to, with_to))) => {
                write!(f, "subMap({from}, {with_from}, {to}, {with_to})")
            }
            Self::Between(None, None) => f.write_str("toString()"),
            Self::PutAll(entries) => {
                write!(f, "putAll({})", map_text(entries.iter().map(|(key, value)| (key, value))))
            }
            Self::Clear => f.write_str("clear()"),
            Self::Poll(which) => write!(f, "poll{}Entry()", end(which)),
        }
    }
}
