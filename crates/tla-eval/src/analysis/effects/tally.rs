//! Tallies: comparisons of a number with the number of cells that pass a test.
//!
//! `n = Cardinality({k \in S : map[k] # NoValue})` counts cells, and so do a recursive sum of `IF map[k] # NoValue THEN 1 ELSE 0`, the
//! cardinality of `present \cap (lo..hi)` and that of `{k \in DOMAIN map : lo <= k /\ k <= hi}`. Whether such a comparison holds in a state is
//! seen from the cells, without evaluating anything.

use omnilink_tla_ir::Comparison;
use omnilink_value::Value;

use super::cell::{Cell, CellStep};
use super::form::{Form, Reads, Subset};
use crate::equality::equal_values;

/// A comparison of a number with a weighted sum over cells that pass a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    count: Vec<(CellTest, i64)>,
    base: i64,
    /// How the sum compares with the bound; `None`: they are equal.
    comparison: Option<Comparison>,
    bound: i64,
    /// Whether the comparison is to be true.
    is_true: bool,
}

/// A test of the content of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellTest {
    cell: Cell,
    /// The value that it holds; `None`: something.
    value: Option<Value>,
    /// Whether it does, or does not.
    is_true: bool,
}

impl CellTest {
    /// Whether two tests of the same question have the same answer in every state; `None` if they ask different questions.
    pub(super) fn agrees(&self, other: &Self) -> Option<bool> {
        let is_same = self.cell == other.cell && self.value == other.value;
        is_same.then_some(self.is_true == other.is_true)
    }

    /// The test that a condition is; `None` for any other condition.
    pub(super) fn of(condition: &Form) -> Option<Self> {
        let (cell, value, is_true) = match condition {
            Form::Is(place, value, is_true) => (place, Some(value.clone()), *is_true),
            Form::Present(cell, is_true) => (cell, None, *is_true),
            _ => return None,
        };
        // Whether an element of a set has the part by which the set is taken apart is only known from evaluating a condition.
        let is_simple = |step: &CellStep| matches!(step, CellStep::At(_) | CellStep::Has(_));
        cell.path.iter().all(is_simple).then(|| Self {
            cell: cell.clone(),
            value,
            is_true,
        })
    }

    /// Whether a state passes; `None` if evaluating the condition may fail.
    #[inline]
    fn passes(&self, state: &[Value]) -> Option<bool> {
        let inner;
        let held = match self.cell.path.as_slice() {
            [CellStep::At(key)] => state.get(self.cell.variable as usize)?.apply(key),
            _ => {
                inner = self.cell.held(state);
                inner.as_ref()
            }
        };
        let is_so = match (&self.value, held) {
            (None, held) => held.is_some(),
            (Some(value), Some(held)) => equal_values(held, value).ok()?,
            (Some(_), None) => return None,
        };
        Some(is_so == self.is_true)
    }
}

/// A number: a constant, and a weight for each cell that passes a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    base: i64,
    terms: Vec<(CellTest, i64)>,
}

impl Count {
    /// A number as a count; any other form as it is.
    pub(super) fn of(form: Form) -> Result<Self, Form> {
        match form {
            Form::Count(count) => Ok(*count),
            form => Self::of_small(&form).ok_or(form),
        }
    }

    fn of_small(form: &Form) -> Option<Self> {
        match form {
            Form::Value(value) => Some(Self {
                base: value.as_int()?,
                terms: Vec::new(),
            }),
            Form::Either(parts) => {
                let (condition, yes, no) = &**parts;
                let (Form::Value(yes), Form::Value(no)) = (yes, no) else {
                    return None;
                };
                let (yes, no) = (yes.as_int()?, no.as_int()?);
                Some(Self {
                    base: no,
                    terms: vec![(CellTest::of(condition)?, yes.checked_sub(no)?)],
                })
            }
            _ => None,
        }
    }

    /// The number of elements of a set.
    pub(super) fn of_elements(set: &Subset) -> Option<Self> {
        let terms = set.open.iter();
        let terms = terms.map(|(_, condition)| Some((CellTest::of(condition)?, 1)));
        Some(Self {
            base: i64::try_from(set.kept.len()).ok()?,
            terms: terms.collect::<Option<_>>()?,
        })
    }

