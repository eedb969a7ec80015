//! The expressions of a link, as one more module on top of the spec.
//!
//! Whatever a user writes in TLA+ outside the spec (constants on the command line, conditions in the link file) is put
//! into a module that extends the spec. So it is read, resolved and levelled by the same code as everything else, sees
//! every definition of the spec, and its mistakes are reported like any other.

use std::collections::BTreeSet;

use omnilink_tla::ir::OperatorId;
use rustc_hash::FxHashMap;

use crate::omnilink_setup::GENERATED;

/// The name of the module.
pub(crate) const MODULE: &str = "OmnilinkLink";

/// The prefix of names of the module, which no spec uses.
const INTERNAL: &str = "omnilink_";

/// A name of the module.
pub(crate) fn name(role: &str, of: &str) -> String {
    format!("{INTERNAL}{role}_{of}")
}

/// The module as far as it is written.
#[derive(Debug)]
pub(crate) struct Module {
    text: String,
    is_empty: bool,
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
    pub(crate) fn extending(spec: &str) -> Self {
        Self {
            text: format!("---- MODULE {MODULE} ----\nEXTENDS {spec}\n"),
            is_empty: true,
            operations: Vec::new(),
        }
    }

    /// Adds a definition that is lowered.
    pub(crate) fn operation<P: AsRef<str>>(&mut self, name: &str, params: &[P], body: &str) {
        self.define(name, params, body);
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

    /// Adds a definition. The body stands on lines of its own, as it was written.
    pub(crate) fn define<P: AsRef<str>>(&mut self, name: &str, params: &[P], body: &str) {
        self.is_empty = false;
        self.text.push_str(name);
        if !params.is_empty() {
            let params: Vec<&str> = params.iter().map(AsRef::as_ref).collect();
            self.text.push_str(&format!("({})", params.join(", ")));
        }
        self.text.push_str(&format!(" ==\n{body}\n"));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("====\n");
        self.text
    }
}

/// A message without generated names: generated modules and definitions appear as what they were made from.
pub fn without_internal_names(message: &str) -> String {
    let file = format!("{MODULE}.tla");
    let mut cleaned = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = [file.as_str(), INTERNAL, GENERATED]
        .into_iter()
        .filter_map(|name| rest.find(name))
        .min()
    {
        cleaned.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(place) = rest.strip_prefix(&file) {
            cleaned.push_str("an expression of the link");
            // Lines and columns of a generated text.
            rest = place.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
        } else if let Some(name) = rest.strip_prefix(GENERATED) {
            rest = name;
        } else {
            cleaned.push_str("an expression of the link");
            rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        }
    }
    cleaned.push_str(rest);
    cleaned
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
    use super::{identifiers, without_internal_names};

    #[test]
    fn generated_names_are_not_shown() {
        let message =
            "unknown `y`\n --> OmnilinkLink.tla:3:1\nin omnilink_requires_0 and __Op_Take(1), Take.tla:2:1";
        assert_eq!(
            without_internal_names(message),
            "unknown `y`\n --> an expression of the link\nin an expression of the link and Take(1), Take.tla:2:1"
        );
    }

    #[test]
    fn identifiers_are_those_outside_quotes() {
        let found: Vec<&str> = identifiers(r#"Keys \cup {key, "not one", 12}"#)
            .into_iter()
            .collect();
        assert_eq!(found, ["Keys", "cup", "key"]);
    }
}
