//! Jepsen histories in EDN and JSON.

use std::sync::Arc;

use super::edn_events::EdnEvents;
use super::events::{Event, Kind, Pairing};
use super::jepsen_event::is_transaction;
use super::json_events::JsonEvents;
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Format, Note, Operation, Place, Time, TraceError};

/// The events of a history.
enum Events {
    Edn(EdnEvents),
    Json(JsonEvents),
}

impl Events {
    fn new(format: Format, window: Window, source: Arc<Source>, notes: Notes) -> Self {
        match format {
            Format::JepsenJson => Self::Json(JsonEvents::new(window, source, notes)),
            _ => Self::Edn(EdnEvents::new(window, source, notes)),
        }
    }

    fn next(&mut self) -> Result<Option<(Event, Option<Time>)>, TraceError> {
        match self {
            Self::Edn(events) => events.next(),
            Self::Json(events) => events.next(),
        }
    }
}

/// What must be known of a history before it is read.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    /// Whether `:time` orders the events: each has one, and none goes back. Otherwise their place in the history does.
    has_clock: bool,
    /// Whether calls are recorded: there is some `:invoke`, or something else than transactions. Of transactions, some tools keep
    /// only the completions, because who read what says enough.
    has_calls: bool,
    /// Where the time first goes back.
    goes_back: Option<Place>,
}

impl Survey {
    /// Errors are left to be met again when reading for good.
    pub(crate) fn of(format: Format, window: Window, name: &str) -> Self {
        let source = Source::lines(name);
        let mut events = Events::new(format, window, Arc::clone(&source), Notes::default());
        let mut last = Some(Time::MIN);
        let mut survey = Self {
            has_clock: true,
            has_calls: false,
            goes_back: None,
        };
        while let Ok(Some((event, time))) = events.next() {
            let says_more = event.kind != Kind::Info && !event.value.as_ref().is_some_and(is_transaction);
            survey.has_calls |= event.kind == Kind::Invoke || says_more;
            match (last, time) {
                (Some(earlier), Some(time)) if time >= earlier => last = Some(time),
                (Some(_), Some(_)) => {
                    survey.goes_back.get_or_insert(Place::at(&source, event.line));
                    survey.has_clock = false;
                }
                _ => {
                    survey.has_clock = false;
                    last = None;
                }
            }
        }
        survey.has_clock &= survey.has_calls;
        survey
    }

    /// What a person should be told.
    fn tell(&self, source: &Source, notes: &Notes) {
        if let Some(place) = &self.goes_back {
            notes.push(Note::Reading {
                place: place.clone(),
                how: "the :time goes back here; events are taken in the order of the history",
            });
        }
        if !self.has_calls {
            notes.push(Note::Reading {
                place: Place::whole(&source.name),
                how: "there is no :invoke; each transaction is taken to begin when the last one of its process ended",
            });
        }
    }
}

/// The operations of a history, as they complete.
pub(crate) struct JepsenRecords {
    events: Events,
    pairing: Pairing,
    survey: Survey,
    index: Time,
    leftovers: Option<std::vec::IntoIter<Operation>>,
}

impl JepsenRecords {
    pub(crate) fn new(format: Format, window: Window, name: &str, survey: Survey, notes: Notes) -> Self {
        let source = Source::lines(name);
        survey.tell(&source, &notes);
        Self {
            events: Events::new(format, window, Arc::clone(&source), notes),
            pairing: Pairing::new(source),
            survey,
            index: 0,
            leftovers: None,
        }
    }
}

impl Records for JepsenRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(leftovers) = &mut self.leftovers {
            return Ok(leftovers.next().map(Arc::new));
        }
        while let Some((event, time)) = self.events.next()? {
            let index = self.index;
            self.index += 1;
            let time = time.filter(|_| self.survey.has_clock).unwrap_or(index);
            let operation = match self.survey.has_calls {
                true => self.pairing.take(event, time)?,
                false => Some(self.pairing.take_completion(event, time)),
            };
            if let Some(operation) = operation {
                return Ok(Some(Arc::new(operation)));
            }
        }
        let leftovers = self.leftovers.insert(self.pairing.leftovers().into_iter());
        Ok(leftovers.next().map(Arc::new))
    }
}
