//! Format 1 as one JSON array of records, or as records that take more than a line.

use std::sync::Arc;

use omnilink_value::Value;

use super::ndjson::{Known, decode, is_header};
use super::{Defaults, Fields};
use crate::import::JsonElements;
use crate::input::Window;
use crate::note::Notes;
use crate::records::Records;
use crate::{Header, Operation, TraceError};

/// The records of an array in their order.
pub(crate) struct JsonRecords {
    elements: JsonElements,
    defaults: Defaults,
    known: Known,
    /// Records read so far.
    ordinal: u64,
    /// The first record, read while looking for a header.
    first: Option<Element>,
}

/// What an element is, and its line.
type Element = (Kind, u64);

enum Kind {
    Header(Header),
    Record(Box<Fields>),
}

impl JsonRecords {
    pub(crate) fn new(window: Window, defaults: Defaults, notes: Notes) -> Self {
        Self {
            elements: JsonElements::new(window, Arc::clone(&defaults.source), notes),
            defaults,
            known: Known::new(),
            ordinal: 0,
            first: None,
        }
    }

    /// Reads the header, if the first element is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        match self.element(true)? {
            Some((Kind::Header(header), _)) => {
                if let Some(thread) = header.get("thread") {
                    self.defaults.thread = Some(thread.clone());
                }
                Ok(Some(header))
            }
            first => {
                self.first = first;
                Ok(None)
            }
        }
    }

    fn element(&mut self, is_first: bool) -> Result<Option<Element>, TraceError> {
        let known = &mut self.known;
        self.elements.next(|text, _| {
            if is_first && is_header(text) {
                let header = Header::from_record(Value::from_json(text.as_bytes())?)?;
                return Ok(Kind::Header(header));
            }
            let mut fields = Fields::default();
            decode(text, known, &mut fields)?;
            Ok(Kind::Record(Box::new(fields)))
        })
    }
}

impl Records for JsonRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let next = match self.first.take() {
            Some(first) => Some(first),
            None => self.element(false)?,
        };
        let Some((Kind::Record(fields), line)) = next else {
            return Ok(None);
        };
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.defaults.operation(*fields, line, ordinal).map(Some)
    }
}
