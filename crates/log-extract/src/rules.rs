//! Rules as they are read from a file.

use std::collections::BTreeSet;
use std::path::Path;

use omnilink_settings::{Setting, SettingsError, Table};
use regex::Regex;

use crate::error::RulesError;
use crate::event_rule::{EventRule, EventText, Inside};
use crate::line_format::LineFormat;
use crate::timestamp::TimeFormat;

/// A rules file as it is written.
#[derive(Debug, Default)]
struct RulesText {
    format: Option<String>,
    pattern: Option<String>,
    separator: Option<String>,
    json: Option<String>,
    pairs: Option<String>,
    time: Option<String>,
    time_format: Option<String>,
    multi_line: bool,
    texts: Vec<String>,
    nulls: Vec<String>,
    node: Option<Setting>,
    clock: Option<Setting>,
    event: Vec<EventText>,
}

impl RulesText {
    fn parse(text: &str) -> Result<Self, SettingsError> {
        Table::parse(text)?.read(|file| {
            Ok(Self {
                format: file.text("format")?,
                pattern: file.text("pattern")?,
                separator: file.text("separator")?,
                json: file.text("json")?,
                pairs: file.text("pairs")?,
                time: file.text("time")?,
                time_format: file.text("time_format")?,
                multi_line: file.flag("multi_line")?,
                texts: file.texts("texts")?,
                nulls: file.table("extract")?.read(|extract| extract.texts("null"))?,
                node: file.take("node"),
                clock: file.take("clock"),
                event: file.tables("event", EventText::read)?,
            })
        })
    }
}

/// How lines of text become events.
#[derive(Debug)]
pub struct ExtractionRules {
    pub(crate) format: LineFormat,
    pub(crate) inside: Inside,
    /// The field with the time.
    pub(crate) time: String,
    pub(crate) time_format: Option<TimeFormat>,
    /// Lines that have not the format belong to the line before.
    pub(crate) is_multi_line: bool,
    /// Fields that stay texts, even if they look like numbers.
    pub(crate) texts: Vec<String>,
    /// Texts that mean that a value is not known, such as `None`.
    pub(crate) nulls: Vec<String>,
    pub(crate) events: Vec<EventRule>,
    /// Whether an event has the time in it.
    pub(crate) needs_time: bool,
}

