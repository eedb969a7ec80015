//! What happened to each value.

use crate::answer::{Answer, Reason, Refutation, Rule};
use crate::operation::{Action, Operation, Rank, ValueId};

/// What happened to each value, and when it was surely inside.
#[derive(Debug)]
pub(crate) struct Lives {
    /// The rank at which pending operations return, and at which a value that nothing removed leaves.
    pub end: Rank,
    /// The values that were surely added at some time, by number.
    pub lives: Vec<Life>,
    /// The peeks of all values, those of one value together, in order of call.
    peeks: Vec<usize>,
    /// Operations that found nothing, in order of call.
    pub empties: Vec<usize>,
    /// Whether pending removals may have taken what nothing else took.
    pub has_pending_removals: bool,
}

/// What happened to one value.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub value: ValueId,
    /// Its addition.
    pub add: usize,
    /// Its removal.
    pub remove: Option<usize>,
    /// The least return of all its operations.
    pub first: Rank,
    /// The greatest call of all its operations; [`Lives::end`] if nothing removed it.
    ///
    /// At the positions `first..last` the value is surely inside: it was added before and is removed after. If `last <
    /// first`, all its operations overlap each other at the positions `last..first`.
    pub last: Rank,
    /// The least return of its peeks and its removal; [`Lives::end`] if there is none.
    pub front_first: Rank,
    /// The greatest call of its peeks and its removal; [`Lives::end`] if nothing removed it.
    pub front_last: Rank,
    peeks_begin: usize,
    peeks_end: usize,
}

impl Life {
    /// Whether there are positions at which the value is surely inside.
    pub fn is_critical(&self) -> bool {
        self.first < self.last
    }
}

impl Lives {
    /// Sorts operations by value; or the answer, if that already decides.
    pub fn of(operations: &[Operation]) -> Result<Self, Answer> {
        let end = 2 * operations.len() as Rank + 1;
        check_ranks(operations, end)?;
        let values = operations.iter().filter_map(|op| op.action.value()).max();
        let values = values.map_or(0, |greatest| greatest as usize + 1);
        let mut adds: Vec<Option<usize>> = vec![None; values];
        let mut removes: Vec<Option<usize>> = vec![None; values];
        let mut peeks: Vec<(ValueId, Rank, usize)> = Vec::new();
        let mut empties = Vec::new();
        let mut has_pending_removals = false;
        // First of all: about values that are added twice, nothing below is true.
        for (number, op) in operations.iter().enumerate() {
            if let Action::Add(value) = op.action
                && adds[value as usize].replace(number).is_some()
            {
                return Err(Answer::Undecided(Reason::AddedTwice(value)));
            }
        }
        for (number, op) in operations.iter().enumerate() {
            match op.action {
                Action::Add(_) => {}
                Action::Remove(_) | Action::RemoveAny if op.ret.is_none() => has_pending_removals = true,
                // A pending look need not have happened, and changes nothing if it did.
                _ if op.ret.is_none() => {}
                Action::RemoveAny => return Err(Answer::Undecided(Reason::ForeignOperation)),
                Action::Remove(value) => {
                    if let Some(other) = removes[value as usize].replace(number) {
                        let add = adds[value as usize];
                        let involved = add.into_iter().chain([other, number]);
                        return Err(violation(Rule::RemovedTwice, operations, involved));
                    }
                }
                Action::Peek(value) => peeks.push((value, op.call, number)),
                Action::FindEmpty => empties.push(number),
            }
        }
        peeks.sort_unstable();
        empties.sort_unstable_by_key(|number: &usize| operations[*number].call);
        let mut lives = Self {
            end,
            lives: Vec::with_capacity(values),
            peeks: peeks.iter().map(|(_, _, number)| *number).collect(),
            empties,
            has_pending_removals,
        };
        let mut begin = 0;
        for (value, (add, remove)) in adds.into_iter().zip(removes).enumerate() {
            let value = value as ValueId;
            let rest = peeks.get(begin..).unwrap_or(&[]);
            let of_value = begin..begin + rest.iter().take_while(|(of, ..)| *of == value).count();
            begin = of_value.end;
            lives.live(operations, value, add, remove, of_value)?;
        }
        Ok(lives)
    }

