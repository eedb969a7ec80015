//! Transactions in JSON: dbcop's histories, and Viper's logs.
//!
//! | format | JSON |
//! |---|---|
//! | dbcop | an array of sessions, or an object with it in `data`; a session is an array of `{"events":[{"Write":{"variable":0,"version":1}},["r",0,1]],"committed":true}` |
//! | Viper | `{"value":[["w",1,101],["r",2,55],["range",1,9,[{"id":2,"val":55}],[]]]}`, an array or one a line, a file for each session |

use std::collections::VecDeque;
use std::sync::Arc;

use omnilink_value::Value;

use super::session_assembly::{Ending, SessionAssembly};
use crate::input::{End, InputBuffer, JsonElements, Next, Reader};
use crate::note::Notes;
use crate::{Format, Location, Operation, Problem, TraceError};

const DBCOP: &str = "sessions of transactions such as {\"events\":[{\"Write\":{\"variable\":0,\"version\":1}}],\"committed\":true}";
const VIPER: &str = "a transaction such as {\"value\":[[\"w\",1,101],[\"r\",2,55]]}";

/// The transactions of a file.
pub(crate) struct SessionJson {
    elements: JsonElements,
    format: Format,
    sessions: SessionAssembly,
    /// The number of the next session.
    session: i64,
    /// Sessions of an element that was read, and where that is.
    waiting: VecDeque<(Location, Value)>,
}

impl SessionJson {
    pub(crate) fn new(
        format: Format,
        buffer: InputBuffer,
        name: &str,
        thread: Option<Value>,
        notes: Notes,
    ) -> Self {
        Self {
            elements: JsonElements::new(buffer, name, notes),
            format,
            sessions: SessionAssembly::of_thread(thread.filter(|_| format == Format::Viper)),
            session: 0,
            waiting: VecDeque::new(),
        }
    }

    /// Reads one element of the file; the end if there is none.
    fn element(&mut self) -> Result<Option<End>, TraceError> {
        let read = |text: &str, _| Value::from_json(text.as_bytes()).map_err(Problem::from);
        let (element, position) = match self.elements.next(read)? {
            Next::One(found) => found,
            Next::End(end) => return Ok(Some(end)),
        };
        let place = Location::at(self.elements.text().source(), position);
        let understood = match self.format {
            Format::Viper => self.viper(&element, &place),
            _ => self.dbcop(element.field("data").unwrap_or(&element), &place),
        };
        let expected = if self.format == Format::Viper {
            VIPER
        } else {
            DBCOP
        };
        match understood {
            Some(()) => Ok(None),
            None => {
                let problem = Problem::bad_line(expected, &element.to_string());
                Err(TraceError::new(place, problem))
            }
        }
    }

    fn viper(&mut self, transaction: &Value, place: &Location) -> Option<()> {
        let accesses = transaction.field("value")?.as_tuple()?;
        let open = self.sessions.begin(0, 0, || place.clone());
        // IsoVista tells behind each write whether its transaction committed.
        let mut ending = Ending::Committed;
        for access in accesses {
            match access.as_tuple()? {
                [name, lo, hi, live, dead] if name.as_str() == Some("range") => {
                    let seen = live.as_tuple()?.iter().chain(dead.as_tuple()?);
                    let seen = seen.map(|seen| {
                        let (key, value) = (seen.field("id")?, seen.field("val")?);
                        Some(Value::tuple([key.clone(), value.clone()]))
                    });
                    let seen = Value::tuple(seen.collect::<Option<Vec<_>>>()?);
                    let bound = |bound: &Value| match bound.as_str() {
                        Some("nil") => Value::null(),
                        _ => bound.clone(),
                    };
                    open.push(Value::tuple([Value::from("range"), bound(lo), bound(hi), seen]));
                }
                [name, key, value, rest @ ..] => {
                    if name.as_str() == Some("w") && rest.first().and_then(Value::as_bool) == Some(false) {
                        ending = Ending::Aborted;
                    }
                    let name = match name.as_str()? {
                        "r" => "r",
                        // What is deleted holds a value of its own from then on.
                        "w" | "i" | "d" => "w",
                        _ => return None,
                    };
                    let value = match value.as_str() {
                        Some("nil") => Value::null(),
                        _ => value.clone(),
                    };
                    open.access(name, key.clone(), value);
                }
                _ => return None,
            }
        }
        self.sessions.finish(0, ending);
        Some(())
    }

    /// All sessions, or one of them.
    fn dbcop(&mut self, found: &Value, place: &Location) -> Option<()> {
        let parts = found.as_tuple()?;
        if parts.iter().any(|part| part.as_tuple().is_some()) {
            parts.iter().all(|part| part.as_tuple().is_some()).then_some(())?;
            self.waiting
                .extend(parts.iter().map(|part| (place.clone(), part.clone())));
            return Some(());
        }
        let session = self.session;
        self.session += 1;
        for transaction in parts {
            let events = transaction.field("events")?.as_tuple()?;
            let is_committed = transaction.field("committed")?.as_bool()?;
            let open = self.sessions.begin(session, 0, || place.clone());
            for event in events {
                let (name, key, value) = dbcop_event(event)?;
                open.access(name, key.clone(), value.clone());
            }
            let ending = if is_committed {
                Ending::Committed
            } else {
                Ending::Aborted
            };
            self.sessions.finish(session, ending);
        }
        Some(())
    }
}

/// `{"Read":{"variable":0,"version":1}}` or `["r",0,1]`.
fn dbcop_event(event: &Value) -> Option<(&'static str, &Value, &Value)> {
    if let Some(parts) = event.as_tuple() {
        let [name, key, value] = parts else { return None };
        let name = match name.as_str()? {
            "r" => "r",
            "w" => "w",
            _ => return None,
        };
        return Some((name, key, value));
    }
    let (name, fields) = match (event.field("Read"), event.field("Write")) {
        (Some(fields), None) => ("r", fields),
        (None, Some(fields)) => ("w", fields),
        _ => return None,
    };
    Some((name, fields.field("variable")?, fields.field("version")?))
}

impl Reader for SessionJson {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        loop {
            if let Some(operation) = self.sessions.pop() {
                return Ok(Next::One(operation));
            }
            if let Some((place, session)) = self.waiting.pop_front() {
                if self.dbcop(&session, &place).is_none() {
                    let problem = Problem::bad_line(DBCOP, &session.to_string());
                    return Err(TraceError::new(place, problem));
                }
            } else if let Some(end) = self.element()? {
                return Ok(Next::End(end));
            }
        }
    }
}
