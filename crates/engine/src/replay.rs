//! Replays a witness through the model, apart from the search that found it.
//!
//! The search works with numbers, masks and remembered steps; a mistake in any of them must not become a wrong `valid`.
//! So every settled operation is stepped once more through the model itself, and checked against real time.

use omnilink_trace::Time;

use crate::evidence::Placement;
use crate::ledger::Entry;
use crate::model::Model;
use crate::space::Interned;

/// A witness in the making.
#[derive(Debug)]
pub(crate) struct Replay<S> {
    states: Vec<S>,
    next: Vec<S>,
    /// The latest start so far: the earliest moment at which the next operation can take effect.
    now: Time,
    /// Operations placed that had to be placed.
    pub mandatory: u64,
    /// Operations placed.
    pub placed: u64,
}

impl<S: Clone + Eq> Replay<S> {
    pub fn new(states: Vec<S>) -> Self {
        Self {
            states,
            next: Vec::new(),
            now: Time::MIN,
            mandatory: 0,
            placed: 0,
        }
    }

    /// Places one more operation, or says why it cannot be placed.
    ///
    /// Real time is respected if and only if there are points, one in each timebox, that never decrease: the running
    /// maximum of the starts is the least such sequence, so it suffices that no end lies before it.
    pub fn place<M: Model<State = S>>(
        &mut self,
        entry: &Entry,
        interned: &mut Interned<'_, M>,
    ) -> Result<Placement, String> {
        self.now = self.now.max(entry.start);
        if entry.end < self.now {
            return Err(format!(
                "operation {} had ended at {} before {}",
                entry.id, entry.end, self.now
            ));
        }
        self.next.clear();
        for state in &self.states {
            interned.step_afresh(state, entry.class, &mut self.next);
        }
        if self.next.is_empty() {
            return Err(format!("the model refuses operation {}", entry.id));
        }
        if self.next.len() > 1 {
            let mut distinct: Vec<S> = Vec::with_capacity(self.next.len());
            for state in self.next.drain(..) {
                if !distinct.contains(&state) {
                    distinct.push(state);
                }
            }
            self.next = distinct;
        }
        std::mem::swap(&mut self.states, &mut self.next);
        self.placed += 1;
        self.mandatory += u64::from(!entry.optional);
        Ok(Placement {
            op: entry.id,
            at: self.now,
        })
    }
}
