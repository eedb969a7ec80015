//! A table of entries, which a reader takes out one by one.

use std::collections::BTreeMap;

use thiserror::Error;
use toml::de::DeTable;

use crate::setting::{Lines, Setting, SettingKind, table_of};
use crate::toml_key::toml_key;

/// What is wrong with a file of settings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct SettingsError {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong with which entry, and what to do.
    pub message: String,
}

/// Entries by their names. What was taken out of it is known; what is left is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The path to it, as it would be written in brackets; empty for the whole file.
    place: String,
    line: u32,
    /// In the order of the file.
    entries: Vec<(String, Setting)>,
    /// The names that were asked for.
    known: Vec<&'static str>,
}

impl Table {
    pub(crate) fn new(place: String, line: u32, entries: Vec<(String, Setting)>) -> Self {
        Self {
            place,
            line,
            entries,
            known: Vec::new(),
        }
    }

    /// The entries of a file.
    ///
    /// # Errors
    /// If the text is no TOML.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let lines = Lines::of_text(text);
        let table = DeTable::parse(text).map_err(|error| SettingsError {
            line: error.span().map_or(1, |span| lines.of(span.start)),
            message: error.message().to_owned(),
        })?;
        table_of(table.get_ref(), 1, "", &lines)
    }

    /// The path to it; empty for the whole file.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The line on which it begins.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// All entries that were not taken, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.entries
            .iter()
            .map(|(name, setting)| (name.as_str(), setting))
    }

    /// Reads it with `read`. An entry that this did not take is an error.
    ///
    /// # Errors
    /// Those of `read`, and unknown entries.
    pub fn read<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SettingsError>,
    ) -> Result<T, SettingsError> {
        let value = read(&mut self)?;
        match self.entries.first() {
            None => Ok(value),
            Some((name, setting)) => Err(SettingsError {
                line: setting.line,
                message: format!(
                    "nothing is called {}{}; there are {}",
                    toml_key(name),
                    self.within(),
                    self.known.join(", ")
                ),
            }),
        }
    }

    fn within(&self) -> String {
        match self.place.as_str() {
            "" => String::new(),
            place => format!(" in [{place}]"),
        }
    }

    /// Takes an entry.
    pub fn take(&mut self, name: &'static str) -> Option<Setting> {
        self.known.push(name);
        let at = self.entries.iter().position(|(own, _)| own == name)?;
        Some(self.entries.remove(at).1)
    }

    /// Takes every entry, whatever it is called.
    pub fn take_all(&mut self) -> Vec<(String, Setting)> {
        std::mem::take(&mut self.entries)
    }

    /// The error that an entry is something else than it should be.
    pub fn wrong(&self, name: &str, setting: &Setting, expected: &str) -> SettingsError {
        SettingsError {
            line: setting.line,
            message: format!(
                "{} is {}, and should be {expected}",
                place_below(&self.place, name),
                setting.described()
            ),
        }
    }

    /// Takes a text.
    ///
    /// # Errors
    /// If it is none.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, SettingsError> {
        match self.take(name) {
            None => Ok(None),
            Some(setting) => self.text_of(name, setting).map(Some),
        }
    }

    fn text_of(&self, name: &str, setting: Setting) -> Result<String, SettingsError> {
        match setting.kind {
            SettingKind::Text(text) => Ok(text),
            _ => Err(self.wrong(name, &setting, "a text in quotation marks")),
        }
    }

    /// Takes a list of texts; an empty one if there is none.
    ///
    /// # Errors
    /// If it is something else.
    pub fn texts(&mut self, name: &'static str) -> Result<Vec<String>, SettingsError> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(setting) => self.texts_of(name, setting),
        }
    }

    /// The texts of an entry that was taken.
    ///
    /// # Errors
    /// If it is something else.
    pub fn texts_of(&self, name: &str, setting: Setting) -> Result<Vec<String>, SettingsError> {
        match setting.kind {
            SettingKind::List(elements) => {
                let texts = elements.into_iter().map(|one| self.text_of(name, one));
                texts.collect()
            }
            _ => Err(self.wrong(name, &setting, "a list of texts, such as [\"a\", \"b\"]")),
        }
    }

    /// Takes `true` or `false`; `false` if there is none.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, SettingsError> {
        match self.take(name) {
            None => Ok(false),
            Some(setting) => match setting.kind {
                SettingKind::Flag(flag) => Ok(flag),
                _ => Err(self.wrong(name, &setting, "true or false")),
            },
        }
    }

    /// Takes a whole number that fits.
    ///
    /// # Errors
    /// If it is none, or does not.
    pub fn number<N: TryFrom<i64>>(&mut self, name: &'static str) -> Result<Option<N>, SettingsError> {
        let Some(setting) = self.take(name) else {
            return Ok(None);
        };
        match setting.kind {
            SettingKind::Number(number) => N::try_from(number).map(Some).map_err(|_| SettingsError {
                line: setting.line,
                message: format!("{}: {number} is out of range", place_below(&self.place, name)),
            }),
            _ => Err(self.wrong(name, &setting, "a whole number")),
        }
    }

    /// Takes one of several words.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn choice<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, SettingsError> {
        let Some(setting) = self.take(name) else {
            return Ok(None);
        };
        let found = match &setting.kind {
            SettingKind::Text(text) => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        match found {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                let message = format!(
                    "{} is one of {}",
                    place_below(&self.place, name),
                    words.join(", ")
                );
                Err(SettingsError {
                    line: setting.line,
                    message,
                })
            }
        }
    }

    /// Takes a table; an empty one if there is none.
    ///
    /// # Errors
    /// If it is something else.
    pub fn table(&mut self, name: &'static str) -> Result<Self, SettingsError> {
        match self.take(name) {
            None => Ok(Self::default()),
            Some(setting) => self.table_of(name, setting),
        }
    }

    /// The table of an entry that was taken.
    ///
    /// # Errors
    /// If it is something else.
    pub fn table_of(&self, name: &str, setting: Setting) -> Result<Self, SettingsError> {
        match setting.kind {
            SettingKind::Table(table) => Ok(table),
            _ => {
                let expected = format!("a table, [{}]", place_below(&self.place, name));
                Err(self.wrong(name, &setting, &expected))
            }
        }
    }

    /// Takes a table of texts by names that are the user's.
    ///
    /// # Errors
    /// If it is something else.
    pub fn texts_by_name(&mut self, name: &'static str) -> Result<BTreeMap<String, String>, SettingsError> {
        self.table(name)?.all_texts()
    }

    /// Takes all entries, which are texts by names that are the user's.
    ///
    /// # Errors
    /// If one is something else.
    pub fn all_texts(&mut self) -> Result<BTreeMap<String, String>, SettingsError> {
        let entries = self.take_all().into_iter();
        let texts = entries.map(|(name, setting)| {
            let text = self.text_of(&name, setting)?;
            Ok((name, text))
        });
        texts.collect()
    }

    /// Takes a table of lists of texts by names that are the user's.
    ///
    /// # Errors
    /// If it is something else.
    pub fn lists_by_name(
        &mut self,
        name: &'static str,
    ) -> Result<BTreeMap<String, Vec<String>>, SettingsError> {
        self.by_name(name, |table, own, setting| table.texts_of(own, setting))
    }

    /// Takes a table of tables by names that are the user's, and reads each.
    ///
    /// # Errors
    /// Those of `read`, and unknown entries.
    pub fn tables_by_name<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&mut Self) -> Result<T, SettingsError>,
    ) -> Result<BTreeMap<String, T>, SettingsError> {
        self.by_name(name, |table, own, setting| {
            table.table_of(own, setting)?.read(&read)
        })
    }

    /// Takes a table of values by names that are the user's.
    ///
    /// # Errors
    /// Those of `value`.
    pub fn by_name<T>(
        &mut self,
        name: &'static str,
        value: impl Fn(&Self, &str, Setting) -> Result<T, SettingsError>,
    ) -> Result<BTreeMap<String, T>, SettingsError> {
        let mut table = self.table(name)?;
        let entries = table.take_all().into_iter();
        entries
            .map(|(name, setting)| {
                let value = value(&table, &name, setting)?;
                Ok((name, value))
            })
            .collect()
    }

    /// Takes a list of tables, `[[name]]`, and reads each.
    ///
    /// # Errors
    /// Those of `read`, and unknown entries.
    pub fn tables<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&mut Self) -> Result<T, SettingsError>,
    ) -> Result<Vec<T>, SettingsError> {
        let Some(setting) = self.take(name) else {
            return Ok(Vec::new());
        };
        match setting.kind {
            SettingKind::List(elements) => {
                let tables = elements
                    .into_iter()
                    .map(|one| self.table_of(name, one)?.read(&read));
                tables.collect()
            }
            _ => {
                let expected = format!("a list of tables, [[{}]]", place_below(&self.place, name));
                Err(self.wrong(name, &setting, &expected))
            }
        }
    }
}

