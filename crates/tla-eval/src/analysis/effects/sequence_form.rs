//! The forms of sequences whose elements are found by a key: `SelectSeq(s, LAMBDA p : p[1] # k)`, `Append(…, <<k, v>>)`,
//! `{i \in 1..Len(s) : s[i][1] = k}`.
//!
//! A sequence of pairs that no action accesses by position is a map: the elements with one key form a *group*, in their order, and what
//! an action does to one group does not depend on where the others stand. Such a sequence is *keyed*. Two states that differ only in how
//! the groups of a keyed sequence are shuffled have the same enabled actions, which lead to states that again differ in this only. So
//! groups are cells, and [`Layout::canonical`] orders elements by key.
//!
//! Whether no action accesses it by position is found like the rest of a [`Layout`]: it is assumed, and corrected if an effect is to read
//! or write anything of the sequence that is not a group. Forms of positions read all of the sequence; the few uses of positions that do not
//! depend on others are forms of their own: whether a group has any, the element at the first of a group, how many there are.

use omnilink_tla_ir::native::{Native, lookup};
use omnilink_tla_ir::{Argument, Bounded, Kind, Node, Pattern};
use omnilink_value::Value;

use super::cell::{CellStep, selected};
use super::form::{Change, Form, Place, Reads, inside};
use super::function_form::set;
use super::key_set::KeySet;
use super::{Unsupported, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// The form of a native operator on sequences; `None` if it has no special form.
    pub(super) fn sequence_form(
        &mut self,
        native: Native,
        arguments: &'p [Argument],
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let is = |name: &str| lookup("Sequences", name) == Some(native);
        let node = |at: usize| arguments.get(at).and_then(Argument::node);
        Ok(match (node(0), node(1)) {
            (Some(sequence), None) if is("SelectSeq") => {
                let sequence = self.form(sequence, walk)?;
                match arguments.get(1) {
                    Some(test) => self.selected_form(sequence, test, walk)?,
                    None => None,
                }
            }
            (Some(sequence), None) if is("Len") => Some(match self.form(sequence, walk)? {
                Form::Place(place) if walk.layout.key_of(&place).is_some() => {
                    Form::Other(Reads::one(inside(&place, CellStep::AnyGroup)))
                }
                Form::Joined(joined) if joined.added.is_empty() => joined.length(walk),
                form => Form::computed([&form]),
            }),
            (Some(sequence), Some(element)) if is("Append") => {
                let (sequence, element) = (self.form(sequence, walk)?, self.form(element, walk)?);
                Some(match Joined::of(&sequence, walk) {
                    Some(mut joined) => {
                        joined.added.push(element);
                        Form::Joined(Box::new(joined))
                    }
                    None => Form::computed([&sequence, &element]),
                })
            }
            (Some(left), Some(right)) if is("\\o") => {
                let (left, right) = (self.form(left, walk)?, self.form(right, walk)?);
                Some(joined_forms(&left, &right, walk).unwrap_or_else(|| Form::computed([&left, &right])))
            }
            _ => None,
        })
    }

    fn selected_form(
        &mut self,
        sequence: Form,
        test: &'p Argument,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let Form::Place(place) = sequence else {
            return Ok(None);
        };
        let (operator, captures, names) = match test {
            Argument::Operator(operator, captures) => {
                let names = self.passed_names(captures, walk);
                let captures = captures
                    .iter()
                    .map(|(slot, capture)| (*slot, self.content(capture, walk)));
                (*operator, captures.collect::<Vec<_>>(), names)
            }
            Argument::Slot(slot) => match self.slot(*slot).clone() {
                Slot::Operator(closure) => (closure.operator, closure.captures.clone(), Vec::new()),
                _ => return Err(Unsupported),
            },
            _ => return Ok(None),
        };
        let program = self.program;
        let target = &program.operators[operator as usize];
        let binder = walk.binders.len();
        walk.binders.push(None);
        let body = self.in_new_frame(target.slots.len(), captures, walk, |this, walk| {
            for (slot, form) in names {
                this.name(slot, form, walk);
            }
            this.name(0, Form::Element(binder, Vec::new()), walk);
            this.form(&target.body, walk)
        });
        walk.binders.pop();
        match body? {
            Form::Test(test) if test.binder == binder && test.is_exact => {
                walk.suggest_key(&place, &test.path);
                let is_key = walk.layout.key_of(&place).is_some_and(|key| **key == *test.path);
                let parts = vec![test.keys];
                let added = Vec::new();
                Ok(is_key.then(|| Form::Joined(Box::new(Joined { place, parts, added }))))
            }
            _ => Ok(None),
        }
    }

    /// The form of `1..Len(s)`: the positions of a sequence.
    pub(super) fn interval_form(
        &mut self,
        operands: &'p (Node, Node),
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let Kind::Native(native, arguments) = &operands.1.bare().kind else {
            return Ok(None);
        };
        let ([argument], true) = (&**arguments, lookup("Sequences", "Len") == Some(*native)) else {
            return Ok(None);
        };
        let (Some(sequence), Form::Value(first)) = (argument.node(), self.form(&operands.0, walk)?) else {
            return Ok(None);
        };
        match self.form(sequence, walk)? {
            Form::Place(place) if first == Value::int(1) => Ok(Some(match walk.layout.domain(&place) {
                Some(domain) => Form::Value(domain.clone()),
                None => Form::Positions(place, None),
            })),
            _ => Ok(None),
        }
    }

    /// The groups of a sequence that a condition on `s[i]` selects, where `i` ranges over its positions; for `is_not`, those that it does
    /// not select. An unknown key is one group only if the condition is an equality.
    pub(super) fn tested_groups(
        &mut self,
        bounded: &'p Bounded,
        is_not: bool,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<(Place, Vec<CellStep>)>> {
        let ([set], [(_, Pattern::One(slot))]) = (&*bounded.sets, &*bounded.binds) else {
            return Ok(None);
        };
        let Form::Positions(place, None) = self.form(set, walk)? else {
            return Ok(None);
        };
        let binder = walk.binders.len();
        walk.binders.push(None);
        self.name(*slot, Form::Position(place.clone(), binder), walk);
        let body = self.form(&bounded.body, walk);
        walk.binders.pop();
        let Form::Test(test) = body? else {
            return Ok(None);
        };
        if test.binder != binder || !test.is_exact {
            return Ok(None);
        }
        walk.suggest_key(&place, &test.path);
        if walk.layout.key_of(&place).is_none_or(|key| **key != *test.path) {
            return Ok(None);
        }
        let is_one = matches!(bounded.body.bare().kind, Kind::Equal(_) | Kind::NotEqual(_));
        let keys = if is_not {
            test.keys.complement()
        } else {
            Some(test.keys)
        };
        let groups = match keys {
            Some(KeySet::Some) if is_one => Some(vec![CellStep::AnyGroup]),
            Some(keys) => keys.listed().and_then(|keys| {
                let groups = keys.iter().map(|key| group(&place, key, walk));
                groups.collect::<Option<Vec<_>>>()
            }),
            None => None,
        };
        Ok(groups.map(|groups| (place, groups)))
    }

    /// The form of `{i \in 1..Len(s) : P(s[i])}`.
    pub(super) fn positions_form(
        &mut self,
        bounded: &'p Bounded,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let tested = self.tested_groups(bounded, false, walk)?;
        Ok(tested.map(|(place, groups)| Form::Positions(place, Some(groups))))
    }

    /// The form of `CHOOSE i \in S : P` where `S` are positions.
    pub(super) fn chosen_position(
        &mut self,
        bounded: &'p Bounded,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Form>> {
        let positions = match self.positions_form(bounded, walk)? {
            Some(positions) => positions,
            None => {
                let [set] = &*bounded.sets else { return Ok(None) };
                let positions = self.form(set, walk)?;
                let is_any =
                    matches!(&bounded.body.bare().kind, Kind::Const(value) if value.as_bool() == Some(true));
                match is_any {
                    true => positions,
                    false => return Ok(None),
                }
            }
        };
        match positions {
            Form::Positions(place, Some(groups)) => match <[CellStep; 1]>::try_from(groups) {
                Ok([group]) => Ok(Some(Form::FirstPosition(place, group))),
                Err(_) => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

/// Parts of a keyed sequence, and elements put before, between or after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    place: Place,
    /// The keys of the groups that are kept, for each part.
    parts: Vec<KeySet>,
    added: Vec<Form>,
}

impl Joined {
    /// A sequence as a part of itself.
    fn of(form: &Form, walk: &Walk<'_>) -> Option<Self> {
        match form {
            Form::Place(place) => walk.layout.key_of(place).is_some().then(|| Self {
                place: place.clone(),
                parts: vec![KeySet::NotIn(Vec::new())],
                added: Vec::new(),
            }),
            Form::Joined(joined) => Some((**joined).clone()),
            _ => None,
        }
    }

    pub(super) fn add_reads(&self, reads: &mut Reads) {
        reads.add(self.place.clone());
        self.added.iter().for_each(|form| form.add_reads(reads));
    }

    /// How long it is, if nothing is added.
    fn length(&self, walk: &Walk<'_>) -> Form {
        let mut reads = Reads::nothing();
        for part in &self.parts {
            let groups = part.listed().and_then(|keys| {
                let groups = keys.iter().map(|key| group(&self.place, key, walk));
                groups.collect::<Option<Vec<_>>>()
            });
            let groups = groups.unwrap_or_else(|| vec![CellStep::AnyGroup]);
            groups
                .into_iter()
                .for_each(|group| reads.add(inside(&self.place, group)));
        }
        Form::Other(reads)
    }

    /// Where the sequence is.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// What differs from the sequence itself; `None` if the key of an added element depends on the state.
    ///
    /// A group of the result consists of copies of the same group and of added elements. So it depends on nothing else, whichever
    /// groups the parts have.
    pub(super) fn changes(&self, walk: &Walk<'_>) -> Option<Vec<(CellStep, Change)>> {
        let key = walk.layout.key_of(&self.place)?;
        let mut changes: Vec<(CellStep, Change)> = Vec::new();
        match missing(&self.parts) {
            Some(keys) => {
                for key in keys {
                    changes.push((group(&self.place, &key, walk)?, Change::Removed));
                }
            }
            None => {
                let some = inside(&self.place, CellStep::AnyGroup);
                changes.push((CellStep::AnyGroup, Change::Put(Form::Other(Reads::one(some)))));
            }
        }
        for element in &self.added {
            let step = match (element, &**key) {
                (Form::Value(element), key) => group(&self.place, selected(element, key)?, walk)?,
                (Form::Built(entries), [key]) => match entries.iter().find(|(name, _)| name == key)? {
                    (_, Form::Value(key)) => group(&self.place, key, walk)?,
                    (_, form) if form.reads().cells.is_empty() => CellStep::AnyGroup,
                    _ => return None,
                },
                (form, _) if form.reads().cells.is_empty() => CellStep::AnyGroup,
                _ => return None,
            };
            let cell = inside(&self.place, step.clone());
            let is_empty = match changes.iter().find(|(known, _)| *known == step) {
                Some((_, change)) => *change == Change::Removed,
                None => walk.is_present_by_facts(&cell) == Some(false),
            };
            let is_alone = changes.iter().all(|(known, _)| *known != CellStep::AnyGroup);
            let held = match element {
                Form::Value(element) if is_empty && is_alone => Form::Value(Value::tuple([element.clone()])),
                element if is_empty && is_alone => Form::computed([element]),
                element => Form::Other(Reads::one(cell).with(element)),
            };
            set(&mut changes, step, Change::Put(held));
        }
        Some(changes)
    }
}

/// The keys that no part has; `None` if a key may be in two parts, or this is not known.
fn missing(parts: &[KeySet]) -> Option<Vec<Value>> {
    match parts {
        [KeySet::NotIn(keys)] => Some(keys.clone()),
        // Integers, or the comparison fails.
        [KeySet::Between(None, Some(to)), KeySet::Between(Some(from), None)]
        | [KeySet::Between(Some(from), None), KeySet::Between(None, Some(to))]
            if to < from =>
        {
            KeySet::Between(to.checked_add(1), from.checked_sub(1)).listed()
        }
        _ => None,
    }
}

/// The form of `s \o t`.
fn joined_forms(left: &Form, right: &Form, walk: &Walk<'_>) -> Option<Form> {
    let listed = |form: &Form| match form {
        Form::Value(value) => value
            .as_tuple()
            .map(|parts| parts.iter().cloned().map(Form::Value).collect()),
        Form::Built(entries) => {
            let is_tuple = (1..)
                .zip(entries)
                .all(|(at, (index, _))| *index == Value::int(at));
            is_tuple.then(|| entries.iter().map(|(_, form)| form.clone()).collect::<Vec<_>>())
        }
        _ => None,
    };
    let joined = match (Joined::of(left, walk), Joined::of(right, walk)) {
        (Some(mut left), Some(right)) if left.place == right.place => {
            left.parts.extend(right.parts);
            left.added.extend(right.added);
            left
        }
        (Some(mut joined), None) => {
            joined.added.extend(listed(right)?);
            joined
        }
        (None, Some(mut joined)) => {
            joined.added.extend(listed(left)?);
            joined
        }
        _ => return None,
    };
    Some(Form::Joined(Box::new(joined)))
}

/// The cell of the elements with a key.
pub(super) fn group(place: &Place, key: &Value, walk: &Walk<'_>) -> Option<CellStep> {
    let selector = walk.layout.key_of(place)?;
    Some(CellStep::Group(selector.clone(), key.clone()))
}
