//! Counterexamples: the trace to a violation, and why its formula is false.

use omnilink_evidence::Bindings;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, FalseSubformula, Session};
use omnilink_tla::ir::{Formula, Loc, Program};
use omnilink_tla::model::CompiledSpec;
use omnilink_value::Value;

use crate::alias::Alias;
use crate::codec::StateDecodeError;
use crate::liveness::{LassoCounterexample, Node, StateGraph};
use crate::outcome::{SearchOutcome, SearchViolation, ViolationKind};
use crate::path::{PathState, find_step, path_to};
use crate::report::{ActionTaken, Behaviour, FalsePart, LassoReason, PropertyKind};
use crate::session::{set_level, set_trace};
use crate::source_line::file_and_line;
use crate::tla_system::{NamedProperty, TlaSystem};
use crate::transition_system::{State, TransitionSystem};

/// A state as it is shown, and the action that led to it.
type ShownState = (Option<ActionTaken>, Bindings<Value>);

/// Recomputes the path to a violation. Returns whether it is complete.
pub(crate) fn counterexample_path(
    system: &TlaSystem<'_>,
    outcome: &SearchOutcome<Box<Failure>>,
    violation: &SearchViolation<impl Sized>,
) -> (Vec<PathState<ActionTaken>>, bool) {
    let mut worker = system.worker(0);
    let mut path = Vec::new();
    let mut is_complete = true;
    if let Some(from) = violation.from {
        match path_to(system, &mut worker, &outcome.seen, from, violation.level) {
            Some(found) => path = found,
            None => is_complete = false,
        }
    }
    if let Some(state) = &violation.state {
        let before: Option<State> = path.last().map(|state| state.values.clone());
        let last = before.and_then(|before| {
            find_step(system, &mut worker, &before, violation.level, |_, _, values| {
                *values == **state
            })
        });
        is_complete &= last.is_some() || violation.from.is_none();
        path.push(last.unwrap_or_else(|| PathState {
            values: state.clone(),
            step: None,
        }));
    }
    (path, is_complete)
}

/// Describes the violation at the end of a path.
pub(crate) fn violation_report(
    system: &TlaSystem<'_>,
    kind: &ViolationKind<Box<Failure>>,
    path: Vec<PathState<ActionTaken>>,
) -> Behaviour {
    let model = system.model;
    let mut evaluator = system.worker(0);
    let last = path.last().map(|state| state.values.clone());
    let before = path.len().checked_sub(2).and_then(|at| path.get(at));
    let before = before.map(|state| state.values.clone());
    let level = u32::try_from(path.len()).unwrap_or(u32::MAX);
    system
        .session
        .set_counter_example(|| counter_example(&model.program, &path, None));
    let trace = trace(system, &mut evaluator, path, None);
    let is_step = matches!(kind, ViolationKind::Step(_));
    set_level(if is_step { level.saturating_sub(1) } else { level });
    let mut report = |kind, property: Option<&NamedProperty>, trace: Vec<ShownState>| {
        match (&before, &last) {
            (Some(before), Some(last)) if is_step => {
                evaluator.set_state(before);
                evaluator.set_next(last);
            }
            (_, Some(last)) => evaluator.set_state(last),
            _ => {}
        }
        let violated = property.map(|property| property.name.clone());
        Behaviour {
            false_part: property.and_then(|property| false_part(model, &mut evaluator, property.formula)),
            ..Behaviour::new(kind, violated, trace)
        }
    };
    match kind {
        ViolationKind::Invariant(index) => {
            report(PropertyKind::Invariant, system.invariants.get(*index), trace)
        }
        ViolationKind::Initial(index) => report(PropertyKind::Property, system.initials.get(*index), trace),
        ViolationKind::Step(index) => report(PropertyKind::Property, system.steps.get(*index), trace),
        ViolationKind::Deadlock => {
            let deadlock = report(PropertyKind::Deadlock, None, trace);
            Behaviour {
                reasons: refusals(system, &mut evaluator, last.as_ref()),
                ..deadlock
            }
        }
        ViolationKind::Failed(failure) => failure_report(model, failure, trace),
    }
}

/// Describes a failed evaluation at the end of a trace.
pub(crate) fn failure_report(model: &CompiledSpec, failure: &Failure, trace: Vec<ShownState>) -> Behaviour {
    let kind = match failure.class {
        ErrorClass::Assert => PropertyKind::Assert,
        ErrorClass::Unassigned if !trace.is_empty() => PropertyKind::Incomplete,
        _ => PropertyKind::Evaluation,
    };
    let mut behaviour = Behaviour::new(kind, None, trace);
    behaviour.error = Some(failure.render(&model.program.sources));
    if kind == PropertyKind::Incomplete && !failure.partial.is_empty() {
        let names = model.program.variables.iter();
        let assigned = names.zip(&failure.partial).filter_map(|(name, value)| {
            let value = value.clone()?;
            Some((name.to_string(), value))
        });
        let action = failure.incomplete.as_ref().and_then(|incomplete| {
            let action = model.program.actions.get(incomplete.action as usize)?;
            Some(ActionTaken {
                name: action.name.to_string(),
                bindings: Bindings(incomplete.bindings.clone()),
                place: file_and_line(&model.program, action.at),
            })
        });
        behaviour.push(action, Bindings(assigned.collect()));
    }
    behaviour
}

