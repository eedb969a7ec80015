//! Format 1 as one JSON array of records, or as records that span lines.

use std::sync::Arc;

use omnilink_value::Value;

use super::ndjson::{Caches, decode, is_header};
use super::{RawRecord, RecordDefaults};
use crate::input::{InputBuffer, JsonElements, Next, Reader};
use crate::note::Notes;
use crate::{Header, Location, Operation, Problem, TraceError};

/// The records of an array in their order.
pub(crate) struct JsonReader {
    elements: JsonElements,
    defaults: RecordDefaults,
    caches: Caches,
    /// The first record, read while looking for a header.
    first: Option<Next<(Element, u64)>>,
}

enum Element {
    Header(Header),
    Record(Box<RawRecord>),
}

impl JsonReader {
    pub(crate) fn new(buffer: InputBuffer, name: &str, thread: Option<Value>, notes: Notes) -> Self {
        let elements = JsonElements::new(buffer, name, notes);
        Self {
            defaults: RecordDefaults::new(elements.text().source().clone(), thread),
            elements,
            caches: Caches::new(),
            first: None,
        }
    }

    /// Reads the header, if the first element is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        match self.element(true)? {
            Next::One((Element::Header(header), _)) => {
                self.defaults.apply(&header);
                Ok(Some(header))
            }
            first => {
                self.first = Some(first);
                Ok(None)
            }
        }
    }

    /// The next element and its line.
    fn element(&mut self, is_first: bool) -> Result<Next<(Element, u64)>, TraceError> {
        let caches = &mut self.caches;
        self.elements.next(|text, _| {
            if is_first && is_header(text) {
                let header = Header::from_record(Value::from_json(text.as_bytes())?)?;
                return Ok(Element::Header(header));
            }
            let mut fields = RawRecord::default();
            decode(text, caches, &mut fields)?;
            Ok(Element::Record(Box::new(fields)))
        })
    }
}

impl Reader for JsonReader {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        let next = match self.first.take() {
            Some(first) => first,
            None => self.element(false)?,
        };
        Ok(match next {
            Next::One((Element::Record(fields), line)) => Next::One(self.defaults.operation(*fields, line)?),
            Next::One((Element::Header(_), line)) => {
                let location = Location::at(self.elements.text().source(), line);
                return Err(TraceError::new(location, Problem::SecondHeader));
            }
            Next::End(end) => Next::End(end),
        })
    }
}
