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
use crate::step_lines::nothing_to_join;
use crate::stream_order::StreamOrder;

/// A line, and the previous one of its node if a formula may ask for it.
pub(crate) type StreamedLine = (RawLine, Option<RawLine>);

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
    /// A line that the next one may join.
    held: Option<StreamedLine>,
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
            held: None,
        }
    }

    /// The next line of the log with those that join it; `None` at the end, or where nothing more is there yet.
    ///
    /// # Errors
    /// If a line cannot be read, or is not in order.
    pub fn next_line(&mut self) -> Result<Option<StreamedLine>, LogError> {
        if !self.spec.has_joins {
            return self.next_kept();
        }
        loop {
            let Some((line, previous)) = self.next_kept()? else {
                return Ok(if self.reader.is_quiet() {
                    self.held.take()
                } else {
                    None
                });
            };
            if self.spec.joins(&line) {
                let node = node_of(&line, self.spec);
                match &mut self.held {
                    Some((head, _)) if node_of(head, self.spec) == node => head.joined.push(line),
                    None if !self.reader.is_following() => return Err(nothing_to_join(&line)),
                    _ => {
                        return Err(LogError::Unordered {
                            place: line.place.to_string(),
                            why: "it joins its node's line before it (joins = true), and that is not the line before it in the file",
                        });
                    }
                }
                continue;
            }
            if let Some(complete) = self.held.replace((line, previous)) {
                return Ok(Some(complete));
            }
        }
    }

    fn next_kept(&mut self) -> Result<Option<StreamedLine>, LogError> {
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

    /// Nothing more will come: what is held back is complete. Whether there is something.
    pub fn close(&mut self) -> bool {
        let was_open = self.reader.close();
        was_open && (self.held.is_some() || self.reader.has_open_event())
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
