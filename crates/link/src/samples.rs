//! Samples of enabled steps: states in which an action was possible, spread over the whole search.

use std::cell::{Cell, RefCell};

use crate::instance::Instance;
use crate::state::SpecState;

/// An operation and a state in which it was possible.
pub(crate) type Sample = (Instance, SpecState);

/// A few samples for each binding: the first ones, and then at distances that double. Their number grows with the logarithm of the
/// length of a trace, and they come from all parts of it.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    of: Vec<OfBinding>,
}

#[derive(Debug, Default)]
struct OfBinding {
    seen: Cell<u64>,
    kept: RefCell<Vec<Sample>>,
}

/// The number of samples kept before the distances double.
const FIRST: u64 = 4;

impl Samples {
    pub(crate) fn new(bindings: usize) -> Self {
        Self {
            of: (0..bindings).map(|_| OfBinding::default()).collect(),
        }
    }

    /// Considers a step that was possible.
    #[inline]
    pub(crate) fn offer(&self, instance: &Instance, state: &SpecState) {
        if let Some(binding) = self.of.get(instance.0.binding as usize) {
            let seen = binding.seen.get() + 1;
            binding.seen.set(seen);
            if seen <= FIRST || seen.is_power_of_two() {
                binding.kept.borrow_mut().push((instance.clone(), state.clone()));
            }
        }
    }

    /// The samples of a binding.
    pub(crate) fn of(&self, binding: usize) -> Vec<Sample> {
        self.of
            .get(binding)
            .map(|binding| binding.kept.borrow().clone())
            .unwrap_or_default()
    }
}
