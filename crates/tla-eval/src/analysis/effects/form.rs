//! Forms: what is known of an expression's value without a state, in terms of the state.
//!
//! However an action is written, `[map EXCEPT ![k] = v]`, `(k :> v) @@ map` and `[x \in DOMAIN map |-> IF x = k THEN v ELSE map[x]]` have
//! one form: the function at a place, changed at one argument. Names, definitions, LAMBDAs and records that only carry a value from
//! one place of the text to another leave no trace in a form.

use std::rc::Rc;

use omnilink_value::Value;

use super::cell::{Cell, CellFilter, CellStep, Path};
use super::key_set::KeySet;
use super::sequence_form::Joined;
use super::tally::{Count, Tally};
use crate::equality::equal_values;

/// A variable, or the value at a path of arguments in it, in the current state.
pub(super) type Place = Cell;

/// The form of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// This value, in every state that satisfies the facts.
    Value(Value),
    /// An argument that may be anything, on a [path](super::paths).
    Symbol(Value),
    /// The value at a place.
    Place(Place),
    /// The function or set at a place, with other contents in some of its cells.
    Changed(Place, Vec<(CellStep, Change)>),
    /// The domain of the function at a place, with some arguments added (`true`) and others removed.
    Domain(Place, Vec<(CellStep, bool)>),
    /// A function (record, tuple) with known arguments.
    Built(Vec<(Value, Form)>),
    /// `{a, b}`.
    Listed(Vec<Form>),
    /// The element that a name is bound to, or a part of it.
    Element(usize, Vec<Value>),
    /// The value of the function at a place for the element that a name is bound to.
    AtElement(Place, usize),
    /// The positions of a sequence: all of them, or those of the elements in some groups.
    Positions(Place, Option<Vec<CellStep>>),
    /// A position of a sequence that a name is bound to.
    Position(Place, usize),
    /// The first position of a group of a keyed sequence.
    FirstPosition(Place, CellStep),
    /// Parts of a keyed sequence, and other elements.
    Joined(Box<Joined>),
    /// Whether a place holds a value; if not `true`, whether it does not.
    Is(Place, Value, bool),
    /// Whether a cell is there; if not `true`, whether it is not.
    Present(Cell, bool),
    /// A condition on an element.
    Test(Test),
    /// A set of which it is known what may be in it. Shared, because a name for it is looked up for every element.
    Subset(Rc<Subset>),
    /// A number of cells.
    Count(Box<Count>),
    /// A comparison of such a number.
    Tally(Box<Tally>),
    /// All of these conditions.
    All(Vec<Form>),
    /// A condition, and the forms if it is true and if it is false.
    Either(Box<(Form, Form, Form)>),
    /// Something that depends on these cells.
    Other(Reads),
}

/// Another content for a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// This, if the cell is there; otherwise nothing changes.
    Replaced(Form),
    /// This.
    Put(Form),
    /// It is not there.
    Removed,
}

/// A condition on the element that a name is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// Which name.
    pub(super) binder: usize,
    /// Which part of the element.
    pub(super) path: Vec<Value>,
    /// It is false unless the part is one of these.
    pub(super) keys: KeySet,
    /// Whether it is true if the part is one of these.
    pub(super) is_exact: bool,
    /// What else it depends on.
    pub(super) reads: Reads,
}

/// A set of known elements, some of them under a condition on the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subset {
    /// The elements that are in it for certain.
    pub(super) kept: Vec<Value>,
    /// Other elements, with the condition for each.
    pub(super) open: Vec<(Value, Form)>,
}

impl Subset {
    /// The condition for an element to be in the set; `None` if it is not in it for certain.
    pub(super) fn condition(&self, element: &Value) -> Option<Form> {
        if self.kept.contains(element) {
            return Some(Form::truth(true));
        }
        let found = self.open.iter().find(|(other, _)| other == element);
        found.map(|(_, condition)| condition.clone())
    }

    /// Whether asking if it has an element never fails.
    pub(super) fn may_be_compared_with(&self, element: &Value) -> bool {
        let mut elements = self
            .kept
            .iter()
            .chain(self.open.iter().map(|(element, _)| element));
        elements.all(|other| equal_values(other, element).is_ok())
    }
}

