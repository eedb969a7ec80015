//! The events of a Jepsen history in JSON, as elle-cli reads them: one array of objects, or one object after the other.

use std::sync::Arc;

use omnilink_value::Value;

use super::events::Event;
use super::jepsen_event::event;
use super::json_elements::JsonElements;
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::{Note, Time, TraceError};

/// Reads event after event.
pub(super) struct JsonEvents {
    elements: JsonElements,
    source: Arc<Source>,
    notes: Notes,
    /// Events of the nemesis.
    skipped: u64,
}

impl JsonEvents {
    pub(super) fn new(window: Window, source: Arc<Source>, notes: Notes) -> Self {
        Self {
            elements: JsonElements::new(window, Arc::clone(&source), notes.clone()),
            source,
            notes,
            skipped: 0,
        }
    }

    /// The next event of a client and its time, if it has one; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Event, Option<Time>)>, TraceError> {
        loop {
            let read = |text: &str, line: u64| {
                let form = Value::from_json(text.as_bytes())?;
                event(&with_numbers_as_keys(&form), line)
            };
            match self.elements.next(read)? {
                Some((Some(event), _)) => return Ok(Some(event)),
                Some((None, _)) => self.skipped += 1,
                None => {
                    if self.skipped > 0 {
                        self.notes.push(Note::Skipped {
                            file: self.source.name.clone(),
                            count: self.skipped,
                            what: "events of no client, such as the nemesis",
                        });
                    }
                    return Ok(None);
                }
            }
        }
    }
}

/// The same value with keys that are numbers as numbers again: JSON turned them into texts, and `{"0": 10}` stands for
/// Clojure's `{0 10}`.
fn with_numbers_as_keys(value: &Value) -> Value {
    if let Some(elements) = value.as_tuple() {
        return match elements.iter().any(|element| element.len().is_some()) {
            true => Value::tuple(elements.iter().map(with_numbers_as_keys)),
            false => value.clone(),
        };
    }
    let Some(record) = value.as_record().filter(|record| !record.is_empty()) else {
        return value.clone();
    };
    let number = |name: &str| {
        let number: i64 = name.parse().ok()?;
        (number.to_string() == name).then_some(Value::int(number))
    };
    let is_numbered = record.iter().all(|(name, _)| number(name).is_some());
    let entries = record.iter().map(|(name, value)| {
        let key = number(name).filter(|_| is_numbered);
        (
            key.unwrap_or_else(|| Value::str(name)),
            with_numbers_as_keys(value),
        )
    });
    Value::function(entries).unwrap_or_else(|_| value.clone())
}
