//! Generates and checks the initial states.
//!
//! The evaluator enumerates the first ones. If there are more, compiled code goes on, which has learned from these. Where it gives up, the evaluator
//! enumerates all of them again and passes over those that were checked: both have the same order.

use std::convert::Infallible;
use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::dedup::{Dedup, Novelty};
use crate::expand::Checked;
use crate::fingerprint::Fingerprint;
use crate::outcome::{SearchError, SearchViolation, ViolationKind};
use crate::segment_result::SegmentResult;
use crate::transition_system::{CompiledExpansion, State, TransitionSystem};

/// Compiled code of a system.
type Compiled<'a, T> =
    dyn CompiledExpansion<<T as TransitionSystem>::Worker, <T as TransitionSystem>::Error> + 'a;
/// What is wrong with a state, if anything is.
type Violated<T> = Result<Option<ViolationKind<Infallible>>, <T as TransitionSystem>::Error>;

/// The enumeration of the initial states.
struct InitialStates<'a, T: TransitionSystem, D> {
    system: &'a T,
    dedup: &'a mut D,
    result: &'a mut SegmentResult,
    take: &'a mut dyn FnMut(&mut SegmentResult) -> Result<(), SearchError>,
    /// How many were checked.
    passed: u64,
    taken: Result<(), SearchError>,
    violation: Option<(ViolationKind<T::Error>, State)>,
}

