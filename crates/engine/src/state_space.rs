//! The state space: interned states, interned operation classes, and a memo of steps.
//!
//! The search handles ids only. The states behind them, and the steps between them, belong to an [`ErasedModel`]. It
//! computes a step only if the memo has none for `(state, class)`. So the search is compiled once for all models, and its
//! inner loop neither clones nor hashes a model's state.

use omnilink_evidence::RefusalReason;

use crate::memo::Memo;
use crate::replay::{ReplayId, ReplaySteps};

/// The id of an interned state.
pub(crate) type StateId = u32;
/// The id of a class of operations: those with equal name, arguments and result.
pub(crate) type ClassId = u32;

/// The properties of a class that the search uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassFacts {
    /// Whether it never changes any state.
    pub pure: bool,
    /// The keys that its outcome depends on, as bits.
    pub reads: u64,
    /// The keys that it may change, as bits.
    pub writes: u64,
    /// The key, if it touches exactly one.
    pub only_key: Option<u64>,
    /// Whether it reads no key.
    pub blind: bool,
    /// The part of the state that it belongs to; `None` if it spans several.
    pub part_id: Option<u64>,
}

/// A model behind ids, whatever its types of states and operations.
pub(crate) trait ErasedModel {
    /// Appends the successors of `state` under `class`. Returns whether they may be stored in the memo.
    fn step(&mut self, state: StateId, class: ClassId, successors: &mut Vec<StateId>) -> bool;
    fn may_enable(&self, state: StateId, refused: ClassId, helper: ClassId) -> bool;
    fn facts(&self, class: ClassId) -> &ClassFacts;
    fn describe_state(&self, state: StateId) -> String;
    fn describe_op(&self, class: ClassId) -> String;
    /// Why `state` refuses `class`, in the model's words.
    fn explain(&self, state: StateId, class: ClassId) -> Option<RefusalReason>;
    /// The first failure of the model itself.
    fn failure(&self) -> Option<&str>;
    /// The first limit of the model itself that some step ran into.
    fn exceeded(&self) -> Option<&str>;
    /// Whether some step was interrupted at the time limit. Its missing successors do not mean a refusal.
    fn was_interrupted(&self) -> bool;
    fn table_sizes(&self) -> TableSizes;
    fn heap_bytes(&self) -> usize;
    /// Assigns every class to one part. Must be called before any class was assigned to another part.
    fn use_single_part(&mut self);
    /// Drops the states that are not in use and, if `classes` is set, the classes that are not in use. `renumber_all`
    /// passes every id that is in use to [`Renumber`].
    fn compact(&mut self, classes: bool, renumber_all: &mut dyn FnMut(&mut dyn Renumber));
    /// Starts to replay an explanation from these states, without the memo.
    fn start_replay(&mut self, from: &[StateId]) -> ReplayId;
    /// Starts to replay an explanation from the initial states, by the definition of the model: see [`Model::plain_step`](crate::Model::plain_step).
    fn start_plain_replay(&mut self) -> ReplayId;
    /// Replays one more operation. Returns whether the model accepts it.
    fn replay(&mut self, replay: ReplayId, class: ClassId, steps: ReplaySteps) -> bool;
    /// A second replay that is where another one is.
    fn fork_replay(&mut self, replay: ReplayId) -> ReplayId;
    fn end_replay(&mut self, replay: ReplayId);
    /// The states that a replay may be in.
    fn describe_replay(&self, replay: ReplayId) -> Vec<String>;
}

/// Replaces old ids by new ones.
pub(crate) trait Renumber {
    fn state(&mut self, id: &mut StateId);
    fn class(&mut self, id: &mut ClassId);
}

/// The sizes of the tables of interned states and classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    pub states: usize,
    pub classes: usize,
    pub state_heap_bytes: usize,
}

/// The successors of a step, packed: none, one state, or a range of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Successors(u32);

impl Successors {
    pub const REFUSED: Self = Self(u32::MAX);
    const MANY: u32 = 1 << 31;

    #[inline]
    pub fn is_refused(self) -> bool {
        self == Self::REFUSED
    }
}

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
