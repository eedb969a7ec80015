//! The operations of each value, and the positions at which it is certainly inside.

use std::ops::Range;

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Rank, TimedAction, ValueId};
use crate::decision::{Decision, Refutation, Rule, UndecidedReason};

/// The operations of a history, sorted by value.
#[derive(Debug)]
pub(crate) struct ValueHistories {
    /// The rank after all others: pending operations return there, and values that nothing removes leave there.
    pub end: Rank,
    /// The values that were certainly added, by id.
    pub histories: Vec<ValueHistory>,
    /// The peeks of all values, sorted by value and call.
    peeks: Vec<usize>,
    /// The operations that found the collection empty, in order of call.
    pub empties: Vec<usize>,
    /// The operations that found their value absent.
    pub misses: Vec<usize>,
    /// Whether there are pending removals, which may have removed a value that no other operation removed.
    pub has_pending_removals: bool,
}

/// The operations of one value.
#[derive(Clone, Debug)]
pub(crate) struct ValueHistory {
    pub value: ValueId,
    /// Its addition.
    pub add: usize,
    /// Its removal.
    pub remove: Option<usize>,
    /// The least return of all its operations.
    pub first: Rank,
    /// The greatest call of all its operations; [`ValueHistories::end`] if nothing removed it.
    ///
    /// At the positions `first..last` the value is certainly inside: it was added before and is removed after. This is its
    /// *critical interval*. If `last < first`, all its operations overlap at the positions `last..first`.
    pub last: Rank,
    /// The least return of its peeks and its removal; [`ValueHistories::end`] if there is none.
    pub front_first: Rank,
    /// The greatest call of its peeks and its removal; [`ValueHistories::end`] if nothing removed it.
    pub front_last: Rank,
    peeks: Range<usize>,
}

impl ValueHistory {
    /// Whether there are positions at which the value is certainly inside.
    pub fn is_critical(&self) -> bool {
        self.first < self.last
    }
}

impl ValueHistories {
    /// Sorts operations by value. Returns a decision if one value alone decides the history. `end` is a rank after all calls
    /// and returns. Different calls may have the same rank, and so may returns, but a call never has the rank of a return.
    pub fn of(operations: &[TimedAction], end: Rank) -> Result<Self, Decision> {
        let greatest = operations.iter().filter_map(|op| op.action.value()).max();
        let count = greatest.map_or(0, |greatest| greatest as usize + 1);
        let mut adds: Vec<u32> = vec![NO_OPERATION; count];
        let mut removes: Vec<u32> = vec![NO_OPERATION; count];
        let mut peeks: Vec<(ValueId, Rank, usize)> = Vec::new();
        let mut empties = Vec::new();
        let mut misses = Vec::new();
        let mut has_pending_removals = false;
        // This comes first, because the rules below hold only for values that are added once.
        for (number, op) in operations.iter().enumerate() {
            if let Action::Add(value) = op.action
                && std::mem::replace(&mut adds[value as usize], number as u32) != NO_OPERATION
            {
                return Err(Decision::Undecided(UndecidedReason::AddedTwice(value)));
            }
        }
        for (number, op) in operations.iter().enumerate() {
            match op.action {
                Action::Add(_) => {}
                Action::Remove(_) | Action::RemoveAny if op.ret.is_none() => has_pending_removals = true,
                // A pending peek can be left out, because it changes nothing.
                _ if op.ret.is_none() => {}
                Action::RemoveAny => {}
                Action::Remove(value) => {
                    let other = std::mem::replace(&mut removes[value as usize], number as u32);
                    if let Some(other) = some_operation(other) {
                        let add = some_operation(adds[value as usize]);
                        let involved = add.into_iter().chain([other, number]);
                        return Err(violation(Rule::RemovedTwice, operations, involved));
                    }
                }
                Action::Peek(value) => peeks.push((value, op.call, number)),
                // Registers with replacements are decided by their chains.
                Action::Replace { .. } => {}
                Action::Miss(_) => misses.push(number),
                Action::FindEmpty => empties.push(number),
            }
        }
        peeks.sort_unstable();
        sort_by_key(&mut empties, |number| operations[*number].call);
        let mut values = Self {
            end,
            histories: Vec::with_capacity(count),
            peeks: peeks.iter().map(|(_, _, number)| *number).collect(),
            empties,
            misses,
            has_pending_removals,
        };
        let mut begin = 0;
        for (value, (add, remove)) in adds.into_iter().zip(removes).enumerate() {
            let value = value as ValueId;
            let rest = peeks.get(begin..).unwrap_or(&[]);
            let of_value = begin..begin + rest.iter().take_while(|(of, ..)| *of == value).count();
            begin = of_value.end;
            values.add_value(
                operations,
                value,
                some_operation(add),
                some_operation(remove),
                of_value,
            )?;
        }
        Ok(values)
    }

