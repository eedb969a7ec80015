//! The forms of what ranges over a set: filters, quantifiers, images.

use omnilink_tla_ir::{Bounded, Pattern};
use omnilink_value::Value;

use super::cell::{Cell, CellStep};
use super::form::{Change, Form, Reads, inside};
use super::function_form::set;
use super::key_set::KeySet;
use super::set_form::group_step;
use super::{ELEMENTS_MAX, Walk, Walked};
use crate::evaluator::Evaluator;

/// Cells, with the condition for each if there is one.
type TestedCells = Vec<(Cell, Option<Form>)>;

/// The elements that a name ranges over, as far as they matter.
enum Range {
    /// These values, each of which is in the set whatever the state.
    Known(Vec<Value>),
    /// A set of which these cells matter, with the condition for each if it was formed.
    Cells(TestedCells),
    /// The set and the condition depend on these.
    Other(Form),
}

impl<'p> Evaluator<'p> {
    /// The form of `{x \in S : P}`.
    pub(super) fn filter_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        if let Some(form) = self.without_elements(bounded, walk)? {
            return Ok(form);
        }
        if let Some(form) = self.positions_form(bounded, walk)? {
            return Ok(form);
        }
        Ok(match self.range(bounded, walk)? {
            Range::Known(elements) => {
                let (mut kept, mut open) = (Vec::new(), Vec::new());
                for element in elements {
                    let Some(form) = self.body_at(bounded, &element, walk)? else {
                        return Ok(Form::unknown());
                    };
                    match form.as_truth() {
                        Some(true) => kept.push(element),
                        Some(false) => {}
                        None => open.push((element, form.into_condition())),
                    }
                }
                match open.iter().all(|(_, form)| form.reads().cells.is_empty()) {
                    true if open.is_empty() => Form::Value(Value::set(kept)),
                    true => Form::unknown(),
                    false => Form::subset(kept, open),
                }
            }
            Range::Cells(cells) => present_cells(&cells).unwrap_or_else(|| Form::Other(cell_reads(cells))),
            Range::Other(form) => form,
        })
    }

    /// The form of `\E` and `\A`.
    pub(super) fn quantified(
        &mut self,
        bounded: &'p Bounded,
        is_exists: bool,
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        if !is_exists && let Some(form) = self.for_all_elements(bounded, walk)? {
            return Ok(form);
        }
        if let Some((place, groups)) = self.tested_groups(bounded, !is_exists, walk)?
            && let [group] = groups.as_slice()
        {
            let presence = walk.presence(inside(&place, group.clone()));
            return Ok(if is_exists { presence } else { presence.negated() });
        }
        Ok(match self.range(bounded, walk)? {
            Range::Known(elements) => {
                let mut open = Vec::new();
                for element in elements {
                    let Some(form) = self.body_at(bounded, &element, walk)? else {
                        return Ok(Form::unknown());
                    };
                    match form.as_truth() {
                        Some(truth) if truth == is_exists => {
                            if !open.is_empty() {
                                walk.exactness.lose();
                            }
                            return Ok(Form::truth(truth));
                        }
                        Some(_) => {}
                        None => open.push(form),
                    }
                }
                match (open.is_empty(), is_exists) {
                    (true, is_exists) => Form::truth(!is_exists),
                    (_, true) if open.len() == 1 => open.remove(0),
                    (_, true) => Form::any(open),
                    (_, false) => Form::all(open),
                }
            }
            Range::Cells(cells) => match cells.as_slice() {
                [(cell, None)] if is_exists => walk.presence(cell.clone()),
                _ => {
                    let mut reads = cell_reads(cells);
                    reads.is_sum = reads.cells.len() <= 1;
                    Form::Other(reads)
                }
            },
            Range::Other(form) => Form::computed([&form]),
        })
    }

    /// The form of `\A x \in S : x.key # k`: whether a group is empty.
    fn for_all_elements(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Option<Form>> {
        let Some((Form::Place(place), Form::Test(test))) = self.element_test(bounded, walk)? else {
            return Ok(None);
        };
        match (test.is_exact, &test.keys) {
            (true, KeySet::NotIn(keys)) if keys.len() == 1 => {
                let step = keys
                    .first()
                    .and_then(|key| group_step(&place, &test.path, key, walk));
                Ok(step.map(|step| walk.presence(inside(&place, step)).negated()))
            }
            _ => Ok(None),
        }
    }

    /// The form of `{e : x \in S}`, and of a function of several arguments.
    pub(super) fn image_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        let mut forms = Vec::new();
        for set in &bounded.sets {
            forms.push(self.form(set, walk)?);
        }
        if let ([Form::Value(known)], [(_, pattern)]) = (forms.as_slice(), &*bounded.binds)
            && let Some(elements) = known.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX)
        {
            let mut images = Vec::new();
            for element in elements {
                if self.bind_pattern(pattern, element).is_err() {
                    return Ok(Form::unknown());
                }
                images.push(self.form(&bounded.body, walk)?);
            }
            return Ok(Form::computed(&images));
        }
        for slot in bounded.slots() {
            self.name(slot, Form::unknown(), walk);
        }
        forms.push(self.form(&bounded.body, walk)?);
        Ok(Form::computed(&forms))
    }

    /// The body for a known element; `None` if the element does not match the names.
    fn body_at(
        &mut self,
        bounded: &'p Bounded,
        element: &Value,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let [(_, pattern)] = &*bounded.binds else {
            return Ok(None);
        };
        if self.bind_pattern(pattern, element).is_err() {
            walk.exactness.lose();
            return Ok(None);
        }
        self.form(&bounded.body, walk).map(Some)
    }

    /// The set of a filter or quantifier over one name, and its condition as a test of the element.
    fn element_test(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Option<(Form, Form)>> {
        let ([set], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds) else {
            return Ok(None);
        };
        let set = self.form(set, walk)?;
        if !matches!(set, Form::Place(_) | Form::Changed(..) | Form::Domain(..)) {
            return Ok(None);
        }
        let binder = walk.binders.len();
        walk.binders.push(None);
        match pattern {
            Pattern::One(slot) => self.name(*slot, Form::Element(binder, Vec::new()), walk),
            Pattern::Tuple(slots) => {
                for (index, slot) in (1..).zip(slots) {
                    self.name(*slot, Form::Element(binder, vec![Value::int(index)]), walk);
                }
            }
        }
        let body = self.form(&bounded.body, walk);
        walk.binders.pop();
        let body = body?;
        if let (Form::Place(place), Form::Test(test)) = (&set, &body)
            && test.binder == binder
            && !test.path.is_empty()
        {
            walk.suggest(place, &test.path);
        }
        match &body {
            Form::Test(test) if test.binder != binder => Ok(Some((set, Form::computed([&body])))),
            _ => Ok(Some((set, body))),
        }
    }

    /// The form of `{x \in S : x # k}` and `{p \in S : p.key # k}`: the set without some elements.
    fn without_elements(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Option<Form>> {
        let Some((set_form, Form::Test(test))) = self.element_test(bounded, walk)? else {
            return Ok(None);
        };
        let keys: Vec<Option<Value>> = match (test.is_exact, test.keys) {
            (true, KeySet::NotIn(keys)) => keys.into_iter().map(Some).collect(),
            (true, KeySet::NotSome) => vec![None],
            _ => return Ok(None),
        };
        match set_form {
            Form::Domain(place, mut changes) if test.path.is_empty() => {
                for key in keys {
                    let step = key.map_or(CellStep::Any, |key| super::form::at(&key));
                    changes.retain(|(known, _)| *known != step);
                    changes.push((step, false));
                }
                Ok(Some(Form::Domain(place, changes)))
            }
            Form::Place(_) | Form::Changed(..) => {
                let (place, mut changes) = match set_form {
                    Form::Changed(place, changes) => (place, changes),
                    Form::Place(place) => (place, Vec::new()),
                    _ => return Ok(None),
                };
                for key in keys {
                    let step = match key {
                        Some(key) => group_step(&place, &test.path, &key, walk),
                        None => Some(CellStep::Any),
                    };
                    let Some(step) = step else { return Ok(None) };
                    set(&mut changes, step, Change::Removed);
                }
                Ok(Some(Form::Changed(place, changes)))
            }
            _ => Ok(None),
        }
    }

    /// What a filter or quantifier ranges over.
    fn range(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Range> {
        if let ([set], [_]) = (&*bounded.sets, &*bounded.binds) {
            match self.form(set, walk)? {
                Form::Value(set) => {
                    if let Some(elements) = set.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX) {
                        return Ok(Range::Known(elements.to_vec()));
                    }
                }
                set @ (Form::Place(_) | Form::Domain(..)) => {
                    if let Some(cells) = self.cells_tested(bounded, &set, walk)? {
                        return Ok(Range::Cells(cells));
                    }
                }
                _ => {}
            }
        }
        let mut forms = Vec::new();
        for set in &bounded.sets {
            forms.push(self.form(set, walk)?);
        }
        for slot in bounded.slots() {
            self.name(slot, Form::unknown(), walk);
        }
        forms.push(self.form(&bounded.body, walk)?);
        Ok(Range::Other(Form::computed(&forms)))
    }

    /// The cells of the set or domain at a place that a condition selects.
    fn cells_tested(
        &mut self,
        bounded: &'p Bounded,
        set: &Form,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<TestedCells>> {
        let Some((_, Form::Test(test))) = self.element_test(bounded, walk)? else {
            return Ok(None);
        };
        let mut cells = Vec::new();
        let (place, is_domain) = match set {
            Form::Place(place) => (place, false),
            Form::Domain(place, changes) if changes.is_empty() && test.path.is_empty() => (place, true),
            _ => return Ok(None),
        };
        if test.keys == KeySet::Some {
            let rest = (!test.is_exact).then(|| Form::Other(test.reads.clone()));
            return Ok(Some(vec![(inside(place, CellStep::Any), rest)]));
        }
        let Some(keys) = test.keys.listed() else {
            return Ok(None);
        };
        for key in keys {
            let step = match is_domain {
                true => super::form::at(&key),
                false => match group_step(place, &test.path, &key, walk) {
                    Some(step) => step,
                    None => return Ok(None),
                },
            };
            let rest = match (test.is_exact, test.path.is_empty()) {
                (true, _) => None,
                // The element is known.
                (false, true) => match self.body_at(bounded, &key, walk)? {
                    Some(form) if form.as_truth() == Some(false) => continue,
                    Some(form) if form.as_truth() == Some(true) => None,
                    Some(form) => Some(form),
                    None => return Ok(None),
                },
                (false, false) => Some(Form::Other(test.reads.clone())),
            };
            cells.push((inside(place, step), rest));
        }
        Ok(Some(cells))
    }
}

/// The set of the arguments or elements whose cells are there; `None` if there are other conditions.
fn present_cells(cells: &TestedCells) -> Option<Form> {
    let open = cells
        .iter()
        .map(|(cell, condition)| match (cell.path.last()?, condition) {
            (CellStep::At(key) | CellStep::Has(key), None) => {
                Some((key.clone(), Form::Present(cell.clone(), true)))
            }
            _ => None,
        });
    Some(Form::subset(Vec::new(), open.collect::<Option<_>>()?))
}

/// The reads of a set whose elements come from these cells, under these conditions.
fn cell_reads(cells: TestedCells) -> Reads {
    let (mut reads, mut is_sum) = (Reads::nothing(), true);
    for (cell, condition) in cells {
        if let Some(condition) = condition {
            is_sum &= condition.reads().cells.iter().all(|read| *read == cell);
            condition.add_reads(&mut reads);
        }
        reads.add(cell);
    }
    reads.is_sum = is_sum;
    reads
}
