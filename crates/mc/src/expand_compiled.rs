//! Checks of what compiled code has found, in the order of [`expand`](crate::expand).

use crate::dedup::{Dedup, Novelty};
use crate::expand::Checked;
use crate::fingerprint::Fingerprint;
use crate::outcome::{SearchViolation, ViolationKind};
use crate::segment_result::{Edge, SegmentResult};
use crate::transition_system::{CompiledExpansion, TransitionSystem};

/// Checks the successors that compiled code has found: what [`expand`](crate::expand::expand) does for a system without side effects.
pub(crate) fn expand_compiled<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    compiled: &mut dyn CompiledExpansion<T::Worker, T::Error>,
    (from, level): (Fingerprint, u32),
    dedup: &mut impl Dedup,
    result: &mut SegmentResult,
) -> Checked<T> {
    let violation = |kind, state| {
        Err(Box::new(SearchViolation {
            kind,
            from: Some(from),
            level,
            state,
        }))
    };
    let pass = |result: &mut SegmentResult, kind, state| {
        result.add_violation(SearchViolation {
            kind,
            from: Some(from),
            level,
            state,
        });
    };
    let continues = system.continues_after_violations();
    let (has_constraints, has_step_properties) = (system.has_constraints(), system.has_step_properties());
    // The two shortcuts of [`expand`](crate::expand): what was seen before satisfies the constraints on states, and a step to a state that this
    // expansion has checked is only counted.
    let checks_repeat = system.checks_repeat();
    let can_skip_constraints = has_constraints
        && checks_repeat
        && !system.has_action_constraints()
        && system.fingerprint_determines_state();
    let checks_once = (has_constraints || has_step_properties) && checks_repeat;
    let mut checked_steps = result.checked_steps.take();
    if let Some(checked_steps) = &mut checked_steps {
        checked_steps.clear();
    }
    let mut successors = std::mem::take(&mut result.successors);
    successors.clear();
    successors.extend(
        (0..compiled.len()).map(|successor| (compiled.fingerprint(successor), compiled.action(successor))),
    );
    let touched = successors
        .iter()
        .fold(0, |all, (state, _)| all ^ dedup.touch(*state));
    std::hint::black_box(touched);
    for (successor, (fingerprint, action)) in successors.iter().copied().enumerate() {
        result.generated += 1;
        if let Some(steps) = result.steps.get_mut(action) {
            *steps += 1;
        }
        let values = if checks_once {
            compiled.values_hash(successor)
        } else {
            None
        };
        if let Some(values) = values
            && let Some(is_within) = checked_steps.as_ref().and_then(|steps| steps.get(&values))
        {
            if let (Some(edges), true) = (&mut result.edges, *is_within) {
                edges.push(Edge {
                    from,
                    to: fingerprint,
                    action,
                });
            }
            continue;
        }
        let mut needs_check = true;
        let mut new = None;
        let is_known = can_skip_constraints && dedup.probe(fingerprint) != Novelty::New;
        let is_within = if has_constraints && !is_known {
            match compiled.satisfies_state_constraints(worker, successor, level + 1) {
                Ok(true) => compiled.satisfies_action_constraints(worker, successor, level),
                decided => decided,
            }
        } else {
            Ok(true)
        };
        if let (Some(values), Ok(is_within)) = (values, &is_within) {
            let checked_steps = checked_steps.get_or_insert_with(Box::default);
            checked_steps.insert(values, *is_within);
        }
        match is_within {
            Ok(false) => {}
            Ok(true) => {
                let novelty = dedup.insert(fingerprint, from.tag());
                needs_check = novelty == Novelty::New;
                match novelty {
                    Novelty::Seen => {}
                    Novelty::BuiltLater(distance) => {
                        result.push_built_later(fingerprint, from.tag(), action, distance);
                    }
                    Novelty::New => {
                        result.push_encoded(fingerprint, from.tag(), Some(action), |bytes| {
                            compiled.encode(successor, bytes);
                        });
                        new = Some(fingerprint);
                    }
                }
                if let Some(edges) = &mut result.edges {
                    edges.push(Edge {
                        from,
                        to: fingerprint,
                        action,
                    });
                }
            }
            Err(error) => return violation(ViolationKind::Failed(error), Some(compiled.state(successor))),
        }
        let mut is_violated = false;
        let mut next = needs_check.then_some(0);
        while let Some(first) = next {
            match compiled.violated_invariant(worker, successor, level + 1, first) {
                Ok(None) => next = None,
                Ok(Some(index)) if continues => {
                    let state = compiled.state(successor);
                    pass(result, ViolationKind::Invariant(index), Some(state));
                    is_violated = true;
                    next = Some(index + 1);
                }
                Ok(Some(index)) => {
                    return violation(ViolationKind::Invariant(index), Some(compiled.state(successor)));
                }
                Err(error) => {
                    return violation(ViolationKind::Failed(error), Some(compiled.state(successor)));
                }
            }
        }
        if let Some(new) = new.filter(|_| !is_violated) {
            dedup.mark_checked(new);
        }
        let mut next = has_step_properties.then_some(0);
        while let Some(first) = next {
            match compiled.violated_step_property(worker, successor, level + 1, first) {
                Ok(None) => next = None,
                Ok(Some(index)) if continues => {
                    let state = compiled.state(successor);
                    pass(result, ViolationKind::Step(index), Some(state));
                    next = Some(index + 1);
                }
                Ok(Some(index)) => {
                    return violation(ViolationKind::Step(index), Some(compiled.state(successor)));
                }
                Err(error) => {
                    return violation(ViolationKind::Failed(error), Some(compiled.state(successor)));
                }
            }
        }
    }
    (result.successors, result.checked_steps) = (successors, checked_steps);
    if !compiled.is_empty() || !system.checks_deadlock() || system.stop_requested(worker) {
        return Ok(());
    }
    match compiled.is_deadlock(worker) {
        Ok(false) => Ok(()),
        Ok(true) if continues => {
            pass(result, ViolationKind::Deadlock, None);
            Ok(())
        }
        Ok(true) => violation(ViolationKind::Deadlock, None),
        Err(error) => violation(ViolationKind::Failed(error), None),
    }
}
