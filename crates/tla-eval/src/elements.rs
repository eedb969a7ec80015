//! Enumeration of the elements of a set, in order, without materialising it.
//!
//! The order is that of values, which determines the result of CHOOSE. Subsets are ordered by size, functions by their values for the
//! least argument first.

use omnilink_tla_ir::Infinite;
use omnilink_value::Value;

use super::datum::{Datum, Lazy};
use super::error::{ErrorClass, Failure, Outcome, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::materialize::{ELEMENTS_MAX, too_large};

/// Callback for each element; may stop the enumeration.
pub(crate) type Visit<'v, 'p> = &'v mut dyn FnMut(&mut Evaluator<'p>, Value) -> Outcome<Flow>;

impl<'p> Evaluator<'p> {
    /// Visits the elements in order.
    pub(crate) fn for_each_element(&mut self, set: &Datum<'p>, visit: Visit<'_, 'p>) -> Outcome<Flow> {
        let lazy = match set {
            Datum::Value(value) => {
                let Some(elements) = value.as_set() else {
                    return Err(not_enumerable(&self.short(set)));
                };
                for element in elements {
                    self.tick()?;
                    if visit(self, element.clone())?.is_stop() {
                        return Ok(Flow::Stop);
                    }
                }
                return Ok(Flow::Go);
            }
            Datum::Lazy(lazy) => lazy,
        };
        match &**lazy {
            Lazy::Interval(low, high) => {
                for element in *low..=*high {
                    self.tick()?;
                    if visit(self, Value::int(element))?.is_stop() {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Go)
            }
            Lazy::Powerset(base) => {
                let base = self.materialized_set(base)?;
                let elements = base.as_set().unwrap_or_default();
                self.each_subset(elements, visit)
            }
            Lazy::FunctionSet(domain, range) => {
                let domain = self.materialized_set(domain)?;
                let range = self.materialized_set(range)?;
                let keys = domain.as_set().unwrap_or_default();
                let values = range.as_set().unwrap_or_default();
                let choices = vec![values; keys.len()];
                self.each_choice(&choices, &mut |this, chosen| {
                    let entries = keys.iter().cloned().zip(chosen.iter().map(|v| (*v).clone()));
                    visit(this, Value::function_of_sorted(entries))
                })
            }
            Lazy::RecordSet(fields) => {
                let sets = fields
                    .iter()
                    .map(|(_, set)| self.materialized_set(set))
                    .collect::<Outcome<Vec<_>>>()?;
                let choices: Vec<&[Value]> =
                    sets.iter().map(|set| set.as_set().unwrap_or_default()).collect();
                self.each_choice(&choices, &mut |this, chosen| {
                    let names = fields.iter().map(|(name, _)| name.clone());
                    let entries = names.zip(chosen.iter().map(|v| (*v).clone()));
                    visit(this, Value::function_of_sorted(entries))
                })
            }
            Lazy::Product(factors) => {
                let sets = factors
                    .iter()
                    .map(|set| self.materialized_set(set))
                    .collect::<Outcome<Vec<_>>>()?;
                let choices: Vec<&[Value]> =
                    sets.iter().map(|set| set.as_set().unwrap_or_default()).collect();
                self.each_choice(&choices, &mut |this, chosen| {
                    visit(this, Value::tuple(chosen.iter().map(|v| (*v).clone())))
                })
            }
            Lazy::Filter(base, body) => {
                // A filter preserves the order.
                self.for_each_element(base, &mut |this, element| {
                    if this.satisfies(body, &element)? {
                        visit(this, element)
                    } else {
                        Ok(Flow::Go)
                    }
                })
            }
            Lazy::Intersection(left, right) => {
                let (listed, other) = if self.is_enumerable(left) {
                    (left, right)
                } else {
                    (right, left)
                };
                self.for_each_element(listed, &mut |this, element| {
                    if this.is_member(&Datum::Value(element.clone()), other)? {
                        visit(this, element)
                    } else {
                        Ok(Flow::Go)
                    }
                })
            }
            Lazy::Difference(left, right) => self.for_each_element(left, &mut |this, element| {
                if this.is_member(&Datum::Value(element.clone()), right)? {
                    Ok(Flow::Go)
                } else {
                    visit(this, element)
                }
            }),
            Lazy::Union(left, right) => {
                let mut elements = Vec::new();
                for side in [left, right] {
                    self.for_each_element(side, &mut |_, element| {
                        elements.push(element);
                        Ok(Flow::Go)
                    })?;
                }
                self.each_of(elements, visit)
            }
            Lazy::BigUnion(sets) => {
                let mut elements = Vec::new();
                let mut collect = |this: &mut Self, set: &Datum<'p>| {
                    this.for_each_element(set, &mut |_, element| {
                        elements.push(element);
                        Ok(Flow::Go)
                    })
                };
                if let Some(Lazy::Set(sets)) = sets.as_lazy() {
                    for set in sets {
                        collect(self, set)?;
                    }
                } else {
                    self.for_each_element(sets, &mut |this, set| collect(this, &Datum::Value(set)))?;
                }
                self.each_of(elements, visit)
            }
            Lazy::Set(elements) => {
                let elements = elements
                    .iter()
                    .map(|element| self.canonical(element.clone()))
                    .collect::<Outcome<Vec<_>>>()?;
                self.each_of(elements, visit)
            }
            Lazy::Sequences(base) => {
                let base = self.materialized_set(base);
                match base {
                    Ok(base) if base.is_empty() => visit(self, Value::tuple([])),
                    _ => Err(infinite(&self.short(set))),
                }
            }
            Lazy::Infinite(Infinite::Any | Infinite::Nat | Infinite::Int | Infinite::Strings) => {
                Err(infinite(&self.short(set)))
            }
            Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_) => Err(not_enumerable(&self.short(set))),
        }
    }

    fn each_of(&mut self, elements: Vec<Value>, visit: Visit<'_, 'p>) -> Outcome<Flow> {
        let set = self.set_of(elements)?;
        self.for_each_element(&Datum::Value(set), visit)
    }

    /// The set as a canonical value; fails if it is not a set.
    pub(crate) fn materialized_set(&mut self, set: &Datum<'p>) -> Outcome<Value> {
        if !set.is_set() {
            return Err(not_enumerable(&self.short(set)));
        }
        self.canonical(set.clone())
    }

    /// Whether the elements of a set can be enumerated.
    pub(crate) fn is_enumerable(&self, set: &Datum<'p>) -> bool {
        match set {
            Datum::Value(value) => value.as_set().is_some(),
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Infinite(_) | Lazy::Sequences(_) => false,
                Lazy::Interval(..) | Lazy::Set(_) => true,
                Lazy::Powerset(base) | Lazy::Filter(base, _) | Lazy::BigUnion(base) => {
                    self.is_enumerable(base)
                }
                Lazy::FunctionSet(a, b) | Lazy::Union(a, b) => self.is_enumerable(a) && self.is_enumerable(b),
                Lazy::Intersection(a, b) => self.is_enumerable(a) || self.is_enumerable(b),
                Lazy::Difference(a, _) => self.is_enumerable(a),
                Lazy::RecordSet(fields) => fields.iter().all(|(_, set)| self.is_enumerable(set)),
                Lazy::Product(factors) => factors.iter().all(|set| self.is_enumerable(set)),
                Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_) => false,
            },
        }
    }

    /// Subsets by size, then in the order of their elements.
    fn each_subset(&mut self, elements: &[Value], visit: Visit<'_, 'p>) -> Outcome<Flow> {
        for size in 0..=elements.len() {
            if self.each_subset_of_size(elements, size, visit)?.is_stop() {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Go)
    }

    /// Subsets of one size, in the order of their elements.
    pub(crate) fn each_subset_of_size(
        &mut self,
        elements: &[Value],
        size: usize,
        visit: Visit<'_, 'p>,
    ) -> Outcome<Flow> {
        let Some(room) = elements.len().checked_sub(size) else {
            return Ok(Flow::Go);
        };
        let mut picked: Vec<usize> = (0..size).collect();
        loop {
            self.tick()?;
            let subset = Value::set_of_sorted(picked.iter().map(|at| elements[*at].clone()));
            if visit(self, subset)?.is_stop() {
                return Ok(Flow::Stop);
            }
            // Advances the rightmost index that can move, and resets those after it.
            let Some(at) = (0..size).rev().find(|at| picked[*at] < room + at) else {
                return Ok(Flow::Go);
            };
            picked[at] += 1;
            for after in at + 1..size {
                picked[after] = picked[after - 1] + 1;
            }
        }
    }

    /// All combinations of one element of each set; the last varies fastest.
    #[allow(clippy::type_complexity)]
    fn each_choice(
        &mut self,
        choices: &[&[Value]],
        visit: &mut dyn FnMut(&mut Self, &[&Value]) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        if choices.iter().any(|choice| choice.is_empty()) {
            return Ok(Flow::Go);
        }
        let mut at = vec![0; choices.len()];
        let mut chosen: Vec<&Value> = choices.iter().map(|choice| &choice[0]).collect();
        loop {
            self.tick()?;
            if visit(self, &chosen)?.is_stop() {
                return Ok(Flow::Stop);
            }
            let Some(moving) = (0..choices.len()).rev().find(|i| at[*i] + 1 < choices[*i].len()) else {
                return Ok(Flow::Go);
            };
            at[moving] += 1;
            at[moving + 1..].fill(0);
            for i in moving..choices.len() {
                chosen[i] = &choices[i][at[i]];
            }
        }
    }

    /// The cardinality of a set, without enumeration if possible.
    pub(crate) fn cardinality(&mut self, set: &Datum<'p>) -> Outcome<i64> {
        let count = match set {
            Datum::Value(value) => match value.as_set() {
                Some(elements) => Some(elements.len() as u64),
                None => {
                    return Err(type_error(format!(
                        "{} is no set, so it has no cardinality",
                        self.short(set)
                    )));
                }
            },
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Interval(low, high) if low > high => Some(0),
                Lazy::Interval(low, high) => high
                    .checked_sub(*low)
                    .and_then(|span| span.checked_add(1))
                    .map(|count| count as u64),
                Lazy::Powerset(base) => {
                    let base = self.cardinality(base)?;
                    u32::try_from(base).ok().and_then(|base| 2u64.checked_pow(base))
                }
                Lazy::FunctionSet(domain, range) => {
                    let domain = self.cardinality(domain)?;
                    let range = self.cardinality(range)? as u64;
                    u32::try_from(domain)
                        .ok()
                        .and_then(|domain| range.checked_pow(domain))
                }
                Lazy::Product(factors) => self.product(factors.iter())?,
                Lazy::RecordSet(fields) => self.product(fields.iter().map(|(_, set)| set))?,
                _ => {
                    let set = self.materialized_set(set)?;
                    Some(set.len().unwrap_or(0) as u64)
                }
            },
        };
        let limit = if self.session.is_32_bit() {
            i64::from(i32::MAX)
        } else {
            i64::MAX
        };
        match count.and_then(|count| i64::try_from(count).ok()) {
            Some(count) if count <= limit => Ok(count),
            _ => Err(Failure::new(
                ErrorClass::Overflow,
                format!("{} has too many elements to count", self.short(set)),
            )),
        }
    }

    fn product<'d>(&mut self, factors: impl Iterator<Item = &'d Datum<'p>>) -> Outcome<Option<u64>>
    where
        'p: 'd,
    {
        let mut product = Some(1u64);
        for factor in factors {
            let count = self.cardinality(factor)? as u64;
            product = product.and_then(|product| product.checked_mul(count));
        }
        Ok(product)
    }

    /// Fails if a set is too large to materialise.
    pub(crate) fn check_size(&mut self, set: &Datum<'p>) -> Outcome<()> {
        let Some(lazy) = set.as_lazy() else { return Ok(()) };
        if matches!(
            lazy,
            Lazy::Interval(..)
                | Lazy::Powerset(_)
                | Lazy::FunctionSet(..)
                | Lazy::Product(_)
                | Lazy::RecordSet(_)
        ) && self.is_enumerable(set)
        {
            let is_large = match self.cardinality(set) {
                Ok(count) => count as u64 > ELEMENTS_MAX,
                Err(failure) => failure.class == ErrorClass::Overflow,
            };
            if is_large {
                return Err(too_large(&self.short(set)));
            }
        }
        Ok(())
    }
}

fn infinite(set: &str) -> Box<Failure> {
    Failure::new(
        ErrorClass::Infinite,
        format!("cannot go through the elements of {set}, which has infinitely many"),
    )
}

fn not_enumerable(what: &str) -> Box<Failure> {
    type_error(format!("{what} is no set whose elements can be listed"))
}
