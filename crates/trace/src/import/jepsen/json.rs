//! Jepsen events in JSON, as elle-cli reads them: one array of objects, or a sequence of objects.

use omnilink_value::Value;

use super::edn::NO_CLIENT;
use super::event::{TimedEvent, event};
use crate::TraceError;
use crate::input::{InputBuffer, JsonElements, Next, TextInput};
use crate::note::Notes;

/// Reads one event after the other.
pub(super) struct JsonEvents {
    elements: JsonElements,
    /// Events of the nemesis.
    pub(super) skipped: u64,
}

impl JsonEvents {
    pub(super) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            elements: JsonElements::new(buffer, name, notes),
            skipped: 0,
        }
    }

    pub(super) fn text(&self) -> &TextInput {
        self.elements.text()
    }

    /// The next event of a client.
    pub(super) fn next(&mut self) -> Result<Next<TimedEvent>, TraceError> {
        loop {
            let read = |text: &str, line: u64| {
                let form = Value::from_json(text.as_bytes())?;
                event(&with_integer_keys(&form), line)
            };
            match self.elements.next(read)? {
                Next::One((Some(event), _)) => return Ok(Next::One(event)),
                Next::One((None, _)) => self.skipped += 1,
                Next::End(end) => {
                    self.text().note_skipped(self.skipped, NO_CLIENT);
                    return Ok(Next::End(end));
                }
            }
        }
    }
}

/// The same value with integers for keys that are decimal integers: JSON has only string keys, so `{"0": 10}` stands for
/// Clojure's `{0 10}`.
fn with_integer_keys(value: &Value) -> Value {
    if let Some(elements) = value.as_tuple() {
        return if elements.iter().any(|element| element.len().is_some()) {
            Value::tuple(elements.iter().map(with_integer_keys))
        } else {
            value.clone()
        };
    }
    let Some(record) = value.as_record().filter(|record| !record.is_empty()) else {
        return value.clone();
    };
    let integer = |name: &str| {
        let integer: i64 = name.parse().ok()?;
        (integer.to_string() == name).then_some(Value::int(integer))
    };
    let has_integers = record.iter().all(|(name, _)| integer(name).is_some());
    let entries = record.iter().map(|(name, value)| {
        let key = integer(name).filter(|_| has_integers);
        (key.unwrap_or_else(|| Value::str(name)), with_integer_keys(value))
    });
    Value::function(entries).unwrap_or_else(|_| value.clone())
}
