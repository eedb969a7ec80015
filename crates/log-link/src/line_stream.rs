//! Lines that are read when they are needed, one after the other.

use omnilink_log_extract::ExtractionCounts;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::LogError;
use crate::line_filter::LineFilter;
use crate::log_spec::LogSpec;
use crate::ordered_lines::node_of;
use crate::raw_line::RawLine;
use crate::read::LineReader;
use crate::stream_order::StreamOrder;

/// A file that is read line by line.
#[derive(Debug)]
pub(crate) struct LineStream<'s> {
    spec: &'s LogSpec,
    reader: LineReader,
    filter: LineFilter<'s>,
    pub order: StreamOrder,
    /// Each node's last line that rules see, if they look back.
    last_read: FxHashMap<Value, RawLine>,
    /// Each node's last line that is part of the log, for formulas about steps that look back.
    last_kept: FxHashMap<Value, RawLine>,
}

impl<'s> LineStream<'s> {
    pub fn new(spec: &'s LogSpec, reader: LineReader, filter: LineFilter<'s>) -> Self {
        Self {
            spec,
            reader,
            filter,
            order: StreamOrder::default(),
            last_read: FxHashMap::default(),
            last_kept: FxHashMap::default(),
        }
    }

    /// The next line of the log, and the previous one of its node if a formula may ask for it; `None` at the end, or where nothing more is there yet.
    ///
    /// # Errors
    /// If a line cannot be read, or is not in order.
    pub fn next_line(&mut self) -> Result<Option<(RawLine, Option<RawLine>)>, LogError> {
        loop {
            let Some(line) = self.reader.next_line()? else {
                return Ok(None);
            };
            if !self.filter.is_seen(&line)? {
                continue;
            }
            let keeps = if self.filter.looks_around() {
                let previous = self.last_read.insert(node_of(&line, self.spec), line.clone());
                self.filter.keeps(&line, Some((previous.as_ref(), None)))?
            } else {
                self.filter.keeps(&line, None)?
            };
            if !keeps {
                continue;
            }
            self.order.follow(&line, self.spec)?;
            let previous = if self.spec.looks_back {
                self.last_kept.insert(node_of(&line, self.spec), line.clone())
            } else {
                None
            };
            return Ok(Some((line, previous)));
        }
    }

    /// What rules have made of lines of text so far.
    pub fn extraction(&self) -> Option<ExtractionCounts> {
        self.reader.extraction()
    }

    /// How many lines were left out.
    pub fn left_out(&self) -> u64 {
        self.filter.left_out
    }
}