    /// Adds the history of one value, or returns the rule that it breaks.
    fn add_value(
        &mut self,
        operations: &[TimedAction],
        value: ValueId,
        add: Option<usize>,
        remove: Option<usize>,
        peeks: Range<usize>,
    ) -> Result<(), Decision> {
        let fronts = || {
            remove
                .into_iter()
                .chain(self.peeks[peeks.clone()].iter().copied())
        };
        let ret = |number: usize| operations[number].ret.unwrap_or(self.end);
        let call = |number: usize| operations[number].call;
        let Some(add) = add else {
            // An id that no operation uses is no value.
            return match fronts().next() {
                Some(use_of) => Err(violation(Rule::NeverAdded, operations, [use_of])),
                None => Ok(()),
            };
        };
        let earliest = fronts().min_by_key(|front| ret(*front));
        let latest = fronts().max_by_key(|front| call(*front));
        if earliest.is_none() && operations[add].ret.is_none() {
            // A pending addition of a value that no operation observed can be left out of every linearization.
            return Ok(());
        }
        if let Some(use_of) = earliest.filter(|use_of| ret(*use_of) < call(add)) {
            return Err(violation(Rule::UsedBeforeAdded, operations, [add, use_of]));
        }
        if let (Some(remove), Some(use_of)) = (remove, latest)
            && ret(remove) < call(use_of)
        {
            let involved = [add, remove, use_of];
            return Err(violation(Rule::UsedAfterRemoved, operations, involved));
        }
        let front_first = earliest.map_or(self.end, ret);
        let (front_last, last) = match (remove, latest) {
            (Some(_), Some(latest)) => (call(latest), call(latest).max(call(add))),
            _ => (self.end, self.end),
        };
        self.histories.push(ValueHistory {
            value,
            add,
            remove,
            first: front_first.min(ret(add)),
            last,
            front_first,
            front_last,
            peeks,
        });
        Ok(())
    }

    /// The peeks of a value, in order of call.
    pub fn peeks(&self, history: &ValueHistory) -> &[usize] {
        &self.peeks[history.peeks.clone()]
    }

    /// All operations of a value.
    pub fn operations(&self, history: &ValueHistory) -> impl Iterator<Item = usize> {
        let peeks = self.peeks(history).iter().copied();
        std::iter::once(history.add).chain(history.remove).chain(peeks)
    }

    /// The operations that determine the critical interval of a value: its addition, its removal, the one that returned
    /// first and the one that was called last.
    pub fn bounds(&self, operations: &[TimedAction], history: &ValueHistory) -> impl Iterator<Item = usize> {
        let first = self
            .operations(history)
            .min_by_key(|number| self.positions(&operations[*number]).end);
        let last = self
            .operations(history)
            .max_by_key(|number| operations[*number].call);
        std::iter::once(history.add)
            .chain(first)
            .chain(last)
            .chain(history.remove)
    }

    /// The number of the history of a value that was certainly added.
    pub fn number_of(&self, value: Option<ValueId>) -> Option<usize> {
        self.histories
            .binary_search_by_key(&value?, |history| history.value)
            .ok()
    }

    /// Whether some value was never removed.
    pub fn has_unremoved(&self) -> bool {
        self.histories.iter().any(|history| history.remove.is_none())
    }

    /// The positions at which an operation can take effect.
    pub fn positions(&self, op: &TimedAction) -> Range<Rank> {
        op.call..op.ret.unwrap_or(self.end)
    }

    /// The number of positions, including the one after the end.
    pub fn position_count(&self) -> usize {
        self.end as usize + 1
    }
}

/// Stands for no operation. These tables are accessed at random, so their size matters.
const NO_OPERATION: u32 = u32::MAX;

fn some_operation(number: u32) -> Option<usize> {
    (number != NO_OPERATION).then_some(number as usize)
}

/// A violation, with the operations in order of call.
pub(crate) fn violation(
    rule: Rule,
    operations: &[TimedAction],
    involved: impl IntoIterator<Item = usize>,
) -> Decision {
    let mut involved: Vec<usize> = involved.into_iter().collect();
    involved.sort_unstable();
    sort_by_key(&mut involved, |number| operations[*number].call);
    involved.dedup();
    Decision::Violation(Refutation {
        rule,
        operations: involved,
        last: None,
    })
}

/// Whether the ranks of calls and returns are distinct, in order and before `end`.
pub(crate) fn are_ranks(operations: &[TimedAction], end: Rank) -> bool {
    let mut is_used = vec![false; end as usize];
    operations.iter().all(|op| {
        let mut is_free = |rank: Rank| match is_used.get_mut(rank as usize) {
            Some(is_used) => rank > 0 && !std::mem::replace(is_used, true),
            None => false,
        };
        op.ret.is_none_or(|ret| ret > op.call && is_free(ret)) && is_free(op.call)
    })
}
