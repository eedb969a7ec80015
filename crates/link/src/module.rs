//! The expressions of a link, as one more module on top of the spec.
//!
//! Whatever a user writes in TLA+ outside the spec (constants on the command line, conditions in the link file) is put
//! into a module that extends the spec. So it is read, resolved and levelled by the same code as everything else, sees
//! every definition of the spec, and its mistakes are reported like any other.

use std::collections::BTreeSet;
use std::path::PathBuf;

use omnilink_tla::ir::OperatorId;
use omnilink_tla::semantics::add_module;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::source::Section;
use rustc_hash::FxHashMap;

use crate::error::LinkError;
use crate::spec_reader::sound;

/// The name of the module.
pub(crate) const MODULE: &str = "OmnilinkLink";

/// The prefix of names of the module, which no spec uses.
const INTERNAL: &str = "omnilink_";

/// Words of the language that may stand in a set.
pub(crate) const KEYWORDS: [&str; 16] = [
    "BOOLEAN",
    "STRING",
    "SUBSET",
    "UNION",
    "DOMAIN",
    "TRUE",
    "FALSE",
    "cup",
    "union",
    "cap",
    "intersect",
    "X",
    "times",
    "o",
    "setminus",
    "Nat",
];

/// A name of the module.
pub(crate) fn name(role: &str, of: &str) -> String {
    format!("{INTERNAL}{role}_{of}")
}

/// What an entry of the link file is called in messages.
pub(crate) fn entry(of: &str) -> String {
    format!("link file, {of}")
}

/// The module as far as it is written.
#[derive(Debug)]
pub(crate) struct Module {
    text: String,
    /// What the definitions were made from.
    sections: Vec<Section>,
    /// The definitions, of this module or of the spec, that are to be lowered.
    operations: Vec<String>,
}

/// What was lowered, by the name of its definition.
#[derive(Debug)]
pub(crate) struct Lowered(FxHashMap<String, OperatorId>);

impl Lowered {
    /// What became of these definitions.
    pub(crate) fn of(operations: Vec<String>, lowered: &[Option<OperatorId>]) -> Self {
        let found = operations.into_iter().zip(lowered);
        Self(found.filter_map(|(name, id)| Some((name, (*id)?))).collect())
    }

    /// `None` if there is no such definition, or it cannot be given values.
    pub(crate) fn get(&self, name: &str) -> Option<OperatorId> {
        self.0.get(name).copied()
    }
}

impl Module {
    pub(crate) fn extending(spec: &Spec) -> Self {
        let root = spec.root().map_or("", |root| spec.names.text(root.name));
        Self {
            text: format!("---- MODULE {MODULE} ----\nEXTENDS {root}\n"),
            sections: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// Adds a definition that is lowered.
    pub(crate) fn operation<P: AsRef<str>>(
        &mut self,
        name: &str,
        params: &[P],
        body: &str,
        made_from: String,
    ) {
        self.define(name, params, body, made_from);
        self.lower(name);
    }

    /// Has a definition of the spec lowered.
    pub(crate) fn lower(&mut self, name: &str) {
        if !self.operations.iter().any(|known| known == name) {
            self.operations.push(name.to_owned());
        }
    }

    /// What is to be lowered.
    pub(crate) fn operations(&self) -> &[String] {
        &self.operations
    }

    /// Adds a definition. The body stands on lines of its own, as it was written. Mistakes in it are ones of what it was made from.
    pub(crate) fn define<P: AsRef<str>>(&mut self, name: &str, params: &[P], body: &str, made_from: String) {
        self.text.push_str(name);
        if !params.is_empty() {
            let params: Vec<&str> = params.iter().map(AsRef::as_ref).collect();
            self.text.push_str(&format!("({})", params.join(", ")));
        }
        self.text.push_str(" ==\n");
        self.sections.push(Section {
            start: self.text.len() as u32,
            definition: name.to_owned(),
            made_from,
        });
        self.text.push_str(body);
        self.text.push('\n');
    }

    /// The specification with this module on top, if it says anything.
    pub(crate) fn on_top_of(mut self, spec: Spec, search: &SearchPath) -> Result<Spec, LinkError> {
        if self.sections.is_empty() {
            return Ok(spec);
        }
        self.text.push_str("====\n");
        let path = PathBuf::from(format!("{MODULE}.tla"));
        let mut loaded = add_module(spec, &path, self.text, search);
        loaded.spec.sources.set_sections(&path, self.sections);
        sound(loaded)
    }
}

/// The identifiers in an expression, text in quotes left out.
pub fn identifiers(expression: &str) -> BTreeSet<&str> {
    expression
        .split('"')
        .step_by(2)
        .flat_map(|outside| outside.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| word.chars().any(|c| c.is_alphabetic() || c == '_'))
        .collect()
}

/// `name(a, b)`, or `name` where there are no arguments.
pub(crate) fn application<P: AsRef<str>>(name: &str, arguments: &[P]) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    format!("{name}({})", arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::identifiers;

    #[test]
    fn identifiers_are_those_outside_quotes() {
        let found: Vec<&str> = identifiers(r#"Keys \cup {key, "not one", 12}"#)
            .into_iter()
            .collect();
        assert_eq!(found, ["Keys", "cup", "key"]);
    }
}
