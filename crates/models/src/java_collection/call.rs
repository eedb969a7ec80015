//! Calls on a Java collection.

use std::fmt;

use omnilink_value::Value;
use thiserror::Error;

use super::methods::METHODS;
use crate::java_text::{collection_text, java_text};

/// A method of [`JavaCollection`](super::JavaCollection) with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JavaCollectionCall {
    /// `add`, `offer`, `push`, …; `put` waits for room.
    Insert {
        /// Where it goes, if the order is that of insertion.
        end: CollectionEnd,
        /// The element.
        element: Value,
        /// Whether it waits for room.
        waits: bool,
    },
    /// `addIfAbsent(element)`.
    InsertIfAbsent(Value),
    /// `addAll(elements)`.
    InsertAll(Vec<Value>),
    /// `poll`, `remove()`, `pop`, …; `take` waits for an element.
    Take {
        /// Which element.
        end: CollectionEnd,
        /// Whether it waits for one.
        waits: bool,
    },
    /// `peek`, `element`, `getFirst`, `last`, ….
    Peek(CollectionEnd),
    /// `remove(element)`: that nearest to this end.
    Remove(CollectionEnd, Value),
    /// `removeAll(elements)`.
    RemoveAll(Vec<Value>),
    /// `retainAll(elements)`.
    RetainAll(Vec<Value>),
    /// `drainTo(target)` or `drainTo(target, most)`, with what was drained as its result.
    Drain(Option<usize>),
    /// `clear()`.
    Clear,
    /// `contains(element)`.
    Contains(Value),
    /// `containsAll(elements)`.
    ContainsAll(Vec<Value>),
    /// `size()`.
    Size,
    /// `isEmpty()`.
    IsEmpty,
    /// `remainingCapacity()`.
    RemainingCapacity,
    /// All elements, beginning at this end: `toArray()`, `toString()`, what an iterator returned.
    All(CollectionEnd),
    /// A method on an index.
    Index(IndexMethod, usize),
    /// `indexOf(element)` or `lastIndexOf(element)`.
    IndexOf(CollectionEnd, Value),
    /// `lower`, `floor`, `ceiling` or `higher`.
    Neighbour(Near, Value),
    /// `headSet`, `tailSet` or `subSet`: the elements between two bounds, each with whether it is included.
    Between(Option<(Value, bool)>, Option<(Value, bool)>),
}

/// An end of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectionEnd {
    /// The head, or the least element.
    First,
    /// The tail, or the greatest element.
    Last,
}

/// A method on an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IndexMethod {
    /// `get(index)`.
    Get,
    /// `set(index, element)`.
    Set(Value),
}

/// The neighbour of an element that a method finds.
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

/// An invalid call on a collection.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JavaCollectionError {
    /// There is no such method.
    #[error("a Java collection has no method \"{method}\"; it has {}", known_methods())]
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

fn elements_of(argument: &Value) -> Option<Vec<Value>> {
    let listed = argument.as_tuple().or_else(|| argument.as_set());
    listed.map(<[Value]>::to_vec)
}

fn count_of(argument: &Value) -> Option<usize> {
    argument.as_int().and_then(|count| usize::try_from(count).ok())
}

/// What a method takes.
fn expected_by(method: &str) -> &'static str {
    match method {
        "remove" => "nothing or an element",
        "addAll" | "removeAll" | "retainAll" | "containsAll" => "a list of elements",
        "drainTo" => "nothing or the greatest number of elements",
        "get" => "an index",
        "set" => "an index and an element",
        "headSet" | "tailSet" => "an element, and optionally whether it is included",
        "subSet" => "two elements, each optionally followed by whether it is included",
        "add"
        | "addLast"
        | "put"
        | "addFirst"
        | "offerFirst"
        | "putFirst"
        | "addIfAbsent"
        | "removeFirstOccurrence"
        | "removeLastOccurrence"
        | "contains"
        | "indexOf"
        | "lastIndexOf"
        | "lower"
        | "floor"
        | "ceiling"
        | "higher" => "an element",
        _ => "no arguments",
    }
}

