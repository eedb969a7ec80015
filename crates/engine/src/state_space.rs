//! The state space: interned states, interned operation classes, and a memo of steps.
//!
//! The search handles ids only. The states behind them, and the steps between them, belong to an [`ErasedModel`]. It
//! computes a step only if the memo has none for `(state, class)`. So the search is compiled once for all models, and its
//! inner loop neither clones nor hashes a model's state.

use crate::erased_model::ErasedModel;
use crate::memo::Memo;
use crate::state_ids::{ClassId, StateId, Successors};

/// A model with a memo of its steps.
pub(crate) struct StateSpace<M: ?Sized> {
    memo: Memo,
    /// Successor lists of more than one state, as ranges in `pool`.
    branches: Vec<(u32, u32)>,
    pool: Vec<StateId>,
    scratch: Vec<StateId>,
    /// The number of steps that the model computed.
    pub steps: u64,
    pub model: M,
}

/// The state space of any model.
pub(crate) type DynStateSpace<'a> = StateSpace<dyn ErasedModel + 'a>;

impl<M> StateSpace<M> {
    pub fn new(model: M) -> Self {
        Self {
            memo: Memo::new(),
            branches: Vec::new(),
            pool: Vec::new(),
            scratch: Vec::new(),
            steps: 0,
            model,
        }
    }
}

impl DynStateSpace<'_> {
    /// Clears the memo, because ids are about to change.
    pub fn clear_memo(&mut self) {
        self.memo.clear();
        self.branches.clear();
        self.pool.clear();
    }

    /// The successors of `state` under `class`.
    #[inline]
    pub fn successors(&mut self, state: StateId, class: ClassId) -> Successors {
        match self.memo.get(state, class) {
            Some(successors) => successors,
            None => self.compute(state, class),
        }
    }

    /// The successor at `index`, if there is one.
    #[inline]
    pub fn successor(&self, successors: Successors, index: usize) -> Option<StateId> {
        if successors.is_refused() {
            None
        } else if successors.0 & Successors::MANY == 0 {
            (index == 0).then_some(successors.0)
        } else {
            let (start, len) = self.branches[(successors.0 & !Successors::MANY) as usize];
            (index < len as usize).then(|| self.pool[start as usize + index])
        }
    }

    /// Whether `state` accepts `class`.
    #[inline]
    pub fn accepts(&mut self, state: StateId, class: ClassId) -> bool {
        !self.successors(state, class).is_refused()
    }

    #[cold]
    #[inline(never)]
    fn compute(&mut self, state: StateId, class: ClassId) -> Successors {
        self.steps += 1;
        self.scratch.clear();
        let may_be_stored = self.model.step(state, class, &mut self.scratch);
        if self.scratch.len() > 1 {
            self.scratch.sort_unstable();
            self.scratch.dedup();
        }
        let successors = match self.scratch.as_slice() {
            [] => Successors::REFUSED,
            [one] => Successors(*one),
            many => {
                let range = (self.pool.len() as u32, many.len() as u32);
                self.pool.extend_from_slice(many);
                self.branches.push(range);
                Successors(Successors::MANY | (self.branches.len() - 1) as u32)
            }
        };
        if may_be_stored {
            self.memo.put(state, class, successors);
        }
        successors
    }

    /// Bytes held by the tables and, roughly, by the states.
    pub fn heap_bytes(&self) -> usize {
        self.memo.heap_bytes()
            + self.pool.capacity() * size_of::<StateId>()
            + self.branches.capacity() * size_of::<(u32, u32)>()
            + self.model.heap_bytes()
    }
}

impl<M: ?Sized> std::fmt::Debug for StateSpace<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateSpace")
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}
