//! One span, whatever system recorded it.

use std::sync::Arc;

use omnilink_value::Value;

use super::span_key::SpanKey;
use crate::{Location, Time};

/// Attributes in the order of the input.
pub(super) type Attributes = Vec<(String, Value)>;

/// A span: what took how long, with all that was said about it.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Absent in Chrome's events.
    pub(super) key: Option<SpanKey>,
    /// The span in which this one was started.
    pub(super) parent: Option<SpanKey>,
    /// Spans that this one says that it follows.
    pub(super) links: Vec<SpanKey>,
    pub(super) name: String,
    /// `client`, `server`, `producer`, `consumer`, or `internal` if none is given; of Chrome's events, the categories.
    pub(super) kind: String,
    pub(super) start: Time,
    /// Absent if the span was never ended.
    pub(super) end: Option<Time>,
    pub(super) attributes: Attributes,
    /// What is said about the process that recorded it.
    pub(super) resource: Arc<Attributes>,
    /// What is said about its failure, if it failed.
    pub(super) error: Option<String>,
    /// How many attributes were lost.
    pub(super) dropped: u64,
    /// The thread, where the format has threads.
    pub(super) thread: Option<Value>,
    pub(super) location: Location,
}

/// The kind of a span that says none.
pub(super) const INTERNAL: &str = "internal";

impl Span {
    /// A span of which no more is known.
    pub(super) fn new(name: &str, start: Time, location: Location) -> Self {
        Self {
            key: None,
            parent: None,
            links: Vec::new(),
            name: name.to_owned(),
            kind: INTERNAL.to_owned(),
            start,
            end: None,
            attributes: Vec::new(),
            resource: Arc::default(),
            error: None,
            dropped: 0,
            thread: None,
            location,
        }
    }

    /// The attribute of this name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Value> {
        attribute(&self.attributes, name)
    }
}

/// The attribute of this name.
pub(super) fn attribute<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a Value> {
    let (_, value) = attributes.iter().find(|(key, _)| key == name)?;
    Some(value)
}
