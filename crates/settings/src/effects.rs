//! What was said, and whether it took effect.
//!
//! An entry that is spelt right may still mean nothing: an event that no line has, a value that never occurs, an option for inputs of another kind. The check says
//! less than its user believes then. So everything that can be said is listed before a check begins, whoever uses it [marks](EntryEffects::took) it, and
//! at the end what was never marked is [told](EntryEffects::without). A mark is never taken back, so that several checks may share a list.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::setting::SettingKind;
use crate::table::{Table, place_below};

/// Something on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectId(usize);

/// What was said, and whether it took effect.
#[derive(Debug, Default)]
pub struct EntryEffects {
    said: Vec<(Unused, AtomicBool)>,
    by_path: BTreeMap<String, usize>,
}

/// Something that took no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// What was said: the path of an entry, or an option.
    pub what: String,
    /// Where; empty for an option.
    pub place: String,
}

impl EntryEffects {
    /// Adds something; what was said twice is one.
    pub fn say(&mut self, what: &str, place: &str) -> EffectId {
        let next = self.said.len();
        let at = *self.by_path.entry(what.to_owned()).or_insert(next);
        if at == next {
            let said = Unused {
                what: what.to_owned(),
                place: place.to_owned(),
            };
            self.said.push((said, AtomicBool::new(false)));
        }
        EffectId(at)
    }

    /// Adds entries of a file.
    pub fn say_entries(&mut self, entries: &[Entry], file: &str) {
        for Entry { path, line } in entries {
            self.say(path, &format!("{file}:{line}"));
        }
    }

    /// What has this path, if it was said.
    pub fn find(&self, path: &str) -> Option<EffectId> {
        self.by_path.get(path).copied().map(EffectId)
    }

    /// It took effect.
    pub fn took(&self, id: EffectId) {
        self.said[id.0].1.store(true, Ordering::Relaxed);
    }

    /// What has this path took effect, and everything below it.
    pub fn took_all(&self, path: &str) {
        let below = self.by_path.range(path.to_owned()..);
        for (own, at) in below.take_while(|(own, _)| own.starts_with(path)) {
            if own[path.len()..].is_empty() || own[path.len()..].starts_with(['.', ' ', '[']) {
                self.took(EffectId(*at));
            }
        }
    }

    /// What took no effect, in the order in which it was said.
    pub fn without(&self) -> impl Iterator<Item = &Unused> {
        let unmarked = self.said.iter().filter(|(_, took)| !took.load(Ordering::Relaxed));
        unmarked.map(|(said, _)| said)
    }
}

/// An entry of a file: a value, or an element of a list of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `log.skip = "Ping"` for an element of a list, `log.hidden[1].action` below a list of tables, else the names with dots between them.
    pub path: String,
    /// Its line, counted from 1.
    pub line: u32,
}

impl Table {
    /// All entries in it, at any depth.
    pub fn entries(&self) -> Vec<Entry> {
        let mut found = Vec::new();
        self.add_entries(self.place(), &mut found);
        found
    }

    fn add_entries(&self, place: &str, found: &mut Vec<Entry>) {
        for (name, setting) in self.iter() {
            let path = place_below(place, name);
            let line = setting.line;
            match &setting.kind {
                SettingKind::Table(table) => table.add_entries(&path, found),
                SettingKind::List(elements) => {
                    for (number, element) in elements.iter().enumerate() {
                        let (line, numbered) = (element.line, format!("{path}[{}]", number + 1));
                        match &element.kind {
                            SettingKind::Table(table) => table.add_entries(&numbered, found),
                            SettingKind::Text(text) => found.push(Entry {
                                path: format!("{path} = {text:?}"),
                                line,
                            }),
                            _ => found.push(Entry { path: numbered, line }),
                        }
                    }
                }
                _ => found.push(Entry { path, line }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_marked_is_told() {
        let file = "[log]\nskip = [\"Ping\", \"Pong\"]\n[log.events.a]\naction = \"A\"\n[[log.hidden]]\naction = \"B\"\nbound = 2\n[log.events.ab]\naction = \"C\"\n";
        let mut effects = EntryEffects::default();
        effects.say_entries(&Table::parse(file).unwrap().entries(), "l.toml");
        effects.took_all("log.events.a");
        effects.took(effects.find("log.skip = \"Ping\"").unwrap());
        effects.took_all("log.hidden[1].bound");
        let left: Vec<String> = effects
            .without()
            .map(|one| format!("{} {}", one.place, one.what))
            .collect();
        assert_eq!(
            left,
            [
                "l.toml:2 log.skip = \"Pong\"",
                "l.toml:9 log.events.ab.action",
                "l.toml:6 log.hidden[1].action"
            ]
        );
    }
}
