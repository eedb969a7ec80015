//! Samples of where operations were placed: states in which an action was possible, spread over the whole search.

use std::cell::{Cell, RefCell};

use crate::instance::Instance;
use crate::state::SpecState;

/// An operation and a state in which it was possible.
pub(crate) type Sample = (Instance, SpecState);

/// A few samples for each plan: the first ones, and then at distances that double. So their number grows with the logarithm
/// of the length of a trace, and all parts of it are among them.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    of: Vec<OfPlan>,
}

#[derive(Debug, Default)]
struct OfPlan {
    seen: Cell<u64>,
    kept: RefCell<Vec<Sample>>,
}

/// This many are kept before the distances double.
const FIRST: u64 = 4;

impl Samples {
    pub(crate) fn new(plans: usize) -> Self {
        Self {
            of: (0..plans).map(|_| OfPlan::default()).collect(),
        }
    }

    /// Takes note of a step that was possible.
    #[inline]
    pub(crate) fn offer(&self, instance: &Instance, state: &SpecState) {
        if let Some(plan) = self.of.get(instance.0.plan as usize) {
            let seen = plan.seen.get() + 1;
            plan.seen.set(seen);
            if seen <= FIRST || seen.is_power_of_two() {
                plan.kept.borrow_mut().push((instance.clone(), state.clone()));
            }
        }
    }

    /// The samples of a plan.
    pub(crate) fn of(&self, plan: usize) -> Vec<Sample> {
        self.of
            .get(plan)
            .map(|plan| plan.kept.borrow().clone())
            .unwrap_or_default()
    }
}