/// For each branch of the next-state relation the conjunct for which it leads nowhere.
fn refusals<'m>(
    system: &TlaSystem<'m>,
    evaluator: &mut Evaluator<'m>,
    state: Option<&State>,
) -> Vec<LassoReason> {
    let (Some(next), Some(state)) = (system.next, state) else {
        return Vec::new();
    };
    // Effects happen once.
    if system.model.program.has_side_effects() {
        return Vec::new();
    }
    let parts = evaluator.refusals(next.operation(), &[], state);
    let parts = parts.into_iter().map(|part| shown_part(system.model, part));
    parts.map(refusal).collect()
}

/// A part that is false, as a reason.
pub(crate) fn refusal(part: FalsePart) -> LassoReason {
    let with = match part.bindings.is_empty() {
        true => String::new(),
        false => format!(" with {}", part.bindings),
    };
    LassoReason {
        formula: part.text.split_whitespace().collect::<Vec<_>>().join(" "),
        bindings: Bindings(Vec::new()),
        holds: false,
        reason: format!("false at {}{with}", part.place),
    }
}

/// A part that is false, with the names in it and the values of what it compares: variables are in the state that is shown.
fn shown_part(model: &CompiledSpec, part: FalseSubformula) -> FalsePart {
    let is_variable = |text: &str| model.program.variables.iter().any(|variable| **variable == *text);
    let mut bindings = part.bindings;
    for (text, value) in part.values {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !is_variable(&text) && text != value && !bindings.iter().any(|(known, _)| *known == text) {
            bindings.push((text, value));
        }
    }
    FalsePart {
        text: part.text,
        place: place_of(model, part.at),
        bindings: Bindings(bindings),
    }
}

/// The innermost part of a formula that is false in the evaluator's state.
pub(crate) fn false_part(
    model: &CompiledSpec,
    evaluator: &mut Evaluator<'_>,
    formula: Formula,
) -> Option<FalsePart> {
    let part = evaluator.explain_false(formula)?;
    Some(shown_part(model, part))
}

/// File, line and column of a location.
pub(crate) fn place_of(model: &CompiledSpec, at: Loc) -> String {
    let source = model.program.sources.get(at.source);
    let position = source.line_column(at.span.start);
    format!(
        "{}:{}:{}",
        source.path().display(),
        position.line,
        position.column
    )
}

/// Describes an infinite behaviour through these states that violates a temporal property.
pub(crate) fn lasso_report(
    system: &TlaSystem<'_>,
    states: Vec<State>,
    counterexample: LassoCounterexample,
) -> Behaviour {
    let mut worker = system.worker(0);
    let path = with_steps(system, &mut worker, states);
    let back_to = counterexample.back_to();
    let back = back_to.and_then(|back_to| {
        let (last, first) = (path.last()?, path.get(back_to)?);
        if back_to + 1 == path.len() {
            return None;
        }
        let level = u32::try_from(path.len()).unwrap_or(u32::MAX);
        step_to(system, &mut worker, &last.values, level, &first.values)
    });
    system.session.set_counter_example(|| {
        let back = back_to.map(|back_to| (back_to, back.as_ref()));
        counter_example(&system.model.program, &path, back)
    });
    let trace = trace(system, &mut worker, path, back_to);
    Behaviour {
        lasso: back_to.map(|back_to| back_to + 1),
        back,
        reasons: counterexample.reasons,
        fairness: counterexample.fairness,
        ..Behaviour::new(PropertyKind::Property, Some(counterexample.property), trace)
    }
}

/// The states of a behaviour, with their actions.
fn with_steps<'m>(
    system: &TlaSystem<'m>,
    worker: &mut Evaluator<'m>,
    states: Vec<State>,
) -> Vec<PathState<ActionTaken>> {
    let mut path: Vec<PathState<ActionTaken>> = Vec::with_capacity(states.len());
    for (level, values) in (0..).zip(states) {
        let before = path.last();
        let step = before.and_then(|before| step_to(system, worker, &before.values, level, &values));
        path.push(PathState { values, step });
    }
    path
}

