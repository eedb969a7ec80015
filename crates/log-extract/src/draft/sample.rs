//! The first lines of a log, taken apart.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::message_shape::MessageShape;
use crate::event_rule::Inside;
use crate::extractor::plain;
use crate::fields::Fields;
use crate::json_inside::object_in;
use crate::line_format::{LineFormat, add_usual_names};
use crate::pairs::pairs;
use crate::separated;
use crate::timestamp::nanoseconds;

/// Values of one field that are counted.
const VALUES_MAX: usize = 200;

/// The first lines of a log, taken apart.
#[derive(Debug)]
pub(crate) struct LogSample {
    /// The name of their format.
    pub format: &'static str,
    pub lines: Vec<Fields>,
    pub looked_at: usize,
    /// Those of them that have the format.
    pub readable: usize,
    pub unreadable: usize,
    /// Those of them that begin with a space.
    pub indented: usize,
    pub first_unreadable: String,
    /// Messages with a JSON object in them.
    pub with_json: usize,
    /// Messages with pairs in them.
    pub with_pairs: usize,
    /// Lines with a time that can be read.
    pub with_time: usize,
}

impl LogSample {
    /// Takes lines apart, in the format that most of them have.
    pub fn of(lines: &[String]) -> Self {
        let all: Vec<Cow<'_, str>> = lines.iter().map(|line| plain(line.trim_end())).collect();
        let lines: Vec<&Cow<'_, str>> = all.iter().filter(|line| !line.is_empty()).collect();
        let read = |name: &str| -> Vec<Option<Fields>> {
            let Some(format) = LineFormat::named(name) else {
                return Vec::new();
            };
            let names = match &format {
                LineFormat::Separated(separator) => {
                    let names = lines.first().and_then(|line| separated::values(line, *separator));
                    names.filter(|names| names.len() > 2).unwrap_or_default()
                }
                _ => Vec::new(),
            };
            // The first line of a table has the names.
            let rows = lines.iter().skip(usize::from(!names.is_empty()));
            rows.map(|line| format.fields(line, &names)).collect()
        };
        let known = |fields: &[Option<Fields>]| fields.iter().flatten().count();
        // Every line is text, so that comes last; of formats that fit equally well the first counts.
        let mut best: (&'static str, Vec<Option<Fields>>) = ("text", read("text"));
        // What is indented goes on with the line before it.
        let begins = |line: &&&Cow<'_, str>| !line.starts_with([' ', '\t']);
        let mut most = lines.iter().filter(begins).count() / 2;
        for name in LineFormat::names().filter(|name| *name != "text") {
            let fields = read(name);
            if known(&fields) > most {
                most = known(&fields);
                best = (name, fields);
            }
        }
        let (format, fields) = best;
        let rows = lines.iter().skip(lines.len() - fields.len());
        let unreadable = fields.iter().zip(rows).filter(|(fields, _)| fields.is_none());
        let lines = if LineFormat::named(format).is_some_and(|format| format.has_records()) {
            records(&all)
        } else {
            whole(&fields, &lines[lines.len() - fields.len()..])
        };
        let mut sample = Self {
            format,
            looked_at: fields.len(),
            readable: known(&fields),
            unreadable: unreadable.clone().count(),
            indented: unreadable
                .clone()
                .filter(|(_, line)| line.starts_with([' ', '\t']))
                .count(),
            first_unreadable: unreadable
                .map(|(_, line)| line.to_string())
                .next()
                .unwrap_or_default(),
            lines,
            with_json: 0,
            with_pairs: 0,
            with_time: 0,
        };
        let messages = || sample.lines.iter().filter_map(|line| line.text("message"));
        sample.with_json = messages().filter(|message| object_in(message).is_some()).count();
        sample.with_pairs = messages().filter(|message| !pairs(message).0.is_empty()).count();
        let times = sample.lines.iter().filter_map(|line| line.get("time"));
        sample.with_time = times.filter(|time| nanoseconds(time, None).is_some()).count();
        let inside = Inside {
            json: (sample.with_json > 0).then(|| "message".to_owned()),
            pairs: (sample.with_pairs > 0).then(|| "message".to_owned()),
        };
        sample.lines.iter_mut().for_each(|line| inside.add_to(line));
        sample
    }

    /// Whether lines have fields, and are not text with some before it.
    pub fn is_structured(&self) -> bool {
        matches!(self.format, "json" | "journal" | "logfmt" | "csv")
    }

    /// The names of all fields; those inside of others by their paths.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> = self
            .lines
            .iter()
            .flat_map(|line| line.iter().map(|(name, _)| name))
            .collect();
        names.into_iter()
    }

    pub fn has_field(&self, name: &str) -> bool {
        self.lines.iter().any(|line| line.get(name).is_some())
    }

    /// The field with this name, in small or large letters.
    pub fn field_like(&self, name: &str) -> Option<&str> {
        self.fields().find(|field| field.eq_ignore_ascii_case(name))
    }

    /// The different values of a field, as texts; none if there are very many of them.
    pub fn values_of(&self, field: &str) -> BTreeSet<String> {
        let mut values = BTreeSet::new();
        for value in self.lines.iter().filter_map(|line| line.get(field)) {
            values.insert(text_of(value));
            if values.len() > VALUES_MAX {
                return BTreeSet::new();
            }
        }
        values
    }

    fn those_with(&self, field: &str, value: &str) -> impl Iterator<Item = &Fields> {
        let has_it = move |line: &&Fields| line.get(field).is_some_and(|known| text_of(known) == value);
        self.lines.iter().filter(has_it)
    }

    /// How many lines have this value.
    pub fn lines_with(&self, field: &str, value: &str) -> usize {
        self.those_with(field, value).count()
    }

    /// The fields of lines that have this value, with an example each.
    pub fn fields_where(&self, field: &str, value: &str) -> BTreeMap<String, String> {
        let mut fields = BTreeMap::new();
        for (name, value) in self.those_with(field, value).flat_map(Fields::iter) {
            if let Value::Object(inner) = value {
                for (inner_name, inner) in inner {
                    fields
                        .entry(format!("{name}.{inner_name}"))
                        .or_insert_with(|| text_of(inner));
                }
            }
            fields.entry(name.to_owned()).or_insert_with(|| text_of(value));
        }
        fields
    }

    /// The shapes of messages, and how many lines have each.
    pub fn shapes(&self) -> BTreeMap<MessageShape, u64> {
        let mut shapes = BTreeMap::new();
        for message in self.lines.iter().filter_map(|line| line.text("message")) {
            *shapes.entry(MessageShape::of(message)).or_default() += 1;
        }
        shapes
    }
}

/// The lines that have a format, each with those that are indented below it.
fn whole(fields: &[Option<Fields>], lines: &[&Cow<'_, str>]) -> Vec<Fields> {
    let mut whole: Vec<Fields> = Vec::new();
    for (fields, line) in fields.iter().zip(lines) {
        match (fields, whole.last_mut()) {
            (Some(fields), _) => whole.push(fields.clone()),
            (None, Some(before)) if line.starts_with([' ', '\t']) => before.append_to_message(line),
            (None, _) => {}
        }
    }
    whole
}

/// The records of a journal.
fn records(lines: &[Cow<'_, str>]) -> Vec<Fields> {
    let format = LineFormat::Journal;
    let each = lines.split(|line| line.is_empty());
    let each = each.filter(|record| !record.is_empty());
    each.map(|record| {
        let mut fields = Fields::default();
        let known = record.iter().filter_map(|line| format.fields(line, &[]));
        known.for_each(|field| fields.add(field));
        add_usual_names(&mut fields);
        fields
    })
    .collect()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
