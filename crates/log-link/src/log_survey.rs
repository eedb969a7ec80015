//! What is in a log: the events and the fields of its lines, as a link file to start from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use omnilink_link::SpecAction;
use omnilink_log_extract::ExtractionRules;
use omnilink_value::Value;

use crate::error::LogError;
use crate::read::{LineReader, log_files};

/// Fields that have a meaning of their own.
const KNOWN: [&str; 14] = [
    "event",
    "event_args",
    "args",
    "vars",
    "state",
    "node",
    "clock",
    "start",
    "end",
    "id",
    "after",
    "sends",
    "receives",
    "desc",
];

/// The events of a log and the fields of its lines.
#[derive(Clone, Debug, Default)]
pub struct LogSurvey {
    lines: u64,
    events: BTreeMap<String, EventSurvey>,
    /// How many lines have each field, and how many of these hold a whole number.
    fields: BTreeMap<String, (u64, u64)>,
}

#[derive(Clone, Debug, Default)]
struct EventSurvey {
    lines: u64,
    fields: BTreeSet<String>,
    has_arguments: bool,
}

impl LogSurvey {
    /// Reads a log: a file, or the files of a folder. Rules make events of lines of text.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path, rules: Option<&Arc<ExtractionRules>>) -> Result<Self, LogError> {
        let mut survey = Self::default();
        for file in log_files(path)? {
            let mut reader = LineReader::open(&file)?.with_rules(rules);
            while let Some(line) = reader.next_line()? {
                survey.add(&line.record);
            }
        }
        Ok(survey)
    }

    fn add(&mut self, record: &Value) {
        self.lines += 1;
        let event = record.field("event").filter(|event| !event.is_null());
        let event = event.map(|event| event.as_str().map_or_else(|| event.to_string(), str::to_owned));
        let mut of_event = event.map(|event| self.events.entry(event).or_default());
        if let Some(of_event) = &mut of_event {
            of_event.lines += 1;
        }
        let fields = record.as_record();
        for (name, value) in fields.iter().flat_map(|record| record.iter()) {
            let (lines, numbers) = self.fields.entry(name.to_owned()).or_default();
            *lines += 1;
            *numbers += u64::from(value.as_int().is_some());
            if let Some(of_event) = &mut of_event {
                of_event.has_arguments |= name == "args" || name == "event_args";
                of_event.fields.insert(name.to_owned());
            }
        }
    }

    /// A link file to start from: everything that is default stands in comments, what is missing is to be filled in.
    pub fn link_file(&self, spec: &str, actions: &[SpecAction], constants: &[String]) -> String {
        let mut text = format!(
            "# How the lines of a log belong to {spec}. Everything is optional: a line is a step of the action that its \"event\" names,\n\
             # and its fields are the parameters. See docs/logs.md.\n\n"
        );
        if !constants.is_empty() {
            text.push_str(
                "# Constants as TLA+ expressions; those of a .cfg need not be repeated.\n[constants]\n",
            );
            constants
                .iter()
                .for_each(|name| text.push_str(&format!("# {name} = \"…\"\n")));
            text.push('\n');
        }
        text.push_str("[log]\n");
        if !self.fields.contains_key("event") {
            text.push_str("# MISSING: no line has a field \"event\"\n");
        }
        text.push_str("# event = \"event\"\n# node = \"node\"\n");
        let params: BTreeSet<&str> = actions
            .iter()
            .flat_map(|action| action.params.iter().map(String::as_str))
            .collect();
        let others: Vec<(&String, &(u64, u64))> = self
            .fields
            .iter()
            .filter(|(name, _)| !KNOWN.contains(&name.as_str()) && !params.contains(name.as_str()))
            .collect();
        let is_number =
            |(_, (lines, numbers)): &&(&String, &(u64, u64))| *lines == self.lines && *numbers == self.lines;
        match (self.fields.contains_key("clock"), others.iter().find(is_number)) {
            (false, Some((name, _))) => {
                text.push_str(&format!(
                    "# clock = {name:?}   # every line has a number there; without a clock the lines are taken in the order of the file\n"
                ));
            }
            _ => text.push_str("# clock = \"clock\"\n"),
        }
        text.push_str("# skip = [\"…\"]             # events that are no steps\n");
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|(name, _)| format!("{name:?}")).collect();
            text.push_str(&format!(
                "# Fields that no parameter is called like: give them to parameters below, or ignore them.\n# ignore_fields = [{}]\n",
                names.join(", ")
            ));
        }
        text.push('\n');
        for action in actions.iter().filter(|action| action.in_next) {
            let seen = self.events.get(&action.name);
            let how_often = match seen {
                Some(seen) if seen.lines == 1 => "1 line".to_owned(),
                Some(seen) => format!("{} lines", seen.lines),
                None => "not in the log".to_owned(),
            };
            text.push_str(&format!(
                "# {} ({}): {how_often}\n",
                action.signature(),
                action.at
            ));
            text.push_str(&format!("# [log.events.{}]\n", action.name));
            let missing = seen
                .filter(|seen| !seen.has_arguments)
                .map_or_else(Vec::new, |seen| {
                    let params = action.params.iter();
                    params.filter(|param| !seen.fields.contains(*param)).collect()
                });
            for param in missing {
                text.push_str(&format!(
                    "#   nothing tells {param}, so it may be anything; fields = {{ {param} = \"…\" }}\n"
                ));
            }
            text.push_str("# requires = '''…'''\n# ensures = '''…'''\n\n");
        }
        for (event, seen) in &self.events {
            if actions.iter().any(|action| action.name == *event) {
                continue;
            }
            text.push_str(&format!(
                "# MISSING: {event} is the event of {} lines, and is no action\n[log.events.{event:?}]\n# action = \"…\"\nskip = true\n\n",
                seen.lines
            ));
        }
        text
    }
}
