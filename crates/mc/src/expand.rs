//! Expansion of a state: generates, checks and deduplicates its successors, in TLC's order.
//!
//! For each successor:
//! 1. Does it satisfy the constraints? If not, it is neither counted nor expanded, but it is checked.
//! 2. Was it seen before?
//! 3. If it is new or violates the constraints: do the invariants hold?
//! 4. Do the step properties hold, even if the state was seen before?
//!
//! The first violation ends the expansion, unless the search goes on after violations: then the result lists them. A violating
//! state is not marked as checked, so the segment to which it belongs finds the violation itself, whatever other workers do.
//!
//! Two shortcuts, if constraints and step properties depend on nothing but the step ([`TransitionSystem::checks_repeat`]):
//! - Several actions may lead to one state. A step that was checked during this expansion is only counted.
//! - If there are only constraints on states, a state that was seen before satisfies them: it was inserted after they were checked.

use std::convert::Infallible;
use std::ops::ControlFlow;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::dedup::{Dedup, Novelty};
use crate::fingerprint::Fingerprint;
use crate::outcome::{SearchViolation, ViolationKind};
use crate::segment_result::{Edge, SegmentResult};
use crate::transition_system::{State, SuccessorVisitor, TransitionSystem};

pub(crate) type Checked<T> = Result<(), Box<SearchViolation<<T as TransitionSystem>::Error>>>;

/// A state to expand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceState<'a> {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) values: &'a State,
    pub(crate) level: u32,
}

/// Visitor of the successors of one state.
struct Expansion<'a, T: TransitionSystem, D> {
    system: &'a T,
    from: SourceState<'a>,
    dedup: &'a mut D,
    result: &'a mut SegmentResult,
    has_constraints: bool,
    has_step_properties: bool,
    /// Whether a state with a known fingerprint needs no check.
    can_skip_seen: bool,
    /// The states to which steps were checked, by the hashes of their values, with the fingerprint of each that satisfies the
    /// constraints. It lives as long as the expansion of one state, so a check is a function of the state that is reached: what else a step
    /// formula may read (registers, the action) makes this `None`. `None` if steps need no checks, or have to be checked each time.
    checked_steps: Option<FxHashMap<Fingerprint, Option<Fingerprint>>>,
    continues: bool,
    violation: Option<(ViolationKind<T::Error>, State)>,
}

impl<T: TransitionSystem, D: Dedup> Expansion<'_, T, D> {
    fn count(&mut self, label: &T::Label) -> usize {
        self.result.generated += 1;
        let action = self.system.action(label);
        if let Some(steps) = self.result.steps.get_mut(action) {
            *steps += 1;
        }
        action
    }

    fn record_edge(&mut self, to: Fingerprint, action: usize) {
        if let Some(edges) = &mut self.result.edges {
            edges.push(Edge {
                from: self.from.fingerprint,
                to,
                action,
            });
        }
    }

    /// Whether the step to the state with these values was checked before. If so, its edge is recorded.
    fn is_checked(&mut self, values: Fingerprint, action: usize) -> bool {
        let Some(known) = self.checked_steps.as_ref().and_then(|steps| steps.get(&values)) else {
            return false;
        };
        if let Some(fingerprint) = *known {
            self.record_edge(fingerprint, action);
        }
        true
    }

    fn check_once(
        &mut self,
        worker: &mut T::Worker,
        state: &[Value],
        action: usize,
    ) -> Result<Option<ViolationKind<Infallible>>, T::Error> {
        if self.checked_steps.is_none() {
            return Ok(self.check(worker, state, action)?.err());
        }
        let values = Fingerprint::of_state(state);
        if self.is_checked(values, action) {
            return Ok(None);
        }
        match self.check(worker, state, action)? {
            Err(kind) => Ok(Some(kind)),
            Ok(fingerprint) => {
                if let Some(steps) = &mut self.checked_steps {
                    steps.insert(values, fingerprint);
                }
                Ok(None)
            }
        }
    }

    /// Checks a step. Returns the fingerprint of its state, if that satisfies the constraints, or what is violated.
    fn check(
        &mut self,
        worker: &mut T::Worker,
        state: &[Value],
        action: usize,
    ) -> Result<Result<Option<Fingerprint>, ViolationKind<Infallible>>, T::Error> {
        let (system, from) = (self.system, self.from);
        let next_level = from.level + 1;
        // A state that violates the constraints has no fingerprint, and is checked each time.
        let mut new = None;
        let mut within = None;
        let mut needs_check = true;
        let mut shared = None;
        let mut share = || shared.get_or_insert_with(|| State::from(state)).clone();
        if !self.has_constraints
            || (system.satisfies_constraints(worker, &share(), next_level)?
                && system.satisfies_action_constraints(worker, from.values, state, from.level)?)
        {
            let fingerprint = system.fingerprint(worker, state, next_level)?;
            within = Some(fingerprint);
            let parent = from.fingerprint.tag();
            let novelty = self.dedup.insert(fingerprint, parent);
            needs_check = novelty == Novelty::New;
            match novelty {
                Novelty::Seen => {}
                Novelty::BuiltLater(distance) => {
                    self.result
                        .push_built_later(fingerprint, parent, action, distance);
                }
                Novelty::New => {
                    self.result.push(fingerprint, state, parent, Some(action));
                    new = Some(fingerprint);
                }
            }
            self.record_edge(fingerprint, action);
        }
        let mut first = 0;
        while needs_check
            && let Some(index) = system.violated_invariant(worker, &share(), next_level, first)?
        {
            if !self.continues {
                return Ok(Err(ViolationKind::Invariant(index)));
            }
            self.pass(ViolationKind::Invariant(index), Some(share()));
            first = index + 1;
        }
        if let Some(new) = new.filter(|_| first == 0) {
            self.dedup.mark_checked(new);
        }
        first = 0;
        while self.has_step_properties
            && let Some(index) =
                system.violated_step_property(worker, (from.values, state), from.level, first)?
        {
            if !self.continues {
                return Ok(Err(ViolationKind::Step(index)));
            }
            self.pass(ViolationKind::Step(index), Some(share()));
            first = index + 1;
        }
        Ok(Ok(within))
    }

    /// Lists a violation and goes on.
    fn pass(&mut self, kind: ViolationKind<Infallible>, state: Option<State>) {
        self.result.add_violation(SearchViolation {
            kind,
            from: Some(self.from.fingerprint),
            level: self.from.level,
            state,
        });
    }
}

