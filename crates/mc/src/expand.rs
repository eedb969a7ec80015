//! Expansion of a state: generates, checks and deduplicates its successors, in TLC's order.
//!
//! For each successor:
//! 1. Does it satisfy the constraints? If not, it is neither counted nor expanded, but it is checked.
//! 2. Was it seen before?
//! 3. If it is new or violates the constraints: do the invariants hold?
//! 4. Do the step properties hold, even if the state was seen before?

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::dedup::{Dedup, Novelty};
use crate::fingerprint::Fingerprint;
use crate::outcome::{SearchViolation, ViolationKind};
use crate::segment_result::{Edge, SegmentResult};
use crate::transition_system::{State, SuccessorVisitor, TransitionSystem};

type Checked<T> = Result<(), Box<SearchViolation<<T as TransitionSystem>::Error>>>;

/// A state to expand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceState<'a> {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) values: &'a State,
    pub(crate) level: u32,
}

/// Generates and checks the initial states.
pub(crate) fn expand_initial<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    dedup: &mut impl Dedup,
    result: &mut SegmentResult,
) -> Checked<T> {
    let mut violation = None;
    let enumerated = system.initial_states(worker, &mut |worker, state| {
        result.generated += 1;
        let mut check = || -> Result<Option<ViolationKind<T::Error>>, T::Error> {
            let mut is_new = true;
            let shared = State::from(state);
            if !system.has_constraints() || system.satisfies_constraints(worker, &shared, 1)? {
                let fingerprint = system.fingerprint(worker, state, 1)?;
                is_new = dedup.insert(fingerprint, 0) == Novelty::New;
                if is_new {
                    result.push(fingerprint, state, 0, None);
                }
            }
            if !is_new {
                return Ok(None);
            }
            if let Some(index) = system.violated_invariant(worker, &shared, 1)? {
                return Ok(Some(ViolationKind::Invariant(index)));
            }
            let index = system.violated_initial_property(worker, &shared)?;
            Ok(index.map(ViolationKind::Initial))
        };
        let kind = match check() {
            Ok(None) if !system.stop_requested(worker) => return ControlFlow::Continue(()),
            Ok(None) => return ControlFlow::Break(()),
            Ok(Some(kind)) => kind,
            Err(error) => ViolationKind::Failed(error),
        };
        violation = Some((kind, state.into()));
        ControlFlow::Break(())
    });
    let (kind, state) = match (violation, enumerated) {
        (Some((kind, state)), _) => (kind, Some(state)),
        (None, Err(error)) => (ViolationKind::Failed(error), None),
        (None, Ok(())) => return Ok(()),
    };
    Err(Box::new(SearchViolation {
        kind,
        from: None,
        level: 0,
        state,
    }))
}

/// Visitor of the successors of one state.
struct Expansion<'a, T: TransitionSystem, D> {
    system: &'a T,
    from: SourceState<'a>,
    dedup: &'a mut D,
    result: &'a mut SegmentResult,
    has_constraints: bool,
    has_step_properties: bool,
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

    fn check(
        &mut self,
        worker: &mut T::Worker,
        state: &[Value],
        action: usize,
    ) -> Result<Option<ViolationKind<T::Error>>, T::Error> {
        let (system, from) = (self.system, self.from);
        let next_level = from.level + 1;
        // A state that violates the constraints has no fingerprint, and is checked each time.
        let mut new = None;
        let mut needs_check = true;
        let mut shared = None;
        let mut share = || shared.get_or_insert_with(|| State::from(state)).clone();
        if !self.has_constraints
            || (system.satisfies_constraints(worker, &share(), next_level)?
                && system.satisfies_action_constraints(worker, from.values, state, from.level)?)
        {
            let fingerprint = system.fingerprint(worker, state, next_level)?;
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
        if needs_check && let Some(index) = system.violated_invariant(worker, &share(), next_level)? {
            return Ok(Some(ViolationKind::Invariant(index)));
        }
        if let Some(new) = new {
            self.dedup.mark_checked(new);
        }
        if !self.has_step_properties {
            return Ok(None);
        }
        let index = system.violated_step_property(worker, from.values, state, from.level)?;
        Ok(index.map(ViolationKind::Step))
    }
}

impl<T: TransitionSystem, D: Dedup> SuccessorVisitor<T::Worker, T::Label> for Expansion<'_, T, D> {
    fn visit(&mut self, worker: &mut T::Worker, state: &[Value], label: &T::Label) -> ControlFlow<()> {
        let action = self.count(label);
        let kind = match self.check(worker, state, action) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(kind)) => kind,
            Err(error) => ViolationKind::Failed(error),
        };
        self.violation = Some((kind, state.into()));
        ControlFlow::Break(())
    }

    /// A seen state is neither checked nor expanded again. It is built only if constraints or step properties need it.
    fn can_skip(&mut self, state: Fingerprint, label: &T::Label) -> bool {
        if self.has_constraints || self.has_step_properties {
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
    let mut expansion = Expansion {
        system,
        from,
        dedup,
        result,
        has_constraints: system.has_constraints(),
        has_step_properties: system.has_step_properties(),
        violation: None,
    };
    let enumerated = system.successors(worker, from.values, from.level, &mut expansion);
    let violation = expansion.violation;
    let is_deadlock = result.generated == generated_before && system.checks_deadlock();
    let (kind, state) = match (violation, enumerated) {
        (Some((kind, state)), _) => (kind, Some(state)),
        (None, Err(error)) => (ViolationKind::Failed(error), None),
        (None, Ok(())) if is_deadlock && !system.stop_requested(worker) => (ViolationKind::Deadlock, None),
        (None, Ok(())) => return Ok(()),
    };
    Err(Box::new(SearchViolation {
        kind,
        from: Some(from.fingerprint),
        level: from.level,
        state,
    }))
}
