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

/// The elements that a name ranges over, as far as a condition may be true of them.
enum Range {
    /// These values, each of which is in the set whatever the state.
    Known(Vec<Value>),
    /// The condition is false of every element outside of these cells. With the condition for each if it was formed.
    Cells(TestedCells),
    /// The set and the condition depend on these.
    Other(Form),
}

/// The bodies of a quantifier over known elements.
enum Bodies {
    /// One of them decides the quantifier.
    Decided,
    /// These depend on the state, and none of the others decides.
    Open(Vec<Form>),
    /// An element does not match the names.
    Unknown,
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

    /// The form of `\E x \in S : P`.
    pub(super) fn exists_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        if let Some((place, groups)) = self.tested_groups(bounded, false, walk)?
            && let [group] = groups.as_slice()
        {
            return Ok(walk.presence(inside(&place, group.clone())));
        }
        Ok(match self.range(bounded, walk)? {
            Range::Known(elements) => match self.open_bodies(bounded, elements, true, walk)? {
                Bodies::Unknown => Form::unknown(),
                Bodies::Decided => Form::truth(true),
                Bodies::Open(mut open) if open.len() == 1 => open.remove(0),
                Bodies::Open(open) => Form::any(open),
            },
            // Elements outside of these cells do not satisfy `P`: whether one of them is in `S` does not matter.
            Range::Cells(cells) => match cells.as_slice() {
                [(cell, None)] => walk.presence(cell.clone()),
                _ => {
                    let mut reads = cell_reads(cells);
                    reads.is_sum = reads.cells.len() <= 1;
                    Form::Other(reads)
                }
            },
            Range::Other(form) => Form::computed([&form]),
        })
    }

    /// The form of `\A x \in S : P`.
    ///
    /// It depends on the elements that do *not* satisfy `P`. Those are few only where `P` is an exact test that a few keys
    /// fail; otherwise any element of `S` may be one of them, and all of `S` is read.
    pub(super) fn for_all_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        if let Some(form) = self.for_all_elements(bounded, walk)? {
            return Ok(form);
        }
        if let Some((place, groups)) = self.tested_groups(bounded, true, walk)?
            && let [group] = groups.as_slice()
        {
            return Ok(walk.presence(inside(&place, group.clone())).negated());
        }
        Ok(match self.known_elements(bounded, walk)? {
            Some(elements) => match self.open_bodies(bounded, elements, false, walk)? {
                Bodies::Unknown => Form::unknown(),
                Bodies::Decided => Form::truth(false),
                Bodies::Open(open) if open.is_empty() => Form::truth(true),
                Bodies::Open(open) => Form::all(open),
            },
            None => Form::computed([&self.whole_range(bounded, walk)?]),
        })
    }

    /// The bodies for known elements that are not decided without a state; one that is `deciding` settles the quantifier.
    fn open_bodies(
        &mut self,
        bounded: &'p Bounded,
        elements: Vec<Value>,
        deciding: bool,
        walk: &mut Walk<'_>,
    ) -> Walked<Bodies> {
        let mut open = Vec::new();
        for element in elements {
            let Some(form) = self.body_at(bounded, &element, walk)? else {
                return Ok(Bodies::Unknown);
            };
            match form.as_truth() {
                Some(truth) if truth == deciding => {
                    if !open.is_empty() {
                        walk.exactness.lose();
                    }
                    return Ok(Bodies::Decided);
                }
                Some(_) => {}
                None => open.push(form),
            }
        }
        Ok(Bodies::Open(open))
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

    /// What a filter or `\E` ranges over, as far as the condition may be true.
    fn range(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Range> {
        if let Some(elements) = self.known_elements(bounded, walk)? {
            return Ok(Range::Known(elements));
        }
        if let ([set], [_]) = (&*bounded.sets, &*bounded.binds)
            && let set @ (Form::Place(_) | Form::Domain(..)) = self.form(set, walk)?
            && let Some(cells) = self.cells_tested(bounded, &set, walk)?
        {
            return Ok(Range::Cells(cells));
        }
        Ok(Range::Other(self.whole_range(bounded, walk)?))
    }

    /// The elements that one name ranges over, if they are few and the same in every state.
    fn known_elements(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Option<Vec<Value>>> {
        let ([set], [_]) = (&*bounded.sets, &*bounded.binds) else {
            return Ok(None);
        };
        Ok(match self.form(set, walk)? {
            Form::Value(set) => {
                let few = set.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX);
                few.map(<[Value]>::to_vec)
            }
            _ => None,
        })
    }

    /// Everything that the sets and the body depend on, whatever the elements.
    fn whole_range(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        let mut forms = Vec::new();
        for set in &bounded.sets {
            forms.push(self.form(set, walk)?);
        }
        for slot in bounded.slots() {
            self.name(slot, Form::unknown(), walk);
        }
        forms.push(self.form(&bounded.body, walk)?);
        Ok(Form::computed(&forms))
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
