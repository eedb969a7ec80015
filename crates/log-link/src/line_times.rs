//! What lines say about their time, and what is to be said if only some of them do.

use omnilink_value::Value;

use crate::clock_reading::ClockReading;
use crate::log_spec::LogSpec;
use crate::raw_line::{Place, RawLine};

/// How many lines have which clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineTimes {
    lines: u64,
    vectors: u64,
    timeboxes: u64,
    clocks: u64,
    /// The first line without any.
    first_without: Option<Place>,
}

impl LineTimes {
    /// Counts a line.
    pub fn add(&mut self, line: &RawLine, spec: &LogSpec) {
        let is_int = |value: Option<&Value>| value.is_some_and(|value| ClockReading::of(value).is_some());
        let clock = line.field(spec.clock_field());
        let is_vector = clock.is_some_and(|clock| clock.as_record().is_some());
        let is_clock = is_int(clock);
        let is_timebox = spec
            .timebox_fields()
            .iter()
            .all(|field| is_int(line.field(field)));
        self.lines += 1;
        self.vectors += u64::from(is_vector);
        self.timeboxes += u64::from(is_timebox);
        self.clocks += u64::from(is_clock);
        if !is_vector && !is_timebox && !is_clock && self.first_without.is_none() {
            self.first_without = Some(line.place.clone());
        }
    }

    /// Whether one line has been counted.
    pub fn is_first(&self) -> bool {
        self.lines == 1
    }

    pub fn all_have_vectors(&self) -> bool {
        self.lines > 0 && self.vectors == self.lines
    }

    pub fn all_have_timeboxes(&self) -> bool {
        self.lines > 0 && self.timeboxes == self.lines
    }

    pub fn all_have_clocks(&self) -> bool {
        self.lines > 0 && self.clocks == self.lines
    }

    /// That lines are taken in the order of the file although some of them have clocks; `None` if no line has one, or all have the same kind, or
    /// the link file names the order.
    pub fn note(&self, spec: &LogSpec) -> Option<String> {
        let has_some = self.vectors > 0 || self.timeboxes > 0 || self.clocks > 0;
        let is_uniform = self.all_have_vectors() || self.all_have_timeboxes() || self.all_have_clocks();
        if !has_some || is_uniform || spec.settings.order.is_some() {
            return None;
        }
        let what = match &self.first_without {
            Some(place) => {
                format!("some lines have clocks and others have none (the first without: {place})")
            }
            None => "lines have clocks of different kinds".to_owned(),
        };
        Some(format!(
            "{what}, so the lines are taken in the order of the file; give every line a clock, leave lines without one out ([log] only), or write \
             order = \"lines\" under [log] in the link file if this is meant"
        ))
    }
}
