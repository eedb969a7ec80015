//! Jepsen histories in EDN.

use std::sync::Arc;

use super::edn_events::EdnEvents;
use super::events::Pairing;
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Operation, Time, TraceError};

/// What orders the events of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// `:time`.
    Time,
    /// The place in the history.
    Index,
}

/// The clock of a history: `:time` where every event has one and none goes back, since the order of the history is the
/// order of the events in any case. Errors are left to be met again when reading for good.
pub(crate) fn clock(window: Window, name: &str) -> Clock {
    let mut events = EdnEvents::new(window, Source::lines(name), Notes::default());
    let mut last = Time::MIN;
    while let Ok(Some((_, time))) = events.next() {
        match time {
            Some(time) if time >= last => last = time,
            _ => return Clock::Index,
        }
    }
    Clock::Time
}

/// The operations of a history, as they complete.
pub(crate) struct JepsenEdnRecords {
    events: EdnEvents,
    pairing: Pairing,
    clock: Clock,
    index: Time,
    leftovers: Option<std::vec::IntoIter<Operation>>,
}

impl JepsenEdnRecords {
    pub(crate) fn new(window: Window, name: &str, clock: Clock, notes: Notes) -> Self {
        let source = Source::lines(name);
        let events = EdnEvents::new(window, source.clone(), notes);
        Self {
            events,
            pairing: Pairing::new(source),
            clock,
            index: 0,
            leftovers: None,
        }
    }
}

impl Records for JepsenEdnRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(leftovers) = &mut self.leftovers {
            return Ok(leftovers.next().map(Arc::new));
        }
        while let Some((event, time)) = self.events.next()? {
            let index = self.index;
            self.index += 1;
            let time = match self.clock {
                Clock::Time => time.unwrap_or(index),
                Clock::Index => index,
            };
            if let Some(operation) = self.pairing.take(event, time)? {
                return Ok(Some(Arc::new(operation)));
            }
        }
        let leftovers = self.leftovers.insert(self.pairing.leftovers().into_iter());
        Ok(leftovers.next().map(Arc::new))
    }
}
