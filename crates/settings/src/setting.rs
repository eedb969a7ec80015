//! Values of a TOML file, with the lines on which they stand.

use toml::de::{DeTable, DeValue};

use crate::table::{SettingsError, Table, place_below};

/// A value, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The line, counted from 1.
    pub line: u32,
    /// What it is.
    pub kind: SettingKind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingKind {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A truth value.
    Flag(bool),
    /// A list.
    List(Vec<Setting>),
    /// Entries with names.
    Table(Table),
    /// What settings never are: a fraction, or a date. As it is written.
    Other(String),
}

impl Setting {
    /// What it is, in words.
    pub fn described(&self) -> &'static str {
        match self.kind {
            SettingKind::Text(_) => "a text",
            SettingKind::Number(_) => "a whole number",
            SettingKind::Flag(_) => "true or false",
            SettingKind::List(_) => "a list",
            SettingKind::Table(_) => "a table",
            SettingKind::Other(_) => "a fraction or a date",
        }
    }

    pub(crate) fn of(
        value: &DeValue<'_>,
        at: usize,
        place: &str,
        lines: &Lines,
    ) -> Result<Self, SettingsError> {
        let line = lines.of(at);
        let kind = match value {
            DeValue::String(text) => SettingKind::Text(text.to_string()),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(&number.as_str().replace('_', ""), number.radix());
                SettingKind::Number(parsed.map_err(|_| SettingsError {
                    line,
                    message: format!("{place}: {number} is too large a number"),
                })?)
            }
            DeValue::Boolean(flag) => SettingKind::Flag(*flag),
            DeValue::Float(number) => SettingKind::Other(number.to_string()),
            DeValue::Datetime(date) => SettingKind::Other(date.to_string()),
            DeValue::Array(elements) => {
                let elements = elements.iter();
                let elements = elements.map(|one| Self::of(one.get_ref(), one.span().start, place, lines));
                SettingKind::List(elements.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => SettingKind::Table(table_of(table, line, place, lines)?),
        };
        Ok(Self { line, kind })
    }
}

/// The entries of a table. `place` is the path to it.
pub(crate) fn table_of(
    table: &DeTable<'_>,
    line: u32,
    place: &str,
    lines: &Lines,
) -> Result<Table, SettingsError> {
    let mut entries = Vec::new();
    for (name, value) in table {
        let own = place_below(place, name.get_ref());
        // An entry stands where its name does: a table `[a.b]` has none of its own.
        let mut setting = Setting::of(value.get_ref(), value.span().start, &own, lines)?;
        if !matches!(setting.kind, SettingKind::Table(_)) {
            setting.line = lines.of(name.span().start);
        }
        entries.push((name.get_ref().to_string(), setting));
    }
    entries.sort_by_key(|(_, setting)| setting.line);
    Ok(Table::new(place.to_owned(), line, entries))
}

/// Where the lines of a text begin.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub fn of_text(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect())
    }

    pub fn of(&self, offset: usize) -> u32 {
        self.0.partition_point(|start| *start <= offset) as u32
    }
}
