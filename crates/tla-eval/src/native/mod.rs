//! Native operators of the standard and community modules.
//!
//! One file per module. An operator is identified by its module and name, also where a user's own file is that module, as in TLC; but
//! those that TLC does not compute itself are then evaluated from their definitions. An operator with neither a native implementation
//! nor a body is rejected at lowering.

mod arguments;
mod bags;
mod bitwise;
mod csv;
mod entries;
mod files;
mod finite_sets;
mod functions;
mod io;
mod json;
mod json_text;
mod randomization;
mod registry;
mod sequences;
mod sequences_ext;
mod svg;
mod template;
mod tlc;
mod tlc_ext;
mod transitive_closure;
mod value_stream;

use omnilink_tla_ir::native::Native;
use omnilink_tla_ir::{Argument, Node};
use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::Datum;
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::slot::Slot;

/// The arguments of a native operator.
pub(crate) use arguments::Arguments;

/// The implementation of a native operator.
pub(crate) type Compute = for<'a, 'p> fn(&mut Evaluator<'p>, Arguments<'a, 'p>) -> Outcome<Datum<'p>>;

/// Applies a native operator.
pub(crate) fn apply<'p>(
    evaluator: &mut Evaluator<'p>,
    native: Native,
    arguments: &'p [Argument],
    node: &'p Node,
) -> Outcome<Datum<'p>> {
    let entry = registry::entry(native);
    if let Some(direct) = entry.direct
        && let Some(known) = peeked(evaluator, arguments)
        && let Some(value) = direct(&known)
    {
        return Ok(Datum::Value(value));
    }
    let mut contents: SmallVec<[Slot<'p>; 3]> = SmallVec::new();
    for argument in arguments {
        contents.push(evaluator.argument(argument)?);
    }
    if let Some(direct) = entry.direct
        && let Some(known) = canonical(&contents)
        && let Some(value) = direct(&known)
    {
        return Ok(Datum::Value(value));
    }
    (entry.compute)(evaluator, Arguments::new(entry.name, &contents)).map_err(|failure| failure.at(node.at))
}

/// Applies a native operator to values.
pub(crate) fn apply_to_values<'p>(
    evaluator: &mut Evaluator<'p>,
    native: Native,
    operands: &[Value],
) -> Outcome<Datum<'p>> {
    let entry = registry::entry(native);
    let known: SmallVec<[&Value; 3]> = operands.iter().collect();
    if let Some(direct) = entry.direct
        && let Some(value) = direct(&known)
    {
        return Ok(Datum::Value(value));
    }
    let contents: SmallVec<[Slot<'p>; 3]> = operands
        .iter()
        .map(|operand| Slot::Datum(Datum::Value(operand.clone())))
        .collect();
    (entry.compute)(evaluator, Arguments::new(entry.name, &contents))
}

/// The operands, if all are available without evaluation or copying.
fn peeked<'e, 'p>(
    evaluator: &'e Evaluator<'p>,
    arguments: &'p [Argument],
) -> Option<SmallVec<[&'e Value; 3]>> {
    let mut known = SmallVec::new();
    for argument in arguments {
        let Argument::Value(node) = argument else {
            return None;
        };
        known.push(evaluator.peek(node)?);
    }
    Some(known)
}

/// The operands, if all are canonical values.
fn canonical<'s>(contents: &'s [Slot<'_>]) -> Option<SmallVec<[&'s Value; 3]>> {
    let mut known = SmallVec::new();
    for content in contents {
        let Slot::Datum(Datum::Value(value)) = content else {
            return None;
        };
        known.push(value);
    }
    Some(known)
}
