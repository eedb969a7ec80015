//! Models behind ids, so that the search is compiled once for all of them.

use omnilink_evidence::{Limit, RefusalReason};

use crate::state_ids::{ClassId, Renumber, StateId};

/// The id of a replay: see [`ErasedModel::start_replay`].
pub(crate) type ReplayId = u32;

/// How the steps of a replay are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplaySteps {
    /// As the search computes them.
    OfSearch,
    /// By the definition of the model.
    Plain,
}

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
    /// The limit at which some step was ended, if one was. Its missing successors do not mean a refusal.
    fn interrupted_by(&self) -> Option<Limit>;
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

/// The sizes of the tables of interned states and classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    pub states: usize,
    pub classes: usize,
    pub state_heap_bytes: usize,
}
