//! Facts: what is known of cells where an expression is evaluated, and what follows from it.

use super::Walk;
use super::cell::{CellStep, Content};
use super::form::{Form, Place, Reads, at, inside};
use super::key_set::KeySet;

impl Walk<'_> {
    /// The form of the value at a place: the value itself if a fact tells it.
    pub(super) fn resolved(&self, place: Place) -> Form {
        for (cell, content) in &self.facts {
            if let Content::Is(value) = content
                && cell.variable == place.variable
                && place.path.starts_with(&cell.path)
            {
                let rest = Place {
                    variable: 0,
                    path: place.path[cell.path.len()..].iter().cloned().collect(),
                };
                if let Some(held) = rest.held(std::slice::from_ref(value)) {
                    return Form::Value(held);
                }
            }
        }
        let value = self.implied(&place).find_map(|content| match content {
            Content::Is(value) => Some(value.clone()),
            _ => None,
        });
        value.map_or(Form::Place(place), Form::Value)
    }

    /// What a cell is because of the facts about other cells: that it is there, and perhaps which value it holds.
    fn implied(&self, cell: &Place) -> impl Iterator<Item = &Content> {
        let implications = match self.ignores_implications {
            true => [].iter(),
            false => self.layout.implications().iter(),
        };
        implications.filter_map(move |implication| implication.content(cell, &self.facts))
    }

    /// Whether a cell is there, if the facts tell. Only these are asked where an argument is merely copied: see
    /// [`EffectTemplates`](super::EffectTemplates).
    pub(super) fn is_present_by_facts(&self, cell: &Place) -> Option<bool> {
        for (known, content) in &self.facts {
            if known == cell {
                return Some(*content != Content::Missing);
            }
            if known.variable == cell.variable
                && known.path.starts_with(&cell.path)
                && *content != Content::Missing
            {
                return Some(true);
            }
        }
        self.implied(cell)
            .next()
            .map(|content| *content != Content::Missing)
    }

    /// Whether a cell is there, if the facts or the layout tell.
    pub(super) fn is_present(&self, cell: &Place) -> Option<bool> {
        if let Some(is_present) = self.is_present_by_facts(cell) {
            return Some(is_present);
        }
        let (last, path) = cell.path.split_last()?;
        let place = Place {
            variable: cell.variable,
            path: path.iter().cloned().collect(),
        };
        match (last, self.layout.domain(&place)) {
            (CellStep::At(key), Some(_)) if self.is_symbol(key) => None,
            (CellStep::At(key), Some(domain)) => Some(domain.as_set()?.binary_search(key).is_ok()),
            _ => None,
        }
    }

    /// Whether a cell is there, as a condition.
    pub(super) fn presence(&self, cell: Place) -> Form {
        match self.is_present(&cell) {
            Some(truth) => Form::truth(truth),
            None if cell.is_known() => Form::Present(cell, true),
            None => Form::Other(Reads::one(cell)),
        }
    }

    /// Whether a condition is true, or false. For a name that stands for all arguments of a function but a few, the arguments for
    /// which it is otherwise are noted as exceptions.
    pub(super) fn decided(&mut self, condition: &Form) -> Option<bool> {
        match condition {
            Form::Value(value) => value.as_bool(),
            Form::Test(test) if test.is_exact && test.path.is_empty() => {
                let exceptions = self.binders.get_mut(test.binder)?.as_mut()?;
                match &test.keys {
                    KeySet::In(keys) => {
                        exceptions.extend(keys.iter().cloned().map(Some));
                        Some(false)
                    }
                    KeySet::NotIn(keys) => {
                        exceptions.extend(keys.iter().cloned().map(Some));
                        Some(true)
                    }
                    KeySet::Some => {
                        exceptions.push(None);
                        Some(false)
                    }
                    KeySet::NotSome => {
                        exceptions.push(None);
                        Some(true)
                    }
                    KeySet::Between(..) => None,
                }
            }
            _ => None,
        }
    }

    /// Adds the facts that follow from a condition. Returns whether it can be true.
    pub(super) fn assume(&mut self, condition: &Form) -> bool {
        match condition {
            Form::Value(value) => value.as_bool() != Some(false),
            Form::Is(place, value, true) if place.is_known() => match self.resolved(place.clone()) {
                Form::Value(held) => held == *value,
                _ if self.is_present_by_facts(place) == Some(false) => false,
                _ => {
                    let content = Content::Is(value.clone());
                    self.note_fact(place, &content);
                    self.facts.push((place.clone(), content));
                    true
                }
            },
            Form::Is(place, value, false) => {
                self.note_refuted(place, value);
                self.resolved(place.clone()) != Form::Value(value.clone())
            }
            Form::Present(cell, truth) => match self.is_present(cell) {
                Some(held) => held == *truth,
                None => {
                    let content = if *truth {
                        Content::Present
                    } else {
                        Content::Missing
                    };
                    self.note_fact(cell, &content);
                    self.facts.push((cell.clone(), content));
                    true
                }
            },
            Form::All(parts) => parts.iter().all(|part| self.assume(part)),
            Form::Either(parts) => {
                let (condition, yes, no) = &**parts;
                if yes.as_truth() == Some(false) {
                    return self.assume(&condition.clone().negated()) && self.assume(no);
                }
                if no.as_truth() == Some(false) {
                    return self.assume(condition) && self.assume(yes);
                }
                true
            }
            _ => true,
        }
    }

    /// A part of the value at a place, for an argument of this form; `None` if the argument depends on the state.
    pub(super) fn part(&self, place: &Place, key: &Form) -> Option<Form> {
        match key {
            Form::Value(key) => Some(self.resolved(inside(place, at(key)))),
            Form::Symbol(key) => Some(self.resolved(inside(place, CellStep::At(key.clone())))),
            Form::Other(reads) if reads.cells.is_empty() => Some(Form::Place(inside(place, CellStep::Any))),
            Form::Element(binder, path) if path.is_empty() => Some(Form::AtElement(place.clone(), *binder)),
            _ => None,
        }
    }
}
