//! A partial explanation: the open operations placed so far, and the state that results.

use crate::mask::Mask;
use crate::path::{PathId, START};
use crate::state_ids::StateId;

/// One way to explain the trace so far.
#[derive(Clone, Debug)]
pub(crate) struct Configuration<K> {
    pub state: StateId,
    /// The open operations that have taken effect.
    pub placed: K,
    /// The order in which operations were placed.
    pub path: PathId,
}

impl<K: Mask> Configuration<K> {
    /// The configuration before the first operation.
    pub fn initial(state: StateId) -> Self {
        Self {
            state,
            placed: K::default(),
            path: START,
        }
    }

    /// The same configuration with another kind of mask, which must have room for it.
    pub fn convert<W: Mask>(&self) -> Configuration<W> {
        Configuration {
            state: self.state,
            placed: self.placed.convert(),
            path: self.path,
        }
    }
}
