//! Functions: application, domain and EXCEPT.

use std::cell::RefCell;

use omnilink_value::{Value, ValueKind};
use rustc_hash::FxHashMap;

use super::datum::{Datum, Lazy, LazyFunction, Suspended};
use super::equality::keys;
use super::error::{ErrorClass, Outcome, domain_error, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::membership::is_listed;
use super::slot::Slot;

/// Computes the new value at the end of an EXCEPT path from the old one.
pub(crate) type Replace<'r, 'p> = &'r mut dyn FnMut(&mut Evaluator<'p>, Datum<'p>) -> Outcome<Datum<'p>>;

impl<'p> Evaluator<'p> {
    /// Whether a value can be applied.
    pub(crate) fn is_function(&self, datum: &Datum<'p>) -> bool {
        match datum {
            Datum::Value(value) => matches!(
                value.kind(),
                ValueKind::Tuple | ValueKind::Record | ValueKind::Function
            ),
            Datum::Lazy(lazy) => matches!(**lazy, Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_)),
        }
    }

    /// `f[x]`.
    pub(crate) fn apply(&mut self, function: &Datum<'p>, argument: &Datum<'p>) -> Outcome<Datum<'p>> {
        match function {
            Datum::Value(value) => {
                let argument = self.canonical(argument.clone())?;
                apply_value(value, &argument).map(|value| Datum::Value(value.clone()))
            }
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Function(rule) => {
                    let argument = self.canonical(argument.clone())?;
                    self.apply_rule(function, rule, argument)
                }
                Lazy::Tuple(parts) => {
                    let index = argument.as_value().and_then(Value::as_int);
                    let part = index
                        .and_then(|index| usize::try_from(index).ok()?.checked_sub(1))
                        .and_then(|index| parts.get(index));
                    part.cloned()
                        .ok_or_else(|| outside(&self.short(function), &self.short(argument)))
                }
                Lazy::Mapping(entries) => {
                    let key = self.canonical(argument.clone())?;
                    let entry = entries.binary_search_by(|(k, _)| k.cmp(&key));
                    match entry {
                        Ok(at) => Ok(entries[at].1.clone()),
                        Err(_) => Err(outside(&self.short(function), &self.short(argument))),
                    }
                }
                _ => Err(type_error(format!(
                    "{} is no function, so it cannot be applied to {}",
                    self.short(function),
                    self.short(argument)
                ))),
            },
        }
    }

    fn apply_rule(
        &mut self,
        function: &Datum<'p>,
        rule: &LazyFunction<'p>,
        argument: Value,
    ) -> Outcome<Datum<'p>> {
        if let Some((_, value)) = rule.changed.iter().rev().find(|(key, _)| *key == argument) {
            return Ok(value.clone());
        }
        if let Some(known) = rule.known.borrow().get(&argument) {
            return Ok(known.clone());
        }
        let elements = self.rule_arguments(function, rule, &argument)?;
        for (element, range) in elements.iter().zip(rule.ranges()) {
            if !self.is_member(&Datum::Value(element.clone()), range)? {
                return Err(outside(&self.short(function), &argument.to_string()));
            }
        }
        let value = self.resume(&rule.body, Some(function), &elements)?;
        // Values of a function with an infinite domain are not cached.
        const KNOWN_MAX: usize = 1 << 20;
        let mut known = rule.known.borrow_mut();
        if known.len() < KNOWN_MAX {
            known.insert(argument, value.clone());
        }
        Ok(value)
    }

    fn rule_arguments(
        &self,
        function: &Datum<'p>,
        rule: &LazyFunction<'p>,
        argument: &Value,
    ) -> Outcome<Vec<Value>> {
        let count = rule.ranges().len();
        if count == 1 {
            return Ok(vec![argument.clone()]);
        }
        match argument.as_tuple() {
            Some(parts) if parts.len() >= count => Ok(parts[..count].to_vec()),
            _ => Err(outside(&self.short(function), &argument.to_string())),
        }
    }

    /// Evaluates a suspended body for some elements.
    pub(crate) fn resume(
        &mut self,
        body: &Suspended<'p>,
        itself: Option<&Datum<'p>>,
        elements: &[Value],
    ) -> Outcome<Datum<'p>> {
        let bounded = body.bounded;
        self.check_stack()?;
        // A suspended body refers to the state that it was written for, wherever it is used.
        let primed = std::mem::replace(&mut self.primed, body.primed);
        let saved = self.push_frame(bounded.frame as usize);
        for (slot, content) in body.captures.iter() {
            self.set_slot(*slot, content.clone());
        }
        if let (Some(slot), Some(itself)) = (bounded.self_slot, itself) {
            self.set_slot(slot, Slot::Datum(itself.clone()));
        }
        let mut result = Ok(());
        for ((_, pattern), element) in bounded.binds.iter().zip(elements) {
            result = result.and_then(|()| self.bind_pattern(pattern, element));
        }
        let result = result.and_then(|()| self.eval(&bounded.body));
        let result = result.map_err(|failure| self.in_binding(failure, bounded));
        self.pop_frame(saved);
        self.primed = primed;
        result
    }

    /// `DOMAIN f`.
    pub(crate) fn domain(&mut self, function: &Datum<'p>) -> Outcome<Datum<'p>> {
        match function {
            Datum::Value(value) => match value.as_tuple() {
                Some(elements) => Ok(Datum::lazy(Lazy::Interval(1, elements.len() as i64))),
                None if value.as_entries().is_some() => Ok(Datum::Value(Value::set_of_sorted(keys(value)))),
                None => Err(type_error(format!("{value} is no function, so it has no domain"))),
            },
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Tuple(parts) => Ok(Datum::lazy(Lazy::Interval(1, parts.len() as i64))),
                Lazy::Mapping(entries) => Ok(Datum::Value(Value::set_of_sorted(
                    entries.iter().map(|(key, _)| key.clone()),
                ))),
                Lazy::Function(rule) => {
                    let mut ranges: Vec<Datum<'p>> = rule.ranges().cloned().collect();
                    Ok(match (ranges.pop(), ranges.is_empty()) {
                        (Some(only), true) => only,
                        (last, _) => {
                            ranges.extend(last);
                            Datum::lazy(Lazy::Product(ranges))
                        }
                    })
                }
                _ => Err(type_error(format!(
                    "{} is no function, so it has no domain",
                    self.short(function)
                ))),
            },
        }
    }

    /// Materialises a function given by a rule.
    pub(crate) fn materialize_function(&mut self, function: &Datum<'p>) -> Outcome<Value> {
        let domain = self.domain(function)?;
        let mut entries = Vec::new();
        self.for_each_element(&domain, &mut |this, key| {
            let value = this.apply(function, &Datum::Value(key.clone()))?;
            entries.push((key, this.canonical(value)?));
            Ok(Flow::Go)
        })?;
        Ok(Value::function_of_sorted(entries))
    }

    /// `[f EXCEPT ![k1][k2] = e]` for one path whose keys are known.
    pub(crate) fn replace(
        &mut self,
        function: Datum<'p>,
        path: &[Value],
        replace: Replace<'_, 'p>,
    ) -> Outcome<Datum<'p>> {
        let Some((key, rest)) = path.split_first() else {
            return replace(self, function);
        };
        match &function {
            Datum::Value(value) => {
                if value.len().is_none() || value.as_set().is_some() {
                    return Err(type_error(format!(
                        "EXCEPT needs a function, but {value} is {}",
                        super::equality::kind_words(value)
                    )));
                }
                let Some(index) = value.index_of(key) else {
                    // A key outside the domain changes nothing, but must be comparable with the keys inside.
                    return match apply_value(value, key) {
                        Err(failure) if failure.class == ErrorClass::Type => Err(failure),
                        _ => Ok(function),
                    };
                };
                let old = entry(value, index);
                let new = self.replace(Datum::Value(old), rest, replace)?;
                match new {
                    Datum::Value(new) => Ok(Datum::Value(
                        value.with_entry(index, new).unwrap_or_else(|| value.clone()),
                    )),
                    lazy @ Datum::Lazy(_) => match self.canonical(lazy.clone()) {
                        Ok(new) => Ok(Datum::Value(
                            value.with_entry(index, new).unwrap_or_else(|| value.clone()),
                        )),
                        Err(_) => Ok(self.with_lazy_entry(value, index, lazy)),
                    },
                }
            }
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Function(rule) => {
                    let domain = self.domain(&function)?;
                    if !self.is_member(&Datum::Value(key.clone()), &domain)? {
                        return Ok(function.clone());
                    }
                    let old = self.apply(&function, &Datum::Value(key.clone()))?;
                    let new = self.replace(old, rest, replace)?;
                    Ok(self.changed_rule(rule, key.clone(), new))
                }
                Lazy::Tuple(parts) => {
                    let mut parts = parts.clone();
                    let index = key.as_int().and_then(|i| usize::try_from(i).ok()?.checked_sub(1));
                    if let Some(part) = index.and_then(|index| parts.get(index)).cloned() {
                        let new = self.replace(part, rest, replace)?;
                        if let Some(place) = index.and_then(|index| parts.get_mut(index)) {
                            *place = new;
                        }
                    }
                    Ok(Datum::lazy(Lazy::Tuple(parts)))
                }
                Lazy::Mapping(entries) => {
                    let mut entries = entries.clone();
                    if let Ok(at) = entries.binary_search_by(|(k, _)| k.cmp(key)) {
                        let old = entries[at].1.clone();
                        entries[at].1 = self.replace(old, rest, replace)?;
                    }
                    Ok(Datum::lazy(Lazy::Mapping(entries)))
                }
                _ => Err(type_error(format!(
                    "EXCEPT needs a function, but {} is a set",
                    self.short(&function)
                ))),
            },
        }
    }

    fn with_lazy_entry(&self, value: &Value, index: usize, new: Datum<'p>) -> Datum<'p> {
        let mut entries: Vec<(Value, Datum<'p>)> = keys(value)
            .into_iter()
            .enumerate()
            .map(|(at, key)| (key, Datum::Value(entry(value, at))))
            .collect();
        if let Some(place) = entries.get_mut(index) {
            place.1 = new;
        }
        Datum::lazy(Lazy::Mapping(entries))
    }

    fn changed_rule(&self, rule: &LazyFunction<'p>, key: Value, new: Datum<'p>) -> Datum<'p> {
        let mut changed = rule.changed.clone();
        changed.push((key, new));
        Datum::lazy(Lazy::Function(LazyFunction {
            domains: rule.domains.clone(),
            body: rule.body.clone(),
            known: RefCell::new(FxHashMap::default()),
            changed,
        }))
    }
}

