//! Values that are added more than once.
//!
//! A *life* of a value is a part of the history with some of its operations. Lives are separated by gaps: ranks at which no
//! operation of the value is open, and by which the value has certainly gone. Operations of different lives have nothing to
//! do with each other, so each life is a value of its own, and a history in which each life has at most one addition is
//! decided like one with distinct values. A value has certainly gone by a gap if
//!
//! - in a collection, the operations before the gap removed it as often as they added it. *Proof.* All of them, and no other
//!   operation of the value, take effect before the gap. So nothing is left, and what is found later was added later. ∎
//! - in a register, a write of another value is called and returns within the gap. *Proof.* All operations of the earlier
//!   life take effect before that write, and those of the later one after it. ∎
//!
//! In a priority queue, lives of one value are ordered by time. They are never inside together, so this order does not matter.
//!
//! If a life has several additions, three things can still be said:
//!
//! - *Without the values of such lives*, the rest of a linearization is one: nothing else is said about the order of the others
//!   (a queue without some of its values is a queue). So a violation of the rest is a violation.
//! - A life from which *more removals return by some moment than additions are called* is a violation.
//! - *Matching* removals to additions in some way gives a history with distinct values. If that has a linearization, it is one.
//!
//! For queues, a search decides the rest ([`queue_search`]). For stacks, a search of two values at a time finds more violations
//! ([`stack_pairs`]).

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Collection, Rank, TimedAction, ValueId};
use crate::check_distinct;
use crate::copies::Copies;
use crate::decision::{Decision, Refutation, Rule, UndecidedReason};
use crate::mutant::{Mutant, mutated};
use crate::queue_search;
use crate::stack_pairs;
use crate::value_history::violation;

/// The lives of the values of a history.
#[derive(Debug)]
pub(crate) struct Lives<'a> {
    operations: &'a [TimedAction],
    end: Rank,
    /// The operations, with lives for values.
    renamed: Vec<TimedAction>,
    /// The operations of each life in order of call, by life.
    members: Vec<Vec<usize>>,
    /// The value of each life. Lives are sorted by value, then by time.
    value_of: Vec<ValueId>,
    /// Lives with several additions.
    repeated: Vec<ValueId>,
}

impl<'a> Lives<'a> {
    /// The lives of a history; `None` if every value is added at most once.
    pub fn of(collection: Collection, operations: &'a [TimedAction], end: Rank) -> Option<Self> {
        let count = operations.iter().filter_map(|op| op.action.value()).max()? as usize + 1;
        let mut additions = vec![0_u32; count];
        for op in operations {
            if let Action::Add(value) = op.action {
                additions[value as usize] += 1;
            }
        }
        if additions.iter().all(|count| *count < 2) {
            return None;
        }
        let mut by_value: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (number, op) in operations.iter().enumerate() {
            if let Some(value) = op.action.value() {
                by_value[value as usize].push(number);
            }
        }
        let writes = match collection {
            Collection::Register => Some(Writes::of(operations)),
            _ => None,
        };
        let mut lives = Self {
            operations,
            end,
            renamed: operations.to_vec(),
            members: Vec::new(),
            value_of: Vec::new(),
            repeated: Vec::new(),
        };
        for (value, members) in by_value.into_iter().enumerate() {
            lives.split(value as ValueId, members, writes.as_ref());
        }
        Some(lives)
    }

    /// Splits the operations of a value into lives.
    fn split(&mut self, value: ValueId, mut members: Vec<usize>, writes: Option<&Writes>) {
        sort_by_key(&mut members, |number| self.operations[*number].call);
        let mut life: Vec<usize> = Vec::new();
        // The last return, and additions minus removals, in this life.
        let (mut returned, mut inside) = (0, 0_i64);
        for number in members {
            let op = self.operations[number];
            let is_gap = returned < op.call || mutated(Mutant::EndWhileOpen);
            let has_gone = match writes {
                Some(writes) => writes.has_within(returned, op.call),
                None => inside == 0 || mutated(Mutant::EndInside),
            };
            if !life.is_empty() && is_gap && has_gone {
                self.push_life(value, std::mem::take(&mut life));
                (returned, inside) = (0, 0);
            }
            returned = returned.max(op.ret.unwrap_or(self.end));
            inside += match op.action {
                Action::Add(_) => 1,
                Action::Remove(_) => -1,
                _ => 0,
            };
            life.push(number);
        }
        if !life.is_empty() {
            self.push_life(value, life);
        }
    }

    fn push_life(&mut self, value: ValueId, members: Vec<usize>) {
        let life = self.members.len() as ValueId;
        let is_addition = |number: &&usize| matches!(self.operations[**number].action, Action::Add(_));
        if members.iter().filter(is_addition).nth(1).is_some() {
            self.repeated.push(life);
        }
        for number in &members {
            self.renamed[*number].action = self.operations[*number].action.on(life);
        }
        self.members.push(members);
        self.value_of.push(value);
    }

    pub fn check(&self, collection: Collection) -> Decision {
        let Some(repeated) = self.repeated.first() else {
            return self.explained(collection, check_distinct(collection, &self.renamed, self.end));
        };
        for life in &self.repeated {
            if let Some(decision) = self.removed_too_often(*life) {
                return decision;
            }
        }
        if let Some(decision) = self.without_repeated(collection) {
            return decision;
        }
        let value = self.value_of[*repeated as usize];
        let undecided = Decision::Undecided(UndecidedReason::AddedTwice(value));
        if collection == Collection::Queue {
            return queue_search::decide(&self.renamed).unwrap_or(undecided);
        }
        let matched = Copies::matched(collection, &self.renamed, &self.repeated, &self.members);
        if let Some(matched) = matched
            && let Decision::Linearizable(order) = check_distinct(collection, &matched, self.end)
        {
            return Decision::Linearizable(order);
        }
        if collection == Collection::Stack
            && let Some(few) = stack_pairs::violation(&self.renamed, &self.members, &self.repeated)
        {
            return violation(Rule::NoOrderOfItems, self.operations, few);
        }
        undecided
    }