/// The action that leads from one state to another. Under a VIEW it may lead to a different state that counts as the same.
fn step_to<'m>(
    system: &TlaSystem<'m>,
    worker: &mut Evaluator<'m>,
    from: &State,
    level: u32,
    to: &State,
) -> Option<ActionTaken> {
    let exact = find_step(system, worker, from, level, |_, _, next| *next == **to);
    let found = exact.or_else(|| {
        let wanted = system.fingerprint(worker, to, level + 1).ok()?;
        find_step(system, worker, from, level, |system, worker, next| {
            system.fingerprint(worker, next, level + 1).ok() == Some(wanted)
        })
    });
    found?.step
}

/// Describes a failed evaluation in a state of the graph.
pub(crate) fn failure_in_graph(
    system: &TlaSystem<'_>,
    graph: &StateGraph,
    node: Node,
    failure: &Failure,
) -> Result<Behaviour, StateDecodeError> {
    let mut worker = system.worker(0);
    let path = with_steps(system, &mut worker, graph.states(&graph.path_to(node))?);
    let trace = trace(system, &mut worker, path, None);
    Ok(failure_report(system.model, failure, trace))
}

/// The states of a path as they are shown: their variables, or the fields of ALIAS, and the expressions that were asked for. The last
/// state is followed by itself, or by the one at `back_to`.
fn trace(
    system: &TlaSystem<'_>,
    evaluator: &mut Evaluator<'_>,
    path: Vec<PathState<ActionTaken>>,
    back_to: Option<usize>,
) -> Vec<ShownState> {
    let model = system.model;
    let alias = model.alias.map(|alias| Alias::new(&model.program, alias));
    let records = path.iter().map(|state| record(&model.program, &state.values));
    set_trace(records.collect());
    let states: Vec<State> = path.iter().map(|state| state.values.clone()).collect();
    let mut trace = Vec::with_capacity(path.len());
    for (at, state) in path.into_iter().enumerate() {
        let next = states.get(at + 1).or_else(|| states.get(back_to?));
        let next = next.unwrap_or(&state.values);
        set_level(u32::try_from(at + 1).unwrap_or(u32::MAX));
        evaluator.set_state(&state.values);
        evaluator.set_next(next);
        let expressions = model.expressions.iter().map(|expression| {
            let value = evaluator.value(expression.formula);
            let value =
                value.unwrap_or_else(|failure| Value::model(&format!("(no value: {})", failure.message)));
            (expression.name.clone(), value)
        });
        let expressions: Vec<(String, Value)> = expressions.collect();
        let shown = alias.as_ref().and_then(|alias| match alias.shown(evaluator) {
            Ok(Some(shown)) => Some(shown),
            Ok(None) => {
                system
                    .session
                    .warn("ALIAS is no record, so variables are shown instead");
                None
            }
            Err(failure) => {
                system.session.warn(&format!(
                    "ALIAS cannot be evaluated in state {}, so variables are shown instead: {}",
                    at + 1,
                    failure.message
                ));
                None
            }
        });
        let mut values = shown.unwrap_or_else(|| {
            let variables = model.program.variables.iter().zip(state.values.iter());
            variables
                .map(|(name, value)| (name.to_string(), value.clone()))
                .collect()
        });
        values.extend(expressions);
        trace.push((state.step, Bindings(values)));
    }
    evaluator.clear_next();
    set_trace(Vec::new());
    trace
}

/// A state as a record of its variables.
fn record(program: &Program, state: &State) -> Value {
    let variables = program.variables.iter().map(|name| &**name);
    Value::record(variables.zip(state.iter().cloned()))
}

/// The value of `CounterExample`: the states with their numbers, and the steps between them; of an infinite behaviour also the step back.
fn counter_example(
    program: &Program,
    path: &[PathState<ActionTaken>],
    back: Option<(usize, Option<&ActionTaken>)>,
) -> Value {
    let numbered: Vec<Value> = (1..)
        .zip(path)
        .map(|(number, state)| Value::tuple([Value::int(number), record(program, &state.values)]))
        .collect();
    let described = |taken: Option<&ActionTaken>| {
        let Some(taken) = taken else {
            return program.described("", None);
        };
        let mut actions = program.actions.iter();
        let action = actions
            .find(|action| *action.name == *taken.name && file_and_line(program, action.at) == taken.place);
        program.described(&taken.name, action.map(|action| action.at))
    };
    let step = |from: &Value, taken: Option<&ActionTaken>, to: &Value| {
        Value::tuple([from.clone(), described(taken), to.clone()])
    };
    let mut steps: Vec<Value> = numbered
        .windows(2)
        .zip(path.iter().skip(1))
        .map(|(pair, state)| step(&pair[0], state.step.as_ref(), &pair[1]))
        .collect();
    if let Some((back_to, taken)) = back
        && let (Some(last), Some(first)) = (numbered.last(), numbered.get(back_to))
    {
        steps.push(step(last, taken, first));
    }
    Value::record([("action", Value::set(steps)), ("state", Value::set(numbered))])
}
