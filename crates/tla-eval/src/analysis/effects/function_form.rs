//! The forms of functions: application, EXCEPT, `@@`, domains and comprehensions.

use omnilink_tla_ir::{Bounded, Pattern};
use omnilink_value::Value;

use super::cell::CellStep;
use super::form::{Change, Form, Place, Reads, at, inside};
use super::layout::domain_of;
use super::{ELEMENTS_MAX, Walk, Walked};
use crate::evaluator::Evaluator;

/// The form of a new value, made from the form of the old one.
type Replace<'a, 'p> = &'a mut dyn FnMut(&mut Evaluator<'p>, Form, &mut Walk<'_>) -> Walked<Form>;

impl<'p> Evaluator<'p> {
    /// The form of `f[x]`.
    pub(super) fn applied(&mut self, function: Form, argument: Form, walk: &mut Walk<'_>) -> Form {
        match (function, argument) {
            (Form::Value(function), Form::Value(argument)) => match function.apply(&argument) {
                Some(value) => Form::Value(value.clone()),
                None => {
                    walk.exactness.lose();
                    Form::unknown()
                }
            },
            // `s[i]`, where `i` ranges over the positions of `s`, is an element of `s`.
            (Form::Place(place), Form::Position(of, binder)) if of == place => {
                Form::Element(binder, Vec::new())
            }
            (Form::Place(place), Form::FirstPosition(of, group)) if of == place => {
                Form::Other(Reads::one(inside(&place, group)))
            }
            (Form::Place(place), argument) => match walk.part(&place, &argument) {
                Some(form) => form,
                None => Form::Other(Reads::one(inside(&place, CellStep::Any)).with(&argument)),
            },
            (Form::Changed(place, changes), Form::Value(argument) | Form::Symbol(argument)) => {
                let step = at(&argument);
                let may_be_equal = |changed: &CellStep| {
                    changed.is_unknown()
                        || *changed != step && (is_symbol(changed, walk) || is_symbol(&step, walk))
                };
                let is_unclear =
                    step == CellStep::Any || changes.iter().any(|(changed, _)| may_be_equal(changed));
                let change = changes.iter().rev().find(|(changed, _)| *changed == step);
                match change {
                    _ if is_unclear => Form::computed([&Form::Changed(place, changes)]),
                    None => walk.resolved(inside(&place, step)),
                    Some((_, Change::Put(form))) => form.clone(),
                    Some((_, Change::Replaced(form))) => form.clone(),
                    Some((_, Change::Removed)) => {
                        walk.exactness.lose();
                        Form::unknown()
                    }
                }
            }
            (Form::Built(entries), Form::Value(argument)) => {
                let found = entries.into_iter().find(|(key, _)| *key == argument);
                found.map_or_else(Form::unknown, |(_, form)| form)
            }
            (Form::Element(binder, mut path), Form::Value(argument)) => {
                path.push(argument);
                Form::Element(binder, path)
            }
            (Form::Either(parts), argument) => {
                let (condition, yes, no) = *parts;
                let yes = self.applied(yes, argument.clone(), walk);
                let no = self.applied(no, argument, walk);
                Form::Either(Box::new((condition, yes, no)))
            }
            (function, argument) => Form::computed([&function, &argument]),
        }
    }

