//! Searches with masks of the width that they need.

use crate::depth_first::{DepthFirst, Schedule};
use crate::mask::{Mask, WideMask};
use crate::sweep::Sweep;

/// A sweep.
#[derive(Debug)]
pub(crate) enum AnySweep {
    Word(Sweep<u64>),
    Double(Sweep<u128>),
    Wide(Sweep<WideMask>),
}

/// A depth-first search.
#[derive(Debug)]
pub(crate) enum AnyDepthFirst {
    Word(DepthFirst<u64>),
    Double(DepthFirst<u128>),
    Wide(DepthFirst<WideMask>),
}

/// Evaluates an expression for a search, whatever its masks.
macro_rules! with {
    ($any:ident, $of:expr, $name:ident => $body:expr) => {
        match $of {
            $any::Word($name) => $body,
            $any::Double($name) => $body,
            $any::Wide($name) => $body,
        }
    };
}
pub(crate) use with;

impl AnySweep {
    /// Makes room for one more open operation.
    pub fn make_room(&mut self) {
        if with!(AnySweep, self, sweep => sweep.has_room()) {
            return;
        }
        let sweep = std::mem::replace(self, Self::Word(Sweep::new(std::iter::empty())));
        *self = match sweep {
            Self::Word(sweep) => Self::Double(sweep.widen()),
            Self::Double(sweep) => Self::Wide(sweep.widen()),
            wide => wide,
        };
    }
}

impl AnyDepthFirst {
    /// A search from the frontier of a sweep.
    pub fn new<K: Mask>(schedule: Schedule, sweep: &Sweep<K>) -> Self {
        match schedule.width {
            0..=64 => Self::Word(DepthFirst::new(schedule, sweep)),
            65..=128 => Self::Double(DepthFirst::new(schedule, sweep)),
            _ => Self::Wide(DepthFirst::new(schedule, sweep)),
        }
    }
}