impl ExtractionRules {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or an entry makes no sense.
    pub fn read(path: &Path) -> Result<Self, RulesError> {
        let text = std::fs::read_to_string(path).map_err(|error| RulesError::File {
            path: path.to_owned(),
            error,
        })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If an entry makes no sense.
    pub fn parse(text: &str, file: &str) -> Result<Self, RulesError> {
        let rules = RulesText::parse(text).map_err(|error| RulesError::Settings {
            file: file.to_owned(),
            error,
        })?;
        let wrong = |entry: &str, message: String| RulesError::Entry {
            file: file.to_owned(),
            entry: entry.to_owned(),
            message,
        };
        let format = format_of(&rules).map_err(|(entry, message)| wrong(entry, message))?;
        let time_format = rules.time_format.as_deref().map(TimeFormat::parse).transpose();
        let time_format = time_format.map_err(|message| wrong("time_format", message))?;
        if rules.event.is_empty() {
            let message =
                "there is no rule: write [[event]] with name = \"…\" for each kind of event".to_owned();
            return Err(wrong("event", message));
        }
        let defaults = [("node", &rules.node), ("clock", &rules.clock)];
        let defaults: Vec<(&str, &Setting)> = defaults
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_ref()?)))
            .collect();
        let mut events = Vec::new();
        for (number, event) in rules.event.iter().enumerate() {
            let rule = EventRule::of(event, &defaults);
            events.push(rule.map_err(|(entry, message)| {
                wrong(
                    &format!("[[event]] number {} (line {}), {entry}", number + 1, event.line),
                    message,
                )
            })?);
        }
        let has_time = rules.time.is_some();
        let time = rules.time.unwrap_or_else(|| "time".to_owned());
        let inside = Inside {
            json: rules.json,
            pairs: rules.pairs,
        };
        // Fields that every line may have, if all of them are known before it is read.
        let of_lines = format.names_of_fields();
        let missing = |name: &str, known: &BTreeSet<String>| {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!(
                "no group or field is called `{name}`; there are {}",
                known.join(", ")
            )
        };
        let is_known = |name: &str, known: &BTreeSet<String>| {
            known.contains(name) || name.split('.').next().is_some_and(|root| known.contains(root))
        };
        let mut of_all = of_lines.clone();
        for (text, rule) in rules.event.iter().zip(&events) {
            let entry = |name: &str| format!("[[event]] (line {}), {name}", text.line);
            if let Some(lines) = &of_lines {
                // What is inside of fields is known to lines only.
                let of_line = rule.fields_of_line().filter(|_| inside.is_nothing());
                let sources = inside.sources().map(|field| ("json or pairs", field));
                for (name, field) in sources.chain(of_line) {
                    if !is_known(field, lines) {
                        return Err(wrong(&entry(name), missing(field, lines)));
                    }
                }
            }
            let of_rule = of_lines.as_ref().filter(|_| inside.is_nothing());
            let of_rule = of_rule.map(|lines| rule.names_of_fields(lines));
            if let Some(known) = &of_rule
                && let Some(field) = rule.sources().find(|field| !is_known(field, known))
            {
                return Err(wrong(&entry("json or pairs"), missing(field, known)));
            }
            let known = of_rule.filter(|_| !rule.has_more());
            of_all = of_all.zip(known.clone()).map(|(one, other)| &one | &other);
            let Some(known) = known else { continue };
            for (name, template) in rule.templates() {
                for field in template.fields() {
                    if !is_known(field, &known) {
                        return Err(wrong(&entry(name), missing(field, &known)));
                    }
                }
            }
        }
        if let Some(known) = of_all {
            let time = has_time.then_some(("time", &time));
            let others = rules.texts.iter().map(|field| ("texts", field));
            if let Some((entry, field)) = time
                .into_iter()
                .chain(others)
                .find(|(_, field)| !is_known(field, &known))
            {
                return Err(wrong(entry, missing(field, &known)));
            }
        }
        Ok(Self {
            needs_time: events
                .iter()
                .any(|event| event.fields_read().any(|field| field == time)),
            format,
            inside,
            time,
            time_format,
            is_multi_line: rules.multi_line,
            texts: rules.texts,
            nulls: rules.nulls,
            events,
        })
    }
}

impl ExtractionRules {
    /// Groups that patterns of rules capture, and that nothing uses.
    pub fn unused_groups(&self) -> Vec<String> {
        let is_text = |name: &str| self.texts.iter().any(|text| text == name);
        let mut unused = Vec::new();
        for rule in self.events.iter().filter(|rule| !rule.is_skipped) {
            let groups = rule.unused_groups(&self.inside);
            unused.extend(groups.filter(|name| !is_text(name) && *name != self.time).map(|name| {
                format!(
                    "the rule of line {} captures `{name}`, and nothing uses it; write {{{name}}} where its value belongs, or do not name the group",
                    rule.line
                )
            }));
        }
        unused
    }
}

fn format_of(rules: &RulesText) -> Result<LineFormat, (&'static str, String)> {
    match (&rules.format, &rules.pattern) {
        (Some(_), Some(_)) => Err((
            "pattern",
            "a file has a format or a pattern of its own, not both".to_owned(),
        )),
        (None, None) => Err((
            "format",
            format!(
                "how are lines taken apart? Write format = \"…\" ({}) or pattern = '…' with named groups, such as '^(?<time>\\S+) (?<message>.*)$'",
                names()
            ),
        )),
        (None, Some(pattern)) => match Regex::new(pattern) {
            Ok(pattern) => Ok(LineFormat::Patterns(vec![pattern])),
            Err(error) => Err(("pattern", error.to_string())),
        },
        (Some(name), None) => match (LineFormat::named(name), rules.separator.as_deref()) {
            (None, _) => Err(("format", format!("`{name}` is no format; there are {}", names()))),
            (Some(LineFormat::Separated(_)), Some(separator)) => {
                let mut letters = separator.chars();
                match (letters.next(), letters.next()) {
                    (Some(letter), None) if letter != '"' => Ok(LineFormat::Separated(letter)),
                    _ => Err((
                        "separator",
                        "it is one letter, such as \";\" or \"\\t\"".to_owned(),
                    )),
                }
            }
            (Some(_), Some(_)) => Err(("separator", "only the format csv has one".to_owned())),
            (Some(format), None) => Ok(format),
        },
    }
}

fn names() -> String {
    LineFormat::names().collect::<Vec<_>>().join(", ")
}
