//! Names and their values, in order.

use std::fmt;

use serde::ser::{Serialize, Serializer};

/// Names and their values, in the order in which they are declared. In JSON this is an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings<V>(pub Vec<(String, V)>);

impl<V> Bindings<V> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, V)> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> FromIterator<(String, V)> for Bindings<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

/// `x = 1, y = 2`
impl<V: fmt::Display> fmt::Display for Bindings<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

impl<V: Serialize> Serialize for Bindings<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
