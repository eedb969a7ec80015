//! Samples of enabled steps: states in which an action was possible, spread over the whole search.

use std::cell::{Cell, RefCell};

use crate::instance::Instance;
use crate::state::SpecState;

/// An operation and a state in which it was possible.
pub(crate) type Sample = (Instance, SpecState);

/// A few samples for each binding: the first ones, and then at distances that double. Their number grows with the logarithm of the
/// length of a trace, and they come from all parts of it. Of operations in steps, the last steps have samples of their own: there are far fewer
/// of them, and what an operation returns shows in them only.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    of: Vec<OfBinding>,
}

#[derive(Debug, Default)]
struct OfBinding {
    steps: SampleSeries,
    last: SampleSeries,
}

#[derive(Debug, Default)]
struct SampleSeries {
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
            let series = match instance.0.part {
                Some(part) if !part.is_last => &binding.steps,
                _ => &binding.last,
            };
            let seen = series.seen.get() + 1;
            series.seen.set(seen);
            if seen <= FIRST || seen.is_power_of_two() {
                series.kept.borrow_mut().push((instance.clone(), state.clone()));
            }
        }
    }

    /// The samples of a binding.
    pub(crate) fn of(&self, binding: usize) -> Vec<Sample> {
        let series = self
            .of
            .get(binding)
            .map(|binding| [&binding.last, &binding.steps]);
        let series = series.into_iter().flatten();
        series.flat_map(|series| series.kept.borrow().clone()).collect()
    }
}