/// Generates and checks the initial states. There may be millions, so `take` is called with the result whenever it has become large, and
/// takes the states out of it; an error ends the enumeration.
pub(crate) fn expand_initial<T: TransitionSystem>(
    system: &T,
    (worker, compiled): (&mut T::Worker, Option<&mut Compiled<'_, T>>),
    dedup: &mut impl Dedup,
    result: &mut SegmentResult,
    take: &mut dyn FnMut(&mut SegmentResult) -> Result<(), SearchError>,
) -> Result<Checked<T>, SearchError> {
    let mut states = InitialStates {
        system,
        dedup,
        result,
        take,
        passed: 0,
        taken: Ok(()),
        violation: None,
    };
    let sample_size = compiled.as_ref().and_then(|compiled| compiled.initial_sample());
    let mut sample = Vec::new();
    let mut enumerated = states.interpreted(worker, sample_size.map(|size| (size, &mut sample)));
    if let Some(compiled) = compiled
        && sample_size == Some(sample.len())
        && !states.is_over()
    {
        compiled.start_initial(worker, &sample);
        let is_complete = states.compiled(worker, compiled);
        compiled.end_initial();
        if !is_complete && !states.is_over() {
            enumerated = states.interpreted(worker, None);
        }
    }
    states.taken?;
    let (kind, state) = match (states.violation, enumerated) {
        (Some((kind, state)), _) => (kind, Some(state)),
        (None, Err(error)) => (ViolationKind::Failed(error), None),
        (None, Ok(())) => return Ok(Ok(())),
    };
    Ok(Err(Box::new(SearchViolation {
        kind,
        from: None,
        level: 0,
        state,
    })))
}

impl<T: TransitionSystem, D: Dedup> InitialStates<'_, T, D> {
    /// Whether something has ended the enumeration.
    fn is_over(&self) -> bool {
        self.violation.is_some() || self.taken.is_err()
    }

    /// Enumerates the states that were not checked, until there are enough in the sample, if there is one.
    fn interpreted(
        &mut self,
        worker: &mut T::Worker,
        mut sample: Option<(usize, &mut Vec<State>)>,
    ) -> Result<(), T::Error> {
        let mut left = self.passed;
        let system = self.system;
        system.initial_states(worker, &mut |worker, state| {
            if left > 0 {
                left -= 1;
                return ControlFlow::Continue(());
            }
            let shared = State::from(state);
            let violated = self.check(worker, state, &shared);
            self.finish(worker, violated, || shared.clone())?;
            if let Some((size, sample)) = &mut sample {
                sample.push(shared);
                if sample.len() == *size {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// The same by compiled code, as far as it gets. Returns whether nothing is left to do.
    fn compiled(&mut self, worker: &mut T::Worker, compiled: &mut Compiled<'_, T>) -> bool {
        while let Some(part) = compiled.next_initial(worker, self.passed) {
            for state in part.first..compiled.len() {
                let violated = self.check_compiled(worker, compiled, state);
                if self.finish(worker, violated, || compiled.state(state)).is_break() {
                    return true;
                }
            }
            if part.is_last {
                return true;
            }
        }
        false
    }

    /// Goes on behind a state, or ends the enumeration.
    fn finish(
        &mut self,
        worker: &T::Worker,
        violated: Violated<T>,
        state: impl FnOnce() -> State,
    ) -> ControlFlow<()> {
        self.passed += 1;
        let kind = match violated {
            Ok(None) if self.system.stop_requested(worker) => return ControlFlow::Break(()),
            Ok(None) => {
                if self.result.is_large() {
                    self.taken = (self.take)(self.result);
                }
                return match self.taken {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                };
            }
            Ok(Some(kind)) => kind.into_any(),
            Err(error) => ViolationKind::Failed(error),
        };
        self.violation = Some((kind, state()));
        ControlFlow::Break(())
    }

    /// Lists a violation, if the search goes on after violations.
    fn pass(&mut self, kind: ViolationKind<Infallible>, state: &State) -> Option<ViolationKind<Infallible>> {
        if !self.system.continues_after_violations() {
            return Some(kind);
        }
        self.result.add_violation(SearchViolation {
            kind,
            from: None,
            level: 0,
            state: Some(state.clone()),
        });
        None
    }

    fn check(&mut self, worker: &mut T::Worker, values: &[Value], state: &State) -> Violated<T> {
        let system = self.system;
        self.result.generated += 1;
        if !system.has_constraints() || system.satisfies_constraints(worker, state, 1)? {
            let fingerprint = system.fingerprint(worker, values, 1)?;
            if self.dedup.insert(fingerprint, 0) != Novelty::New {
                return Ok(None);
            }
            self.result.push(fingerprint, values, 0, None);
        }
        let mut from = 0;
        while let Some(index) = system.violated_invariant(worker, state, 1, from)? {
            if let Some(violated) = self.pass(ViolationKind::Invariant(index), state) {
                return Ok(Some(violated));
            }
            from = index + 1;
        }
        self.check_initial_properties(worker, state)
    }

    fn check_initial_properties(&mut self, worker: &mut T::Worker, state: &State) -> Violated<T> {
        let mut from = 0;
        while let Some(index) = self.system.violated_initial_property(worker, state, from)? {
            if let Some(violated) = self.pass(ViolationKind::Initial(index), state) {
                return Ok(Some(violated));
            }
            from = index + 1;
        }
        Ok(None)
    }

    /// The same for a state that compiled code has found.
    fn check_compiled(
        &mut self,
        worker: &mut T::Worker,
        compiled: &mut Compiled<'_, T>,
        number: usize,
    ) -> Violated<T> {
        let system = self.system;
        self.result.generated += 1;
        if !system.has_constraints() || compiled.satisfies_state_constraints(worker, number, 1)? {
            let fingerprint: Fingerprint = compiled.fingerprint(number);
            if self.dedup.insert(fingerprint, 0) != Novelty::New {
                return Ok(None);
            }
            let encode = |bytes: &mut Vec<u8>| compiled.encode(number, bytes);
            self.result.push_encoded(fingerprint, 0, None, encode);
        }
        let mut from = 0;
        while let Some(index) = compiled.violated_invariant(worker, number, 1, from)? {
            if let Some(violated) = self.pass(ViolationKind::Invariant(index), &compiled.state(number)) {
                return Ok(Some(violated));
            }
            from = index + 1;
        }
        match system.has_initial_properties() {
            true => self.check_initial_properties(worker, &compiled.state(number)),
            false => Ok(None),
        }
    }
}
