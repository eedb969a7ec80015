//! Calls on a Java map.

use std::fmt;

use omnilink_value::Value;
use thiserror::Error;

use super::methods::METHODS;
use crate::java_text::{EntryPart, java_text, map_text};

/// A call on a [`JavaMap`](super::JavaMap), with its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JavaMapOp {
    /// The call.
    pub call: JavaMapCall,
    /// The result as Java prints it; `None` where it was not seen.
    pub result: Option<Value>,
}

/// A method of [`JavaMap`](super::JavaMap) with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JavaMapCall {
    /// A method on one key.
    Key(KeyMethod, Value),
    /// A method on the whole map.
    Whole(WholeMethod),
    /// `containsValue(value)`.
    ContainsValue(Value),
    /// A method that finds the neighbour of a key.
    Neighbour(Neighbour, EntryPart, Value),
    /// `headMap`, `tailMap` or `subMap`: the entries between two bounds, each with whether it is included.
    Between(Option<(Value, bool)>, Option<(Value, bool)>),
    /// `putAll(entries)`.
    PutAll(Vec<(Value, Value)>),
    /// `clear()`.
    Clear,
    /// `pollFirstEntry()` or `pollLastEntry()`.
    Poll(MapEnd),
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
    /// `computeIfAbsent(key, …)`, of which the function gives this value.
    ComputeIfAbsent(Value),
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
    At(MapEnd, EntryPart),
}

/// An end of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapEnd {
    /// The least key.
    First,
    /// The greatest key.
    Last,
}

/// The neighbour of a key that a method finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// The greatest below.
    Lower,
    /// The greatest not above.
    Floor,
    /// The least not below.
    Ceiling,
    /// The least above.
    Higher,
}

/// An invalid call on a sorted map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JavaMapError {
    /// There is no such method.
    #[error("a Java map has no method \"{method}\"; it has {}", known_methods())]
    UnknownMethod {
        /// The method.
        method: String,
    },
    /// The arguments do not fit the method.
    #[error("{method} takes {expected}, but was called with {found}")]
    Arguments {
        /// The method.
        method: String,
        /// The arguments that it takes.
        expected: &'static str,
        /// The arguments of the call.
        found: Value,
    },
    /// The method cannot return this.
    #[error("{method} returns {expected}, but the history has {found}")]
    Result {
        /// The method.
        method: String,
        /// The results that it has.
        expected: &'static str,
        /// The result in the history.
        found: Value,
    },
}

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
                found: Value::tuple(arguments.iter().cloned()),
            })
        };
        let key = |action, key: &Value| Ok(Self::Key(action, key.clone()));
        let whole = |what| match arguments {
            [] => Ok(Self::Whole(what)),
            _ => wrong("no arguments"),
        };
        let near = |near, wanted| match arguments {
            [key] => Ok(Self::Neighbour(near, wanted, key.clone())),
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
            ("computeIfAbsent", [k, value]) => key(KeyMethod::ComputeIfAbsent(value.clone()), k),
            ("getOrDefault", [k, value]) => key(KeyMethod::GetOrDefault(value.clone()), k),
            ("replace", [k, value]) => key(KeyMethod::Replace(value.clone()), k),
            ("replace", [k, from, to]) => key(KeyMethod::ReplaceIf(from.clone(), to.clone()), k),
            ("get" | "containsKey", _) => wrong("a key"),
            ("remove", _) => wrong("a key, or a key and a value"),
            ("put" | "putIfAbsent" | "computeIfAbsent" | "getOrDefault", _) => wrong("a key and a value"),
            ("replace", _) => wrong("a key and a value, or a key and two values"),
            ("containsValue", [value]) => Ok(Self::ContainsValue(value.clone())),
            ("containsValue", _) => wrong("a value"),
            ("putAll", [entries]) => match entries_of(entries) {
                Some(entries) => Ok(Self::PutAll(entries)),
                None => wrong("a map"),
            },
            ("putAll", _) => wrong("a map"),
            ("clear", []) => Ok(Self::Clear),
            ("pollFirstEntry", []) => Ok(Self::Poll(MapEnd::First)),
            ("pollLastEntry", []) => Ok(Self::Poll(MapEnd::Last)),
            ("clear" | "pollFirstEntry" | "pollLastEntry", _) => wrong("no arguments"),
            ("size", _) => whole(WholeMethod::Size),
            ("isEmpty", _) => whole(WholeMethod::IsEmpty),
            ("keySet" | "navigableKeySet", _) => whole(WholeMethod::KeySet),
            ("descendingKeySet", _) => whole(WholeMethod::DescendingKeySet),
            ("values", _) => whole(WholeMethod::Values),
            ("entrySet", _) => whole(WholeMethod::EntrySet),
            ("toString", _) => whole(WholeMethod::Text),
            ("descendingMap", _) => whole(WholeMethod::DescendingMap),
            ("firstKey", _) => whole(WholeMethod::At(MapEnd::First, EntryPart::Key)),
            ("lastKey", _) => whole(WholeMethod::At(MapEnd::Last, EntryPart::Key)),
            ("firstEntry", _) => whole(WholeMethod::At(MapEnd::First, EntryPart::Entry)),
            ("lastEntry", _) => whole(WholeMethod::At(MapEnd::Last, EntryPart::Entry)),
            ("lowerKey", _) => near(Neighbour::Lower, EntryPart::Key),
            ("floorKey", _) => near(Neighbour::Floor, EntryPart::Key),
            ("ceilingKey", _) => near(Neighbour::Ceiling, EntryPart::Key),
            ("higherKey", _) => near(Neighbour::Higher, EntryPart::Key),
            ("lowerEntry", _) => near(Neighbour::Lower, EntryPart::Entry),
            ("floorEntry", _) => near(Neighbour::Floor, EntryPart::Entry),
            ("ceilingEntry", _) => near(Neighbour::Ceiling, EntryPart::Entry),
            ("higherEntry", _) => near(Neighbour::Higher, EntryPart::Entry),
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
            _ => Err(JavaMapError::UnknownMethod {
                method: method.to_owned(),
            }),
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
            Self::Key(..) | Self::Neighbour(..) | Self::Poll(_) | Self::Whole(WholeMethod::At(..)) => {
                Shape::Any
            }
        }
    }

    /// Whether it may change the map.
    pub(super) fn writes(&self) -> bool {
        match self {
            Self::Key(method, _) => !matches!(
                method,
                KeyMethod::Get | KeyMethod::GetOrDefault(_) | KeyMethod::ContainsKey
            ),
            Self::PutAll(_) | Self::Clear | Self::Poll(_) => true,
            Self::Whole(_) | Self::ContainsValue(_) | Self::Neighbour(..) | Self::Between(..) => false,
        }
    }
}

