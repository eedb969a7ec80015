//! Successors in parts: an action may have millions, as initial conditions do.
//!
//! The run of an action pauses at a successor and goes on behind it. Meanwhile formulas about the successors are evaluated. They use neither the
//! registers of the action nor the current state, and the next state so far is put aside, because an ENABLED has one of its own.

use omnilink_tla_eval::Evaluator;

use super::run::Run;
use super::{Machine, Successor, Successors};
use crate::trap::Trap;

/// Where the run of an action goes on.
#[derive(Debug)]
pub(super) struct Paused {
    action: usize,
    at: usize,
    next: Vec<u64>,
    trail: Vec<(u32, u64)>,
}

impl<'p> Machine<'p> {
    /// Finds the first successors of the current state under an action, at most `limit`. Returns whether there may be more.
    ///
    /// # Errors
    /// A trap; then nothing is known about the successors that were not found.
    pub fn first_successors(
        &mut self,
        action: usize,
        limit: usize,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<bool, Trap> {
        self.memory.limit = limit;
        let is_done = self.enumerate(action, None, evaluator);
        self.pause(action, is_done)
    }

    /// Finds as many more. The current state must be the same.
    ///
    /// # Errors
    /// A trap; then nothing is known about the successors that were not found.
    pub fn more_successors(&mut self, evaluator: &mut Evaluator<'p>) -> Result<bool, Trap> {
        let Some(paused) = self.memory.paused.take() else {
            return Err(Trap::NotCompiled);
        };
        let action = paused.action;
        let is_done = self.enumerate(action, Some(paused), evaluator);
        self.pause(action, is_done)
    }

    fn pause(&mut self, action: usize, is_done: Result<bool, Trap>) -> Result<bool, Trap> {
        let memory = &mut self.memory;
        let is_paused = !is_done.inspect_err(|_| memory.limit = 0)?;
        if is_paused {
            debug_assert!(memory.rescues.is_empty() && memory.collections.depth() == 0);
            memory.paused = Some(Paused {
                action,
                at: memory.paused_at,
                next: memory.next.clone(),
                trail: memory.trail.clone(),
            });
        } else {
            memory.limit = 0;
        }
        Ok(is_paused)
    }

    /// Runs an action from the start or from where it has paused. Returns whether it came to its end.
    pub(super) fn enumerate(
        &mut self,
        action: usize,
        paused: Option<Paused>,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<bool, Trap> {
        let Some(action) = self.actions.get_mut(action) else {
            return Err(Trap::NotCompiled);
        };
        let memory = &mut self.memory;
        memory.start();
        if !std::mem::replace(&mut memory.is_complete, true) {
            self.layout.complete(&mut memory.now, &self.store);
        }
        let start = match paused {
            None => {
                memory.next.copy_from_slice(&memory.now);
                None
            }
            Some(paused) => {
                (memory.next, memory.trail) = (paused.next, paused.trail);
                Some(paused.at)
            }
        };
        let mut run = Run {
            store: &mut self.store,
            layout: &self.layout,
            memory,
            procedures: &mut action.procedures,
            is_after: false,
            is_step: false,
            evaluator,
        };
        match start {
            None => run.run(&mut action.main),
            Some(at) => run.run_on(&mut action.main, at),
        }
    }
}

impl Run<'_, '_, '_> {
    /// Adds a successor. Returns whether the action is to pause.
    #[inline]
    pub(super) fn emit(&mut self, action: u32) -> bool {
        let memory = &mut *self.memory;
        let Successors { found, changes } = &mut memory.successors;
        let next = &memory.next;
        changes.extend(memory.trail.iter().map(|(slot, _)| (*slot, next[*slot as usize])));
        found.push(Successor {
            sum: next[self.layout.sum_slot()],
            action,
            end: changes.len() as u32,
        });
        found.len() == memory.limit
    }
}