    /// The form of `[f EXCEPT ![x]… = e]`.
    pub(super) fn replaced_form(
        &mut self,
        function: Form,
        steps: &[Form],
        walk: &mut Walk<'_>,
        replace: Replace<'_, 'p>,
    ) -> Walked<Form> {
        let Some((step, rest)) = steps.split_first() else {
            return replace(self, function, walk);
        };
        match (function, step) {
            (Form::Either(parts), _) => {
                let (condition, yes, no) = *parts;
                let yes = self.replaced_form(yes, steps, walk, replace)?;
                let no = self.replaced_form(no, steps, walk, replace)?;
                Ok(Form::Either(Box::new((condition, yes, no))))
            }
            (Form::Built(mut entries), Form::Value(key)) => {
                if let Some(at) = entries.iter().position(|(known, _)| known == key) {
                    let old = entries[at].1.clone();
                    entries[at].1 = self.replaced_form(old, rest, walk, replace)?;
                }
                Ok(Form::Built(entries))
            }
            (function @ (Form::Place(_) | Form::Changed(..)), key) => {
                let old = self.applied(function.clone(), key.clone(), walk);
                let new = self.replaced_form(old, rest, walk, replace)?;
                let (place, mut changes) = match function {
                    Form::Changed(place, changes) => (place, changes),
                    Form::Place(place) => (place, Vec::new()),
                    _ => return Ok(Form::unknown()),
                };
                match key {
                    Form::Value(key) | Form::Symbol(key) if at(key) != CellStep::Any => {
                        let step = at(key);
                        let is_put = changes
                            .iter()
                            .any(|(known, change)| *known == step && matches!(change, Change::Put(_)));
                        let change = if is_put {
                            Change::Put(new)
                        } else {
                            Change::Replaced(new)
                        };
                        set(&mut changes, step, change);
                    }
                    // Which cell changes is unknown, so each may or may not.
                    key => {
                        let new = match key.reads().cells.is_empty() {
                            true => new,
                            false => Form::Other(Reads::nothing().with(key).with(&new)),
                        };
                        changes.push((CellStep::Any, Change::Replaced(new)));
                    }
                }
                Ok(Form::Changed(place, changes))
            }
            (function, key) => {
                let new = replace(self, Form::computed([&function]), walk)?;
                Ok(Form::computed([&function, key, &new]))
            }
        }
    }

    /// The form of `f @@ g`: the arguments of `f`, and those of `g` that `f` does not have.
    pub(super) fn override_form(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        let (left, right) = (with_entries(left), with_entries(right));
        match (left, right) {
            (Form::Built(entries), Form::Built(others)) => {
                let mut all = entries;
                for (key, form) in others {
                    if !all.iter().any(|(known, _)| *known == key) {
                        all.push((key, form));
                    }
                }
                Form::Built(all)
            }
            (Form::Built(entries), Form::Place(place)) => put(place, Vec::new(), entries),
            (Form::Built(entries), Form::Changed(place, changes)) => put(place, changes, entries),
            (Form::Place(place), Form::Built(entries)) => {
                let mut changes = Vec::new();
                for (key, form) in entries {
                    let cell = inside(&place, at(&key));
                    match walk.presence(cell.clone()) {
                        Form::Value(is_there) if is_there.as_bool() == Some(true) => {}
                        Form::Value(_) => changes.push((at(&key), Change::Put(form))),
                        presence => {
                            let form = Form::Either(Box::new((presence, walk.resolved(cell), form)));
                            changes.push((at(&key), Change::Put(form)));
                        }
                    }
                }
                Form::Changed(place, changes)
            }
            (left, right) => Form::computed([&left, &right]),
        }
    }

    /// The form of `DOMAIN f`.
    pub(super) fn domain_form(&mut self, function: Form, walk: &mut Walk<'_>) -> Form {
        match function {
            Form::Value(function) => domain_of(&function).map_or_else(Form::unknown, Form::Value),
            Form::Place(place) => match walk.layout.domain(&place) {
                Some(domain) => Form::Value(domain.clone()),
                None => Form::Domain(place, Vec::new()),
            },
            Form::Changed(place, changes) => {
                let changed = changes.into_iter().filter_map(|(step, change)| match change {
                    Change::Put(_) => Some((step, true)),
                    Change::Removed => Some((step, false)),
                    Change::Replaced(_) => None,
                });
                let changed: Vec<(CellStep, bool)> = changed.collect();
                match walk.layout.domain(&place).filter(|_| changed.is_empty()) {
                    Some(domain) => Form::Value(domain.clone()),
                    None => Form::Domain(place, changed),
                }
            }
            Form::Built(entries) => Form::Value(Value::set(entries.into_iter().map(|(key, _)| key))),
            other => Form::computed([&other]),
        }
    }