impl JavaCollectionCall {
    /// The call of `method` with `arguments`.
    ///
    /// # Errors
    /// If there is no such method, or it takes other arguments.
    pub fn new(method: &str, arguments: &[Value]) -> Result<Self, JavaCollectionError> {
        use CollectionEnd::{First, Last};
        let Some(entry) = METHODS.op(method) else {
            return Err(JavaCollectionError::UnknownMethod {
                method: method.to_owned(),
            });
        };
        let insert = |end, waits, element: &Value| {
            let element = element.clone();
            Some(Self::Insert { end, element, waits })
        };
        let take = |end, waits| Some(Self::Take { end, waits });
        let list = |make: fn(Vec<Value>) -> Self, argument| elements_of(argument).map(make);
        let bound = |element: &Value, is_included| Some((element.clone(), is_included));
        let call = match (entry.name, arguments) {
            ("add" | "addLast", [element]) => insert(Last, false, element),
            ("put", [element]) => insert(Last, true, element),
            ("addFirst" | "offerFirst", [element]) => insert(First, false, element),
            ("putFirst", [element]) => insert(First, true, element),
            ("addIfAbsent", [element]) => Some(Self::InsertIfAbsent(element.clone())),
            ("addAll", [elements]) => list(Self::InsertAll, elements),
            ("remove" | "poll", []) => take(First, false),
            ("take", []) => take(First, true),
            ("pollLast", []) => take(Last, false),
            ("takeLast", []) => take(Last, true),
            ("peek", []) => Some(Self::Peek(First)),
            ("peekLast", []) => Some(Self::Peek(Last)),
            ("remove" | "removeFirstOccurrence", [element]) => Some(Self::Remove(First, element.clone())),
            ("removeLastOccurrence", [element]) => Some(Self::Remove(Last, element.clone())),
            ("removeAll", [elements]) => list(Self::RemoveAll, elements),
            ("retainAll", [elements]) => list(Self::RetainAll, elements),
            ("drainTo", []) => Some(Self::Drain(None)),
            ("drainTo", [most]) => count_of(most).map(|most| Self::Drain(Some(most))),
            ("clear", []) => Some(Self::Clear),
            ("contains", [element]) => Some(Self::Contains(element.clone())),
            ("containsAll", [elements]) => list(Self::ContainsAll, elements),
            ("size", []) => Some(Self::Size),
            ("isEmpty", []) => Some(Self::IsEmpty),
            ("remainingCapacity", []) => Some(Self::RemainingCapacity),
            ("toArray", []) => Some(Self::All(First)),
            ("descendingIterator", []) => Some(Self::All(Last)),
            ("get", [at]) => count_of(at).map(|at| Self::Index(IndexMethod::Get, at)),
            ("set", [at, element]) => {
                count_of(at).map(|at| Self::Index(IndexMethod::Set(element.clone()), at))
            }
            ("indexOf", [element]) => Some(Self::IndexOf(First, element.clone())),
            ("lastIndexOf", [element]) => Some(Self::IndexOf(Last, element.clone())),
            ("lower", [element]) => Some(Self::Neighbour(Near::Lower, element.clone())),
            ("floor", [element]) => Some(Self::Neighbour(Near::Floor, element.clone())),
            ("ceiling", [element]) => Some(Self::Neighbour(Near::Ceiling, element.clone())),
            ("higher", [element]) => Some(Self::Neighbour(Near::Higher, element.clone())),
            ("headSet", [to]) => Some(Self::Between(None, bound(to, false))),
            ("headSet", [to, with]) => with.as_bool().map(|with| Self::Between(None, bound(to, with))),
            ("tailSet", [from]) => Some(Self::Between(bound(from, true), None)),
            ("tailSet", [from, with]) => with.as_bool().map(|with| Self::Between(bound(from, with), None)),
            ("subSet", [from, to]) => Some(Self::Between(bound(from, true), bound(to, false))),
            ("subSet", [from, with_from, to, with_to]) => with_from
                .as_bool()
                .zip(with_to.as_bool())
                .map(|(with_from, with_to)| Self::Between(bound(from, with_from), bound(to, with_to))),
            _ => None,
        };
        call.ok_or_else(|| JavaCollectionError::Arguments {
            method: method.to_owned(),
            expected: expected_by(entry.name),
            found: Value::tuple(arguments.iter().cloned()),
        })
    }

