//! Membership and inclusion, without materialising the set if possible.

use omnilink_tla_ir::Infinite;
use omnilink_value::{Value, ValueKind, position_in};

use super::datum::{Datum, Lazy, Suspended};
use super::equality::equal_values;
use super::error::{ErrorClass, Failure, Outcome, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;

impl<'p> Evaluator<'p> {
    /// Whether a value is an element of a set.
    pub(crate) fn is_member(&mut self, element: &Datum<'p>, set: &Datum<'p>) -> Outcome<bool> {
        let lazy = match set {
            Datum::Value(value) => {
                let Some(elements) = value.as_set() else {
                    return Err(type_error(format!(
                        "{} is no set, so nothing is an element of it",
                        self.short(set)
                    )));
                };
                return match element {
                    Datum::Value(element) => is_listed(element, elements),
                    Datum::Lazy(_) if elements.is_empty() => Ok(false),
                    Datum::Lazy(_) => {
                        for listed in elements {
                            if self.equal(element, &Datum::Value(listed.clone()))? {
                                return Ok(true);
                            }
                        }
                        Ok(false)
                    }
                };
            }
            Datum::Lazy(lazy) => lazy,
        };
        match &**lazy {
            Lazy::Interval(low, high) => match element.as_value().map(|value| (value.kind(), value.as_int()))
            {
                Some((_, Some(element))) => Ok((*low..=*high).contains(&element)),
                Some((ValueKind::Model, _)) => self.model_in(element, set),
                // An empty interval contains nothing, whatever the kind of the element: the domain of the empty function is one.
                _ if low > high => Ok(false),
                _ => Err(self.no_element(element, set)),
            },
            Lazy::Infinite(infinite) => self.is_member_of_infinite(element, *infinite, set),
            Lazy::Powerset(base) => {
                if !element.is_set() {
                    return Err(self.no_element(element, set));
                }
                self.is_subset(element, base)
            }
            Lazy::FunctionSet(domain, range) => self.is_function_between(element, domain, range, set),
            Lazy::RecordSet(fields) => self.is_record_of(element, fields, set),
            Lazy::Product(factors) => self.is_tuple_of(element, factors, set),
            Lazy::Sequences(base) => {
                let Some(parts) = self.sequence_parts(element)? else {
                    return self.model_in(element, set);
                };
                for part in parts {
                    if !self.is_member(&part, base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Lazy::Union(left, right) => {
                // TLC tries enumerated operands first: `Nil \in (SUBSET S) \cup {Nil}` is TRUE although `Nil \in SUBSET S` is an
                // error.
                let (first, second) = if !is_listed_set(left) && is_listed_set(right) {
                    (right, left)
                } else {
                    (left, right)
                };
                Ok(self.is_member(element, first)? || self.is_member(element, second)?)
            }
            Lazy::Intersection(left, right) => {
                Ok(self.is_member(element, left)? && self.is_member(element, right)?)
            }
            Lazy::Difference(left, right) => {
                Ok(self.is_member(element, left)? && !self.is_member(element, right)?)
            }
            Lazy::BigUnion(sets) => {
                if let Some(Lazy::Set(sets)) = sets.as_lazy() {
                    for inner in sets {
                        if self.is_member(element, inner)? {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                let mut found = false;
                self.for_each_element(sets, &mut |this, inner| {
                    found = this.is_member(element, &Datum::Value(inner))?;
                    Ok(if found { Flow::Stop } else { Flow::Go })
                })?;
                Ok(found)
            }
            Lazy::Filter(base, body) => {
                if !self.is_member(element, base)? {
                    return Ok(false);
                }
                let element = self.canonical(element.clone())?;
                self.satisfies(body, &element)
            }
            Lazy::Set(elements) => {
                for listed in elements {
                    if self.equal(element, listed)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_) => Err(type_error(format!(
                "{} is no set, so nothing is an element of it",
                self.short(set)
            ))),
        }
    }

    fn no_element(&self, element: &Datum<'p>, set: &Datum<'p>) -> Box<Failure> {
        type_error(format!(
            "cannot tell whether {} is an element of {}",
            self.short(element),
            self.short(set)
        ))
    }

    /// A model value is in no lazy set; any other value of the wrong kind is an error.
    fn model_in(&self, element: &Datum<'p>, set: &Datum<'p>) -> Outcome<bool> {
        match element.as_value().map(Value::kind) {
            Some(ValueKind::Model) => Ok(false),
            _ => Err(self.no_element(element, set)),
        }
    }

    fn is_member_of_infinite(
        &self,
        element: &Datum<'p>,
        infinite: Infinite,
        set: &Datum<'p>,
    ) -> Outcome<bool> {
        let value = element.as_value();
        match (infinite, value.map(Value::kind)) {
            (Infinite::Any, _) => Ok(true),
            (Infinite::Nat, Some(ValueKind::Int)) => {
                Ok(value.and_then(Value::as_int).is_some_and(|int| int >= 0))
            }
            (Infinite::Int, Some(ValueKind::Int)) | (Infinite::Strings, Some(ValueKind::Str)) => Ok(true),
            _ => self.model_in(element, set),
        }
    }

    fn is_function_between(
        &mut self,
        element: &Datum<'p>,
        domain: &Datum<'p>,
        range: &Datum<'p>,
        set: &Datum<'p>,
    ) -> Outcome<bool> {
        if !self.is_function(element) {
            return self.model_in(element, set);
        }
        let own = self.domain(element)?;
        if !self.equal(&own, domain)? {
            return Ok(false);
        }
        if let Datum::Value(function) = element {
            let parts = function.as_tuple().unwrap_or_default().iter();
            let entries = function.as_entries().unwrap_or_default().iter();
            for value in parts.chain(entries.map(|(_, value)| value)) {
                if !self.is_member(&Datum::Value(value.clone()), range)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let mut all = true;
        self.for_each_element(&own, &mut |this, key| {
            let value = this.apply(element, &Datum::Value(key))?;
            all = this.is_member(&value, range)?;
            Ok(if all { Flow::Go } else { Flow::Stop })
        })?;
        Ok(all)
    }

    fn is_record_of(
        &mut self,
        element: &Datum<'p>,
        fields: &[(Value, Datum<'p>)],
        set: &Datum<'p>,
    ) -> Outcome<bool> {
        if !self.is_function(element) {
            return self.model_in(element, set);
        }
        let own = self.domain(element)?;
        let own = self.canonical(own)?;
        let names: Vec<Value> = fields.iter().map(|(name, _)| name.clone()).collect();
        if !equal_values(&own, &Value::set_of_sorted(names))? {
            return Ok(false);
        }
        for (name, values) in fields {
            let value = self.apply(element, &Datum::Value(name.clone()))?;
            if !self.is_member(&value, values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_tuple_of(&mut self, element: &Datum<'p>, factors: &[Datum<'p>], set: &Datum<'p>) -> Outcome<bool> {
        let Some(parts) = self.sequence_parts(element)? else {
            return self.model_in(element, set);
        };
        if parts.len() != factors.len() {
            return Ok(false);
        }
        for (part, factor) in parts.iter().zip(factors) {
            if !self.is_member(part, factor)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The parts of a sequence, if it is one.
    pub(crate) fn sequence_parts(&mut self, datum: &Datum<'p>) -> Outcome<Option<Vec<Datum<'p>>>> {
        Ok(match datum {
            Datum::Value(value) => value
                .as_tuple()
                .map(|parts| parts.iter().cloned().map(Datum::Value).collect()),
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Tuple(parts) => Some(parts.clone()),
                Lazy::Function(_) => {
                    let value = self.canonical(datum.clone())?;
                    value
                        .as_tuple()
                        .map(|parts| parts.iter().cloned().map(Datum::Value).collect())
                }
                _ => None,
            },
        })
    }

    /// Whether the element satisfies a suspended predicate.
    pub(crate) fn satisfies(&mut self, body: &Suspended<'p>, element: &Value) -> Outcome<bool> {
        let result = self.resume(body, None, std::slice::from_ref(element))?;
        self.expect_bool(&result, "the predicate of a set")
    }

    /// Whether every element of one set is in the other.
    pub(crate) fn is_subset(&mut self, part: &Datum<'p>, whole: &Datum<'p>) -> Outcome<bool> {
        match (part, whole) {
            (Datum::Value(part_value), Datum::Value(whole_value)) => {
                // The empty set is a subset of anything, even of a value that is not a set.
                let (Some(part), Some(whole)) = (part_value.as_set(), whole_value.as_set()) else {
                    if part_value.as_set().is_some_and(<[Value]>::is_empty) {
                        return Ok(true);
                    }
                    return Err(type_error(format!(
                        "{part_value} \\subseteq {whole_value} needs two sets"
                    )));
                };
                for element in part {
                    if !is_listed(element, whole)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                if !part.is_set() || !whole.is_set() {
                    return Err(type_error(format!(
                        "{} \\subseteq {} needs two sets",
                        self.short(part),
                        self.short(whole)
                    )));
                }
                if let (Some(Lazy::Interval(a, b)), Some(Lazy::Interval(c, d))) =
                    (part.as_lazy(), whole.as_lazy())
                {
                    return Ok(a > b || (c <= a && b <= d));
                }
                if let (Some(Lazy::Powerset(a)), Some(Lazy::Powerset(b))) = (part.as_lazy(), whole.as_lazy())
                {
                    return self.is_subset(a, b);
                }
                if !self.is_enumerable(part) {
                    return Err(Failure::new(
                        ErrorClass::Infinite,
                        format!(
                            "cannot go through the elements of {} to see whether they are all in {}",
                            self.short(part),
                            self.short(whole)
                        ),
                    ));
                }
                let mut all = true;
                self.for_each_element(part, &mut |this, element| {
                    all = this.is_member(&Datum::Value(element), whole)?;
                    Ok(if all { Flow::Go } else { Flow::Stop })
                })?;
                Ok(all)
            }
        }
    }
}

/// Whether a set is enumerated or an interval.
fn is_listed_set(set: &Datum<'_>) -> bool {
    match set {
        Datum::Value(_) => true,
        Datum::Lazy(lazy) => matches!(**lazy, Lazy::Interval(..) | Lazy::Set(_)),
    }
}

/// Whether sorted elements contain a value. If they do not, the value must be comparable with its neighbours.
pub(crate) fn is_listed(element: &Value, elements: &[Value]) -> Outcome<bool> {
    const FEW: usize = 8;
    if elements.len() > FEW {
        // One binary search finds the element or its neighbours.
        return match elements.binary_search(element) {
            Ok(_) => Ok(true),
            Err(at) => is_comparable_at(element, elements, at).map(|()| false),
        };
    }
    if position_in(elements, element).is_some() {
        return Ok(true);
    }
    match (elements.first(), elements.last()) {
        (None, _) => Ok(false),
        // Numbers, strings and Booleans are always comparable with their own kind.
        (Some(first), Some(last))
            if first.kind() == element.kind()
                && last.kind() == element.kind()
                && matches!(element.kind(), ValueKind::Int | ValueKind::Str | ValueKind::Bool) =>
        {
            Ok(false)
        }
        _ => {
            let at = elements.partition_point(|listed| listed < element);
            is_comparable_at(element, elements, at).map(|()| false)
        }
    }
}

/// Fails if an element is not comparable with its neighbours.
fn is_comparable_at(element: &Value, elements: &[Value], at: usize) -> Outcome<()> {
    let before = at.checked_sub(1).and_then(|at| elements.get(at));
    for neighbour in before.into_iter().chain(elements.get(at)) {
        equal_values(element, neighbour)?;
    }
    Ok(())
}