    /// The sum of two, or with a weight of -1 their difference.
    pub(super) fn plus(mut self, mut other: Self, weight: i64) -> Form {
        let other_base = other.base.checked_mul(weight);
        let base = other_base.and_then(|base| self.base.checked_add(base));
        let mut fits = true;
        for (_, of) in &mut other.terms {
            match of.checked_mul(weight) {
                Some(weighted) => *of = weighted,
                None => fits = false,
            }
        }
        // The longer list takes the shorter one: a recursive sum of many terms is linear in them, from whichever end it is summed.
        if self.terms.len() < other.terms.len() {
            std::mem::swap(&mut self.terms, &mut other.terms);
        }
        self.terms.append(&mut other.terms);
        match base.filter(|_| fits) {
            Some(base) => Form::Count(Box::new(Self { base, ..self })),
            None => Form::Other(Form::Count(Box::new(self)).reads()),
        }
    }

    pub(super) fn add_reads(&self, reads: &mut Reads) {
        self.terms
            .iter()
            .for_each(|(test, _)| reads.add(test.cell.clone()));
    }

    /// The comparison with a number.
    pub(super) fn compared(self, comparison: Option<Comparison>, bound: i64) -> Form {
        Form::Tally(Box::new(Tally {
            base: self.base,
            count: self.terms,
            comparison,
            bound,
            is_true: true,
        }))
    }
}

impl Tally {
    /// The test of one cell; `None` if the condition is none.
    pub(super) fn of(condition: &Form) -> Option<Self> {
        if let Form::Tally(tally) = condition {
            return Some((**tally).clone());
        }
        Some(Self {
            count: vec![(CellTest::of(condition)?, 1)],
            base: 0,
            comparison: None,
            bound: 1,
            is_true: true,
        })
    }

    /// The tally that is true wherever none of these tests fails, whatever their outcome.
    pub(super) fn of_defined(tests: Vec<CellTest>) -> Self {
        Self {
            count: tests.into_iter().map(|test| (test, 0)).collect(),
            base: 0,
            comparison: None,
            bound: 0,
            is_true: true,
        }
    }

    /// The same tally, of an instance that reads other cells and compares with other values.
    pub(super) fn with(
        &self,
        mut cell: impl FnMut(&Cell) -> Cell,
        mut value: impl FnMut(&Value) -> Value,
    ) -> Self {
        let count = self.count.iter().map(|(test, weight)| {
            let test = CellTest {
                cell: cell(&test.cell),
                value: test.value.as_ref().map(&mut value),
                ..*test
            };
            (test, *weight)
        });
        Self {
            count: count.collect(),
            ..*self
        }
    }

    pub(super) fn negated(self) -> Self {
        Self {
            is_true: !self.is_true,
            ..self
        }
    }

    pub(super) fn add_reads(&self, reads: &mut Reads) {
        self.count
            .iter()
            .for_each(|(test, _)| reads.add(test.cell.clone()));
    }

    /// Whether it is false in every state: each cell passes its test or does not, so the sum lies between that of all negative and
    /// that of all positive weights.
    pub fn is_never_true(&self) -> bool {
        let mut least = i128::from(self.base);
        let mut most = least;
        for (_, weight) in &self.count {
            least += i128::from(*weight.min(&0));
            most += i128::from(*weight.max(&0));
        }
        let bound = i128::from(self.bound);
        let (is_always, is_never) = match self.comparison {
            None => (least == bound && most == bound, bound < least || bound > most),
            Some(Comparison::Less) => (most < bound, least >= bound),
            Some(Comparison::LessEqual) => (most <= bound, least > bound),
            Some(Comparison::Greater) => (least > bound, most <= bound),
            Some(Comparison::GreaterEqual) => (least >= bound, most < bound),
        };
        if self.is_true { is_never } else { is_always }
    }

    /// Whether it is true in a state; `None` if evaluating it may fail.
    pub fn holds(&self, state: &[Value]) -> Option<bool> {
        let mut sum = self.base;
        for (test, weight) in &self.count {
            if test.passes(state)? {
                sum = sum.checked_add(*weight)?;
            }
        }
        let is_so = match self.comparison {
            None => sum == self.bound,
            Some(Comparison::Less) => sum < self.bound,
            Some(Comparison::LessEqual) => sum <= self.bound,
            Some(Comparison::Greater) => sum > self.bound,
            Some(Comparison::GreaterEqual) => sum >= self.bound,
        };
        Some(is_so == self.is_true)
    }
}
