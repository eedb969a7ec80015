//! Why a line cannot be the next step of a state.

use omnilink_evidence::RefusalReason;
use omnilink_tla::eval::{FalseSubformula, State};
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;

use crate::batch::Batch;
use crate::expansion::{Expander, Steps};
use crate::formula::LineFormula;
use crate::log_spec::LogSpec;
use crate::prepared_line::{LineKind, PreparedLine};
use crate::stage_action::StageAction;

/// The most reasons that are given for one state.
const REASONS_MAX: usize = 6;

const NO_STUTTERING: &str = "the line changes a variable, but is a step that changes nothing";

/// Why a state refuses a line, and how near it is to accepting it: the number of variables that would have to be different, if the line's
/// updates are all that stands in the way.
pub(crate) fn refusal(expander: &mut Expander<'_>, state: &State, line: &PreparedLine) -> RefusalReason {
    let spec = expander.spec;
    let because = |reason: &str| RefusalReason::from(reason.to_owned());
    if matches!(line.kind, LineKind::Failure) {
        return because("the line says that the run failed");
    }
    if let Some(contradiction) = &line.contradiction {
        return because(contradiction);
    }
    for part in line.parts() {
        if let Some(reason) = part
            .requires()
            .and_then(|requires| false_requirement(expander, requires, part, state))
        {
            return RefusalReason::from(reason);
        }
    }
    if let Some(reason) = false_promise(expander, state, line) {
        return RefusalReason::from(reason);
    }
    let Some(meaning) = line.meaning().cloned() else {
        return because(NO_STUTTERING);
    };
    let context = &line.context;
    let given = match expander.given(state, line) {
        Ok(Ok(given)) => given,
        Ok(Err(problem)) => return RefusalReason::from(problem.to_string()),
        Err(error) => return RefusalReason::from(error.to_string()),
    };
    // Of several actions, the first that is not possible after those before it.
    let mut from = state.clone();
    let mut number = 0;
    while number + 1 < meaning.stages.len() {
        let after = expander.states_after(state, line, &meaning.stages[..=number]);
        let Some(next) = after.ok().and_then(|states| states.into_iter().next()) else {
            break;
        };
        from = next;
        number += 1;
    }
    let Some(stage) = meaning.stages.get(number) else {
        return because(NO_STUTTERING);
    };
    let is_last = number + 1 == meaning.stages.len();
    let (given, known) = if is_last {
        (given, line.arguments.as_slice())
    } else {
        (Vec::new(), &[] as &[_])
    };
    let computed;
    let steps = match &stage.action {
        StageAction::Any => Steps::Of(spec.next, Vec::new()),
        StageAction::Event(number) => expander.event(*number, known),
        StageAction::Applied(number, formulas) => {
            expander.evaluator.set_state(&from);
            match expander.computed(formulas, line) {
                Ok(arguments) => {
                    computed = arguments;
                    expander.event(*number, &computed)
                }
                Err(error) => return RefusalReason::from(error.to_string()),
            }
        }
        StageAction::Formula(formula) => Steps::Of(formula.operation, formula.arguments(context)),
    };
    let (operation, arguments) = match steps {
        Steps::Of(operation, arguments) => (operation, arguments),
        // What stands in the way of any step.
        Steps::Through(..) => (spec.next, Vec::new()),
    };
    let (mut reasons, mut places): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut parts = expander
        .evaluator
        .refusals_given(operation, &arguments, &from, &given);
    // What is nearest to being possible comes first.
    parts.sort_by_key(|part| (is_membership(part), part.also_false));
    for part in &parts {
        let mut reason = shown(spec, part);
        if part.also_false > 0 {
            let others = if part.also_false == 1 {
                "conjunct"
            } else {
                "conjuncts"
            };
            reason.push_str(&format!(", and {} more {others}", part.also_false));
        }
        if !reasons.contains(&reason) {
            reasons.push(reason);
            places.push(place(spec, part).unwrap_or_default());
        }
    }
    reasons.truncate(REASONS_MAX);
    places.truncate(REASONS_MAX);
    if let Some(outside) = outside(spec, line, &stage.action, &reasons) {
        reasons.push(outside);
    }
    if reasons.is_empty() {
        because("no branch of the action is possible")
    } else {
        RefusalReason {
            reason: reasons.join("; or "),
            places,
        }
    }
}

/// What the link file requires before a line, with its values, if it is false.
fn false_requirement(
    expander: &mut Expander<'_>,
    requires: &LineFormula,
    part: &PreparedLine,
    state: &State,
) -> Option<String> {
    expander.evaluator.set_state(state);
    match requires.holds(&mut expander.evaluator, &part.context) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "what the link file requires before {} is false{}",
            part.place,
            false_parts(
                expander,
                requires.operation,
                &requires.arguments(&part.context),
                state,
                &[]
            )
        )),
        Err(failure) => Some(format!(
            "what the link file requires before {} cannot be evaluated: {}",
            part.place,
            expander.spec.failure_text(&failure)
        )),
    }
}

