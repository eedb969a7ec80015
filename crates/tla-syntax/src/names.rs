//! Interned names: a name is compared, hashed and stored as one number.

use rustc_hash::FxHashMap;

/// An interned identifier, operator symbol or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// The table of all names of one run. Names of different tables must not be mixed.
#[derive(Debug, Default)]
pub struct Names {
    numbers: FxHashMap<Box<str>, Name>,
    texts: Vec<Box<str>>,
}

impl Names {
    /// The name of a text, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), name);
        name
    }

    /// The name of a text, if it has been interned.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a name of this table.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
