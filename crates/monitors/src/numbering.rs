//! Values numbered in the order in which they occur.
//!
//! The monitors keep tables by value. Values that are used at about the same time then stand next to each other in them. For a
//! million operations, that makes a monitor up to three times as fast.

use crate::action::{Action, TimedAction, ValueId};

/// A history with new ids.
#[derive(Debug)]
pub(crate) struct Numbering {
    pub operations: Vec<TimedAction>,
    /// The original ids by new id.
    originals: Vec<ValueId>,
}

impl Numbering {
    /// The history with new ids; `None` if its ids are in order already.
    pub fn of(operations: &[TimedAction]) -> Option<Self> {
        let mut next = 0;
        let is_in_order = |value: ValueId| {
            let is_new = value == next;
            next += ValueId::from(is_new);
            is_new || value < next
        };
        if operations
            .iter()
            .flat_map(|op| values(op.action))
            .all(is_in_order)
        {
            return None;
        }
        let greatest = operations.iter().flat_map(|op| values(op.action)).max()?;
        let mut ids: Vec<ValueId> = vec![ValueId::MAX; greatest as usize + 1];
        let mut originals = Vec::new();
        let mut id = |value: ValueId| {
            let id = &mut ids[value as usize];
            if *id == ValueId::MAX {
                *id = originals.len() as ValueId;
                originals.push(value);
            }
            *id
        };
        let renumbered = operations.iter().map(|op| TimedAction {
            action: match op.action {
                Action::Replace { from, to } => Action::Replace {
                    from: from.map(&mut id),
                    to: id(to),
                },
                action => action.value().map_or(action, |value| action.on(id(value))),
            },
            ..*op
        });
        Some(Self {
            operations: renumbered.collect(),
            originals,
        })
    }

    /// The original id of a value.
    pub fn original(&self, value: ValueId) -> ValueId {
        self.originals[value as usize]
    }
}

fn values(action: Action) -> impl Iterator<Item = ValueId> {
    let from = match action {
        Action::Replace { from, .. } => from,
        _ => None,
    };
    from.into_iter().chain(action.value())
}
