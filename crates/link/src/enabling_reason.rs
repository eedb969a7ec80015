//! The reason for which a state refuses an instance: it names an enabling set. See [`crate::enabling_set`].

use std::cell::RefCell;
use std::rc::Rc;

use omnilink_tla::eval::{Cell, Direction, State};

/// A necessary enabling set, named by the reason for which the instance is refused.
#[derive(Clone, Debug)]
pub(crate) enum EnablingSet {
    /// Anything may enable it.
    Anything,
    /// Nothing ever does.
    Nothing,
    /// The demand with this number is not met.
    Demand(usize),
    /// This condition is false.
    Condition(Unmet),
    /// These cells, which its evaluation read, are as they are.
    Read(Rc<[Cell]>),
    /// All that it may read is as it is.
    Reads,
}

/// A condition that is false in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unmet {
    /// Its number among the conditions of the instance.
    pub(crate) number: usize,
    /// For a sum: its value, and in which direction it must change.
    pub(crate) sum: Option<(i64, Direction)>,
}

/// The last state that refused an instance, and its enabling set there.
///
/// The set is a function of the instance, which owns this slot, and of the values of the state: `Arc::ptr_eq` implies that these are
/// equal. Whether an operation in steps is done, the only other part of a state, is looked at outside of it.
#[derive(Debug, Default)]
pub(crate) struct LastEnablingSet(pub(crate) RefCell<Option<(State, EnablingSet)>>);
