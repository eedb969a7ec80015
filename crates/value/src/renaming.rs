//! Renamings of the model values inside a value, as symmetry sets need them.

use crate::build::{ElementBuffer, EntryBuffer};
use crate::value::{Repr, Value};

/// A renaming of model values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Renaming {
    /// Old and new names, sorted by the old, without identical pairs.
    pairs: Vec<(Value, Value)>,
}

/// A value that is not a renaming.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenamingError {
    /// It is not a function.
    #[error("{0} is not a function from model values to model values")]
    NotAFunction(Value),
    /// It contains something other than model values.
    #[error("{0} is not a model value, and only those can be interchanged")]
    NotAModelValue(Value),
    /// It maps two model values to one.
    #[error("two model values would become {0}; a permutation gives each another")]
    NotInjective(Value),
}

impl Renaming {
    /// The renaming that a function from model values to model values describes.
    ///
    /// # Errors
    /// When it is not a permutation of model values.
    pub fn from_function(function: &Value) -> Result<Self, RenamingError> {
        if function.is_empty() && function.as_tuple().is_some() {
            return Ok(Self::default());
        }
        let entries = function
            .as_entries()
            .ok_or_else(|| RenamingError::NotAFunction(function.clone()))?;
        for value in entries.iter().flat_map(|(from, to)| [from, to]) {
            if value.as_model().is_none() {
                return Err(RenamingError::NotAModelValue(value.clone()));
            }
        }
        let mut images: Vec<&Value> = entries.iter().map(|(_, to)| to).collect();
        images.sort();
        if let Some(pair) = images.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(RenamingError::NotInjective(pair[0].clone()));
        }
        let moved = entries.iter().filter(|(from, to)| from != to);
        Ok(Self {
            pairs: moved.cloned().collect(),
        })
    }

    /// Whether nothing is renamed.
    pub fn is_identity(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The composition: first this, then the other.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let olds = self.pairs.iter().chain(&other.pairs).map(|(from, _)| from);
        let mut pairs: Vec<(Value, Value)> = olds
            .map(|old| (old.clone(), other.image(self.image(old)).clone()))
            .filter(|(from, to)| from != to)
            .collect();
        pairs.sort();
        pairs.dedup();
        Self { pairs }
    }

    /// What a model value becomes.
    pub(crate) fn image<'a>(&'a self, value: &'a Value) -> &'a Value {
        match self.pairs.binary_search_by(|(from, _)| from.cmp(value)) {
            Ok(at) => &self.pairs[at].1,
            Err(_) => value,
        }
    }

    /// The value with its model values renamed; `None` if it contains none of them.
    pub fn apply(&self, value: &Value) -> Option<Value> {
        match &value.0 {
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::LongStr(_) => None,
            Repr::ShortModel(_) | Repr::LongModel(_) => {
                let image = self.image(value);
                (image != value).then(|| image.clone())
            }
            Repr::Set(elements) => self.apply_all(&elements.slice).map(Value::set),
            Repr::Tuple(elements) => self
                .apply_all(&elements.slice)
                .map(|mut elements| Value::from_elements(&mut elements)),
            Repr::Record(entries) | Repr::Function(entries) => {
                let mut is_changed = false;
                let mut rename = |value: &Value| {
                    self.apply(value).map_or_else(
                        || value.clone(),
                        |renamed| {
                            is_changed = true;
                            renamed
                        },
                    )
                };
                let renamed: EntryBuffer = entries
                    .slice
                    .iter()
                    .map(|(key, value)| (rename(key), rename(value)))
                    .collect();
                // A renaming is injective, so no two keys become equal.
                is_changed.then(|| Value::function(renamed).unwrap_or_else(|_| value.clone()))
            }
        }
    }

    fn apply_all(&self, elements: &[Value]) -> Option<ElementBuffer> {
        let first = elements
            .iter()
            .enumerate()
            .find_map(|(at, element)| Some((at, self.apply(element)?)));
        let (at, renamed) = first?;
        let mut all: ElementBuffer = elements[..at].iter().cloned().collect();
        all.push(renamed);
        all.extend(
            elements[at + 1..]
                .iter()
                .map(|element| self.apply(element).unwrap_or_else(|| element.clone())),
        );
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> Value {
        Value::model(name)
    }

    fn swap(left: &str, right: &str) -> Renaming {
        let function = Value::function([(model(left), model(right)), (model(right), model(left))]);
        match function.map(|function| Renaming::from_function(&function)) {
            Ok(Ok(renaming)) => renaming,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn model_values_are_renamed_at_any_depth_and_the_form_stays_canonical() {
        let renaming = swap("a", "c");
        let function =
            |entries: [(Value, Value); 2]| Value::function(entries).unwrap_or_else(|e| panic!("{e}"));
        let before = Value::tuple([
            Value::set([model("a"), model("b")]),
            function([(model("a"), 1.into()), (model("b"), model("c"))]),
            "a".into(),
        ]);
        let after = Value::tuple([
            Value::set([model("b"), model("c")]),
            function([(model("c"), 1.into()), (model("b"), model("a"))]),
            "a".into(),
        ]);
        assert_eq!(renaming.apply(&before), Some(after.clone()));
        assert_eq!(
            renaming.apply(&before).map(|value| value.hash64()),
            Some(after.hash64())
        );
        assert_eq!(renaming.apply(&after), Some(before));
    }

    #[test]
    fn a_value_without_renamed_parts_stays_the_same() {
        let value = Value::record([("x", Value::set([model("b"), 1.into()]))]);
        assert_eq!(swap("a", "c").apply(&value), None);
    }

    #[test]
    fn renamings_compose_and_undo_each_other() {
        let there = swap("a", "b").then(&swap("b", "c"));
        let back = swap("b", "c").then(&swap("a", "b"));
        assert_eq!(there.apply(&model("a")), Some(model("c")));
        assert!(there.then(&back).is_identity());
    }

    #[test]
    fn only_permutations_of_model_values_are_renamings() {
        let merged = Value::function([(model("a"), model("b")), (model("b"), model("b"))]);
        assert_eq!(
            merged.map(|merged| Renaming::from_function(&merged)),
            Ok(Err(RenamingError::NotInjective(model("b"))))
        );
        let record = Value::record([("a", model("b"))]);
        assert_eq!(
            Renaming::from_function(&record),
            Err(RenamingError::NotAModelValue("a".into()))
        );
        assert_eq!(
            Renaming::from_function(&1.into()),
            Err(RenamingError::NotAFunction(1.into()))
        );
    }
}
