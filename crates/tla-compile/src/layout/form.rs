//! Forms: what the values of a variable have in common.

use omnilink_value::{Value, ValueKind};

/// Larger functions are one cell.
const ENTRIES_MAX: usize = 64;
/// Variables with more cells are one cell.
const CELLS_MAX: usize = 512;

/// The form that the values of a variable, or of a part of it, have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any value.
    Cell,
    /// A function with this set of keys, and the forms of its values. Those of a function that is no record are equal.
    Exploded {
        /// The keys, a set.
        keys: Value,
        /// The forms of its values, in the order of the keys.
        parts: Vec<Form>,
    },
}

impl Form {
    /// The form of a value.
    pub fn of(value: &Value) -> Self {
        let len = value.len().unwrap_or(0);
        if len == 0 || len > ENTRIES_MAX || value.as_set().is_some() {
            return Form::Cell;
        }
        let keys = match value.as_entries() {
            Some(entries) => Value::set_of_sorted(entries.iter().map(|(key, _)| key.clone())),
            None => Value::set_of_sorted((1..=len as i64).map(Value::int)),
        };
        let mut parts: Vec<Form> = (0..len).filter_map(|at| value.part(at).map(Form::of)).collect();
        if value.kind() != ValueKind::Record {
            make_uniform(&mut parts);
        }
        let form = Form::Exploded { keys, parts };
        if form.cells() > CELLS_MAX {
            Form::Cell
        } else {
            form
        }
    }

    /// What two forms have in common.
    #[must_use]
    pub fn meet(&self, other: &Form) -> Form {
        match (self, other) {
            (
                Form::Exploded { keys, parts },
                Form::Exploded {
                    keys: other_keys,
                    parts: others,
                },
            ) if keys == other_keys => Form::Exploded {
                keys: keys.clone(),
                parts: parts
                    .iter()
                    .zip(others)
                    .map(|(left, right)| left.meet(right))
                    .collect(),
            },
            _ => Form::Cell,
        }
    }

    pub(super) fn cells(&self) -> usize {
        match self {
            Form::Cell => 1,
            Form::Exploded { parts, .. } => parts.iter().map(Form::cells).sum(),
        }
    }

    /// Replaces the form at a path by a cell; at the same time those of its siblings that have to be equal.
    pub(super) fn widen(&mut self, path: &[usize]) {
        let Some((step, rest)) = path.split_first() else {
            *self = Form::Cell;
            return;
        };
        if let Form::Exploded { keys, parts } = self {
            if let Some(part) = parts.get_mut(*step) {
                part.widen(rest);
            }
            let is_record = keys
                .as_set()
                .unwrap_or_default()
                .iter()
                .all(|key| key.as_str().is_some());
            if !is_record {
                make_uniform(parts);
            }
        }
    }
}

fn make_uniform(parts: &mut [Form]) {
    let Some((first, others)) = parts.split_first() else {
        return;
    };
    let common = others
        .iter()
        .fold(first.clone(), |common, part| common.meet(part));
    parts.fill(common);
}