/// The value at a valid index.
fn entry(function: &Value, index: usize) -> Value {
    function
        .part(index)
        .cloned()
        .unwrap_or_else(|| Value::bool(false))
}

/// The function applied to an argument.
pub(crate) fn apply_value<'v>(function: &'v Value, argument: &Value) -> Outcome<&'v Value> {
    if let Some(value) = function.apply(argument) {
        return Ok(value);
    }
    Err(match function.kind() {
        ValueKind::Tuple if argument.as_int().is_none() => type_error(format!(
            "the sequence {function} is applied to {argument}, which is no integer"
        )),
        ValueKind::Record if argument.as_str().is_none() => type_error(format!(
            "the record {function} is applied to {argument}, which is no string"
        )),
        ValueKind::Function => {
            if let Some(value) = ignoring_more(function, argument) {
                return Ok(value);
            }
            match is_listed(argument, &keys(function)) {
                Err(incomparable) if !takes_several(function) => incomparable,
                _ => outside(&function.to_string(), &argument.to_string()),
            }
        }
        ValueKind::Tuple | ValueKind::Record => outside(&function.to_string(), &argument.to_string()),
        _ => type_error(format!(
            "{function} is {}, so it cannot be applied to {argument}",
            super::equality::kind_words(function)
        )),
    })
}