    /// The form of `[k \in D |-> e]`.
    pub(super) fn function_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        let ([set], [(_, Pattern::One(slot))]) = (&*bounded.sets, &*bounded.binds) else {
            return self.image_form(bounded, walk);
        };
        let domain = self.form(set, walk)?;
        if let Some((place, exceptions)) = self.own_cells(bounded, *slot, walk)
            && let Some(form) = self.rebuilt(bounded, *slot, &domain, place, exceptions, walk)?
        {
            return Ok(form);
        }
        let Form::Value(domain) = &domain else {
            self.name(*slot, Form::unknown(), walk);
            let body = self.form(&bounded.body, walk)?;
            return Ok(Form::computed([&domain, &body]));
        };
        let Some(keys) = domain.as_set().filter(|keys| keys.len() <= ELEMENTS_MAX) else {
            self.name(*slot, Form::unknown(), walk);
            let body = self.form(&bounded.body, walk)?;
            return Ok(Form::computed([&body]));
        };
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            self.bind(*slot, key.clone());
            entries.push((key.clone(), self.form(&bounded.body, walk)?));
        }
        Ok(Form::Built(entries))
    }

    /// The place whose own values a function comprehension takes over for all arguments but the given ones. `None` is an unknown
    /// argument.
    fn own_cells(
        &mut self,
        bounded: &'p Bounded,
        slot: u32,
        walk: &mut Walk<'_>,
    ) -> Option<(Place, Vec<Option<Value>>)> {
        let binder = walk.binders.len();
        walk.binders.push(Some(Vec::new()));
        self.name(slot, Form::Element(binder, Vec::new()), walk);
        let body = self.form(&bounded.body, walk);
        let exceptions = walk.binders.pop().flatten().unwrap_or_default();
        match body {
            Ok(Form::AtElement(place, of)) if of == binder => Some((place, exceptions)),
            _ => None,
        }
    }

    fn rebuilt(
        &mut self,
        bounded: &'p Bounded,
        slot: u32,
        domain: &Form,
        place: Place,
        exceptions: Vec<Option<Value>>,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let mut changes: Vec<(CellStep, Change)> = Vec::new();
        match domain {
            Form::Domain(of, domain_changes) if *of == place => {
                for (step, is_added) in domain_changes {
                    let change = match (is_added, step) {
                        (false, _) => Change::Removed,
                        (true, CellStep::At(key)) => {
                            self.bind(slot, key.clone());
                            Change::Put(self.form(&bounded.body, walk)?)
                        }
                        (true, _) => Change::Put(self.unknown_element(bounded, slot, walk)?),
                    };
                    changes.push((step.clone(), change));
                }
            }
            Form::Value(domain) if walk.layout.domain(&place) == Some(domain) => {}
            _ => return Ok(None),
        }
        for exception in exceptions {
            let Some(key) = exception else {
                let new = self.unknown_element(bounded, slot, walk)?;
                changes.push((CellStep::Any, Change::Replaced(new)));
                continue;
            };
            let step = at(&key);
            if step == CellStep::Any {
                return Ok(None);
            }
            if changes.iter().any(|(known, _)| *known == step) {
                continue;
            }
            self.bind(slot, key);
            let new = self.form(&bounded.body, walk)?;
            changes.push((step, Change::Replaced(new)));
        }
        Ok(Some(Form::Changed(place, changes)))
    }

    fn unknown_element(&mut self, bounded: &'p Bounded, slot: u32, walk: &mut Walk<'_>) -> Walked<Form> {
        self.name(slot, Form::unknown(), walk);
        let form = self.form(&bounded.body, walk)?;
        Ok(Form::computed([&form]))
    }
}

/// A known function by its arguments, so that it can be combined with others.
fn with_entries(form: Form) -> Form {
    match form {
        Form::Value(function) => match domain_of(&function) {
            Some(domain) => {
                let keys = domain.as_set().unwrap_or_default().iter();
                let entries =
                    keys.filter_map(|key| Some((key.clone(), Form::Value(function.apply(key)?.clone()))));
                Form::Built(entries.collect())
            }
            None => Form::Value(function),
        },
        form => form,
    }
}

/// Whether a step is to an argument that may be any.
fn is_symbol(step: &CellStep, walk: &Walk<'_>) -> bool {
    matches!(step, CellStep::At(key) if walk.is_symbol(key))
}

fn put(place: Place, mut changes: Vec<(CellStep, Change)>, entries: Vec<(Value, Form)>) -> Form {
    for (key, form) in entries {
        set(&mut changes, at(&key), Change::Put(form));
    }
    Form::Changed(place, changes)
}

/// Sets the change of a cell.
pub(super) fn set(changes: &mut Vec<(CellStep, Change)>, step: CellStep, change: Change) {
    changes.retain(|(known, _)| *known != step || step.is_unknown());
    changes.push((step, change));
}
