//! The part of a link file that is about logs: `[log]`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

/// What a link file says about logs. Field names are paths with dots: `event.name`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct LogLink {
    /// The field with the name of the event.
    pub event: Option<String>,
    /// The field with the arguments of the event.
    pub args: Option<String>,
    /// The field with the node that wrote the line.
    pub node: Option<String>,
    /// The field with the clock: a number or a vector.
    pub clock: Option<String>,
    /// The fields with the beginning and the end of the time within which the line happened.
    pub start: Option<String>,
    /// See `start`.
    pub end: Option<String>,
    /// Which order of the lines is known.
    pub order: Option<LogOrder>,
    /// How far clocks of different nodes may be off, for the orders `nodes` and `timeboxes`.
    pub uncertainty: Option<i64>,
    /// What clocks count: nanoseconds if nothing is said.
    pub clock_unit: Option<ClockUnit>,
    /// Only lines for which this holds belong to the log: a formula over `line`.
    pub only: Option<String>,
    /// Variables that are unchanged on lines that do not mention them.
    #[serde(default)]
    pub tracked: Vec<String>,
    /// Fields and variables that may stay unread.
    #[serde(default)]
    pub ignore_fields: Vec<String>,
    /// Variables of the spec, for those that the log names otherwise.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What values of the log (JSON) mean (TLA+), everywhere.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Events to skip.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Lines to skip: a formula over `line`, `previous` (the node's previous line) and `next` (its next one).
    pub skip_when: Option<String>,
    /// Events that change nothing.
    #[serde(default)]
    pub stuttering: Vec<String>,
    /// Events that mean that the run has failed.
    #[serde(default)]
    pub failure: Vec<String>,
    /// Lines that mean that the run has failed: a formula over `line`.
    pub fail_when: Option<String>,
    /// How many lines at the beginning describe the run and are no steps.
    #[serde(default)]
    pub header: usize,
    /// Constants as expressions over `lines`, the lines of the header.
    #[serde(default)]
    pub constants: BTreeMap<String, String>,
    /// The initial condition, over the variables and `lines`; conjoined with the spec's.
    pub init: Option<String>,
    /// The initial condition instead of the spec's.
    pub init_instead: Option<String>,
    /// Operators of the spec that have another definition for traces.
    #[serde(default)]
    pub overrides: BTreeMap<String, String>,
    /// What events mean.
    #[serde(default)]
    pub events: BTreeMap<String, EventLink>,
    /// Actions that happen without a line.
    #[serde(default)]
    pub hidden: Vec<HiddenActionLink>,
}

/// What clocks count.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ClockUnit {
    /// Nanoseconds.
    #[default]
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl ClockUnit {
    /// The number of them that covers a time.
    pub fn covering(self, time: Duration) -> i64 {
        let unit_ns: u128 = match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
            Self::S => 1_000_000_000,
        };
        i64::try_from(time.as_nanos().div_ceil(unit_ns)).unwrap_or(i64::MAX)
    }
}

impl LogLink {
    /// Lets the clocks of two machines be this far apart: half of it is how far each of them may be off.
    ///
    /// # Errors
    /// If the order of lines is not that of clocks.
    pub fn allow_skew(&mut self, skew: Duration) -> Result<(), String> {
        match self.order {
            None | Some(LogOrder::Nodes | LogOrder::Timeboxes) => {}
            Some(LogOrder::Clock) => self.order = Some(LogOrder::Nodes),
            Some(LogOrder::Lines | LogOrder::Vector | LogOrder::Edges) => {
                return Err(
                    "--skew is about clocks, and the link file orders lines by something else ([log] order)"
                        .to_owned(),
                );
            }
        }
        let apart = self.clock_unit.unwrap_or_default().covering(skew);
        self.uncertainty = Some(apart / 2 + apart % 2);
        Ok(())
    }
}

/// Which order of the lines is known.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum LogOrder {
    /// That of the file.
    Lines,
    /// That of the clock; equal readings keep the order of the files.
    Clock,
    /// That of vector clocks.
    Vector,
    /// Each node's own, and that of clocks where they are further apart than their uncertainty.
    Nodes,
    /// That of timeboxes: a line that ended before another started comes first.
    Timeboxes,
    /// Each node's own, and `after`: identifiers (`id`) of lines that come before.
    Edges,
}

/// What an event means.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct EventLink {
    /// The action, if it has another name; or a formula over `line`, `previous` and `node`.
    pub action: Option<String>,
    /// Which field of the line each parameter of the action takes its value from.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Actions that the line is, one after the other. A name with a question mark may be left out.
    #[serde(default)]
    pub compose: Vec<String>,
    /// Must hold before: a formula over the variables, `line`, `previous` and `node`.
    pub requires: Option<String>,
    /// Must hold of the step: the same, with primes.
    pub ensures: Option<String>,
    /// Whether it may also change nothing.
    #[serde(default)]
    pub stutters: bool,
    /// Whether it belongs to the node's previous line: both together are one action, the previous line's.
    #[serde(default)]
    pub joins: bool,
    /// Skip it.
    #[serde(default)]
    pub skip: bool,
}

/// An action that happens without a line.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct HiddenActionLink {
    /// The action: its name, or a formula over `line`, the coming line.
    pub action: String,
    /// How often it may happen before one line, at most.
    #[serde(default = "once")]
    pub bound: u32,
    /// Only before lines for which this holds: a formula over the variables and `line`.
    pub when: Option<String>,
}

fn once() -> u32 {
    1
}
