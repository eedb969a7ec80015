//! A state of the search: the placed operations in order, and what each of them sees.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use omnilink_history::OpSet;

use crate::step_table::StateSet;

/// A state of the search.
///
/// States are compared by their key: states with equal keys have the same continuations (see
/// [`Search::key`](super::place::Search)), so the engine keeps one of them, with the order that led there first.
#[derive(Clone, Debug)]
pub(super) struct SearchState {
    pub key: Box<[u128]>,
    pub placed: OpSet,
    /// The operations placed, in order.
    pub order: Vec<usize>,
    /// What each of them sees.
    pub visible: Vec<OpSet>,
    /// The observable operations placed, in the linearization's order up to commutation, without the prefix that is
    /// folded into `base`.
    pub sequence: Vec<usize>,
    /// The state of the model after the prefix that all unplaced operations must see.
    pub base: StateSet,
    /// The result of the lookahead.
    pub feasibility: Cell<Feasibility>,
}

/// The result of the lookahead in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feasibility {
    /// Not computed yet.
    #[default]
    Unknown,
    /// The lookahead found no operation that rules the state out.
    Possible,
    /// Some operation that is still to be placed cannot be explained any more.
    Impossible,
}

impl SearchState {
    /// The state with no operation placed.
    pub fn new(count: usize, base: StateSet) -> Self {
        Self {
            key: Box::default(),
            placed: OpSet::EMPTY,
            order: Vec::with_capacity(count),
            visible: vec![OpSet::EMPTY; count],
            sequence: Vec::new(),
            base,
            feasibility: Cell::default(),
        }
    }

    /// Becomes a copy of `other`, without its key, which is about to change.
    pub fn follow(&mut self, other: &Self) {
        self.placed = other.placed;
        self.order.clone_from(&other.order);
        self.visible.clone_from(&other.visible);
        self.sequence.clone_from(&other.sequence);
        self.base = other.base;
    }

    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.key)
            + (self.order.capacity() + self.sequence.capacity()) * size_of::<usize>()
            + self.visible.capacity() * size_of::<OpSet>()
    }
}

impl PartialEq for SearchState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for SearchState {}

impl Hash for SearchState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}