/// The cells that a value depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    pub(super) cells: Vec<Cell>,
    filter: CellFilter,
    /// Whether it is a sum of numbers, or a union of disjoint sets, each of which depends on at most one of the cells.
    pub(super) is_sum: bool,
}

impl Reads {
    /// Of something that is unknown, but the same in every state.
    pub(super) fn nothing() -> Self {
        Self {
            is_sum: true,
            ..Self::default()
        }
    }

    pub(super) fn one(cell: Cell) -> Self {
        let mut reads = Self::nothing();
        reads.add(cell);
        reads
    }

    pub(super) fn add(&mut self, cell: Cell) {
        if !self.filter.add(&cell) || !self.cells.contains(&cell) {
            self.cells.push(cell);
        }
    }

    /// With the cells of a form, from which something is computed in some way.
    pub(super) fn with(mut self, form: &Form) -> Self {
        form.add_reads(&mut self);
        self.is_sum = self.cells.len() <= 1;
        self
    }

    /// With the cells of a form that is added.
    pub(super) fn plus(mut self, form: &Form) -> Self {
        let is_sum = self.is_sum && form.reads().is_sum;
        form.add_reads(&mut self);
        self.is_sum = is_sum;
        self
    }
}

impl Change {
    fn form(&self) -> Option<&Form> {
        match self {
            Self::Replaced(form) | Self::Put(form) => Some(form),
            Self::Removed => None,
        }
    }
}

impl Form {
    pub(super) fn truth(truth: bool) -> Self {
        Self::Value(Value::bool(truth))
    }

    /// Something unknown that depends on nothing: it is the same in every state.
    pub(super) fn unknown() -> Self {
        Self::Other(Reads::nothing())
    }

    pub(super) fn subset(kept: Vec<Value>, open: Vec<(Value, Form)>) -> Self {
        Self::Subset(Rc::new(Subset { kept, open }))
    }

    pub(super) fn as_truth(&self) -> Option<bool> {
        match self {
            Self::Value(value) => value.as_bool(),
            _ => None,
        }
    }

    /// The cells that the value depends on.
    pub(super) fn reads(&self) -> Reads {
        if let Self::Other(reads) = self {
            return reads.clone();
        }
        let mut reads = Reads::default();
        self.add_reads(&mut reads);
        let reads_one = |form: &Form| form.reads().cells.len() <= 1;
        reads.is_sum = match self {
            Self::Count(_) => true,
            Self::Subset(set) => set.open.iter().all(|(_, condition)| reads_one(condition)),
            _ => reads.cells.len() <= 1,
        };
        reads
    }

    pub(super) fn add_reads(&self, reads: &mut Reads) {
        match self {
            // What is read of an element was counted where its set was read.
            Self::Value(_) | Self::Symbol(_) | Self::Element(..) => {}
            Self::Place(place) => reads.add(place.clone()),
            Self::Changed(place, changes) => {
                reads.add(place.clone());
                changes
                    .iter()
                    .filter_map(|(_, change)| change.form())
                    .for_each(|form| form.add_reads(reads));
            }
            // Where an element stands depends on all of the sequence.
            Self::Domain(place, _)
            | Self::Positions(place, _)
            | Self::Position(place, _)
            | Self::FirstPosition(place, _) => reads.add(place.clone()),
            Self::Joined(joined) => joined.add_reads(reads),
            Self::Built(entries) => entries.iter().for_each(|(_, form)| form.add_reads(reads)),
            Self::Listed(forms) | Self::All(forms) => forms.iter().for_each(|form| form.add_reads(reads)),
            Self::AtElement(place, _) => reads.add(inside(place, CellStep::Any)),
            Self::Is(cell, ..) | Self::Present(cell, _) => reads.add(cell.clone()),
            Self::Subset(set) => {
                let conditions = set.open.iter().map(|(_, condition)| condition);
                conditions.for_each(|condition| condition.add_reads(reads));
            }
            Self::Count(count) => count.add_reads(reads),
            Self::Tally(tally) => tally.add_reads(reads),
            Self::Test(test) => test.reads.cells.iter().for_each(|cell| reads.add(cell.clone())),
            Self::Either(parts) => {
                let (condition, yes, no) = &**parts;
                [condition, yes, no]
                    .into_iter()
                    .for_each(|form| form.add_reads(reads));
            }
            Self::Other(other) => other.cells.iter().for_each(|cell| reads.add(cell.clone())),
        }
    }

