//! Values that look alike and are different: the number 1 and the text "1", the text "a" and the model value a.
//!
//! If a trace has one where the specification has the other, the verdict is a violation or an error that does not name the cause.

#[cfg(feature = "tla")]
use omnilink_evidence::Verdict;
use omnilink_evidence::{Evidence, Violation};
use omnilink_trace::Operation;
use omnilink_value::{Value, ValueKind};

use crate::input::Input;

/// Later in a history, another cause is likelier.
const OPERATIONS_MAX: usize = 10_000;

/// A note if the operation that has no explanation returned a number where only the text that looks like it was passed in, or the
/// other way round.
pub(crate) fn number_or_text(input: &Input, evidence: &Evidence) -> Option<String> {
    let Some(Violation::Operation(counterexample)) = &evidence.violation else {
        return None;
    };
    let place = counterexample.op.place.as_ref()?;
    let first = first_operations(input)?;
    let unexplained = first
        .iter()
        .find(|operation| operation.location.to_string() == *place)?;
    let twin = twin_of(unexplained.ret.as_ref()?)?;
    let returned = unexplained.ret.as_ref()?;
    let mut others = first
        .iter()
        .filter(|operation| operation.location != unexplained.location);
    let passed = others.find(|operation| holds(operation.args.as_value(), &twin))?;
    let is_passed_too = first
        .iter()
        .any(|operation| holds(operation.args.as_value(), returned));
    (!is_passed_too).then(|| {
        format!(
            "{place}: {returned} was returned and {twin} was passed in ({}): {} and {} are never equal; record both in the same way",
            passed.location,
            kind(returned),
            kind(&twin)
        )
    })
}

/// A note if an input that is not valid has texts that look like model values of the specification.
#[cfg(feature = "tla")]
pub(crate) fn text_or_model_value(input: &Input, evidence: &Evidence, models: &[Value]) -> Option<String> {
    if !matches!(evidence.verdict, Verdict::Violation | Verdict::Error) || models.is_empty() {
        return None;
    }
    let first = first_operations(input)?;
    let (operation, model) = first.iter().find_map(|operation| {
        let found = models.iter().find(|model| {
            let text = Value::str(&model.to_string());
            let is_returned = operation.ret.as_ref().is_some_and(|ret| holds(ret, &text));
            is_returned || holds(operation.args.as_value(), &text)
        });
        Some((operation, found?))
    })?;
    Some(format!(
        "{}: \"{model}\" is a text, and the {model} of the configuration is a model value, which is equal to no text; write texts there \
         ({{\"{model}\"}} instead of {{{model}}})",
        operation.location
    ))
}

fn first_operations(input: &Input) -> Option<Vec<Operation>> {
    let trace = input.open().ok()?;
    Some(trace.take(OPERATIONS_MAX).map_while(Result::ok).collect())
}

/// The text of a number, or the number of a text.
fn twin_of(value: &Value) -> Option<Value> {
    match (value.as_int(), value.as_str()) {
        (Some(number), _) => Some(Value::str(&number.to_string())),
        (None, Some(text)) => text.parse().ok().map(Value::int),
        (None, None) => None,
    }
}

/// Whether `value` is `wanted`, or has it as a part.
fn holds(value: &Value, wanted: &Value) -> bool {
    let among = |values: &[Value]| values.iter().any(|value| holds(value, wanted));
    value == wanted
        || value.as_tuple().is_some_and(among)
        || value
            .as_record()
            .is_some_and(|record| record.iter().any(|(_, value)| holds(value, wanted)))
}

fn kind(value: &Value) -> &'static str {
    match value.kind() {
        ValueKind::Int => "a number",
        _ => "a text",
    }
}
