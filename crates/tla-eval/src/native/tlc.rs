//! `TLC`: printing, registers, statistics of the search, and utilities.

use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use omnilink_value::Value;

use super::Arguments;
use super::arguments::sequence_of;
use super::entries::function_of;
use super::registry::Entry;
use crate::datum::Datum;
use crate::equality::check_neighbours;
use crate::error::{ErrorClass, Failure, Outcome, domain_error};
use crate::evaluator::Evaluator;
use crate::materialize::too_large;
use crate::slot::Closure;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("Print", print),
    Entry::new("PrintT", print_t),
    Entry::new("Assert", assert),
    Entry::new("JavaTime", java_time),
    Entry::new("TLCGet", tlc_get),
    Entry::new("TLCSet", tlc_set),
    Entry::new("ToString", to_string),
    Entry::new(":>", maps_to),
    Entry::new("@@", override_left),
    Entry::new("Permutations", permutations),
    Entry::new("SortSeq", sort_seq),
    Entry::new("RandomElement", random_element),
    Entry::new("TLCEval", tlc_eval),
];

fn print<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let (out, value) = (arguments.datum(evaluator, 0)?, arguments.datum(evaluator, 1)?);
    let text = format!("{}  {}", evaluator.text(&out)?, evaluator.text(&value)?);
    evaluator.session.print(&text);
    Ok(value)
}

fn print_t<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let out = arguments.datum(evaluator, 0)?;
    let text = evaluator.text(&out)?;
    evaluator.session.print(&text);
    Ok(Datum::bool(true))
}

/// Anything but TRUE is a failed assertion.
fn assert<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let (value, out) = (arguments.datum(evaluator, 0)?, arguments.datum(evaluator, 1)?);
    if value.as_value().and_then(Value::as_bool) == Some(true) {
        return Ok(value);
    }
    let text = evaluator.text(&out)?;
    Err(Failure::new(
        ErrorClass::Assert,
        format!("the assertion failed: {text}"),
    ))
}

/// Seconds, modulo the range of TLC's integers.
fn java_time<'p>(_: &mut Evaluator<'p>, _: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Datum::int((since.as_secs() & 0x7fff_ffff) as i64))
}

impl<'p> Evaluator<'p> {
    /// A register (by number) or a statistic (by name); `None` if it has no value.
    pub(super) fn register(&self, key: &Value) -> Option<Value> {
        match key.as_str() {
            Some("action") => Some(self.current_action()),
            // An initial condition is about the next state throughout.
            Some(name @ "level") if self.primed && !self.state.is_empty() => {
                let level = self.session.statistic(name)?.as_int()?;
                Some(Value::int(level + 1))
            }
            Some("all") => Some(self.all_registers(|register| register.as_int().is_some())),
            Some("all:named") => Some(self.all_registers(|register| register.as_str().is_some())),
            Some(name) if !is_register_name(name) => self.session.statistic(name),
            _ => self.session.register(key),
        }
    }

    /// The registers of a kind. TLC returns a tuple with one value per worker; workers share their registers here, so there is one
    /// value.
    fn all_registers(&self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let registers = self.session.registers().into_iter();
        let wanted = registers.filter(|(register, _)| is_wanted(register));
        Value::function_of_sorted(wanted.map(|(register, value)| (register, Value::tuple([value]))))
    }

    /// The action of the current step; TLC's record for an unnamed action if there is none.
    fn current_action(&self) -> Value {
        let taken = self.taken.filter(|_| self.session.tells_actions());
        match taken.and_then(|taken| self.program.actions.get(taken.action as usize)) {
            Some(action) => self.program.described(&action.name, Some(action.at)),
            None => self.program.described("UnnamedAction", None),
        }
    }
}

/// Whether a string names a register rather than a statistic.
fn is_register_name(name: &str) -> bool {
    name.starts_with("s:")
}

/// The first argument, which names a register or a statistic.
pub(super) fn register_key<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Value> {
    let key = arguments.datum(evaluator, 0)?;
    match key.as_value() {
        Some(key) if key.as_str().is_some() || key.as_int().is_some_and(|register| register >= 0) => {
            Ok(key.clone())
        }
        _ => Err(arguments.wrong(evaluator, 0, "a natural number or a string", &key)),
    }
}