    /// Something that is computed from these.
    pub(super) fn computed<'f>(forms: impl IntoIterator<Item = &'f Form>) -> Self {
        let reads = forms.into_iter().fold(Reads::nothing(), Reads::with);
        Self::Other(reads)
    }

    /// The form as a condition: a place that holds a Boolean is one.
    pub(super) fn into_condition(self) -> Self {
        match self {
            Self::Place(place) if place.is_known() => Self::Is(place, Value::bool(true), true),
            form => form,
        }
    }

    /// The negation of a condition.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Value(value) => match value.as_bool() {
                Some(truth) => Self::truth(!truth),
                None => Self::unknown(),
            },
            Self::Is(place, value, truth) => Self::Is(place, value, !truth),
            Self::Present(cell, truth) => Self::Present(cell, !truth),
            Self::Tally(tally) => Self::Tally(Box::new(tally.negated())),
            Self::Test(test) if test.is_exact => match test.keys.clone().complement() {
                Some(keys) => Self::Test(Test { keys, ..test }),
                None => Self::computed([&Self::Test(test)]),
            },
            Self::Either(parts) => {
                let (condition, yes, no) = *parts;
                Self::Either(Box::new((condition, yes.negated(), no.negated())))
            }
            other => Self::computed([&other]),
        }
    }

    /// The conjunction of conditions, none of which is known.
    pub(super) fn all(conditions: Vec<Form>) -> Self {
        let mut of_element: Option<Test> = None;
        let mut others = Vec::new();
        for condition in conditions {
            match (condition, of_element.take()) {
                (Self::All(inner), held) => {
                    of_element = held;
                    others.extend(inner);
                }
                (Self::Test(test), None) => of_element = Some(test),
                (Self::Test(test), Some(held)) if test.binder == held.binder && test.path == held.path => {
                    let is_exact = test.is_exact && held.is_exact;
                    let reads = held.reads.clone().with(&Self::Other(test.reads.clone()));
                    match held.keys.clone().and(test.keys.clone()) {
                        Some(keys) => {
                            of_element = Some(Test {
                                keys,
                                is_exact,
                                reads,
                                ..held
                            })
                        }
                        None => {
                            others.push(Self::Test(test));
                            of_element = Some(held);
                        }
                    }
                }
                (other, held) => {
                    of_element = held;
                    others.push(other);
                }
            }
        }
        match of_element {
            Some(test) if others.is_empty() => Self::Test(test),
            Some(test) => {
                let reads = others.iter().fold(test.reads.clone(), Reads::with);
                Self::Test(Test {
                    is_exact: false,
                    reads,
                    ..test
                })
            }
            None if others.len() == 1 => others.remove(0),
            None => Self::All(others),
        }
    }

    /// The disjunction of conditions, none of which is known.
    pub(super) fn any(conditions: Vec<Form>) -> Self {
        let mut conditions = conditions.into_iter();
        let Some(first) = conditions.next() else {
            return Self::truth(false);
        };
        conditions.fold(first, |left, right| match (left, right) {
            (Self::Test(left), Self::Test(right))
                if left.binder == right.binder && left.path == right.path =>
            {
                match left.keys.clone().or(right.keys.clone()) {
                    Some(keys) => Self::Test(Test {
                        keys,
                        is_exact: left.is_exact && right.is_exact,
                        reads: left.reads.clone().with(&Self::Other(right.reads)),
                        ..left
                    }),
                    None => Self::computed([&Self::Test(left), &Self::Test(right)]),
                }
            }
            (left, right) => Self::computed([&left, &right]),
        })
    }
}

/// A part of the value at a place.
pub(super) fn inside(place: &Place, step: CellStep) -> Place {
    let path: Path = place.path.iter().cloned().chain([step]).collect();
    Place {
        variable: place.variable,
        path,
    }
}

/// The step to an argument of a function. TLC applies a function of two arguments to three and ignores the last; such an argument is
/// taken for an unknown one.
pub(crate) fn at(key: &Value) -> CellStep {
    match key.as_tuple() {
        Some(parts) if parts.len() > 2 => CellStep::Any,
        _ => CellStep::At(key.clone()),
    }
}
