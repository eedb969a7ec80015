//! The part of a link file that is about logs: `[log]`.

use std::collections::BTreeMap;
use std::time::Duration;

use omnilink_settings::{SettingsError, Table};

/// What a link file says about logs. Field names are paths with dots: `event.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// How far clocks of different nodes may be off, in their own unit, for the orders `nodes` and `timeboxes`.
    pub uncertainty: Option<u64>,
    /// How far the clocks of two nodes may be apart. It is no entry of the file, but an option of commands, and it comes before `uncertainty`.
    pub skew: Option<Duration>,
    /// What clocks count: nanoseconds if nothing is said.
    pub clock_unit: Option<ClockUnit>,
    /// Only lines for which this holds belong to the log: a formula over `line`.
    pub only: Option<String>,
    /// Variables that are unchanged on lines that do not mention them.
    pub tracked: Vec<String>,
    /// Fields and variables that may stay unread.
    pub ignore_fields: Vec<String>,
    /// Variables of the spec, for those that the log names otherwise.
    pub variables: BTreeMap<String, String>,
    /// What values of the log (JSON) mean (TLA+), everywhere.
    pub values: BTreeMap<String, String>,
    /// Events to skip.
    pub skip: Vec<String>,
    /// Lines to skip: a formula over `line`, `previous` (the node's previous line) and `next` (its next one).
    pub skip_when: Option<String>,
    /// Events that change nothing.
    pub stuttering: Vec<String>,
    /// Events that mean that the run has failed.
    pub failure: Vec<String>,
    /// Lines that mean that the run has failed: a formula over `line`.
    pub fail_when: Option<String>,
    /// How many lines at the beginning describe the run and are no steps.
    pub header: usize,
    /// Constants as expressions over `lines`, the lines of the header.
    pub constants: BTreeMap<String, String>,
    /// The initial condition, over the variables and `lines`; conjoined with the spec's.
    pub init: Option<String>,
    /// The initial condition instead of the spec's.
    pub init_instead: Option<String>,
    /// Operators of the spec that have another definition for traces.
    pub overrides: BTreeMap<String, String>,
    /// What events mean.
    pub events: BTreeMap<String, EventLink>,
    /// Actions that happen without a line.
    pub hidden: Vec<HiddenActionLink>,
}

/// What clocks count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    const WORDS: [(&str, Self); 4] = [
        ("ns", Self::Ns),
        ("us", Self::Us),
        ("ms", Self::Ms),
        ("s", Self::S),
    ];

    /// One of them in nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
            Self::S => 1_000_000_000,
        }
    }
}

impl LogLink {
    /// Lets the clocks of two machines be this far apart.
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
        self.skew = Some(skew);
        Ok(())
    }

    /// How far the clocks of two nodes may be apart, in nanoseconds, if that is said: each of them may be off by `uncertainty`.
    pub fn apart_ns(&self) -> Option<i128> {
        let by_skew = self
            .skew
            .map(|skew| i128::try_from(skew.as_nanos()).unwrap_or(i128::MAX));
        let unit = i128::from(self.clock_unit.unwrap_or_default().nanoseconds());
        by_skew.or_else(|| Some(2 * i128::from(self.uncertainty?) * unit))
    }
}

/// Which order of the lines is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl LogOrder {
    const WORDS: [(&str, Self); 6] = [
        ("lines", Self::Lines),
        ("clock", Self::Clock),
        ("vector", Self::Vector),
        ("nodes", Self::Nodes),
        ("timeboxes", Self::Timeboxes),
        ("edges", Self::Edges),
    ];
}

/// What an event means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventLink {
    /// The action, if it has another name; or a formula over `line`, `previous` and `node`.
    pub action: Option<String>,
    /// Which field of the line each parameter of the action takes its value from.
    pub fields: BTreeMap<String, String>,
    /// Actions that the line is, one after the other. A name with a question mark may be left out.
    pub compose: Vec<String>,
    /// Must hold before: a formula over the variables, `line`, `previous` and `node`.
    pub requires: Option<String>,
    /// Must hold of the step: the same, with primes.
    pub ensures: Option<String>,
    /// Whether it may also change nothing.
    pub stutters: bool,
    /// Whether it belongs to the node's previous line: both together are one action, the previous line's.
    pub joins: bool,
    /// Skip it.
    pub skip: bool,
}

/// An action that happens without a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenActionLink {
    /// The action: its name, or a formula over `line`, the coming line.
    pub action: String,
    /// How often it may happen before one line, at most.
    pub bound: u32,
    /// Only before lines for which this holds: a formula over the variables and `line`.
    pub when: Option<String>,
}

impl LogLink {
    pub(crate) fn read(log: &mut Table) -> Result<Self, SettingsError> {
        Ok(Self {
            event: log.text("event")?,
            args: log.text("args")?,
            node: log.text("node")?,
            clock: log.text("clock")?,
            start: log.text("start")?,
            end: log.text("end")?,
            order: log.choice("order", &LogOrder::WORDS)?,
            uncertainty: log.number("uncertainty")?,
            skew: None,
            clock_unit: log.choice("clock_unit", &ClockUnit::WORDS)?,
            only: log.text("only")?,
            tracked: log.texts("tracked")?,
            ignore_fields: log.texts("ignore_fields")?,
            variables: log.texts_by_name("variables")?,
            values: log.texts_by_name("values")?,
            skip: log.texts("skip")?,
            skip_when: log.text("skip_when")?,
            stuttering: log.texts("stuttering")?,
            failure: log.texts("failure")?,
            fail_when: log.text("fail_when")?,
            header: log.number("header")?.unwrap_or(0),
            constants: log.texts_by_name("constants")?,
            init: log.text("init")?,
            init_instead: log.text("init_instead")?,
            overrides: log.texts_by_name("overrides")?,
            events: log.tables_by_name("events", EventLink::read)?,
            hidden: log.tables("hidden", |hidden| {
                let line = hidden.line();
                Ok(HiddenActionLink {
                    action: hidden.text("action")?.ok_or_else(|| SettingsError {
                        line,
                        message: "[[log.hidden]] needs an action: its name, or a formula".to_owned(),
                    })?,
                    bound: hidden.number("bound")?.unwrap_or(1),
                    when: hidden.text("when")?,
                })
            })?,
        })
    }
}

impl EventLink {
    fn read(event: &mut Table) -> Result<Self, SettingsError> {
        Ok(Self {
            action: event.text("action")?,
            fields: event.texts_by_name("fields")?,
            compose: event.texts("compose")?,
            requires: event.text("requires")?,
            ensures: event.text("ensures")?,
            stutters: event.flag("stutters")?,
            joins: event.flag("joins")?,
            skip: event.flag("skip")?,
        })
    }
}
