//! Counterexamples: the trace to a violation, and why its formula is false.

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::ir::Formula;
use omnilink_tla::model::CompiledSpec;
use omnilink_value::Value;

use crate::outcome::{SearchOutcome, SearchViolation, ViolationKind};
use crate::path::{PathState, find_step, path_to};
use crate::report::{ActionTaken, FalsePart, Kind, TraceState, Violation};
use crate::session::set_level;
use crate::tla_system::{NamedProperty, TlaSystem};
use crate::transition_system::{State, TransitionSystem};

/// Recomputes the path to a violation. Returns whether it is complete.
pub(crate) fn counterexample_path(
    system: &TlaSystem<'_>,
    outcome: &SearchOutcome<Box<Failure>>,
    violation: &SearchViolation<Box<Failure>>,
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
) -> Violation {
    let model = system.model;
    let mut evaluator = system.worker(0);
    let last = path.last().map(|state| state.values.clone());
    let before = path.len().checked_sub(2).and_then(|at| path.get(at));
    let before = before.map(|state| state.values.clone());
    let level = u32::try_from(path.len()).unwrap_or(u32::MAX);
    let trace = trace(model, &mut evaluator, path);
    let is_step = matches!(kind, ViolationKind::Step(_));
    set_level(if is_step { level.saturating_sub(1) } else { level });
    let mut report = |kind: Kind, property: Option<&NamedProperty>, trace: Vec<TraceState>| {
        match (&before, &last) {
            (Some(before), Some(last)) if is_step => {
                evaluator.set_state(before);
                evaluator.set_next(last);
            }
            (_, Some(last)) => evaluator.set_state(last),
            _ => {}
        }
        Violation {
            kind,
            violated: property.map(|property| property.name.clone()),
            error: None,
            trace,
            false_part: property.and_then(|property| false_part(model, &mut evaluator, property.formula)),
        }
    };
    match kind {
        ViolationKind::Invariant(index) => report(Kind::Invariant, system.invariants.get(*index), trace),
        ViolationKind::Initial(index) => report(Kind::Property, system.initials.get(*index), trace),
        ViolationKind::Step(index) => report(Kind::Property, system.steps.get(*index), trace),
        ViolationKind::Deadlock => report(Kind::Deadlock, None, trace),
        ViolationKind::Failed(failure) => failure_report(model, failure, trace),
    }
}

/// Describes a failed evaluation at the end of a trace.
pub(crate) fn failure_report(model: &CompiledSpec, failure: &Failure, mut trace: Vec<TraceState>) -> Violation {
    let kind = match failure.class {
        ErrorClass::Assert => Kind::Assert,
        ErrorClass::Unassigned if !trace.is_empty() => Kind::Incomplete,
        _ => Kind::Evaluation,
    };
    if kind == Kind::Incomplete && !failure.partial.is_empty() {
        let names = model.program.variables.iter();
        let assigned = names.zip(&failure.partial).filter_map(|(name, value)| {
            let value = value.clone()?;
            Some((name.to_string(), value))
        });
        trace.push(TraceState {
            action: None,
            values: assigned.collect(),
        });
    }
    Violation {
        kind,
        violated: None,
        error: Some(failure.render(&model.program.sources)),
        trace,
        false_part: None,
    }
}

/// The innermost part of a formula that is false in the evaluator's state.
pub(crate) fn false_part(
    model: &CompiledSpec,
    evaluator: &mut Evaluator<'_>,
    formula: Formula,
) -> Option<FalsePart> {
    let part = evaluator.explain_false(formula)?;
    let source = model.program.sources.get(part.at.source);
    let position = source.line_column(part.at.span.start);
    Some(FalsePart {
        text: part.text,
        place: format!(
            "{}:{}:{}",
            source.path().display(),
            position.line,
            position.column
        ),
        bindings: omnilink_evidence::Bindings(part.bindings),
    })
}

/// The states of a path as they are shown: their variables, or the fields of ALIAS.
fn trace(model: &CompiledSpec, evaluator: &mut Evaluator<'_>, path: Vec<PathState<ActionTaken>>) -> Vec<TraceState> {
    let states: Vec<State> = path.iter().map(|state| state.values.clone()).collect();
    let mut trace = Vec::with_capacity(path.len());
    for (at, state) in path.into_iter().enumerate() {
        let next = states.get(at + 1).unwrap_or(&state.values);
        let alias = model.alias.and_then(|alias| {
            set_level(u32::try_from(at + 1).unwrap_or(u32::MAX));
            evaluator.set_state(&state.values);
            evaluator.set_next(next);
            let record = evaluator.value(alias).ok()?;
            let fields = record.as_record()?;
            let named = |(name, value): (&str, &Value)| (name.to_owned(), value.clone());
            Some(fields.iter().map(named).collect::<Vec<_>>())
        });
        trace.push(TraceState {
            values: alias.unwrap_or_else(|| {
                let variables = model.program.variables.iter().zip(state.values.iter());
                variables
                    .map(|(name, value)| (name.to_string(), value.clone()))
                    .collect()
            }),
            action: state.step,
        });
    }
    trace
}
