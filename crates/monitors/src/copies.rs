//! Copies of values that are inside together, told apart by matching.

use crate::action::{Action, Collection, Rank, TimedAction, ValueId};

/// The copies of one life, each with its addition and its removal.
#[derive(Debug)]
pub(crate) struct Copies {
    additions: Vec<usize>,
    removals: Vec<Option<usize>>,
}

impl Copies {
    /// The history with a value for each copy, in the order of the lives; `None` if some operation finds no copy.
    ///
    /// This is a guess. It is often right: equal values mostly leave in the order of the collection.
    pub fn matched(
        collection: Collection,
        operations: &[TimedAction],
        repeated: &[ValueId],
        members: &[Vec<usize>],
    ) -> Option<Vec<TimedAction>> {
        let mut matched = operations.to_vec();
        let mut next: ValueId = 0;
        for (life, members) in members.iter().enumerate() {
            if repeated.binary_search(&(life as ValueId)).is_err() {
                for number in members {
                    matched[*number].action = operations[*number].action.on(next);
                }
                next += 1;
                continue;
            }
            let copies = Self::of(collection, operations, members)?;
            for number in members {
                let copy = copies.of_operation(collection, operations, *number)?;
                matched[*number].action = operations[*number].action.on(next + copy as ValueId);
            }
            next += copies.additions.len() as ValueId;
        }
        Some(matched)
    }

    /// Matches removals in order of return to the first addition that is left, in a stack to the last one.
    fn of(collection: Collection, operations: &[TimedAction], members: &[usize]) -> Option<Self> {
        let is_addition = |number: &usize| matches!(operations[*number].action, Action::Add(_));
        let additions: Vec<usize> = members.iter().copied().filter(is_addition).collect();
        let removal = |number: &usize| match operations[*number].action {
            Action::Remove(_) => Some((operations[*number].ret?, *number)),
            _ => None,
        };
        let mut by_return: Vec<(Rank, usize)> = members.iter().filter_map(removal).collect();
        by_return.sort_unstable();
        let mut removals: Vec<Option<usize>> = vec![None; additions.len()];
        let mut open: Vec<usize> = (0..additions.len()).collect();
        for (ret, removal) in by_return {
            let called = open.partition_point(|copy| operations[additions[*copy]].call < ret);
            let at = match collection {
                Collection::Stack => called.checked_sub(1)?,
                _ if called == 0 => return None,
                _ => 0,
            };
            removals[open.remove(at)] = Some(removal);
        }
        Some(Self { additions, removals })
    }

    /// The copy that an operation uses.
    fn of_operation(
        &self,
        collection: Collection,
        operations: &[TimedAction],
        number: usize,
    ) -> Option<usize> {
        let op = operations[number];
        match op.action {
            Action::Add(_) => self.additions.iter().position(|addition| *addition == number),
            // It saw all of them.
            Action::Miss(_) => None,
            Action::Remove(_) if op.ret.is_some() => {
                self.removals.iter().position(|removal| *removal == Some(number))
            }
            _ => {
                let may_see = |copy: &usize| {
                    let is_added = op
                        .ret
                        .is_none_or(|ret| operations[self.additions[*copy]].call < ret);
                    let removal = self.removals[*copy].and_then(|removal| operations[removal].ret);
                    is_added && removal.is_none_or(|removed| op.call < removed)
                };
                let mut copies = (0..self.additions.len()).filter(may_see);
                match collection {
                    Collection::Stack | Collection::Register => copies.next_back(),
                    _ => copies.next(),
                }
            }
        }
    }
}