    /// Whether it may change the collection.
    pub(super) fn writes(&self) -> bool {
        matches!(
            self,
            Self::Insert { .. }
                | Self::InsertIfAbsent(_)
                | Self::InsertAll(_)
                | Self::Take { .. }
                | Self::Remove(..)
                | Self::RemoveAll(_)
                | Self::RetainAll(_)
                | Self::Drain(_)
                | Self::Clear
                | Self::Index(IndexMethod::Set(_), _)
        )
    }
}

/// The call as in Java source code.
impl fmt::Display for JavaCollectionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &CollectionEnd| match end {
            CollectionEnd::First => "First",
            CollectionEnd::Last => "Last",
        };
        let with = |f: &mut fmt::Formatter<'_>, method: &str, elements: &[Value]| {
            write!(f, "{method}({})", collection_text(elements))
        };
        match self {
            Self::Insert {
                end: to,
                element,
                waits,
            } => {
                let method = if *waits { "put" } else { "add" };
                write!(f, "{method}{}({})", end(to), java_text(element))
            }
            Self::InsertIfAbsent(element) => write!(f, "addIfAbsent({})", java_text(element)),
            Self::InsertAll(elements) => with(f, "addAll", elements),
            Self::Take { end: from, waits } => {
                write!(f, "{}{}()", if *waits { "take" } else { "poll" }, end(from))
            }
            Self::Peek(at) => write!(f, "peek{}()", end(at)),
            Self::Remove(CollectionEnd::First, element) => write!(f, "remove({})", java_text(element)),
            Self::Remove(CollectionEnd::Last, element) => {
                write!(f, "removeLastOccurrence({})", java_text(element))
            }
            Self::RemoveAll(elements) => with(f, "removeAll", elements),
            Self::RetainAll(elements) => with(f, "retainAll", elements),
            Self::Drain(None) => f.write_str("drainTo()"),
            Self::Drain(Some(most)) => write!(f, "drainTo({most})"),
            Self::Clear => f.write_str("clear()"),
            Self::Contains(element) => write!(f, "contains({})", java_text(element)),
            Self::ContainsAll(elements) => with(f, "containsAll", elements),
            Self::Size => f.write_str("size()"),
            Self::IsEmpty => f.write_str("isEmpty()"),
            Self::RemainingCapacity => f.write_str("remainingCapacity()"),
            Self::All(CollectionEnd::First) => f.write_str("toArray()"),
            Self::All(CollectionEnd::Last) => f.write_str("descendingIterator()"),
            Self::Index(IndexMethod::Get, at) => write!(f, "get({at})"),
            Self::Index(IndexMethod::Set(element), at) => write!(f, "set({at}, {})", java_text(element)),
            Self::IndexOf(CollectionEnd::First, element) => write!(f, "indexOf({})", java_text(element)),
            Self::IndexOf(CollectionEnd::Last, element) => write!(f, "lastIndexOf({})", java_text(element)),
            Self::Neighbour(near, element) => {
                let method = match near {
                    Near::Lower => "lower",
                    Near::Floor => "floor",
                    Near::Ceiling => "ceiling",
                    Near::Higher => "higher",
                };
                write!(f, "{method}({})", java_text(element))
            }
            Self::Between(low, high) => {
                let bound = |bound: &Option<(Value, bool)>| {
                    bound.as_ref().map_or_else(
                        || "…".to_owned(),
                        |(element, is_included)| format!("{}, {is_included}", java_text(element)),
                    )
                };
                write!(f, "subSet({}, {})", bound(low), bound(high))
            }
        }
    }
}

fn known_methods() -> String {
    METHODS.op_names().collect::<Vec<_>>().join(", ")
}