fn tlc_get<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let key = register_key(evaluator, arguments)?;
    if let Some(refusal) = evaluator.session.refusal(&key) {
        return Err(Failure::new(ErrorClass::Unsupported, refusal));
    }
    evaluator.register(&key).map(Datum::Value).ok_or_else(|| {
        let message = match key.as_str() {
            Some(name) => format!("TLCGet(\"{name}\") has no value: there is no such figure here"),
            None => format!("TLCGet({key}) has no value; TLCSet({key}, …) must come first"),
        };
        Failure::new(ErrorClass::Undefined, message)
    })
}

fn tlc_set<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let key = register_key(evaluator, arguments)?;
    let value = arguments.value(evaluator, 1)?;
    match key.as_str() {
        Some("exit") => {
            if value.as_bool() == Some(true) {
                evaluator.session.request_exit();
            }
        }
        Some(name) if !is_register_name(name) => {
            return Err(domain_error(format!(
                "TLCSet({key}, {value}): only \"exit\" and registers can be set, by a number or a name that begins with s:"
            )));
        }
        _ => evaluator.session.set_register(&key, value),
    }
    // Values cached for the current state may depend on the register.
    evaluator.invalidate_state_caches();
    Ok(Datum::bool(true))
}

fn to_string<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.datum(evaluator, 0)?;
    evaluator.text(&value).map(|text| Datum::str(&text))
}

fn maps_to<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let key = arguments.value(evaluator, 0)?;
    let value = arguments.datum(evaluator, 1)?;
    let value = evaluator.finite(value)?;
    Ok(function_of(vec![(key, value)]))
}

/// `f @@ g`: where both have a value, the left one counts.
fn override_left<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut entries = arguments.entries(evaluator, 0)?;
    entries.extend(arguments.entries(evaluator, 1)?);
    // Stable: of equal keys, the left one stays first and is kept.
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    entries.dedup_by(|later, earlier| later.0 == earlier.0);
    let keys: Vec<Value> = entries.iter().map(|(key, _)| key.clone()).collect();
    check_neighbours(&keys)?;
    Ok(function_of(entries))
}

/// All permutations of some elements, in the order of sequences.
pub(super) fn orders(evaluator: &mut Evaluator<'_>, elements: &[Value]) -> Outcome<Vec<Vec<Value>>> {
    const ELEMENTS_MAX: usize = 10;
    if elements.len() > ELEMENTS_MAX {
        return Err(too_large(&format!(
            "the set of all orders of {} elements",
            elements.len()
        )));
    }
    let mut all = Vec::new();
    let mut order: Vec<usize> = (0..elements.len()).collect();
    loop {
        evaluator.tick()?;
        all.push(order.iter().map(|at| elements[*at].clone()).collect());
        // The next permutation: the last index that can grow takes the least larger element after it; the rest is reversed.
        let Some(at) = (1..order.len()).rev().find(|at| order[at - 1] < order[*at]) else {
            return Ok(all);
        };
        let larger = (at..order.len())
            .rev()
            .find(|i| order[*i] > order[at - 1])
            .unwrap_or(at);
        order.swap(at - 1, larger);
        order[at..].reverse();
    }
}

fn permutations<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    let elements = set.as_set().unwrap_or_default();
    let functions = orders(evaluator, elements)?
        .into_iter()
        .map(|images| Value::function_of_sorted(elements.iter().cloned().zip(images)));
    Ok(Datum::Value(Value::set(functions)))
}

/// Merge sort. An element moves before an earlier one exactly if the operator is true for them, as in insertion sort.
fn sort_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    let before = arguments.operator(1)?;
    merge_sort(evaluator, &before, parts).map(sequence_of)
}

fn merge_sort<'p>(
    evaluator: &mut Evaluator<'p>,
    before: &Rc<Closure<'p>>,
    mut parts: Vec<Datum<'p>>,
) -> Outcome<Vec<Datum<'p>>> {
    if parts.len() < 2 {
        return Ok(parts);
    }
    let right = parts.split_off(parts.len() / 2);
    let mut left = merge_sort(evaluator, before, parts)?.into_iter().peekable();
    let mut right = merge_sort(evaluator, before, right)?.into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
        let is_before = evaluator.apply_closure(before, &[r.clone(), l.clone()])?;
        let from_right = evaluator.expect_bool(&is_before, "the operator of SortSeq")?;
        merged.extend(if from_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn random_element<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    if !set.is_set() {
        return Err(arguments.wrong(evaluator, 0, "a finite set", &set));
    }
    evaluator.random_element(&set).map(Datum::Value)
}

fn tlc_eval<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.datum(evaluator, 0)?;
    evaluator.finite(value)
}
