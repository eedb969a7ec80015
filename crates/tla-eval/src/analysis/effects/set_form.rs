//! The forms of sets: membership, union, intersection, difference.

use omnilink_tla_ir::{Kind, Node};
use omnilink_value::Value;

use super::cell::{CellStep, Content, PartialElement, Selector, selected};
use super::form::{Change, Form, Place, Reads, Test, inside};
use super::function_form::set;
use super::key_set::KeySet;
use super::{ELEMENTS_MAX, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// The form of `x \in S`.
    pub(super) fn member(&mut self, operands: &'p (Node, Node), walk: &mut Walk<'_>) -> Walked<Form> {
        let (element, set) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
        Ok(match (element, set) {
            (Form::Value(element), Form::Value(set)) => {
                match set
                    .as_set()
                    .map(|elements| crate::membership::is_listed(&element, elements))
                {
                    Some(Ok(truth)) => Form::truth(truth),
                    _ => {
                        walk.exactness.lose();
                        Form::unknown()
                    }
                }
            }
            (Form::Element(binder, path), Form::Value(set)) => match set.as_set() {
                Some(keys) => Form::Test(Test {
                    binder,
                    path,
                    keys: KeySet::In(keys.to_vec()),
                    is_exact: true,
                    reads: Reads::nothing(),
                }),
                None => Form::unknown(),
            },
            (Form::Element(binder, path), Form::Other(reads)) if reads.cells.is_empty() => Form::Test(Test {
                binder,
                path,
                keys: KeySet::Some,
                is_exact: true,
                reads: Reads::nothing(),
            }),
            (Form::Place(place), Form::Value(set)) if set.as_set().is_some_and(|set| set.len() == 1) => {
                let only = set.as_set().and_then(|set| set.first().cloned());
                only.map_or_else(Form::unknown, |value| Form::Is(place, value, true))
            }
            (Form::Value(element), Form::Listed(forms)) => {
                let mut any = Vec::new();
                for form in forms {
                    let equal = self.equal_forms(form, Form::Value(element.clone()), walk);
                    match equal.as_truth() {
                        Some(true) => return Ok(Form::truth(true)),
                        Some(false) => {}
                        None => any.push(equal),
                    }
                }
                Form::any(any)
            }
            (Form::Value(element), Form::Subset(set)) => {
                // A name stands for a set that was computed before.
                let is_name = matches!(operands.1.bare().kind, Kind::Local(slot) if matches!(self.slot(slot), Slot::Empty));
                if !is_name {
                    walk.evaluate(&Form::Subset(set.clone()));
                }
                match set.condition(&element) {
                    Some(condition) => condition,
                    None if set.may_be_compared_with(&element) => Form::truth(false),
                    None => {
                        walk.exactness.lose();
                        Form::unknown()
                    }
                }
            }
            (Form::Value(element), Form::Domain(place, changes)) => {
                let step = super::form::at(&element);
                self.in_changed(place, step, &changes, walk)
            }
            (Form::Value(element), Form::Place(place)) => match member_step(&place, &element, walk) {
                Some(step @ CellStep::Has(_)) => self.in_changed(place, step, &[], walk),
                Some(step) => Form::Other(Reads::one(inside(&place, step))),
                None => Form::Other(Reads::one(place)),
            },
            (Form::Symbol(element), Form::Place(place)) if walk.layout.selector(&place).is_none() => {
                self.in_changed(place, CellStep::Has(element), &[], walk)
            }
            (Form::Symbol(element), Form::Domain(place, changes)) if changes.is_empty() => {
                self.in_changed(place, CellStep::At(element), &[], walk)
            }
            (element, Form::Place(place)) if partial_step(&place, &element, walk).is_some() => {
                // Whether it is there depends on which element it is, and on whether the set has it.
                let step = partial_step(&place, &element, walk).unwrap_or(CellStep::Any);
                Form::Other(Reads::one(inside(&place, step)).with(&element))
            }
            (element, Form::Place(place)) if element.reads().cells.is_empty() => {
                Form::Other(Reads::one(inside(&place, CellStep::Any)))
            }
            (element, Form::Domain(place, _)) if element.reads().cells.is_empty() => {
                Form::Other(Reads::one(inside(&place, CellStep::Any)))
            }
            (element, set) => Form::computed([&element, &set]),
        })
    }

    fn in_changed(
        &mut self,
        place: Place,
        step: CellStep,
        changes: &[(CellStep, bool)],
        walk: &mut Walk<'_>,
    ) -> Form {
        if step.is_unknown() || changes.iter().any(|(step, _)| step.is_unknown()) {
            return Form::Other(Reads::one(place));
        }
        match changes.iter().rev().find(|(changed, _)| *changed == step) {
            Some((_, is_there)) => Form::truth(*is_there),
            None => walk.presence(inside(&place, step)),
        }
    }

    /// The form of `S \cup T`.
    pub(super) fn union_form(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        match (left, right) {
            (set @ (Form::Place(_) | Form::Changed(..) | Form::Domain(..)), elements)
            | (elements, set @ (Form::Place(_) | Form::Changed(..) | Form::Domain(..))) => {
                self.with_elements(set, elements, true, walk)
            }
            (left, right) => Form::computed([&left, &right]),
        }
    }

    /// The form of `S \ T`.
    pub(super) fn difference_form(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        match (left, right) {
            (set @ (Form::Place(_) | Form::Changed(..) | Form::Domain(..)), elements) => {
                self.with_elements(set, elements, false, walk)
            }
            (Form::Value(elements), set @ (Form::Place(_) | Form::Domain(..))) => {
                match self.intersection_form(Form::Value(elements.clone()), set, walk) {
                    Form::Subset(common) => {
                        let all = elements.as_set().unwrap_or_default().iter();
                        let others = all.filter(|element| common.condition(element).is_none());
                        let others = others.cloned().collect();
                        let open = common.open.iter();
                        let open = open.map(|(element, is_in)| (element.clone(), is_in.clone().negated()));
                        Form::subset(others, open.collect())
                    }
                    form => form,
                }
            }
            (left, right) => Form::computed([&left, &right]),
        }
    }

    /// The form of `S \cap T`. That of a known set without `T` depends on the same cells.
    pub(super) fn intersection_form(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        let (elements, set) = match (left, right) {
            (Form::Value(elements), set) | (set, Form::Value(elements)) => (elements, set),
            (left, right) => return Form::computed([&left, &right]),
        };
        let place = match &set {
            Form::Place(place) => place,
            Form::Domain(place, changes) if changes.is_empty() => place,
            Form::Other(_) | Form::Subset(..) => return Form::Other(set.reads()),
            set => return Form::computed([set]),
        };
        let is_domain = matches!(set, Form::Domain(..));
        let listed = elements
            .as_set()
            .filter(|elements| elements.len() <= ELEMENTS_MAX);
        let mut is_listed = true;
        let (mut common, mut open, mut reads) = (Vec::new(), Vec::new(), Reads::nothing());
        for element in listed.unwrap_or_default() {
            let step = match is_domain {
                true => Some(super::form::at(element)),
                false => member_step(place, element, walk),
            };
            let Some(step) = step else {
                return Form::computed([&set]);
            };
            let is_element = !matches!(step, CellStep::Any | CellStep::Group(..));
            let cell = inside(place, step);
            reads.add(cell.clone());
            let presence = if is_element {
                walk.presence(cell)
            } else {
                Form::unknown()
            };
            match presence {
                Form::Present(..) => open.push((element.clone(), presence)),
                Form::Value(is_in) if is_in.as_bool() == Some(true) => common.push(element.clone()),
                Form::Value(_) => {}
                _ => is_listed = false,
            }
        }
        match listed {
            Some(_) if is_listed && !open.is_empty() => Form::subset(common, open),
            Some(_) => Form::Other(reads),
            None => Form::computed([&set]),
        }
    }

    /// A set with elements added or removed.
    fn with_elements(&mut self, set_form: Form, elements: Form, is_added: bool, walk: &mut Walk<'_>) -> Form {
        let elements = match elements {
            Form::Value(elements) => match elements.as_set() {
                Some(elements) if elements.len() <= ELEMENTS_MAX => {
                    elements.iter().cloned().map(Form::Value).collect::<Vec<_>>()
                }
                _ => return Form::computed([&set_form, &Form::unknown()]),
            },
            Form::Listed(forms) => forms,
            elements => return Form::computed([&set_form, &elements]),
        };
        match set_form {
            Form::Domain(place, mut changes) => {
                for element in elements {
                    let step = match &element {
                        Form::Value(key) => super::form::at(key),
                        form if form.reads().cells.is_empty() => CellStep::Any,
                        form => return Form::computed([&Form::Domain(place, changes), form]),
                    };
                    changes.retain(|(known, _)| *known != step || step == CellStep::Any);
                    changes.push((step, is_added));
                }
                Form::Domain(place, changes)
            }
            Form::Place(place) => changed_set(place, Vec::new(), elements, is_added, walk),
            Form::Changed(place, changes) => changed_set(place, changes, elements, is_added, walk),
            set_form => Form::computed([&set_form]),
        }
    }
}

