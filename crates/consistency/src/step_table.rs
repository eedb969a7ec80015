//! The steps of the sequential model, computed once per distinct state and operation.
//!
//! Sets of states are interned, because a model may be nondeterministic, and so are operations. Replaying what an
//! operation sees is then a sequence of table lookups.

use hashbrown::HashMap;
use omnilink_engine::{Keys, Model, successors};
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

/// A set of states that the model may be in, interned.
pub(crate) type StateSet = u32;
/// An operation of the model, interned.
pub(crate) type Class = u32;

/// The empty set: the sequence of operations is impossible.
pub(crate) const DEAD: StateSet = 0;

/// Properties of an operation that hold in every state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpProperties {
    /// It leaves every state as it is.
    pub is_pure: bool,
    /// It leaves every state as it is and no state refuses it: whether it is visible makes no difference.
    pub is_noop: bool,
    /// Key bits that it reads.
    pub reads: u64,
    /// Key bits that it writes.
    pub writes: u64,
}

impl OpProperties {
    /// Whether the two operations commute.
    pub fn commutes_with(&self, other: &Self) -> bool {
        self.writes & (other.reads | other.writes) == 0 && other.writes & self.reads == 0
    }
}

/// The steps of a model, by the ids of its sets of states and of its operations. The searches know nothing else of a model, so they
/// are compiled once for all models.
pub(crate) trait Steps {
    /// The initial states.
    fn initial(&self) -> StateSet;

    /// What holds for an operation in every state.
    fn properties(&self, class: Class) -> OpProperties;

    /// The states after an operation.
    fn step(&mut self, from: StateSet, class: Class) -> StateSet;

    /// The sets of one state each that make up `set`.
    fn split(&mut self, set: StateSet) -> SmallVec<[StateSet; 1]>;
}

/// The table of steps. It lives as long as a checker, over all histories.
///
/// What is kept is a function of its key: states, operations and sets of states are numbered by equality, so a number stands for one of them for
/// ever; the states after an operation are those that the model computes from the set and the operation, and a model's step
/// depends on nothing else (the contract of [`Model::step`]); [`OpProperties`] are a function of the operation.
pub(crate) struct StepTable<'m, M: Model> {
    pub model: &'m M,
    states: Vec<M::State>,
    state_ids: HashMap<M::State, u32, FxBuildHasher>,
    classes: Vec<M::Op>,
    class_ids: HashMap<M::Op, Class, FxBuildHasher>,
    facts: Vec<OpProperties>,
    sets: Vec<Box<[u32]>>,
    set_ids: HashMap<Box<[u32]>, StateSet, FxBuildHasher>,
    table: HashMap<(StateSet, Class), StateSet, FxBuildHasher>,
    initial: StateSet,
    /// States and operations without a successor, and how many of them were examined for failures.
    refused: Vec<(u32, Class)>,
    examined: usize,
    /// The number of steps that the model computed.
    pub model_steps: u64,
}

impl<M: Model> std::fmt::Debug for StepTable<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepTable")
            .field("states", &self.states.len())
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> StepTable<'m, M> {
    pub fn new(model: &'m M) -> Self {
        let mut steps = Self {
            model,
            states: Vec::new(),
            state_ids: HashMap::default(),
            classes: Vec::new(),
            class_ids: HashMap::default(),
            facts: Vec::new(),
            sets: Vec::new(),
            set_ids: HashMap::default(),
            table: HashMap::default(),
            initial: DEAD,
            refused: Vec::new(),
            examined: 0,
            model_steps: 0,
        };
        let dead = steps.set_of(Vec::new());
        debug_assert_eq!(dead, DEAD);
        steps.initial = steps.set_of(model.initial());
        steps
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.table.len() + self.states.len() + self.classes.len()
    }

    fn set_of(&mut self, states: Vec<M::State>) -> StateSet {
        let mut ids: Vec<u32> = states
            .into_iter()
            .map(|state| {
                let next = self.states.len() as u32;
                *self.state_ids.entry(state).or_insert_with_key(|state| {
                    self.states.push(state.clone());
                    next
                })
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        self.intern(ids)
    }

    /// The number of a set, by the numbers of its states in order.
    fn intern(&mut self, ids: Vec<u32>) -> StateSet {
        let next = self.sets.len() as StateSet;
        match self.set_ids.get(ids.as_slice()) {
            Some(known) => *known,
            None => {
                let ids = ids.into_boxed_slice();
                self.sets.push(ids.clone());
                self.set_ids.insert(ids, next);
                next
            }
        }
    }

    pub fn class_of(&mut self, op: &M::Op) -> Class {
        if let Some(known) = self.class_ids.get(op) {
            return *known;
        }
        let class = self.classes.len() as Class;
        self.classes.push(op.clone());
        self.class_ids.insert(op.clone(), class);
        let footprint = self.model.footprint(op);
        let is_pure = self.model.is_pure(op);
        let reads = mask(&footprint.reads);
        let writes = if is_pure { 0 } else { mask(&footprint.writes) };
        self.facts.push(OpProperties {
            is_pure,
            is_noop: false,
            reads,
            writes,
        });
        // An operation that reads nothing is accepted in every state or in none.
        if is_pure && reads == 0 && self.step(self.initial, class) == self.initial {
            self.facts[class as usize].is_noop = true;
        }
        class
    }

    /// The states of a set.
    pub fn states(&self, set: StateSet) -> impl Iterator<Item = &M::State> {
        self.sets[set as usize]
            .iter()
            .map(|state| &self.states[*state as usize])
    }

    /// Every state and operation without a successor, to find out why. Each is returned once.
    pub fn take_refusals(&mut self) -> impl Iterator<Item = (&M::State, &M::Op)> {
        let from = std::mem::replace(&mut self.examined, self.refused.len());
        let refused = self.refused.get(from..).unwrap_or_default();
        refused
            .iter()
            .map(|(state, class)| (&self.states[*state as usize], &self.classes[*class as usize]))
    }
}

impl<M: Model> Steps for StepTable<'_, M> {
    fn initial(&self) -> StateSet {
        self.initial
    }

    fn properties(&self, class: Class) -> OpProperties {
        self.facts[class as usize]
    }

    fn step(&mut self, from: StateSet, class: Class) -> StateSet {
        if let Some(known) = self.table.get(&(from, class)) {
            return *known;
        }
        let mut next = Vec::new();
        for &state in &self.sets[from as usize] {
            self.model_steps += 1;
            let known = next.len();
            next.extend(successors(
                self.model,
                &self.states[state as usize],
                &self.classes[class as usize],
            ));
            if next.len() == known {
                self.refused.push((state, class));
            }
        }
        let to = self.set_of(next);
        self.table.insert((from, class), to);
        to
    }

    fn split(&mut self, set: StateSet) -> SmallVec<[StateSet; 1]> {
        match *self.sets[set as usize] {
            [_] => smallvec![set],
            _ => {
                let ids = self.sets[set as usize].clone();
                ids.iter().map(|id| self.intern(vec![*id])).collect()
            }
        }
    }
}

fn mask(keys: &Keys) -> u64 {
    match keys {
        Keys::Only(keys) => keys.iter().fold(0, |mask, key| mask | 1 << (key % 64)),
        Keys::All => !0,
    }
}
