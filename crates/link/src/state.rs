//! A state of the spec as the engine handles it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnilink_tla::eval::State;
use omnilink_value::Value;

/// The values of all variables, and, if the spec has a VIEW, what counts as the same state.
///
/// Invariant: `hash` is that of the view if there is one, else of the values, with `done` mixed in.
#[derive(Clone, Debug)]
pub struct SpecState {
    values: State,
    view: Option<Value>,
    /// For each thread that does operations in steps, the last one that is done: thread and number, sorted.
    done: Option<Arc<[(u64, u64)]>>,
    hash: u64,
}

impl SpecState {
    pub(crate) fn new(values: State, view: Option<Value>) -> Self {
        let hash = match &view {
            Some(view) => view.hash64(),
            None => (1u64..).zip(&*values).fold(0u64, |sum, (slot, value)| {
                sum.wrapping_add(spread(value.hash64(), slot))
            }),
        };
        Self {
            values,
            view,
            done: None,
            hash,
        }
    }

    /// This state, without a view, with other values in some cells: variable, key and value of each; `None` if one is not
    /// there.
    pub(crate) fn with<'v>(&self, writes: impl Iterator<Item = (u32, &'v Value, &'v Value)>) -> Option<Self> {
        let mut values: State = self.values.iter().cloned().collect();
        let next = Arc::get_mut(&mut values)?;
        for (variable, key, value) in writes {
            let cells = next.get_mut(variable as usize)?;
            *cells = cells.with_entry(cells.index_of(key)?, value.clone())?;
        }
        Some(Self::new(values, None).after(self))
    }

    /// Whether the operation in steps of this thread and number is done.
    pub(crate) fn is_done(&self, thread: u64, number: u64) -> bool {
        let done = self.done.as_deref().unwrap_or_default();
        done.binary_search(&(thread, number)).is_ok()
    }

    /// This state with what `before` says about operations in steps.
    pub(crate) fn after(mut self, before: &Self) -> Self {
        if let Some(done) = &before.done {
            self.set_done(Arc::clone(done));
        }
        self
    }

    /// This state once the operation in steps of this thread and number is done.
    pub(crate) fn with_done(mut self, thread: u64, number: u64) -> Self {
        let others = self
            .done
            .as_deref()
            .unwrap_or_default()
            .iter()
            .filter(|(other, _)| *other != thread);
        let mut done: Vec<(u64, u64)> = others.copied().chain([(thread, number)]).collect();
        done.sort_unstable();
        self.set_done(done.into());
        self
    }

    fn set_done(&mut self, done: Arc<[(u64, u64)]>) {
        let sum = |done: &[(u64, u64)]| {
            let parts = done.iter().map(|(thread, number)| spread(*thread, *number));
            parts.fold(0u64, u64::wrapping_add)
        };
        let before = self.done.as_deref().map_or(0, sum);
        self.hash = self.hash.wrapping_sub(before).wrapping_add(sum(&done));
        self.done = Some(done);
    }

    /// The values of the variables, in the order of the spec.
    pub fn values(&self) -> &State {
        &self.values
    }
}

fn spread(hash: u64, slot: u64) -> u64 {
    (hash ^ slot.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

impl PartialEq for SpecState {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && self.done == other.done
            && match (&self.view, &other.view) {
                (Some(view), Some(other)) => view == other,
                _ => Arc::ptr_eq(&self.values, &other.values) || self.values == other.values,
            }
    }
}

impl Eq for SpecState {}

impl Hash for SpecState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
