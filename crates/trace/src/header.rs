//! The header: an optional first record that describes the trace.

use omnilink_value::Value;

use crate::Problem;

/// The optional first record `{"omnilink":1, …}`: spec, clock unit, host, command, seed and any other field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    fields: Value,
}

impl Header {
    /// The key that makes a record a header.
    pub(crate) const KEY: &str = "omnilink";

    /// A header with these fields; the version is added.
    pub fn new<N: AsRef<str>>(fields: impl IntoIterator<Item = (N, Value)>) -> Self {
        let fields = fields
            .into_iter()
            .map(|(name, value)| (name.as_ref().to_owned(), value));
        Self {
            fields: Value::record(fields.chain([(Self::KEY.to_owned(), Value::int(1))])),
        }
    }

    pub(crate) fn from_record(fields: Value) -> Result<Self, Problem> {
        match fields.field(Self::KEY) {
            Some(version) if version.as_int() == Some(1) => Ok(Self { fields }),
            version => Err(Problem::UnknownVersion(
                version.cloned().unwrap_or_else(Value::null),
            )),
        }
    }

    /// The field of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.field(name)
    }

    /// All fields, as a record.
    pub fn as_value(&self) -> &Value {
        &self.fields
    }

    /// Whether the writer promises that operations come in order of start.
    pub fn is_sorted(&self) -> bool {
        self.get("sorted").and_then(Value::as_bool) == Some(true)
    }

    /// The same header with that promise.
    #[must_use]
    pub(crate) fn sorted(&self) -> Self {
        let fields = self
            .fields
            .as_record()
            .into_iter()
            .flat_map(|record| record.iter());
        Self {
            fields: Value::record(
                fields
                    .map(|(name, value)| (name, value.clone()))
                    .chain([("sorted", true.into())]),
            ),
        }
    }
}
