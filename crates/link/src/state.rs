//! A state of the spec as the engine handles it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnilink_tla::eval::{CellStep, Left, State, Write};
use omnilink_value::Value;

use crate::step_part::StepPart;

/// The values of all variables, and, if the spec has a VIEW, what counts as the same state.
///
/// Invariant: `hash` is that of the view if there is one, else of the values, with `done` mixed in.
#[derive(Clone, Debug)]
pub struct SpecState {
    values: State,
    view: Option<Value>,
    /// For each lane of operations in steps, the last one that is done: lane and number, sorted.
    done: Option<Arc<[(u64, u64)]>>,
    hash: u64,
}

impl SpecState {
    pub(crate) fn new(values: State, view: Option<Value>) -> Self {
        let hash = match &view {
            Some(view) => view.hash64(),
            None => hash_of(&values),
        };
        Self {
            values,
            view,
            done: None,
            hash,
        }
    }

    /// This state, without a view, after some writes; `None` if one cannot be made.
    pub(crate) fn with(&self, writes: &[Write]) -> Option<Self> {
        let mut values: State = self.values.iter().cloned().collect();
        let next = Arc::get_mut(&mut values)?;
        for write in writes {
            let value = next.get_mut(write.cell.variable as usize)?;
            *value = write.cell.written(value, &write.left)?;
        }
        Some(Self::new(values, None).after(self))
    }

    /// This state with other values that have the same view.
    pub(crate) fn with_values(&self, values: State) -> Self {
        Self::new(values, self.view.clone()).after(self)
    }

    /// Becomes what [`with`](Self::with) returns, in place where the values are not shared; `None`, and nothing changes, if a write
    /// cannot be made.
    pub(crate) fn change(&mut self, writes: &[Write]) -> Option<()> {
        if let [write] = writes
            && let ([CellStep::At(key)], Left::Replaced(left) | Left::Put(left)) =
                (write.cell.path.as_slice(), &write.left)
            && let Some(values) = Arc::get_mut(&mut self.values)
            && let Some(value) = values.get_mut(write.cell.variable as usize)
            && let Some(index) = value.index_of(key)
        {
            let (slot, before) = (u64::from(write.cell.variable) + 1, value.hash64());
            value.set_entry(index, left.clone());
            let change = spread(value.hash64(), slot).wrapping_sub(spread(before, slot));
            self.hash = self.hash.wrapping_add(change);
            return Some(());
        }
        *self = self.with(writes)?;
        Some(())
    }

    /// Whether the operation in steps that this is a part of is done.
    pub(crate) fn is_done(&self, part: StepPart) -> bool {
        let done = self.done.as_deref().unwrap_or_default();
        done.binary_search(&(part.lane, part.number)).is_ok()
    }

    /// This state with the finished operations in steps of `before`.
    pub(crate) fn after(mut self, before: &Self) -> Self {
        if let Some(done) = &before.done {
            self.set_done(Arc::clone(done));
        }
        self
    }

    /// This state once the operation in steps that this is a part of is done.
    pub(crate) fn with_done(mut self, part: StepPart) -> Self {
        let others = self
            .done
            .as_deref()
            .unwrap_or_default()
            .iter()
            .filter(|(other, _)| *other != part.lane);
        let mut done: Vec<(u64, u64)> = others.copied().chain([(part.lane, part.number)]).collect();
        done.sort_unstable();
        self.set_done(done.into());
        self
    }

    /// This state after a step of an instance: the last part of an operation in steps is noted.
    pub(crate) fn after_part(self, part: Option<StepPart>) -> Self {
        match part.filter(|part| part.is_last) {
            Some(part) => self.with_done(part),
            None => self,
        }
    }

    fn set_done(&mut self, done: Arc<[(u64, u64)]>) {
        let sum = |done: &[(u64, u64)]| {
            let parts = done.iter().map(|(lane, number)| spread(*lane, *number));
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

fn hash_of(values: &[Value]) -> u64 {
    (1u64..).zip(values).fold(0u64, |sum, (slot, value)| {
        sum.wrapping_add(spread(value.hash64(), slot))
    })
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

#[cfg(test)]
mod tests {
    use omnilink_tla::eval::Cell;

    use super::*;

    fn function(values: &[i64]) -> Value {
        Value::function_of_sorted(
            (0..)
                .zip(values)
                .map(|(key, value)| (Value::int(key), Value::int(*value))),
        )
    }

    #[test]
    fn a_state_changed_in_place_equals_a_new_state_with_the_changes() {
        let part = StepPart {
            lane: 5,
            number: 6,
            is_last: true,
        };
        let states = [
            SpecState::new([function(&[1, 2, 3]), Value::int(7)].into(), None),
            SpecState::new([function(&[1, 2, 3]), function(&[4])].into(), None).with_done(part),
        ];
        let write = |variable: u32, key: i64| Write {
            cell: Cell {
                variable,
                path: [CellStep::At(Value::int(key))].into_iter().collect(),
            },
            left: Left::Replaced(Value::str("x")),
        };
        let changes = [
            vec![],
            vec![write(0, 0)],
            vec![write(0, 0), write(0, 2)],
            vec![write(1, 0)],
            vec![write(0, 0), write(0, 3)],
            vec![write(0, 0), write(2, 0)],
        ];
        for (state, writes) in states
            .iter()
            .flat_map(|state| changes.iter().map(move |c| (state, c)))
        {
            let expected = state.with(writes);
            let mut shared = state.clone();
            assert_eq!(shared.change(writes).is_some(), expected.is_some());
            let mut own = SpecState {
                values: state.values.iter().cloned().collect(),
                ..state.clone()
            };
            assert_eq!(own.change(writes).is_some(), expected.is_some());
            let expected = expected.unwrap_or_else(|| state.clone());
            for changed in [shared, own] {
                assert_eq!((changed.hash, &changed), (expected.hash, &expected));
            }
        }
    }
}
