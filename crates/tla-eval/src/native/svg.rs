//! `SVG`: pictures as text.

use std::fmt::Write;

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::{Outcome, domain_error, type_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("SVGElemToString", elem_to_string),
    Entry::new("NodeOfRingNetwork", node_of_ring_network),
];

fn elem_to_string<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let element = arguments.value(evaluator, 0)?;
    let mut text = String::new();
    write_element(&element, &mut text)?;
    Ok(Datum::str(&text))
}

/// Writes an element with its attributes, its text and its children, as TLC does: `_` in the name of an attribute becomes `-`.
fn write_element(element: &Value, text: &mut String) -> Outcome<()> {
    let name = string(element, "name")?;
    let inner = string(element, "innerText")?;
    let _ = write!(text, "<{name}");
    for (attribute, value) in entries(field(element, "attrs")?)? {
        let (Some(attribute), Some(value)) = (attribute.as_str(), value.as_str()) else {
            return Err(type_error("an attribute of an SVG element must be a string"));
        };
        let _ = write!(text, " {}='{value}'", attribute.replace('_', "-"));
    }
    text.push('>');
    text.push_str(&inner.replace("<<", "&lt;&lt;").replace(">>", "&gt;&gt;"));
    let children = field(element, "children")?;
    match children.as_tuple() {
        Some(children) => children.iter().try_for_each(|child| write_element(child, text))?,
        None => entries(children)?
            .iter()
            .try_for_each(|(_, child)| write_element(child, text))?,
    }
    let _ = write!(text, "</{name}>");
    Ok(())
}

fn field<'v>(element: &'v Value, name: &str) -> Outcome<&'v Value> {
    element
        .apply(&Value::str(name))
        .ok_or_else(|| type_error(format!("an SVG element must be a record with the field `{name}`")))
}

fn string<'v>(element: &'v Value, name: &str) -> Outcome<&'v str> {
    let value = field(element, name)?;
    value
        .as_str()
        .ok_or_else(|| type_error(format!("the field `{name}` of an SVG element must be a string")))
}

/// The entries of a record or function; the empty sequence has none.
fn entries(value: &Value) -> Outcome<&[(Value, Value)]> {
    match value.as_tuple() {
        Some([]) => Ok(&[]),
        _ => value
            .as_entries()
            .ok_or_else(|| type_error("the attributes of an SVG element must be a record")),
    }
}

/// The n-th of m points on a circle.
fn node_of_ring_network<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Datum<'p>> {
    let mut numbers = [0; 5];
    for (index, number) in numbers.iter_mut().enumerate() {
        *number = arguments.int(evaluator, index)?;
    }
    let [x, y, radius, n, m] = numbers;
    if m == 0 {
        return Err(domain_error(
            "NodeOfRingNetwork: a ring of no nodes has no points",
        ));
    }
    let angle = std::f64::consts::TAU / m as f64 * n as f64;
    let at = |centre: i64, offset: f64| Value::int((centre as f64 + radius as f64 * offset) as i64);
    let point = [("x", at(x, angle.cos())), ("y", at(y, angle.sin()))];
    Ok(Datum::Value(Value::record(point)))
}
