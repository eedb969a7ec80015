//! A kind of event: which lines it has, and what they say.

use std::collections::BTreeSet;

use omnilink_settings::{Setting, SettingKind, SettingsError, Table};
use regex::Regex;
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::json_inside::object_in;
use crate::line_format::named_groups;
use crate::pairs::pairs;
use crate::template::ValueTemplate;

/// The parts of an event that a rule gives, besides its name.
const PARTS: [&str; 11] = [
    "node", "clock", "start", "end", "id", "after", "sends", "receives", "args", "vars", "state",
];

/// `[[event]]` as it is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventText {
    pub line: u32,
    name: Option<Setting>,
    pattern: Option<String>,
    within: Option<String>,
    conditions: Table,
    json: Option<String>,
    pairs: Option<String>,
    skip: bool,
    parts: Vec<(&'static str, Setting)>,
    fields: Table,
}

impl EventText {
    pub fn read(event: &mut Table) -> Result<Self, SettingsError> {
        Ok(Self {
            line: event.line(),
            name: event.take("name"),
            pattern: event.text("pattern")?,
            within: event.text("in")?,
            conditions: event.table("where")?,
            json: event.text("json")?,
            pairs: event.text("pairs")?,
            skip: event.flag("skip")?,
            parts: PARTS
                .into_iter()
                .filter_map(|name| Some((name, event.take(name)?)))
                .collect(),
            fields: event.table("fields")?,
        })
    }
}

/// A kind of event.
#[derive(Debug)]
pub(crate) struct EventRule {
    /// Where it stands in its file.
    pub line: u32,
    /// What messages of it look like, and in which field.
    pattern: Option<(String, Regex)>,
    /// Fields that have one of these texts.
    conditions: Vec<(String, Vec<String>)>,
    inside: Inside,
    /// Lines of this kind are no events.
    pub is_skipped: bool,
    /// What an event of this kind has.
    parts: Vec<(String, ValueTemplate)>,
}

/// Fields whose texts have further fields in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inside {
    /// The field with a JSON object in it.
    pub json: Option<String>,
    /// The field with `key=value` pairs in it.
    pub pairs: Option<String>,
}

impl Inside {
    /// Whether no field has further fields in it.
    pub fn is_nothing(&self) -> bool {
        self.sources().next().is_none()
    }

    /// The fields that have others in them.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.json.iter().chain(&self.pairs).map(String::as_str)
    }

    /// Adds what is inside of fields; a field that is there stays.
    pub fn add_to(&self, fields: &mut Fields) {
        let object = self.json.as_ref().and_then(|field| match fields.get(field)? {
            Value::String(text) => object_in(text),
            Value::Object(object) => Some(object.clone()),
            _ => None,
        });
        fields.add_missing(object.unwrap_or_default());
        let found = self
            .pairs
            .as_ref()
            .and_then(|field| fields.text(field))
            .map(pairs);
        fields.add_missing(found.map(|(found, _)| found).unwrap_or_default());
    }
}