/// What the link file says of the step of a line, with its values, if the line has steps and it is false for all of them.
fn false_promise(expander: &mut Expander<'_>, state: &State, line: &PreparedLine) -> Option<String> {
    if line.parts().all(|part| part.ensures().is_none()) {
        return None;
    }
    let steps = expander.steps(state, line, Batch::ALL).ok()?.found;
    let mut reason = None;
    for step in steps {
        let next: Vec<(u32, Value)> = (0u32..).zip(step.state.iter().cloned()).collect();
        for part in line.parts() {
            let Some(ensures) = part.ensures() else { continue };
            expander.evaluator.set_state(state);
            expander.evaluator.set_next(&step.state);
            let why = match ensures.holds(&mut expander.evaluator, &part.context) {
                Ok(true) => continue,
                Ok(false) => format!(
                    " is false{}",
                    false_parts(
                        expander,
                        ensures.operation,
                        &ensures.arguments(&part.context),
                        state,
                        &next
                    )
                ),
                Err(failure) => format!(" cannot be evaluated: {}", expander.spec.failure_text(&failure)),
            };
            reason.get_or_insert_with(|| {
                format!(
                    "the action is possible, but what the link file says of the step of {} (ensures){why}",
                    part.place
                )
            });
        }
    }
    reason
}

/// The parts of a formula that are false, with their values.
fn false_parts(
    expander: &mut Expander<'_>,
    operation: OperatorId,
    arguments: &[Value],
    state: &State,
    next: &[(u32, Value)],
) -> String {
    let parts = expander
        .evaluator
        .refusals_given(operation, arguments, state, next);
    let mut shown_parts: Vec<String> = Vec::new();
    for part in parts.iter().take(REASONS_MAX) {
        let text = shown(expander.spec, part);
        if !shown_parts.contains(&text) {
            shown_parts.push(text);
        }
    }
    match shown_parts.as_slice() {
        [] => String::new(),
        parts => format!(": {}", parts.join("; or ")),
    }
}

/// An invariant that is false after a step that the line could be otherwise.
#[derive(Debug)]
pub(crate) struct BrokenInvariant {
    pub name: String,
    /// What is false of it, with its values.
    pub reason: String,
}

/// The invariant that is false after every step that the line could be otherwise; `None` if it could be none, or an invariant is not why.
pub(crate) fn broken_invariant(
    expander: &mut Expander<'_>,
    state: &State,
    line: &PreparedLine,
) -> Option<BrokenInvariant> {
    let spec = expander.spec;
    let successors = expander.successors(state, line, Batch::ALL).ok()?.found;
    let mut broken = None;
    for successor in successors {
        let mut invariants = spec.invariants.iter();
        let invariant = invariants.find(|invariant| {
            let holds = expander.evaluator.holds(invariant.formula, &successor.state);
            holds.is_ok_and(|holds| !holds)
        })?;
        if broken.is_none() {
            let parts = false_parts(
                expander,
                invariant.formula.operation(),
                &[],
                &successor.state,
                &[],
            );
            broken = Some(BrokenInvariant {
                name: invariant.name.clone(),
                reason: format!(
                    "the step fits, and the invariant {} is false after it{parts}",
                    invariant.name
                ),
            });
        }
    }
    broken
}

/// That arguments are given which no quantifier of the next-state relation offers.
fn outside(spec: &LogSpec, line: &PreparedLine, action: &StageAction, reasons: &[String]) -> Option<String> {
    let StageAction::Event(number) = action else {
        return None;
    };
    if !reasons.is_empty() {
        return None;
    }
    let params = spec.actions[*number].params.iter().zip(&line.arguments);
    let given: Vec<String> = params
        .filter_map(|(param, value)| Some(format!("{param} = {}", value.as_ref()?)))
        .collect();
    (!given.is_empty()).then(|| format!("the next-state relation has no step with {}", given.join(", ")))
}

/// Whether a part says that a given argument is none of those that a quantifier offers: both operands stand where the set does.
fn is_membership(part: &FalseSubformula) -> bool {
    matches!(part.values.as_slice(), [(one, _), (other, _)] if *one == part.text && *other == part.text)
}

/// A false conjunct with its place and the values in it, on one line.
fn shown(spec: &LogSpec, part: &FalseSubformula) -> String {
    let mut text = if is_membership(part) {
        format!("{} is not in {}", part.values[0].1, one_line(&part.text))
    } else {
        format!("`{}` is false", one_line(&part.text))
    };
    let values = part.values.iter().chain(&part.bindings);
    let mut values: Vec<String> = values
        .filter(|(name, value)| name != value)
        .map(|(name, value)| format!("{} = {value}", one_line(name)))
        .collect();
    values.dedup();
    if !values.is_empty() && !is_membership(part) {
        text.push_str(&format!(": {}", values.join(", ")));
    }
    if let Some((from, _)) = place(spec, part)
        .as_ref()
        .and_then(|place| place.rsplit_once('-'))
    {
        text.push_str(&format!(" ({from})"));
    }
    text
}

/// Where a part stands: file, line and column of its first and its last character; `None` for what the link file says.
fn place(spec: &LogSpec, part: &FalseSubformula) -> Option<String> {
    let source = spec.program.sources.get(part.at.source);
    let file = source.path().file_name()?.to_string_lossy();
    let (start, end) = (part.at.span.start, part.at.span.end.saturating_sub(1));
    let [from, to] = [start, end.max(start)].map(|offset| source.line_column(offset));
    (source.made_from(start).is_none())
        .then(|| format!("{file}:{}:{}-{}:{}", from.line, from.column, to.line, to.column))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A state as text: one conjunct for each variable.
pub(crate) fn state_text(spec: &LogSpec, state: &[Value]) -> String {
    let variables = spec.program.variables.iter().zip(state);
    let variables: Vec<String> = variables
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match variables.as_slice() {
        [only] => only.clone(),
        several => format!("/\\ {}", several.join(" /\\ ")),
    }
}