/// The path to an entry of a table.
pub(crate) fn place_below(place: &str, name: &str) -> String {
    match place {
        "" => toml_key(name).into_owned(),
        place => format!("{place}.{}", toml_key(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Log = (Option<String>, Vec<String>, Option<u32>, bool);

    fn read(text: &str) -> Result<Log, SettingsError> {
        Table::parse(text)?.read(|file| {
            let log = file.table("log")?;
            log.read(|log| {
                Ok((
                    log.text("event")?,
                    log.texts("skip")?,
                    log.number("header")?,
                    log.flag("on")?,
                ))
            })
        })
    }

    #[test]
    fn entries_are_read_and_what_is_wrong_is_told_with_its_line() {
        let read_well = read("[log]\nevent = \"e\"\nskip = [\"a\"]\nheader = 1_0\non = true\n");
        assert_eq!(
            read_well,
            Ok((Some("e".to_owned()), vec!["a".to_owned()], Some(10), true))
        );
        for (text, expected) in [
            (
                "[log]\nevnt = \"e\"",
                "line 2: nothing is called evnt in [log]; there are event, skip, header, on",
            ),
            ("\n[lag]\n", "line 2: nothing is called lag; there are log"),
            (
                "[log]\nevent = 3",
                "line 2: log.event is a whole number, and should be a text in quotation marks",
            ),
            (
                "[log]\n\nskip = [\"a\",\n 3]",
                "line 4: log.skip is a whole number, and should be a text in quotation marks",
            ),
            ("[log]\nheader = -1", "line 2: log.header: -1 is out of range"),
            (
                "[log]\nheader = 1.5",
                "line 2: log.header is a fraction or a date, and should be a whole number",
            ),
            (
                "log = 3",
                "line 1: log is a whole number, and should be a table, [log]",
            ),
            ("[log\n", "line 1: unclosed table, expected `]`"),
        ] {
            let told = read(text).map_err(|error| error.to_string());
            assert_eq!(told, Err(expected.to_owned()), "{text}");
        }
    }
}
