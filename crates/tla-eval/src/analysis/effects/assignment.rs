//! Assignments: which cells of a variable get other contents.

use super::cell::{Cell, CellStep, Left};
use super::form::{Change, Form, Place, inside};
use super::{ELEMENTS_MAX, Walk};

/// Whether a cell that is written is there afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// If it was there before.
    Replaced,
    /// It is.
    Put,
}

impl Walk<'_> {
    /// Notes that a variable gets a value of this form.
    pub(super) fn assign(&mut self, variable: u32, form: Form) {
        write_form(Place::whole(variable), &form, Mode::Put, self);
        self.assigned.push((variable, form));
    }

    /// Notes that a variable gets an element of a set of this form.
    pub(super) fn assign_member(&mut self, variable: u32, set: Form) {
        self.exactness.lose();
        let place = Place::whole(variable);
        match set {
            Form::Listed(forms) if forms.len() == 1 => {
                for form in forms {
                    self.assign(variable, form);
                }
            }
            Form::Listed(forms) => {
                let chosen = self.choice(forms.len());
                (0..)
                    .zip(&forms)
                    .filter(|(at, _)| chosen.is_none_or(|chosen| chosen == *at))
                    .for_each(|(_, form)| write_form(place.clone(), form, Mode::Put, self));
            }
            Form::Value(set) if set.as_set().is_some_and(|set| set.len() <= ELEMENTS_MAX) => {
                let elements = set.as_set().unwrap_or_default().iter();
                elements.for_each(|element| {
                    write_form(place.clone(), &Form::Value(element.clone()), Mode::Put, self);
                });
            }
            set => write_form(place, &Form::computed([&set]), Mode::Put, self),
        }
    }
}

/// Writes a value of a form to a place.
fn write_form(place: Place, form: &Form, mode: Mode, walk: &mut Walk<'_>) {
    match form {
        Form::Place(from) if *from == place && place.is_known() => {}
        Form::Changed(from, changes) if *from == place && place.is_known() => {
            walk.note_changed(&place, changes);
            for (step, change) in changes {
                write_change(inside(&place, step.clone()), change, walk);
            }
        }
        Form::Joined(joined) if *joined.place() == place => match joined.changes(walk) {
            Some(changes) => {
                for (step, change) in changes {
                    write_change(inside(&place, step), &change, walk);
                }
            }
            None => {
                walk.read_form(form);
                walk.write(place, Left::Unknown);
            }
        },
        // A record of variables that is built anew, with a field or two that differ.
        Form::Built(entries) if has_domain(&place, entries, walk) => {
            for (key, form) in entries {
                write_form(inside(&place, super::form::at(key)), form, Mode::Replaced, walk);
            }
        }
        Form::Either(parts) => {
            let (condition, yes, no) = &**parts;
            walk.exactness.lose();
            walk.read_form(condition);
            // On a path, what is written is written in every step.
            match walk.choice(2) {
                Some(0) => write_form(place, yes, mode, walk),
                Some(_) => write_form(place, no, mode, walk),
                None => {
                    write_form(place.clone(), yes, mode, walk);
                    write_form(place, no, mode, walk);
                }
            }
        }
        Form::Value(value) => {
            if walk.resolved(place.clone()) != Form::Value(value.clone()) {
                let left = match mode {
                    Mode::Replaced => Left::Replaced(value.clone()),
                    Mode::Put => Left::Put(value.clone()),
                };
                walk.write(place, left);
            }
        }
        form => {
            walk.read_form(form);
            let left = match mode {
                Mode::Replaced => Left::Other,
                Mode::Put => Left::Unknown,
            };
            walk.write(place, left);
        }
    }
}

fn write_change(cell: Cell, change: &Change, walk: &mut Walk<'_>) {
    match change {
        // What a set has is there or not.
        Change::Put(_)
            if matches!(cell.path.last(), Some(CellStep::Has(_))) && walk.is_present(&cell) == Some(true) => {
        }
        Change::Removed if walk.is_present(&cell) == Some(false) => {}
        Change::Removed => walk.write(cell, Left::Removed),
        Change::Put(form) => write_form(cell, form, Mode::Put, walk),
        Change::Replaced(_) if walk.is_present_by_facts(&cell) == Some(false) => {}
        Change::Replaced(form) => write_form(cell, form, Mode::Replaced, walk),
    }
}

/// Whether a function built of these entries has the domain of the one at a place.
fn has_domain(place: &Place, entries: &[(omnilink_value::Value, Form)], walk: &Walk<'_>) -> bool {
    let Some(keys) = walk.layout.domain(place).and_then(|domain| domain.as_set()) else {
        return false;
    };
    keys.len() == entries.len() && entries.iter().all(|(key, _)| keys.binary_search(key).is_ok())
}
