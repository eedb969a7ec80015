//! The rules, applied to one line after the other.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::ExtractError;
use crate::fields::Fields;
use crate::line_format::{LineFormat, add_usual_names};
use crate::rules::ExtractionRules;
use crate::separated;
use crate::timestamp::nanoseconds;

/// An event of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedEvent {
    /// The line on which it begins, counted from 1.
    pub line: u64,
    /// What it says, as a line of a log for `omnilink validate`.
    pub event: Map<String, Value>,
}

/// What became of the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExtractionCounts {
    /// Lines that became events, each counted by its first line.
    pub events: u64,
    /// Lines that a rule leaves out.
    pub skipped: u64,
    /// Lines that no rule is about.
    pub others: u64,
    /// Lines that have not the format, those that belong to the line before them excepted.
    pub unreadable: u64,
    /// Texts that the rules take for values that are not known.
    pub nulls: u64,
    /// The first line that no rule is about.
    pub first_other: Option<u64>,
}

impl ExtractionCounts {
    /// Adds those of another file.
    pub fn add(&mut self, other: Self) {
        self.events += other.events;
        self.skipped += other.skipped;
        self.others += other.others;
        self.unreadable += other.unreadable;
        self.nulls += other.nulls;
        self.first_other = self.first_other.or(other.first_other);
    }
}

/// Applies rules to the lines of one file.
#[derive(Debug)]
pub struct Extractor {
    rules: Arc<ExtractionRules>,
    /// The names of the values of a CSV file.
    names: Vec<String>,
    /// A line to which more may belong.
    open: Option<(u64, Fields)>,
    counts: ExtractionCounts,
}

impl Extractor {
    /// For one file.
    pub fn new(rules: Arc<ExtractionRules>) -> Self {
        Self {
            rules,
            names: Vec::new(),
            open: None,
            counts: ExtractionCounts::default(),
        }
    }

    /// What became of the lines so far.
    pub fn counts(&self) -> ExtractionCounts {
        self.counts
    }

    /// Whether lines may still belong to the last event.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether an empty line means something: the end of a record.
    pub fn reads_records(&self) -> bool {
        self.rules.format.has_records()
    }

    /// Takes a line, and returns the event that is complete now, if there is one: that of this line, or if lines may go on, that of an earlier one.
    ///
    /// # Errors
    /// If a line is an event whose name or time is not there.
    pub fn push(&mut self, line: u64, text: &str) -> Result<Option<ExtractedEvent>, ExtractError> {
        let text = plain(text.trim_end());
        if self.rules.format.has_records() {
            return self.push_field(line, &text);
        }
        if let (LineFormat::Separated(separator), true) = (&self.rules.format, self.names.is_empty()) {
            self.names = separated::values(&text, *separator).unwrap_or_default();
            return Ok(None);
        }
        let Some(fields) = self.rules.format.fields(&text, &self.names) else {
            match &mut self.open {
                Some((_, fields)) => {
                    fields.append_to_message(&text);
                }
                None => self.counts.unreadable += 1,
            }
            return Ok(None);
        };
        let complete = if self.rules.is_multi_line {
            self.open.replace((line, fields))
        } else {
            Some((line, fields))
        };
        match complete {
            Some((line, fields)) => self.event(line, fields),
            None => Ok(None),
        }
    }

    /// Takes a line of a format in which a record has a line for each field, and an empty line at its end.
    fn push_field(&mut self, line: u64, text: &str) -> Result<Option<ExtractedEvent>, ExtractError> {
        if text.is_empty() {
            return self.finish();
        }
        let Some(field) = self.rules.format.fields(text, &[]) else {
            self.counts.unreadable += 1;
            return Ok(None);
        };
        let (_, record) = self.open.get_or_insert_with(|| (line, Fields::default()));
        record.add(field);
        Ok(None)
    }

    /// The event of the last line, to which nothing more belongs.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(&mut self) -> Result<Option<ExtractedEvent>, ExtractError> {
        match self.open.take() {
            Some((line, mut fields)) => {
                if self.rules.format.has_records() {
                    add_usual_names(&mut fields);
                }
                self.event(line, fields)
            }
            None => Ok(None),
        }
    }

    fn event(&mut self, line: u64, mut fields: Fields) -> Result<Option<ExtractedEvent>, ExtractError> {
        let rules = &self.rules;
        rules.inside.add_to(&mut fields);
        let matching = rules
            .events
            .iter()
            .find_map(|rule| Some((rule, rule.fields(&fields)?)));
        let Some((rule, mut fields)) = matching else {
            self.counts.others += 1;
            self.counts.first_other.get_or_insert(line);
            return Ok(None);
        };
        if rule.is_skipped {
            self.counts.skipped += 1;
            return Ok(None);
        }
        if !rules.nulls.is_empty() {
            let is_null = |value: &Value| {
                value
                    .as_str()
                    .is_some_and(|text| rules.nulls.iter().any(|null| null == text))
            };
            let names = fields
                .iter()
                .filter(|(name, value)| is_null(value) && !rules.texts.iter().any(|text| text == name));
            let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
            self.counts.nulls += names.len() as u64;
            names.iter().for_each(|name| fields.set(name, Value::Null));
        }
        for name in &rules.texts {
            let number = fields
                .get(name)
                .filter(|value| value.is_number())
                .map(ToString::to_string);
            if let Some(text) = number {
                fields.set(name, text.into());
            }
        }
        if rules.needs_time
            && let Some(time) = fields.get(&rules.time).cloned()
        {
            let read = nanoseconds(&time, rules.time_format.as_ref()).ok_or_else(|| ExtractError {
                line,
                message: format!(
                    "{time} is no time that can be read; write time_format = \"%Y-%m-%d %H:%M:%S,%f\", as it is written here, into the rules"
                ),
            })?;
            fields.set(&rules.time, read.into());
        }
        let event = rule.event(&fields).map_err(|missing| ExtractError {
            line,
            message: format!(
                "the name of this event needs the field `{missing}`, which this line has not; its fields are {}",
                fields.iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
            ),
        })?;
        self.counts.events += 1;
        Ok(Some(ExtractedEvent { line, event }))
    }
}

/// A line without what is not part of its text: the escape sequences of a terminal, which some loggers write into files too, and CockroachDB's marks around
/// what may be secret (a line that has them says so by `⋮`).
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let text = without_colours(text);
    if text.contains(" ⋮ ") && text.contains('‹') {
        Cow::Owned(text.replace(['‹', '›'], ""))
    } else {
        text
    }
}

/// A text without the escape sequences of a terminal.
fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::new();
    let mut parts = text.split('\u{1b}');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part
            .strip_prefix('[')
            .and_then(|rest| rest.find(|letter: char| letter.is_ascii_alphabetic()));
        plain.push_str(end.map_or(part, |end| &part[end + 2..]));
    }
    Cow::Owned(plain)
}
