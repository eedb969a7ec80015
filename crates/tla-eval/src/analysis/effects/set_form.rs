//! The forms of sets, and of what ranges over them: filters, quantifiers, images.

use omnilink_tla_ir::{Bounded, Node, Pattern};
use omnilink_value::Value;

use super::cell::{Cell, CellStep, Content, Selector, selected};
use super::form::{Change, Form, Place, Reads, Test, inside};
use super::function_form::set;
use super::key_set::KeySet;
use super::{ELEMENTS_MAX, Walk, Walked};
use crate::evaluator::Evaluator;

/// The elements that a name ranges over, as far as they matter.
enum Range {
    /// These values, each of which is in the set whatever the state.
    Known(Vec<Value>),
    /// A set of which these cells matter, with the condition for each if it was formed.
    Cells(Vec<(Cell, Option<Form>)>),
    /// The set and the condition depend on these.
    Other(Form),
}

impl<'p> Evaluator<'p> {
    /// The form of `x \in S`.
    pub(super) fn member(&mut self, operands: &'p (Node, Node), walk: &mut Walk<'_>) -> Walked<Form> {
        let (element, set) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
        Ok(match (element, set) {
            (Form::Value(element), Form::Value(set)) => {
                match set.as_set().map(|elements| crate::membership::is_listed(&element, elements)) {
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
            (Form::Value(element), Form::Domain(place, changes)) => {
                let step = super::form::at(&element);
                self.in_changed(place, step, &changes, walk)
            }
            (Form::Value(element), Form::Place(place)) => match member_step(&place, &element, walk) {
                Some(step @ CellStep::Has(_)) => self.in_changed(place, step, &[], walk),
                Some(step) => Form::Other(Reads::one(inside(&place, step))),
                None => Form::Other(Reads::one(place)),
            },
            (element, Form::Place(place)) if element.reads().cells.is_empty() => {
                Form::Other(Reads::one(inside(&place, CellStep::Any)))
            }
            (element, Form::Domain(place, _)) if element.reads().cells.is_empty() => {
                Form::Other(Reads::one(inside(&place, CellStep::Any)))
            }
            (element, set) => Form::computed([&element, &set]),
        })
    }

    fn in_changed(&mut self, place: Place, step: CellStep, changes: &[(CellStep, bool)], walk: &mut Walk<'_>) -> Form {
        if step == CellStep::Any || changes.iter().any(|(step, _)| *step == CellStep::Any) {
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
                self.intersection_form(Form::Value(elements), set, walk)
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
            Form::Other(reads) => return Form::Other(reads.clone()),
            set => return Form::computed([set]),
        };
        let is_domain = matches!(set, Form::Domain(..));
        let listed = elements.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX);
        let mut reads = Reads::nothing();
        for element in listed.unwrap_or_default() {
            let step = match is_domain {
                true => Some(super::form::at(element)),
                false => member_step(place, element, walk),
            };
            let Some(step) = step else {
                return Form::computed([&set]);
            };
            reads.add(inside(place, step));
        }
        match listed {
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

    /// The form of `{x \in S : P}`.
    pub(super) fn filter_form(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Form> {
        if let Some(form) = self.without_elements(bounded, walk)? {
            return Ok(form);
        }
        Ok(match self.range(bounded, walk)? {
            Range::Known(elements) => {
                let (mut kept, mut reads, mut is_sum) = (Vec::new(), Reads::nothing(), true);
                for element in elements {
                    let Some(form) = self.body_at(bounded, &element, walk)? else {
                        return Ok(Form::unknown());
                    };
                    match form.as_truth() {
                        Some(true) => kept.push(element),
                        Some(false) => {}
                        None => {
                            is_sum &= form.reads().cells.len() <= 1;
                            form.add_reads(&mut reads);
                        }
                    }
                }
                match reads.cells.is_empty() {
                    true if is_sum => Form::Value(Value::set(kept)),
                    _ => {
                        reads.is_sum = is_sum;
                        Form::Other(reads)
                    }
                }
            }
            Range::Cells(cells) => Form::Other(cell_reads(cells)),
            Range::Other(form) => form,
        })
    }

    /// The form of `\E` and `\A`.
    pub(super) fn quantified(&mut self, bounded: &'p Bounded, is_exists: bool, walk: &mut Walk<'_>) -> Walked<Form> {
        if !is_exists && let Some(form) = self.for_all_elements(bounded, walk)? {
            return Ok(form);
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
                let step = keys.first().and_then(|key| group_step(&place, &test.path, key, walk));
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
            for element in elements.to_vec() {
                if self.bind_pattern(pattern, &element).is_err() {
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
    fn body_at(&mut self, bounded: &'p Bounded, element: &Value, walk: &mut Walk<'_>) -> Walked<Option<Form>> {
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
    ) -> Walked<Option<Vec<(Cell, Option<Form>)>>> {
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

/// The reads of a set whose elements come from these cells, under these conditions.
fn cell_reads(cells: Vec<(Cell, Option<Form>)>) -> Reads {
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

/// The cell of a set that an element belongs to.
fn member_step(place: &Place, element: &Value, walk: &Walk<'_>) -> Option<CellStep> {
    match walk.layout.selector(place) {
        None => Some(CellStep::Has(element.clone())),
        Some(selector) => group_of(element, selector),
    }
}

fn group_of(element: &Value, selector: &Selector) -> Option<CellStep> {
    let key = selected(element, selector)?;
    Some(CellStep::Group(selector.clone(), key.clone()))
}

/// The cell of a set that has the elements with this value at a path.
fn group_step(place: &Place, path: &[Value], key: &Value, walk: &Walk<'_>) -> Option<CellStep> {
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
