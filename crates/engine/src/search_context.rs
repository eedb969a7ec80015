//! What every search strategy shares: the state space, the budget, the reductions, and how it reports back.

use crate::budget::Budget;
use crate::options::{Options, Reductions};
use crate::state_space::DynStateSpace;

/// What a search uses and does not own.
pub(crate) struct SearchContext<'a, 's> {
    pub space: &'a mut DynStateSpace<'s>,
    pub budget: &'a mut Budget,
    pub reductions: &'a Reductions,
}

impl<'a, 's> SearchContext<'a, 's> {
    pub fn new(space: &'a mut DynStateSpace<'s>, budget: &'a mut Budget, options: &'a Options) -> Self {
        Self {
            space,
            budget,
            reductions: &options.reductions,
        }
    }
}

/// Why a search returned to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The requested work is done.
    Done,
    /// The fuel is used up. Call again to continue.
    OutOfFuel,
    /// A limit of the whole check was reached.
    Limit,
    /// No configuration explains the return that is being processed.
    Violation,
}
