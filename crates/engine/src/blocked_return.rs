//! The point at which a search gets no further: a return, and the configurations in front of it.

use omnilink_evidence::{Alternative, Counterexample};

use crate::configuration::Configuration;
use crate::mask::Mask;
use crate::op_table::OpRef;
use crate::open_ops::OpenOps;
use crate::state_ids::StateId;

/// A return that no configuration gets past, or the return at which a search stopped.
#[derive(Debug)]
pub(crate) struct BlockedReturn {
    /// The operation that returns.
    pub target: OpRef,
    /// The configurations in front of the return, at most [`BlockedReturn::KEPT`].
    pub configurations: Vec<PartialExplanation>,
    /// The number of configurations in front of the return.
    pub total: u64,
}

impl BlockedReturn {
    /// The number of configurations that evidence shows.
    pub const KEPT: usize = Counterexample::ALTERNATIVES_MAX;
    /// The number of placed operations that evidence shows of each.
    pub const RECENT: usize = Alternative::RECENT_MAX;
}

/// A configuration, independent of the slots of its search.
#[derive(Debug)]
pub(crate) struct PartialExplanation {
    pub state: StateId,
    /// The open operations that it has placed.
    pub placed: Vec<OpRef>,
    /// The open operations that it has not placed.
    pub unplaced: Vec<OpRef>,
    /// The operations placed last, oldest first.
    pub recent: Vec<OpRef>,
}

impl PartialExplanation {
    pub fn new<K: Mask>(config: &Configuration<K>, ops: &OpenOps<K>, recent: Vec<OpRef>) -> Self {
        let refs = |mask: &K| mask.slots().map(|slot| ops.slot(slot).op).collect();
        Self {
            state: config.state,
            placed: refs(&config.placed),
            unplaced: refs(&ops.open.minus(&config.placed)),
            recent,
        }
    }
}