    /// A violation of the operations of all other values.
    fn without_repeated(&self, collection: Collection) -> Option<Decision> {
        let is_repeated = |op: &TimedAction| {
            let life = op.action.value();
            life.is_some_and(|life| self.repeated.binary_search(&life).is_ok())
        };
        let kept: Vec<usize> = (0..self.renamed.len())
            .filter(|number| !is_repeated(&self.renamed[*number]))
            .collect();
        let others: Vec<TimedAction> = kept.iter().map(|number| self.renamed[*number]).collect();
        match check_distinct(collection, &others, self.end) {
            Decision::Violation(Refutation {
                rule,
                operations,
                last,
            }) => {
                let refutation = Refutation {
                    rule,
                    operations: operations.into_iter().map(|at| kept[at]).collect(),
                    last: last.map(|at| kept[at]),
                };
                Some(self.explained(collection, Decision::Violation(refutation)))
            }
            _ => None,
        }
    }

    /// A violation of a life: the first removals to return, and the additions called before.
    fn removed_too_often(&self, life: ValueId) -> Option<Decision> {
        let members = &self.members[life as usize];
        let of = |is_kind: fn(Action) -> bool| {
            let is_kind = move |number: &usize| is_kind(self.operations[*number].action);
            members.iter().copied().filter(is_kind)
        };
        let additions: Vec<usize> = of(|action| matches!(action, Action::Add(_))).collect();
        let mut removals: Vec<(Rank, usize)> = of(|action| matches!(action, Action::Remove(_)))
            .filter_map(|number| Some((self.operations[number].ret?, number)))
            .collect();
        removals.sort_unstable();
        // The additions are in order of call.
        let called = |rank: Rank| additions.partition_point(|number| self.operations[*number].call < rank);
        let (at, (rank, _)) = (removals.iter().enumerate()).find(|(at, (rank, _))| called(*rank) <= *at)?;
        let removals = removals[..=at].iter().map(|(_, number)| *number);
        let involved = additions[..called(*rank)].iter().copied().chain(removals);
        Some(violation(Rule::RemovedTooOften, self.operations, involved))
    }

    /// A refutation of a use without an addition also needs the life before, in which the value has gone.
    fn explained(&self, collection: Collection, decision: Decision) -> Decision {
        let Decision::Violation(refutation) = decision else {
            return decision;
        };
        let named = &refutation.operations;
        if !matches!(refutation.rule, Rule::NeverAdded | Rule::UsedBeforeAdded) {
            return Decision::Violation(refutation);
        }
        let life = named
            .iter()
            .find_map(|number| self.renamed[*number].action.value());
        let before = life.and_then(|life| {
            let before = (life as usize).checked_sub(1)?;
            (self.value_of[before] == self.value_of[life as usize]).then_some(&self.members[before])
        });
        let Some(before) = before else {
            return Decision::Violation(refutation);
        };
        let is_removal = |number: &usize| matches!(self.operations[*number].action, Action::Remove(_));
        let rule = match refutation.rule {
            Rule::NeverAdded if collection == Collection::Register => Rule::Overwritten,
            Rule::NeverAdded if named.iter().any(is_removal) => Rule::RemovedTooOften,
            Rule::NeverAdded => Rule::UsedAfterRemoved,
            rule => rule,
        };
        let mut involved = named.clone();
        involved.extend(before);
        if collection == Collection::Register {
            let gone = before
                .iter()
                .filter_map(|number| self.operations[*number].ret)
                .max();
            let use_of = named.iter().map(|number| self.operations[*number].call).min();
            if let (Some(gone), Some(use_of)) = (gone, use_of) {
                involved.extend(Writes::of(self.operations).first_within(gone, use_of));
            }
        }
        violation(rule, self.operations, involved)
    }
}

/// The writes of a register that returned.
#[derive(Debug)]
struct Writes {
    /// Calls, with the least return of this write and the later ones, and that write.
    by_call: Vec<(Rank, Rank, usize)>,
}

impl Writes {
    fn of(operations: &[TimedAction]) -> Self {
        let write = |(number, op): (usize, &TimedAction)| match op.action {
            Action::Add(_) => Some((op.call, op.ret?, number)),
            _ => None,
        };
        let mut by_call: Vec<(Rank, Rank, usize)> = operations.iter().enumerate().filter_map(write).collect();
        by_call.sort_unstable();
        let mut least = (Rank::MAX, 0);
        for (_, ret, number) in by_call.iter_mut().rev() {
            least = least.min((*ret, *number));
            (*ret, *number) = least;
        }
        Self { by_call }
    }

    /// A write that is called and returns between two ranks.
    fn first_within(&self, after: Rank, before: Rank) -> Option<usize> {
        let at = self.by_call.partition_point(|(call, ..)| *call < after);
        let (_, ret, number) = self.by_call.get(at)?;
        (*ret < before).then_some(*number)
    }

    fn has_within(&self, after: Rank, before: Rank) -> bool {
        self.first_within(after, before).is_some()
    }
}