/// Whether the keys of a function are tuples, as for one with several arguments.
fn takes_several(function: &Value) -> bool {
    let first = function.as_entries().and_then(<[(Value, Value)]>::first);
    first.is_some_and(|(key, _)| key.as_tuple().is_some_and(|parts| parts.len() >= 2))
}

/// Applies a function to more arguments than it takes: TLC ignores the others.
fn ignoring_more<'v>(function: &'v Value, argument: &Value) -> Option<&'v Value> {
    let given = argument.as_tuple()?;
    let (first, _) = function.as_entries()?.first()?;
    let taken = first.as_tuple().filter(|key| key.len() >= 2)?.len();
    let taken = given.get(..taken).filter(|taken| taken.len() < given.len())?;
    function.apply(&Value::tuple(taken.iter().cloned()))
}

fn outside(function: &str, argument: &str) -> Box<super::error::Failure> {
    const SHOWN: usize = 300;
    let shown = super::print::shortened(function.to_owned(), SHOWN);
    domain_error(format!("{argument} is not in the domain of {shown}"))
}

/// The parts of a tuple pattern's value.
pub(crate) fn tuple_parts(element: &Value, size: usize) -> Outcome<&[Value]> {
    match element.as_tuple() {
        Some(parts) if parts.len() == size => Ok(parts),
        _ => Err(type_error(format!(
            "{element} is no tuple of {size}, as the names bound to it need"
        ))),
    }
}
