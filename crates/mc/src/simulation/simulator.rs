//! One behaviour by the evaluator.

use std::ops::ControlFlow;

use fastrand::Rng;
use omnilink_value::Value;

use crate::limits::LimitWatch;
use crate::outcome::ViolationKind;
use crate::path::PathState;
use crate::statistics::ActionCount;
use crate::transition_system::{CompiledExpansion, State, TransitionSystem};

/// Initial states that are kept from one behaviour to the next; if there are more, they are enumerated each time.
const INITIAL_STATES_KEPT: usize = 1 << 12;

/// What was drawn so far.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// Generated states.
    pub(super) generated: u64,
    /// Steps of each action: those that were possible, and those that were taken.
    pub(super) actions: Vec<ActionCount>,
}

/// Draws behaviours on one thread.
pub(super) struct Simulator<'a, T: TransitionSystem> {
    pub(super) system: &'a T,
    pub(super) worker: T::Worker,
    /// Compiled code, if the system can be expanded twice.
    pub(super) compiled: Option<Box<dyn CompiledExpansion<T::Worker, T::Error> + 'a>>,
    pub(super) random: Rng,
    pub(super) counts: Counts,
    /// The initial states, once they are known. They do not depend on anything if the system can be expanded twice.
    initial: Option<Vec<State>>,
    may_reexpand: bool,
}

impl<'a, T: TransitionSystem> Simulator<'a, T> {
    /// For the worker of this number, in its own thread.
    pub(super) fn new(system: &'a T, number: usize) -> Self {
        let may_reexpand = system.may_reexpand();
        Self {
            system,
            worker: system.worker(number),
            compiled: may_reexpand.then(|| system.compiled()).flatten(),
            random: Rng::with_seed(0),
            counts: Counts {
                generated: 0,
                actions: vec![ActionCount::default(); system.action_count()],
            },
            initial: None,
            may_reexpand,
        }
    }

    /// Runs the behaviour of a seed into `path`. A violation is in the last state or after it.
    pub(super) fn run(
        &mut self,
        seed: u64,
        path: &mut Vec<PathState<T::Step>>,
        depth_max: u32,
        limits: &LimitWatch<'_>,
    ) -> Result<(), ViolationKind<T::Error>> {
        self.random = Rng::with_seed(seed);
        let Some(first) = self.initial_state().map_err(ViolationKind::Failed)? else {
            return Ok(());
        };
        path.push(PathState {
            values: first,
            step: None,
        });
        for level in 1.. {
            let Some((last, before)) = path.split_last() else {
                break;
            };
            self.check(before.last().map(|state| &state.values), &last.values, level)?;
            if level >= depth_max || limits.time_limit().is_some() {
                break;
            }
            let within = self
                .system
                .satisfies_constraints(&mut self.worker, &last.values, level);
            if !within.map_err(ViolationKind::Failed)? || self.system.stop_requested(&self.worker) {
                break;
            }
            let from = last.values.clone();
            match self.successor(&from, level)? {
                Some(next) => path.push(next),
                None => break,
            }
        }
        Ok(())
    }

    /// Checks a state of this level, and the step to it.
    pub(super) fn check(
        &mut self,
        before: Option<&State>,
        state: &State,
        level: u32,
    ) -> Result<(), ViolationKind<T::Error>> {
        let (system, worker) = (self.system, &mut self.worker);
        let index = system.violated_invariant(worker, state, level, 0);
        if let Some(index) = index.map_err(ViolationKind::Failed)? {
            return Err(ViolationKind::Invariant(index));
        }
        let violation = match before {
            None => system
                .violated_initial_property(worker, state, 0)
                .map(|index| index.map(ViolationKind::Initial)),
            Some(from) => system
                .violated_step_property(worker, (from, state), level - 1, 0)
                .map(|index| index.map(ViolationKind::Step)),
        };
        violation.map_err(ViolationKind::Failed)?.map_or(Ok(()), Err)
    }

    /// Draws an initial state.
    pub(super) fn initial_state(&mut self) -> Result<Option<State>, T::Error> {
        let random = &mut self.random;
        if let Some(kept) = &self.initial {
            self.counts.generated += kept.len() as u64;
            let mut candidates = 0;
            let drawn = kept.iter().filter(|_| is_drawn(random, &mut candidates));
            return Ok(drawn.last().cloned());
        }
        let (mut chosen, mut count) = (None, 0);
        let mut kept = self.may_reexpand.then(Vec::new);
        self.system.initial_states(&mut self.worker, &mut |_, state| {
            if is_drawn(random, &mut count) {
                chosen = Some(state.into());
            }
            if let Some(states) = &mut kept {
                states.push(state.into());
                if states.len() > INITIAL_STATES_KEPT {
                    kept = None;
                }
            }
            ControlFlow::Continue(())
        })?;
        self.counts.generated += count;
        self.initial = kept;
        self.may_reexpand &= count <= INITIAL_STATES_KEPT as u64;
        Ok(chosen)
    }

    /// Draws a successor.
    pub(super) fn successor(
        &mut self,
        from: &State,
        level: u32,
    ) -> Result<Option<PathState<T::Step>>, ViolationKind<T::Error>> {
        let (system, random, counts) = (self.system, &mut self.random, &mut self.counts);
        let (mut chosen, mut candidates, mut generated, mut failed) = (None, 0, 0, None);
        let mut taken = usize::MAX;
        let enumerated = system.successors(
            &mut self.worker,
            from,
            level,
            &mut |worker: &mut T::Worker, state: &[Value], label: &T::Label| {
                generated += 1;
                if let Some(count) = counts.actions.get_mut(system.action(label)) {
                    count.generated += 1;
                }
                match system.satisfies_action_constraints(worker, from, state, level) {
                    Ok(true) => {
                        if is_drawn(random, &mut candidates) {
                            taken = system.action(label);
                            chosen = Some(PathState {
                                values: state.into(),
                                step: Some(system.describe(worker, label)),
                            });
                        }
                        ControlFlow::Continue(())
                    }
                    Ok(false) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        self.counts.generated += generated;
        if let Some(error) = failed {
            return Err(ViolationKind::Failed(error));
        }
        enumerated.map_err(ViolationKind::Failed)?;
        if generated == 0 && system.checks_deadlock() {
            return Err(ViolationKind::Deadlock);
        }
        if let Some(count) = self.counts.actions.get_mut(taken) {
            count.distinct += 1;
        }
        Ok(chosen)
    }
}

/// Reservoir sampling, so that only one candidate is kept: the n-th replaces the chosen one with probability 1/n.
pub(super) fn is_drawn(random: &mut Rng, candidates: &mut u64) -> bool {
    *candidates += 1;
    random.u64(..*candidates) == 0
}
