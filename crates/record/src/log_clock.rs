//! Clocks for logs: one counter for all nodes of a process, Lamport clocks, vector clocks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::log_value::write_text;

/// The clock of a node.
#[derive(Clone, Debug)]
pub enum LogClock {
    /// None: the order of the file is all that is known.
    None,
    /// One counter for all nodes: clone it for each. Lines are in the order in which they were logged.
    Shared(Arc<AtomicU64>),
    /// A Lamport clock: send [`LogWriter::stamp`](crate::LogWriter::stamp) with each message, and give what arrives to
    /// [`LogWriter::received`](crate::LogWriter::received).
    Lamport(u64),
    /// A vector clock, used in the same way.
    Vector(BTreeMap<String, u64>),
}

impl LogClock {
    /// A counter for the nodes of one process.
    pub fn shared() -> Self {
        Self::Shared(Arc::default())
    }

    /// A Lamport clock.
    pub fn lamport() -> Self {
        Self::Lamport(0)
    }

    /// A vector clock.
    pub fn vector() -> Self {
        Self::Vector(BTreeMap::new())
    }

    /// The clock goes on by one step of a node.
    pub(crate) fn tick(&mut self, node: &str) {
        match self {
            Self::None | Self::Shared(_) => {}
            Self::Lamport(now) => *now += 1,
            Self::Vector(parts) => *parts.entry(node.to_owned()).or_default() += 1,
        }
    }

    /// What to send with a message.
    pub(crate) fn stamp(&self) -> Stamp {
        match self {
            Self::None | Self::Shared(_) => Stamp::None,
            Self::Lamport(now) => Stamp::Number(*now),
            Self::Vector(parts) => Stamp::Vector(parts.clone()),
        }
    }

    /// Takes over what came with a message.
    pub(crate) fn receive(&mut self, stamp: &Stamp) {
        match (self, stamp) {
            (Self::Lamport(now), Stamp::Number(other)) => *now = (*now).max(*other),
            (Self::Vector(parts), Stamp::Vector(others)) => {
                for (node, other) in others {
                    let own = parts.entry(node.clone()).or_default();
                    *own = (*own).max(*other);
                }
            }
            _ => {}
        }
    }

    /// The reading of a line, as JSON; `None` if there is no clock.
    pub(crate) fn reading(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Shared(counter) => Some(counter.fetch_add(1, Ordering::SeqCst).to_string()),
            Self::Lamport(_) | Self::Vector(_) => Some(self.stamp().to_text()),
        }
    }
}

/// What a message carries so that its receiver's clock is later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// Nothing.
    None,
    /// The reading of a Lamport clock.
    Number(u64),
    /// The reading of a vector clock.
    Vector(BTreeMap<String, u64>),
}

impl Stamp {
    /// The stamp as text for a message: JSON.
    pub fn to_text(&self) -> String {
        match self {
            Self::None => "null".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Vector(parts) => {
                let mut text = String::from("{");
                for (at, (node, number)) in parts.iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    write_text(&mut text, node);
                    text.push_str(&format!(":{number}"));
                }
                text.push('}');
                text
            }
        }
    }

    /// Reads what [`to_text`](Self::to_text) wrote; `None` if it is something else. Names of nodes with quotes or backslashes are not read.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "null" {
            return Some(Self::None);
        }
        let Some(inside) = text.strip_prefix('{') else {
            return text.parse().ok().map(Self::Number);
        };
        let inside = inside.strip_suffix('}')?;
        let mut parts = BTreeMap::new();
        for part in inside.split(',').filter(|part| !part.trim().is_empty()) {
            let (node, number) = part.rsplit_once(':')?;
            let node = node.trim().strip_prefix('"')?.strip_suffix('"')?;
            parts.insert(node.to_owned(), number.trim().parse().ok()?);
        }
        Some(Self::Vector(parts))
    }
}