    /// Notes what happened to a value.
    fn live(
        &mut self,
        operations: &[Operation],
        value: ValueId,
        add: Option<usize>,
        remove: Option<usize>,
        peeks: std::ops::Range<usize>,
    ) -> Result<(), Answer> {
        let fronts = || {
            remove
                .into_iter()
                .chain(self.peeks[peeks.clone()].iter().copied())
        };
        let ret = |number: usize| operations[number].ret.unwrap_or(self.end);
        let call = |number: usize| operations[number].call;
        let Some(add) = add else {
            // A number that no operation uses is no value.
            return match fronts().next() {
                Some(use_of) => Err(violation(Rule::NeverAdded, operations, [use_of])),
                None => Ok(()),
            };
        };
        let earliest = fronts().min_by_key(|front| ret(*front));
        let latest = fronts().max_by_key(|front| call(*front));
        if earliest.is_none() && operations[add].ret.is_none() {
            // A pending addition that nobody saw may be left out: that only ever leaves more room for the others.
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
        self.lives.push(Life {
            value,
            add,
            remove,
            first: front_first.min(ret(add)),
            last,
            front_first,
            front_last,
            peeks_begin: peeks.start,
            peeks_end: peeks.end,
        });
        Ok(())
    }

    /// The peeks of a value, in order of call.
    pub fn peeks(&self, life: &Life) -> &[usize] {
        &self.peeks[life.peeks_begin..life.peeks_end]
    }

    /// All operations of a value.
    pub fn operations(&self, life: &Life) -> impl Iterator<Item = usize> {
        let peeks = self.peeks(life).iter().copied();
        std::iter::once(life.add).chain(life.remove).chain(peeks)
    }

    /// The operations that make a value's critical interval: its addition, the first that returned and the last that was
    /// called.
    pub fn bounds(&self, operations: &[Operation], life: &Life) -> impl Iterator<Item = usize> {
        let first = self
            .operations(life)
            .min_by_key(|number| self.positions(&operations[*number]).end);
        let last = self
            .operations(life)
            .max_by_key(|number| operations[*number].call);
        std::iter::once(life.add)
            .chain(first)
            .chain(last)
            .chain(life.remove)
    }

    /// Whether some value was never removed.
    pub fn has_unremoved(&self) -> bool {
        self.lives.iter().any(|life| life.remove.is_none())
    }

    /// The positions at which an operation can take effect.
    pub fn positions(&self, op: &Operation) -> std::ops::Range<Rank> {
        op.call..op.ret.unwrap_or(self.end)
    }

    /// How many positions there are, the one after the end included.
    pub fn position_count(&self) -> usize {
        self.end as usize + 1
    }
}

/// A violation, the operations in order of call.
pub(crate) fn violation(
    rule: Rule,
    operations: &[Operation],
    involved: impl IntoIterator<Item = usize>,
) -> Answer {
    let mut involved: Vec<usize> = involved.into_iter().collect();
    involved.sort_unstable_by_key(|number| operations[*number].call);
    involved.dedup();
    Answer::Violation(Refutation {
        rule,
        operations: involved,
    })
}

fn check_ranks(operations: &[Operation], end: Rank) -> Result<(), Answer> {
    let mut is_used = vec![false; end as usize];
    for op in operations {
        if op.ret.is_some_and(|ret| ret <= op.call) {
            return Err(Answer::Undecided(Reason::Ranks));
        }
        for rank in std::iter::once(op.call).chain(op.ret) {
            match is_used.get_mut(rank as usize) {
                Some(is_used) if rank > 0 && !*is_used => *is_used = true,
                _ => return Err(Answer::Undecided(Reason::Ranks)),
            }
        }
    }
    Ok(())
}
