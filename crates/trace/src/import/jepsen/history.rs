//! Jepsen histories in EDN and JSON as operations.

use super::edn::EdnEvents;
use super::event::{EventType, TimedEvent, is_transaction};
use super::json::JsonEvents;
use super::pairing::Pairing;
use crate::import::event_history::Events;
use crate::input::{InputBuffer, Next, TextInput};
use crate::note::Notes;
use crate::{Format, Header, Location, Note, Operation, Time, TraceError};

/// The events of a history, by notation.
enum Notation {
    Edn(EdnEvents),
    Json(JsonEvents),
}

impl Notation {
    fn new(format: Format, buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        match format {
            Format::JepsenJson => Self::Json(JsonEvents::new(buffer, name, notes)),
            _ => Self::Edn(EdnEvents::new(buffer, name, notes)),
        }
    }

    fn next(&mut self) -> Result<Next<TimedEvent>, TraceError> {
        match self {
            Self::Edn(events) => events.next(),
            Self::Json(events) => events.next(),
        }
    }

    /// The number of events of no client so far.
    fn skipped(&self) -> u64 {
        match self {
            Self::Edn(events) => events.skipped,
            Self::Json(events) => events.skipped,
        }
    }

    fn text(&self) -> &TextInput {
        match self {
            Self::Edn(events) => events.text(),
            Self::Json(events) => events.text(),
        }
    }
}

/// Properties of a whole history, found by a first pass over it.
#[derive(Clone, Debug)]
pub(crate) struct JepsenScan {
    /// Whether `:time` orders the events: every event has one, and it never decreases. Otherwise their position does.
    has_clock: bool,
    /// Whether calls are recorded: there is an `:invoke`, or something other than transactions. Of transactions, some tools
    /// keep only the completions, because the values read determine enough.
    has_calls: bool,
    /// Where the time first decreases.
    time_decreases: Option<Location>,
    has_events: bool,
    has_client_events: bool,
}

impl JepsenScan {
    /// Of a history that is still being written: its events are ordered by their position.
    pub(crate) fn unread() -> Self {
        Self {
            has_clock: false,
            has_calls: true,
            time_decreases: None,
            has_events: true,
            has_client_events: true,
        }
    }

    /// Ignores errors: the second pass meets them again.
    pub(crate) fn new(format: Format, buffer: InputBuffer, name: &str) -> Self {
        let mut events = Notation::new(format, buffer, name, Notes::default());
        let mut last = Some(Time::MIN);
        let mut scan = Self {
            has_clock: true,
            has_calls: false,
            time_decreases: None,
            has_events: false,
            has_client_events: false,
        };
        while let Ok(Next::One((event, time))) = events.next() {
            scan.has_client_events = true;
            let is_other = event.kind != EventType::Info && !event.value.as_ref().is_some_and(is_transaction);
            scan.has_calls |= event.kind == EventType::Invoke || is_other;
            match (last, time) {
                (Some(earlier), Some(time)) if time >= earlier => last = Some(time),
                (Some(_), Some(_)) => {
                    let location = || Location::at(events.text().source(), event.line);
                    scan.time_decreases.get_or_insert_with(location);
                    scan.has_clock = false;
                }
                _ => {
                    scan.has_clock = false;
                    last = None;
                }
            }
        }
        scan.has_events = scan.has_client_events || events.skipped() > 0;
        scan.has_calls |= !scan.has_client_events;
        scan.has_clock &= scan.has_calls;
        scan
    }

    /// A header for a history without operations that is not empty: all its events are those of the nemesis.
    pub(crate) fn header(&self) -> Option<Header> {
        let is_vacuous = self.has_events && !self.has_client_events;
        is_vacuous.then(|| Header::new([("source", "jepsen".into())]))
    }
}

/// The events of a history in EDN or JSON.
pub(crate) struct JepsenHistory {
    events: Notation,
    pairing: Pairing,
    scan: JepsenScan,
    index: Time,
}

impl JepsenHistory {
    pub(crate) fn new(
        format: Format,
        buffer: InputBuffer,
        name: &str,
        scan: JepsenScan,
        notes: Notes,
    ) -> Self {
        let events = Notation::new(format, buffer, name, notes.clone());
        if let Some(location) = scan.time_decreases.clone() {
            let how = "the :time goes back here; events are taken in the order of the history";
            notes.push(Note::Interpretation { location, how });
        }
        if !scan.has_calls {
            events.text().note_interpretation(
                "there is no :invoke; each transaction is taken to begin when the last one of its process ended",
            );
        }
        Self {
            pairing: Pairing::new(events.text().source().clone()),
            events,
            scan,
            index: 0,
        }
    }
}

impl Events for JepsenHistory {
    fn next_completed(&mut self) -> Result<Next<Operation>, TraceError> {
        loop {
            let (event, time) = match self.events.next()? {
                Next::One(found) => found,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let index = self.index;
            self.index += 1;
            let time = time.filter(|_| self.scan.has_clock).unwrap_or(index);
            let operation = if self.scan.has_calls {
                self.pairing.add(event, time)?
            } else {
                Some(self.pairing.add_completion(event, time))
            };
            if let Some(operation) = operation {
                return Ok(Next::One(operation));
            }
        }
    }

    fn take_open(&mut self) -> Vec<Operation> {
        self.pairing.take_open()
    }
}
