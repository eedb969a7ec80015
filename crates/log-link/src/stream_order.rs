//! Whether lines that are read one by one stand in the only order that their clocks allow.
//!
//! If the link file names no order, lines in memory are ordered by what they have: clocks, vector clocks or timeboxes
//! ([`ordered`](crate::ordered_lines::ordered)). Lines that these do not order are tried in every order. A stream takes lines as they stand.
//! Both mean the same if each line in [`StreamOrder::follow`] begins after all lines of other nodes before it have ended: lines of different nodes stand in the order of their
//! times then, and each node's own lines keep the order of the file in any case, wherever its clock goes back ([`clock_order`](crate::clock_order)): a line that is behind
//! one of its node before it makes times wider, but no wider than from its own end on, and it begins after the other nodes' lines. Lines that name no node have to stand in the order of their clocks.
//! Where one line has no clock, lines in memory stand in the order of the file, too. A stream for which this cannot be told is refused.

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::clock_order::{Backwards, Span};
use crate::clock_reading::ClockReading;
use crate::error::LogError;
use crate::line_times::LineTimes;
use crate::log_spec::LogSpec;
use crate::ordered_lines::{check_clock, names_node, node_of};
use crate::raw_line::RawLine;

/// What the lines of a stream have said about one kind of time.
#[derive(Debug, Default)]
struct Times {
    /// The latest beginning of each node's lines.
    latest: FxHashMap<Value, ClockReading>,
    /// The node whose lines end last, and when.
    last: Option<(Value, ClockReading)>,
    /// When the lines of other nodes than that have ended.
    others: Option<ClockReading>,
    backwards: Backwards,
}

impl Times {
    /// Takes the time of a line; whether it comes after all lines before it.
    fn follows(&mut self, line: &RawLine, node: &Value, (start, end): Span, may_go_back: bool) -> bool {
        let before = match &self.last {
            Some((last, ended)) if last != node => Some(*ended),
            Some(_) => self.others,
            None => None,
        };
        if before.is_some_and(|ended| ended >= start) {
            return false;
        }
        let latest = self.latest.entry(node.clone()).or_insert(start);
        if start < *latest && !may_go_back {
            return false;
        }
        if end < *latest {
            self.backwards.note(line, latest.nanoseconds_after(end));
        }
        let end = end.max(*latest);
        *latest = start.max(*latest);
        match &mut self.last {
            Some((last, ended)) if last == node => *ended = end.max(*ended),
            last => {
                self.others = last.take().map(|(_, ended)| ended);
                *last = Some((node.clone(), end));
            }
        }
        true
    }
}

/// What the lines of a stream said about their times.
#[derive(Debug, Default)]
pub(crate) struct StreamOrder {
    clocks: Times,
    timeboxes: Times,
    times: LineTimes,
}

impl StreamOrder {
    /// Whether a later line can still show that the stream is in no order: some line had a clock, and the link file names no order.
    pub fn has_clocks(&self) -> bool {
        self.clocks.last.is_some() || self.timeboxes.last.is_some()
    }

    /// That only some of the lines have clocks, or that a clock goes back.
    pub fn notes(&self, spec: &LogSpec) -> Vec<String> {
        let backwards = match &self.timeboxes.last {
            Some(_) => self.timeboxes.backwards.told(),
            None => self.clocks.backwards.told(),
        };
        backwards.into_iter().chain(self.times.note(spec)).collect()
    }

    /// Takes the next line of a stream.
    ///
    /// # Errors
    /// If its clock does not say that it comes after the line before it.
    pub fn follow(&mut self, line: &RawLine, spec: &LogSpec) -> Result<(), LogError> {
        if spec.settings.order.is_some() {
            return Ok(());
        }
        check_clock(line, spec)?;
        self.times.add(line, spec);
        let unit = spec.settings.clock_unit.unwrap_or_default().nanoseconds();
        let read = |field: &str| Some(ClockReading::of(line.field(field)?)?.in_units_of(unit));
        let is_vector = line
            .field(spec.clock_field())
            .is_some_and(|clock| clock.as_record().is_some());
        let [start, end] = spec.timebox_fields().map(read);
        let clock = read(spec.clock_field());
        let node = node_of(line, spec);
        let may_go_back = names_node(line, spec);
        let follows = |times: &mut Times, span: Option<Span>| {
            span.is_none_or(|span| span.0 <= span.1 && times.follows(line, &node, span, may_go_back))
        };
        if self.times.is_first() && (clock.is_some() || start.is_some()) {
            spec.used.took("log.clock_unit");
        }
        let is_after = follows(&mut self.clocks, clock.map(|clock| (clock, clock)))
            && follows(&mut self.timeboxes, start.zip(end));
        if is_vector || !is_after {
            return Err(LogError::Unordered {
                place: line.place.to_string(),
                why: "its clock does not say that it comes after the line before it",
            });
        }
        Ok(())
    }
}