/// The cell of a set that an element belongs to.
fn member_step(place: &Place, element: &Value, walk: &Walk<'_>) -> Option<CellStep> {
    match walk.layout.selector(place) {
        None => Some(CellStep::Has(element.clone())),
        Some(selector) => group_of(element, selector),
    }
}

/// The cell of a set that an element belongs to of which only some parts are known.
fn partial_step(place: &Place, element: &Form, walk: &Walk<'_>) -> Option<CellStep> {
    let Form::Built(entries) = element else {
        return None;
    };
    if !walk.layout.has_partial_elements() || walk.layout.selector(place).is_some() {
        return None;
    }
    let parts = entries.iter().map(|(key, form)| {
        let value = match form {
            Form::Value(value) => Some(value.clone()),
            _ => None,
        };
        (key.clone(), value)
    });
    Some(CellStep::Like(PartialElement(parts.collect())))
}

fn group_of(element: &Value, selector: &Selector) -> Option<CellStep> {
    let key = selected(element, selector)?;
    Some(CellStep::Group(selector.clone(), key.clone()))
}

/// The cell of a set that has the elements with this value at a path.
pub(super) fn group_step(place: &Place, path: &[Value], key: &Value, walk: &Walk<'_>) -> Option<CellStep> {
    match walk.layout.selector(place) {
        None => path.is_empty().then(|| CellStep::Has(key.clone())),
        Some(selector) if **selector == *path => Some(CellStep::Group(selector.clone(), key.clone())),
        Some(_) => None,
    }
}

