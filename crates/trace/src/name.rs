//! Operation names.

use std::fmt;
use std::ops::Deref;

use omnilink_value::Value;
use serde::{Serialize, Serializer};

/// The name of an operation: cheap to clone, fast to compare, ordered by text.
///
/// It is a string [`Value`] underneath: up to 14 bytes live inside it, a longer one is shared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationName(Value);

impl OperationName {
    /// A name with this text.
    pub fn new(text: &str) -> Self {
        Self(Value::str(text))
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.0.as_str().unwrap_or_default()
    }

    /// The name as a string value.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

impl Deref for OperationName {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for OperationName {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl PartialEq<str> for OperationName {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for OperationName {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Serialize for OperationName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for OperationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A direct-mapped cache that lets operations share the allocation of a long name.
///
/// A trace has few names, so nearly every look-up hits; a trace with millions of names evicts and allocates, but the cache
/// never grows.
#[derive(Debug)]
pub(crate) struct NameCache {
    slots: Box<[Option<OperationName>; NameCache::SLOTS]>,
}

impl NameCache {
    const SLOTS: usize = 64;

    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([const { None }; Self::SLOTS]),
        }
    }

    #[inline]
    pub(crate) fn get(&mut self, text: &str) -> OperationName {
        let ends = text.bytes().take(4).chain(text.bytes().rev().take(4));
        let mix = ends.fold(text.len(), |mix, byte| {
            mix.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        let slot = &mut self.slots[mix % Self::SLOTS];
        match slot {
            Some(name) if name == text => name.clone(),
            _ => slot.insert(OperationName::new(text)).clone(),
        }
    }
}
