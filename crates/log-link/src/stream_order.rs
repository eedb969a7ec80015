//! Whether lines that are read one by one stand in the only order that their clocks allow.
//!
//! If the link file names no order, lines in memory are ordered by what they have: clocks, vector clocks or timeboxes
//! ([`ordered`](crate::ordered_lines::ordered)). Lines that these do not order are tried in every order. A stream takes lines as they stand.
//! Both mean the same if each line follows the one before it in [`StreamOrder::follow`]: starts do not decrease, so that
//! sorting by start changes nothing, and neighbours are of one node or do not overlap, so that each comes before the next. Where one line
//! has no clock, lines in memory stand in the order of the file, too. A stream for which this cannot be told is refused.

use omnilink_value::Value;

use crate::error::LogError;

use crate::clock_reading::ClockReading;
use crate::line_times::LineTimes;
use crate::log_spec::LogSpec;
use crate::ordered_lines::{check_clock, node_of};
use crate::raw_line::RawLine;

/// The clocks and the node of a line.
#[derive(Debug)]
struct Clocks {
    clock: Option<(ClockReading, ClockReading)>,
    timebox: Option<(ClockReading, ClockReading)>,
    node: Value,
}

/// What the last line of a stream said about its time.
#[derive(Debug, Default)]
pub(crate) struct StreamOrder {
    last: Option<Clocks>,
    times: LineTimes,
}

impl StreamOrder {
    /// Whether a later line can still show that the stream is in no order: some line had a clock, and the link file names no order.
    pub fn has_clocks(&self) -> bool {
        self.last.is_some()
    }

    /// That only some of the lines have clocks.
    pub fn note(&self, spec: &LogSpec) -> Option<String> {
        self.times.note(spec)
    }

    /// Takes the next line of a stream.
    ///
    /// # Errors
    /// If its clock does not say that it comes after the line before it.
    pub fn follow(&mut self, line: &RawLine, spec: &LogSpec) -> Result<(), LogError> {
        let settings = &spec.settings;
        if settings.order.is_some() {
            return Ok(());
        }
        check_clock(line, spec)?;
        self.times.add(line, spec);
        let field = |name: &Option<String>, usual: &str| line.field(name.as_deref().unwrap_or(usual));
        let clock = field(&settings.clock, "clock");
        let is_vector = clock.is_some_and(|clock| clock.as_record().is_some());
        let start = field(&settings.start, "start").and_then(ClockReading::of);
        let end = field(&settings.end, "end").and_then(ClockReading::of);
        let next = Clocks {
            clock: clock.and_then(ClockReading::of).map(|clock| (clock, clock)),
            timebox: start.zip(end),
            node: node_of(line, spec),
        };
        if !is_vector && next.clock.is_none() && next.timebox.is_none() {
            return Ok(());
        }
        let is_after = self.last.as_ref().is_none_or(|last| {
            let is_same_node = last.node == next.node;
            let follows = |last: Option<(ClockReading, ClockReading)>,
                           next: Option<(ClockReading, ClockReading)>| {
                last.zip(next)
                    .is_none_or(|((start, end), next)| start <= next.0 && (end < next.0 || is_same_node))
            };
            follows(last.clock, next.clock) && follows(last.timebox, next.timebox)
        });
        if is_vector || !is_after {
            return Err(LogError::Unordered {
                place: line.place.to_string(),
            });
        }
        self.last = Some(next);
        Ok(())
    }
}