impl<T: TransitionSystem, D: Dedup> SuccessorVisitor<T::Worker, T::Label> for Expansion<'_, T, D> {
    fn visit(&mut self, worker: &mut T::Worker, state: &[Value], label: &T::Label) -> ControlFlow<()> {
        let action = self.count(label);
        let kind = match self.check_once(worker, state, action) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(kind)) => kind.into_any(),
            Err(error) => ViolationKind::Failed(error),
        };
        self.violation = Some((kind, state.into()));
        ControlFlow::Break(())
    }

    /// A seen state is neither checked nor expanded again. It is built only if constraints or step properties need it.
    fn can_skip(&mut self, state: Fingerprint, label: &T::Label) -> bool {
        if self.is_checked(state, self.system.action(label)) {
            self.count(label);
            return true;
        }
        if !self.can_skip_seen {
            return false;
        }
        let novelty = self.dedup.probe(state);
        if novelty == Novelty::New {
            return false;
        }
        let action = self.count(label);
        if let Novelty::BuiltLater(distance) = novelty {
            let parent = self.from.fingerprint.tag();
            self.result.push_built_later(state, parent, action, distance);
        }
        self.record_edge(state, action);
        true
    }
}

/// Generates and checks the successors of a state.
pub(crate) fn expand<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    from: SourceState<'_>,
    dedup: &mut impl Dedup,
    result: &mut SegmentResult,
) -> Checked<T> {
    let generated_before = result.generated;
    let (has_constraints, has_step_properties) = (system.has_constraints(), system.has_step_properties());
    let checks_repeat = system.checks_repeat();
    let only_states_are_constrained = !has_constraints || (checks_repeat && !system.has_action_constraints());
    let mut expansion = Expansion {
        system,
        from,
        dedup,
        result,
        has_constraints,
        has_step_properties,
        can_skip_seen: system.fingerprint_determines_state()
            && only_states_are_constrained
            && !has_step_properties,
        checked_steps: ((has_constraints || has_step_properties) && checks_repeat).then(FxHashMap::default),
        continues: system.continues_after_violations(),
        violation: None,
    };
    let enumerated = system.successors(worker, from.values, from.level, &mut expansion);
    let violation = expansion.violation.take();
    let is_deadlock = expansion.result.generated == generated_before
        && system.checks_deadlock()
        && !system.stop_requested(worker);
    if is_deadlock && enumerated.is_ok() && expansion.continues {
        expansion.pass(ViolationKind::Deadlock, None);
        return Ok(());
    }
    let (kind, state) = match (violation, enumerated) {
        (Some((kind, state)), _) => (kind, Some(state)),
        (None, Err(error)) => (ViolationKind::Failed(error), None),
        (None, Ok(())) if is_deadlock => (ViolationKind::Deadlock, None),
        (None, Ok(())) => return Ok(()),
    };
    Err(Box::new(SearchViolation {
        kind,
        from: Some(from.fingerprint),
        level: from.level,
        state,
    }))
}
