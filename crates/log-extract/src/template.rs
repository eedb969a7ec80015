//! Texts with fields in them: `{rm}`, `Receive{kind}`.

use omnilink_settings::{Setting, SettingKind};
use serde_json::Value;

use crate::fields::Fields;

/// A text with fields in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(String),
}

impl Template {
    /// Reads one. `{{` is a bracket.
    ///
    /// # Errors
    /// If a bracket is not closed or has no name in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let bracket = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(bracket) {
                plain.push_str(bracket);
                rest = after;
                continue;
            }
            let name = match (bracket, rest.find('}')) {
                ("{", Some(end)) => &rest[..end],
                _ => {
                    return Err(format!(
                        "`{text}` has a bracket that is not closed or not opened; {{name}} is a field, and two brackets {{{{ are one"
                    ));
                }
            };
            if name.trim().is_empty() {
                return Err(format!("`{text}` has a field without a name; write {{name}}"));
            }
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Field(name.trim().to_owned()));
            rest = &rest[name.len() + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self { parts })
    }

    /// The names of its fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Its value: a field alone keeps its type. `None` if a field is not there.
    pub fn value(&self, fields: &Fields) -> Option<Value> {
        if let [Part::Field(name)] = self.parts.as_slice() {
            return fields.get(name).cloned();
        }
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Field(name) => match fields.get(name)? {
                    Value::String(field) => text.push_str(field),
                    other => text.push_str(&other.to_string()),
                },
            }
        }
        Some(text.into())
    }
}

/// JSON with templates for texts.
#[derive(Debug, Clone)]
pub(crate) enum ValueTemplate {
    Text(Template),
    List(Vec<ValueTemplate>),
    Table(Vec<(String, ValueTemplate)>),
    Constant(Value),
}

impl ValueTemplate {
    /// Of a value of a rules file.
    ///
    /// # Errors
    /// If a text is no template, or a value has no meaning in an event.
    pub fn of(setting: &Setting) -> Result<Self, String> {
        Ok(match &setting.kind {
            SettingKind::Text(text) => Self::Text(Template::parse(text)?),
            SettingKind::Number(number) => Self::Constant((*number).into()),
            SettingKind::Flag(is_true) => Self::Constant((*is_true).into()),
            SettingKind::List(elements) => {
                Self::List(elements.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            SettingKind::Table(table) => {
                let fields = table
                    .iter()
                    .map(|(name, value)| Ok((name.to_owned(), Self::of(value)?)));
                Self::Table(fields.collect::<Result<_, String>>()?)
            }
            SettingKind::Other(text) => {
                return Err(format!(
                    "{text} is neither a text nor a whole number; put it in quotation marks"
                ));
            }
        })
    }

    /// Its value. A field of a table that is not known is left out; an element of a list that is not known is null.
    pub fn value(&self, fields: &Fields) -> Option<Value> {
        match self {
            Self::Constant(value) => Some(value.clone()),
            Self::Text(template) => template.value(fields),
            Self::List(elements) => {
                let values = elements
                    .iter()
                    .map(|one| one.value(fields).unwrap_or(Value::Null));
                Some(Value::Array(values.collect()))
            }
            Self::Table(table) => {
                let known = table
                    .iter()
                    .filter_map(|(name, one)| Some((name.clone(), one.value(fields)?)));
                Some(Value::Object(known.collect()))
            }
        }
    }

    /// The names of the fields in it.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Text(template) => template.fields().collect(),
            Self::List(elements) => elements.iter().flat_map(Self::fields).collect(),
            Self::Table(table) => table.iter().flat_map(|(_, one)| one.fields()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_alone_keeps_its_type_and_what_is_not_there_is_unknown() {
        let mut fields = Fields::default();
        fields.set("n", json!(3));
        fields.set("who", json!("a"));
        let value = |text: &str| Template::parse(text).unwrap().value(&fields);
        assert_eq!(value("{n}"), Some(json!(3)));
        assert_eq!(value("node-{who}-{n}"), Some(json!("node-a-3")));
        assert_eq!(value("{{n}}"), Some(json!("{n}")));
        assert_eq!(value("{missing}"), None);
        assert_eq!(value("x{missing}"), None);
        assert_eq!(value("plain"), Some(json!("plain")));
        for wrong in ["{n", "n}", "{}", "{ }"] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
    }
}