fn changed_set(
    place: Place,
    mut changes: Vec<(CellStep, Change)>,
    elements: Vec<Form>,
    is_added: bool,
    walk: &Walk<'_>,
) -> Form {
    for element in elements {
        let selector = walk.layout.selector(&place);
        let step = match (&element, selector) {
            (Form::Value(element), _) => member_step(&place, element, walk),
            (Form::Symbol(element), None) => Some(CellStep::Has(element.clone())),
            (Form::Built(entries), Some(selector)) => match &**selector {
                [key] => entries
                    .iter()
                    .find(|(known, _)| known == key)
                    .and_then(|(_, form)| match form {
                        Form::Value(key) => Some(CellStep::Group(selector.clone(), key.clone())),
                        form => form.reads().cells.is_empty().then_some(CellStep::Any),
                    }),
                _ => None,
            },
            (form, None) if partial_step(&place, form, walk).is_some() => partial_step(&place, form, walk),
            (form, _) => form.reads().cells.is_empty().then_some(CellStep::Any),
        };
        let Some(step) = step else {
            return Form::computed([&Form::Changed(place, changes), &element]);
        };
        let change = match &step {
            CellStep::Has(_) if is_added => Change::Put(Form::truth(true)),
            CellStep::Has(_) => Change::Removed,
            CellStep::Group(..) => changed_group(&place, &step, &changes, &element, is_added, walk),
            _ => Change::Put(Form::computed([&element])),
        };
        set(&mut changes, step, change);
    }
    Form::Changed(place, changes)
}

/// A group of a set with one element more or less.
fn changed_group(
    place: &Place,
    step: &CellStep,
    changes: &[(CellStep, Change)],
    element: &Form,
    is_added: bool,
    walk: &Walk<'_>,
) -> Change {
    let cell = inside(place, step.clone());
    let held: Option<Value> = match changes.iter().find(|(known, _)| known == step) {
        Some((_, Change::Removed)) => Some(Value::set([])),
        Some((_, Change::Put(Form::Value(group)))) => Some(group.clone()),
        Some(_) => None,
        None => walk
            .facts
            .iter()
            .any(|(known, content)| *known == cell && *content == Content::Missing)
            .then(|| Value::set([])),
    };
    match (held, element) {
        (Some(held), Form::Value(element)) => {
            let others = held.as_set().unwrap_or_default().iter();
            let others = others.filter(|other| *other != element).cloned();
            let group = Value::set(others.chain(is_added.then(|| element.clone())));
            match group.as_set().is_none_or(<[Value]>::is_empty) {
                true => Change::Removed,
                false => Change::Put(Form::Value(group)),
            }
        }
        _ => Change::Put(Form::Other(Reads::one(cell).with(element))),
    }
}