impl EventRule {
    /// Of `[[event]]`. `defaults` are parts that all events have.
    ///
    /// # Errors
    /// What is wrong with which entry.
    pub fn of(text: &EventText, defaults: &[(&str, &Setting)]) -> Result<Self, (&'static str, String)> {
        let pattern = match &text.pattern {
            None => None,
            Some(pattern) => {
                let regex = Regex::new(pattern).map_err(|error| ("pattern", error.to_string()))?;
                Some((text.within.clone().unwrap_or_else(|| "message".to_owned()), regex))
            }
        };
        if text.name.is_none() && !text.skip {
            return Err((
                "name",
                "an event needs a name, such as name = \"Prepare\" or name = \"{action}\"; lines that are none have skip = true".to_owned(),
            ));
        }
        let mut conditions = Vec::new();
        for (field, value) in text.conditions.iter() {
            let texts = match &value.kind {
                SettingKind::List(elements) => elements.iter().map(plain_text).collect(),
                _ => Some(vec![plain_text(value).ok_or_else(|| wrong_condition(field))?]),
            };
            conditions.push((field.to_owned(), texts.ok_or_else(|| wrong_condition(field))?));
        }
        let mut parts: Vec<(String, ValueTemplate)> = Vec::new();
        let mut add = |entry: &'static str, name: &str, value: &Setting| {
            let template = ValueTemplate::of(value).map_err(|message| (entry, message))?;
            parts.retain(|(known, _)| known != name);
            parts.push((name.to_owned(), template));
            Ok(())
        };
        for (name, value) in defaults {
            add("node and clock", name, value)?;
        }
        if let Some(name) = &text.name {
            add("name", "event", name)?;
        }
        for (name, value) in &text.parts {
            add(name, name, value)?;
        }
        for (name, value) in text.fields.iter() {
            add("fields", name, value)?;
        }
        Ok(Self {
            line: text.line,
            pattern,
            conditions,
            inside: Inside {
                json: text.json.clone(),
                pairs: text.pairs.clone(),
            },
            is_skipped: text.skip,
            parts,
        })
    }

    /// The fields of a line of this kind, those of its pattern included; `None` if it is of another kind.
    pub fn fields(&self, fields: &Fields) -> Option<Fields> {
        let holds = |(field, texts): &(String, Vec<String>)| {
            let value = fields.get(field)?;
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            texts.contains(&text).then_some(())
        };
        self.conditions.iter().map(holds).collect::<Option<Vec<()>>>()?;
        let mut all = fields.clone();
        if let Some((field, pattern)) = &self.pattern {
            for (name, value) in named_groups(pattern, fields.text(field)?)? {
                all.set(&name, value);
            }
        }
        self.inside.add_to(&mut all);
        Some(all)
    }

    /// The event that a line with these fields is; an error names the field that its name needs.
    pub fn event(&self, fields: &Fields) -> Result<Map<String, Value>, String> {
        let mut event = Map::new();
        for (name, template) in &self.parts {
            match (template.value(fields), name.as_str()) {
                (Some(value), _) => _ = event.insert(name.clone(), value),
                (None, "event") => {
                    let missing = template
                        .fields()
                        .into_iter()
                        .find(|field| fields.get(field).is_none());
                    return Err(missing.unwrap_or_default().to_owned());
                }
                (None, _) => {}
            }
        }
        Ok(event)
    }

    /// What an event of this kind has: the name of the part, and its template.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &ValueTemplate)> {
        self.parts
            .iter()
            .map(|(name, template)| (name.as_str(), template))
    }

    /// The fields of a line that decide whether it is of this kind, with the entry that names each.
    pub fn fields_of_line(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let within = self
            .pattern
            .iter()
            .map(|(field, _)| ("in (the field that the pattern is looked for in)", field.as_str()));
        within.chain(self.conditions.iter().map(|(field, _)| ("where", field.as_str())))
    }

    /// The fields that its lines may have: those of every line, and its groups. There may be more inside of them: see [`has_more`](Self::has_more).
    pub fn names_of_fields(&self, of_lines: &BTreeSet<String>) -> BTreeSet<String> {
        let groups = self.groups().map(str::to_owned);
        of_lines.iter().cloned().chain(groups).collect()
    }

    /// Whether a field has others in it, which only lines tell.
    pub fn has_more(&self) -> bool {
        !self.inside.is_nothing()
    }

    /// The fields that have others in them.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.inside.sources()
    }

    fn groups(&self) -> impl Iterator<Item = &str> {
        let patterns = self.pattern.iter();
        patterns.flat_map(|(_, pattern)| pattern.capture_names().flatten())
    }

    /// The groups of its pattern that nothing uses.
    pub fn unused_groups<'r>(&'r self, of_all: &'r Inside) -> impl Iterator<Item = &'r str> {
        self.groups().filter(|name| {
            let root = |field: &str| field == *name || field.split('.').next() == Some(name);
            !self.fields_read().any(root) && !self.inside.sources().chain(of_all.sources()).any(root)
        })
    }

    /// The fields that it reads.
    pub fn fields_read(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|(_, template)| template.fields())
    }
}

fn plain_text(value: &Setting) -> Option<String> {
    match &value.kind {
        SettingKind::Text(text) => Some(text.clone()),
        SettingKind::Number(number) => Some(number.to_string()),
        SettingKind::Flag(is_true) => Some(is_true.to_string()),
        _ => None,
    }
}

fn wrong_condition(field: &str) -> (&'static str, String) {
    (
        "where",
        format!("`{field}` is compared with a text, a number, or a list of those"),
    )
}
