//! One behaviour by compiled code.
//!
//! It is the behaviour that the evaluator would run: the successors come in the same order, and so do the random numbers. One in which
//! something is violated, or cannot be evaluated, is given up, and the evaluator runs it from the start. It finds the same, and
//! has the names of the steps. Nothing can be observed of the first attempt, as the system may be expanded twice.

use fastrand::Rng;

use super::simulator::{Simulator, is_drawn};
use crate::codec::{Decoder, encode};
use crate::limits::LimitWatch;
use crate::transition_system::{CompiledExpansion, State, TransitionSystem};

impl<T: TransitionSystem> Simulator<'_, T> {
    /// The length of the behaviour of a seed; `None` if the evaluator has to run it.
    pub(super) fn run_compiled(&mut self, seed: u64, depth_max: u32, limits: &LimitWatch<'_>) -> Option<u32> {
        let mut compiled = self.compiled.take()?;
        let before = self.counts.clone();
        self.random = Rng::with_seed(seed);
        let length = self.walk(&mut *compiled, depth_max, limits);
        self.compiled = Some(compiled);
        if length.is_none() {
            self.counts = before;
        }
        length
    }

    fn walk(
        &mut self,
        compiled: &mut dyn CompiledExpansion<T::Worker, T::Error>,
        depth_max: u32,
        limits: &LimitWatch<'_>,
    ) -> Option<u32> {
        let first = self.initial_state().ok()??;
        self.check(None, &first, 1).ok()?;
        let mut level = 1;
        let mut is_within = self.is_within(&first, level, depth_max)?;
        let mut encoded = Vec::new();
        encode_state(&first, &mut encoded);
        while is_within && limits.time_limit().is_none() && !self.system.stop_requested(&self.worker) {
            if compiled.expand(&mut self.worker, &encoded, level).is_some() {
                let Some(successor) = self.compiled_successor(compiled, level)? else {
                    break;
                };
                level += 1;
                let worker = &mut self.worker;
                let invariant = compiled.violated_invariant(worker, successor, level, 0);
                let step = compiled.violated_step_property(worker, successor, level, 0);
                if invariant.ok()?.is_some() || step.ok()?.is_some() {
                    return None;
                }
                is_within = level < depth_max
                    && compiled
                        .satisfies_state_constraints(worker, successor, level)
                        .ok()?;
                encoded.clear();
                compiled.encode(successor, &mut encoded);
            } else {
                let state = Decoder::new(&encoded).state(first.len()).ok()?;
                compiled.learn(&mut self.worker, &state);
                let Some(next) = self.successor(&state, level).ok()? else {
                    break;
                };
                level += 1;
                self.check(Some(&state), &next.values, level).ok()?;
                is_within = self.is_within(&next.values, level, depth_max)?;
                encoded.clear();
                encode_state(&next.values, &mut encoded);
            }
        }
        Some(level)
    }

    /// Whether a behaviour goes on after a state of this level.
    fn is_within(&mut self, state: &State, level: u32, depth_max: u32) -> Option<bool> {
        if level >= depth_max {
            return Some(false);
        }
        self.system
            .satisfies_constraints(&mut self.worker, state, level)
            .ok()
    }

    /// Draws one of the successors of a state of this level that compiled code has found. `Some(None)` if there is none to go to, `None` if that is a
    /// violation.
    fn compiled_successor(
        &mut self,
        compiled: &mut dyn CompiledExpansion<T::Worker, T::Error>,
        level: u32,
    ) -> Option<Option<usize>> {
        if compiled.is_empty() && self.system.checks_deadlock() {
            return None;
        }
        let is_constrained = self.system.has_action_constraints();
        self.counts.generated += compiled.len() as u64;
        let (mut chosen, mut candidates) = (None, 0);
        for successor in 0..compiled.len() {
            if let Some(count) = self.counts.actions.get_mut(compiled.action(successor)) {
                count.generated += 1;
            }
            let is_candidate = !is_constrained
                || compiled
                    .satisfies_action_constraints(&mut self.worker, successor, level)
                    .ok()?;
            if is_candidate && is_drawn(&mut self.random, &mut candidates) {
                chosen = Some(successor);
            }
        }
        if let Some(successor) = chosen
            && let Some(count) = self.counts.actions.get_mut(compiled.action(successor))
        {
            count.distinct += 1;
        }
        Some(chosen)
    }
}

fn encode_state(state: &State, out: &mut Vec<u8>) {
    for value in state.iter() {
        encode(value, out);
    }
}
