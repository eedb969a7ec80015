//! The fields of a line.

use serde_json::{Map, Value};

/// The fields of a line by their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of an object.
    pub fn of(object: Map<String, Value>) -> Self {
        Self(object)
    }

    /// The field at a path with dots; a field whose own name has dots comes first.
    pub fn get(&self, path: &str) -> Option<&Value> {
        if let Some(value) = self.0.get(path) {
            return Some(value);
        }
        let (first, rest) = path.split_once('.')?;
        rest.split('.')
            .try_fold(self.0.get(first)?, |value, name| match value {
                Value::Object(object) => object.get(name),
                Value::Array(elements) => elements.get(name.parse::<usize>().ok()?),
                _ => None,
            })
    }

    /// The text of a field, if it is one.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(Value::as_str)
    }

    /// Adds a field, in the place of one with that name.
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Adds fields, in the place of those with their names.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Adds a further line to the message. A message that is empty begins with it.
    pub fn append_to_message(&mut self, line: &str) {
        let message = match self.text("message").unwrap_or_default() {
            "" => line.trim_start().to_owned(),
            message => format!("{message}\n{line}"),
        };
        self.set("message", message.into());
    }

    /// Adds fields that are not there.
    pub fn add_missing(&mut self, others: Map<String, Value>) {
        for (name, value) in others {
            self.0.entry(name).or_insert(value);
        }
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