impl JavaMapOp {
    /// The call of `method` with `arguments` that returned `result`, as Java prints it or as a plain value.
    ///
    /// # Errors
    /// If there is no such method, it takes other arguments, or it cannot have such a result.
    pub fn new(method: &str, arguments: &[Value], result: Option<&Value>) -> Result<Self, JavaMapError> {
        let call = JavaMapCall::new(method, arguments)?;
        let Some(found) = result else {
            return Ok(Self { call, result: None });
        };
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
            return Err(JavaMapError::Result {
                method: method.to_owned(),
                expected,
                found: found.clone(),
            });
        }
        let text = if call.shape() == Shape::Void { "void" } else { text };
        Ok(Self {
            call,
            result: Some(Value::str(text)),
        })
    }
}

/// The entries of a map argument. JSON objects have texts for keys; Java maps of numbers have numbers.
fn entries_of(map: &Value) -> Option<Vec<(Value, Value)>> {
    let key = |name: &str| name.parse().map_or_else(|_| Value::str(name), Value::int);
    if let Some(record) = map.as_record() {
        return Some(
            record
                .iter()
                .map(|(name, value)| (key(name), value.clone()))
                .collect(),
        );
    }
    if let Some(entries) = map.as_entries() {
        return Some(entries.to_vec());
    }
    map.is_empty().then(Vec::new)
}

/// The call as in Java source code.
impl fmt::Display for JavaMapCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = |near: &Neighbour| match near {
            Neighbour::Lower => "lower",
            Neighbour::Floor => "floor",
            Neighbour::Ceiling => "ceiling",
            Neighbour::Higher => "higher",
        };
        let part = |wanted: &EntryPart| if *wanted == EntryPart::Key { "Key" } else { "Entry" };
        let end = |end: &MapEnd| if *end == MapEnd::First { "First" } else { "Last" };
        match self {
            Self::Key(method, key) => match method {
                KeyMethod::Get => write!(f, "get({key})"),
                KeyMethod::GetOrDefault(value) => write!(f, "getOrDefault({key}, {value})"),
                KeyMethod::ContainsKey => write!(f, "containsKey({key})"),
                KeyMethod::Put(value) => write!(f, "put({key}, {value})"),
                KeyMethod::PutIfAbsent(value) => write!(f, "putIfAbsent({key}, {value})"),
                KeyMethod::ComputeIfAbsent(value) => write!(f, "computeIfAbsent({key}, {value})"),
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
            Self::Neighbour(which, wanted, key) => write!(f, "{}{}({key})", near(which), part(wanted)),
            Self::Between(None, Some((to, false))) => write!(f, "headMap({to})"),
            Self::Between(None, Some((to, true))) => write!(f, "headMap({to}, true)"),
            Self::Between(Some((from, true)), None) => write!(f, "tailMap({from})"),
            Self::Between(Some((from, false)), None) => write!(f, "tailMap({from}, false)"),
            Self::Between(Some((from, with_from)), Some((to, with_to))) => {
                write!(f, "subMap({from}, {with_from}, {to}, {with_to})")
            }
            Self::Between(None, None) => f.write_str("toString()"),
            Self::PutAll(entries) => {
                write!(
                    f,
                    "putAll({})",
                    map_text(entries.iter().map(|(key, value)| (key, value)))
                )
            }
            Self::Clear => f.write_str("clear()"),
            Self::Poll(which) => write!(f, "poll{}Entry()", end(which)),
        }
    }
}

fn known_methods() -> String {
    METHODS
        .ops
        .iter()
        .map(|op| op.name)
        .collect::<Vec<_>>()
        .join(", ")
}
