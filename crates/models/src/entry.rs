//! What a native model is called, what its operations are, and its options.
//!
//! The entry of a model is both its documentation and the table that recognises operation names, so the two always agree.

/// A native model, as `omnilink check --list-models` shows it.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// Its name.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// Its operations.
    pub ops: &'static [OpEntry],
    /// Its options.
    pub options: &'static [OptionEntry],
    /// A small valid history in trace format 1.
    pub example: &'static str,
}

/// An operation of a model.
#[derive(Clone, Copy, Debug)]
pub struct OpEntry {
    /// Its name.
    pub name: &'static str,
    /// Other names for it. Comparisons of names ignore case, `-` and `_`.
    pub aliases: &'static [&'static str],
    /// Its arguments, in the order of positional arguments.
    pub arguments: &'static str,
    /// Its result.
    pub result: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// A table of operations, one row each: `name | alias: (arguments) -> result, meaning;`, then `+ ROW` for shared rows.
macro_rules! operations {
    ($($name:literal $(| $alias:literal)*: ($($arguments:literal)?) $(-> $result:literal)?, $meaning:literal;)* $(+ $row:expr)*) => {
        &[
            $($crate::entry::OpEntry {
                name: $name,
                aliases: &[$($alias),*],
                arguments: concat!($($arguments)?),
                result: concat!($($result)?),
                meaning: $meaning,
            },)*
            $($row,)*
        ]
    };
}
pub(crate) use operations;

/// An option of a model.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// The allowed values.
    pub values: &'static str,
    /// The default.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl ModelEntry {
    /// Whether this model has all operations of `other`, with the same meaning.
    pub fn includes(&self, other: &Self) -> bool {
        self.name == other.name || (self.name, other.name) == ("cas-register", "register")
    }

    /// The operation of this name.
    pub(crate) fn op(&self, name: &str) -> Option<&'static OpEntry> {
        let spelled = |op: &&OpEntry| op.name == name || op.aliases.contains(&name);
        let is_named_similarly = |op: &&OpEntry| {
            is_similar(op.name, name) || op.aliases.iter().any(|alias| is_similar(alias, name))
        };
        self.ops
            .iter()
            .find(spelled)
            .or_else(|| self.ops.iter().find(is_named_similarly))
    }

    /// All names of all operations.
    pub(crate) fn op_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.ops
            .iter()
            .flat_map(|op| std::iter::once(op.name).chain(op.aliases.iter().copied()))
    }
}

/// Whether two names differ at most in case, `-` and `_`.
pub(crate) fn is_similar(left: &str, right: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes()
            .filter(|byte| !matches!(byte, b'-' | b'_'))
            .map(|byte| byte.to_ascii_lowercase())
    }
    letters(left).eq(letters(right))
}
