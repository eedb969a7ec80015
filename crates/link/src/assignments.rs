//! The values that unknown arguments of a pending operation may have.

use omnilink_tla::eval::error::{ErrorClass, Failure, Outcome};
use omnilink_tla::eval::{Evaluator, State};
use omnilink_value::Value;

use crate::binding::OpBinding;
use omnilink_settings::toml_key;

/// Runs for every assignment of the unknown arguments of a pending operation.
pub(crate) fn each_assignment<'l>(
    evaluator: &mut Evaluator<'l>,
    binding: &OpBinding,
    arguments: &[Option<Value>],
    state: &State,
    run: &mut dyn FnMut(&mut Evaluator<'l>, &[Value]) -> Outcome<()>,
) -> Outcome<()> {
    let known: Option<smallvec::SmallVec<[Value; 6]>> = arguments.iter().cloned().collect();
    if let Some(known) = known {
        return run(evaluator, &known);
    }
    let mut choices: Vec<Vec<Value>> = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        choices.push(match argument {
            Some(value) => vec![value.clone()],
            None => values_in_range(evaluator, binding, number, state)?,
        });
    }
    let mut chosen = Vec::with_capacity(choices.len());
    product(&choices, &mut chosen, &mut |arguments| run(evaluator, arguments))
}

/// What a parameter may be that an operation has no value for.
fn values_in_range(
    evaluator: &mut Evaluator<'_>,
    binding: &OpBinding,
    number: usize,
    state: &State,
) -> Outcome<Vec<Value>> {
    let param = binding.params.get(number);
    let unknown = |problem: &str| {
        let (op, name) = (&binding.op, param.map_or("?", |param| &param.name));
        let message = format!(
            "what `{name}` of {op} may be is not known: {problem}; say it in the link file, [ops.{}]: unknown = {{ {name} = \"…\" }}",
            toml_key(op)
        );
        Failure::new(ErrorClass::Type, message)
    };
    let range = param.and_then(|param| param.range);
    let range = range.ok_or_else(|| unknown("it has no range"))?;
    evaluator.set_state(state);
    let set = evaluator.value(range.formula())?;
    let elements = set
        .as_set()
        .ok_or_else(|| unknown("its range cannot be listed"))?;
    Ok(elements.to_vec())
}

fn product(
    choices: &[Vec<Value>],
    chosen: &mut Vec<Value>,
    run: &mut dyn FnMut(&[Value]) -> Outcome<()>,
) -> Outcome<()> {
    let Some((first, others)) = choices.split_first() else {
        return run(chosen);
    };
    for value in first {
        chosen.push(value.clone());
        product(others, chosen, run)?;
        chosen.pop();
    }
    Ok(())
}
