//! A search for histories of queues in which equal values are inside together, or removals are pending.
//!
//! *Items.* In a linearization, values are next in the order in which they were added. So it is a sequence of *items*: an
//! addition, the peeks that saw its value, and the removal that took it; between items, operations that found the queue
//! empty. The last item may have no removal, and additions whose values were never next follow. Conversely, such a sequence is
//! a linearization if no operation comes before one that returned before it was called. The sequence orders
//!
//! 1. additions among each other, and peeks and removals (*front operations*) among each other;
//! 2. each addition before the front operations of its item and of later items;
//! 3. operations that found the queue empty with everything else; so front operations before such an operation come before the
//!    additions after it.
//!
//! Nothing else is ordered: an addition may take effect before or after the front operations of earlier items. So the search
//! takes the operations of the sequence one by one. Of the operations that are left,
//!
//! - an addition may come next if it was called before anything left returns;
//! - a front operation may come next if it was called before any front operation left, and any operation left that found the queue
//!   empty, returns;
//! - an operation that found the queue empty may come next if it, and all front operations taken so far, were called before anything left
//!   returns.
//!
//! This depends on the set of operations that are left only. The search visits no set twice for one value that is next: time and
//! memory are bounded by the number of sets, not by the number of orders. Sets are told apart by sums of random 128-bit marks.
//!
//! *Choices that need not be tried.* Let `S` be a sequence that completes the operations taken so far. Call a front operation *free* if
//! taking it next puts nothing before additions that was not there: no operation that found the queue empty is left (3 does not
//! apply), or it was called before anything left returns, or before some front operation that was taken.
//!
//! - **Found empty**: if it may come next, it does. *Proof.* Move it to the front of `S`. What it overtakes returns after its call, and
//!   additions return after the calls of all front operations taken so far. ∎
//! - **Peeks** of the value that is next: as soon as one may come next and is free, it does. *Proof.* Move it to the front of `S`. The
//!   value is next. What it overtakes returns after its call. ∎
//! - **Equal values**: of the additions of a value that may come next, the one that returns first is taken. A removal is not taken if
//!   another one of its value may come next, returns first, and is free or called first. *Proof.* Let `S` take `x'` and the other one,
//!   `x`, later or never. Exchange them. `x` may come next, and puts nothing before additions that was not there. `x'` takes the place of `x`:
//!   everything before it was called before `x` returned, so before `x'` returns, and everything after it came after `x'` already. ∎
//! - **Forced**: if the addition of a value that returns first *of all* that are left may come next, and so may its removal that returns
//!   first of all that are left, this is free, and no peek of the value is left then, this is the next item. *Proof.* The first item of the value in `S` has
//!   some addition and some removal (perhaps a pending one, which never returns). Exchange them for these two as before. Then move
//!   the item to the front of `S`, with all peeks of the value: what they overtake returns after their calls. ∎
//!
//! With distinct values and no peeks, every item is forced. So is it with equal values, unless an operation that returns earlier is called
//! later.

use std::collections::HashSet;

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Rank, TimedAction, ValueId};
use crate::decision::{Decision, Refutation, Rule};
use crate::lists::Lists;
use crate::mutant::{Mutant, mutated};
use crate::queue::{Effect, merged};
use crate::queue_violation;

/// The end of a search.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    Linearizable(Vec<usize>),
    Violation,
    /// There are more sets than the search may visit.
    TooManySets,
}

/// The lists of [`QueueSearch::by_return`].
const ADDITIONS: usize = 0;
/// Front operations, and operations that found the queue empty.
const OTHERS: usize = 1;

/// The lists of [`QueueSearch::by_call`], besides `ADDITIONS`.
const REMOVALS: usize = 1;
const EMPTIES: usize = 2;
const PENDING_REMOVALS: usize = 3;
/// The first of the lists of peeks, one for each value.
const PEEKS: usize = 4;

/// A set of operations that are left, and those of which one comes next and that have not been tried.
#[derive(Debug)]
struct Branch {
    taken: usize,
    choices: Vec<usize>,
}

/// What was taken, and how things were before.
#[derive(Clone, Copy, Debug)]
struct Step {
    number: usize,
    next: Option<ValueId>,
    last_front_call: Rank,
}

#[derive(Debug)]
struct QueueSearch<'a> {
    operations: &'a [TimedAction],
    /// Operations that returned, in order of return.
    by_return: Lists,
    /// Operations in order of call.
    by_call: Lists,
    /// Additions and removals of each value in order of return.
    of_value: Lists,
    marks: Vec<u128>,
    /// The sum of the marks of what was taken.
    mark: u128,
    /// What was taken, in order.
    taken: Vec<Step>,
    /// The value of an item whose removal was not taken.
    next: Option<ValueId>,
    /// The last call of a front operation that was taken.
    last_front_call: Rank,
}

/// How many sets the search of a history may visit: about 50 MB.
const SETS_MAX: usize = 1 << 20;
/// How many sets may be visited to make a violation smaller.
const SMALLER_SETS_MAX: usize = 4 * SETS_MAX;

/// Decides a history; `None` if that is too much to search.
pub(crate) fn decide(operations: &[TimedAction]) -> Option<Decision> {
    let mut sets = SETS_MAX;
    match search(operations, &mut sets) {
        SearchEnd::Linearizable(order) => Some(Decision::Linearizable(order)),
        SearchEnd::Violation => {
            let (few, last) = queue_violation::smallest(operations, SMALLER_SETS_MAX);
            Some(Decision::Violation(Refutation {
                rule: Rule::NoOrderOfItems,
                operations: few,
                last,
            }))
        }
        SearchEnd::TooManySets => None,
    }
}

/// Searches a linearization. Every set with a choice is taken from `sets`, the number that may still be visited.
pub(crate) fn search(operations: &[TimedAction], sets: &mut usize) -> SearchEnd {
    let mut search = QueueSearch::new(operations);
    let mut visited: HashSet<(u128, Option<ValueId>)> = HashSet::new();
    let mut branches: Vec<Branch> = Vec::new();
    loop {
        search.take_forced();
        if search.is_complete() {
            return SearchEnd::Linearizable(search.linearization());
        }
        if visited.insert((search.mark, search.next)) {
            match sets.checked_sub(1) {
                Some(left) => *sets = left,
                None => return SearchEnd::TooManySets,
            }
            branches.push(Branch {
                taken: search.taken.len(),
                choices: search.choices(),
            });
        }
        loop {
            let Some(branch) = branches.last_mut() else {
                return SearchEnd::Violation;
            };
            search.put_back_to(branch.taken);
            if let Some(choice) = branch.choices.pop() {
                search.take(choice);
                break;
            }
            branches.pop();
        }
    }
}

impl<'a> QueueSearch<'a> {
    fn new(operations: &'a [TimedAction]) -> Self {
        let values = operations.iter().filter_map(|op| op.action.value()).max();
        let values = values.map_or(0, |greatest| greatest as usize + 1);
        let count = operations.len();
        let mut random = fastrand::Rng::with_seed(count as u64);
        let mut search = Self {
            operations,
            by_return: Lists::new(count, 2),
            by_call: Lists::new(count, PEEKS + values),
            of_value: Lists::new(count, 2 * values),
            marks: (0..count).map(|_| random.u128(..)).collect(),
            mark: 0,
            taken: Vec::with_capacity(count),
            next: None,
            last_front_call: 0,
        };
        let mut order: Vec<usize> = (0..count).collect();
        sort_by_key(&mut order, |number| search.operations[*number].call);
        for number in &order {
            let op = operations[*number];
            let list = match op.action {
                Action::Add(_) => ADDITIONS,
                Action::Remove(_) if op.ret.is_some() => REMOVALS,
                Action::Remove(_) | Action::RemoveAny => PENDING_REMOVALS,
                Action::Peek(value) if op.ret.is_some() => PEEKS + value as usize,
                Action::FindEmpty if op.ret.is_some() => EMPTIES,
                // A pending operation that changes nothing can be left out.
                _ => continue,
            };
            search.by_call.append(list, *number);
        }
        sort_by_key(&mut order, |number| search.returns(*number));
        for number in order {
            let op = operations[number];
            match op.action {
                Action::Add(value) => search.of_value.append(2 * value as usize, number),
                Action::Remove(value) if op.ret.is_some() => {
                    search.of_value.append(2 * value as usize + 1, number);
                }
                _ => {}
            }
            if op.ret.is_some() {
                let is_addition = matches!(op.action, Action::Add(_));
                let list = if is_addition { ADDITIONS } else { OTHERS };
                search.by_return.append(list, number);
            }
        }
        search
    }

    fn call(&self, number: usize) -> Rank {
        self.operations[number].call
    }

    fn returns(&self, number: usize) -> Rank {
        self.operations[number].ret.unwrap_or(Rank::MAX)
    }

    fn value(&self, number: usize) -> ValueId {
        self.operations[number].action.value().unwrap_or_default()
    }

    /// The first return of a front operation, or of one that found the queue empty.
    fn other_return(&self) -> Rank {
        self.by_return
            .first(OTHERS)
            .map_or(Rank::MAX, |number| self.returns(number))
    }

    fn first_return(&self) -> Rank {
        let addition = self.by_return.first(ADDITIONS);
        let addition = addition.map_or(Rank::MAX, |number| self.returns(number));
        addition.min(self.other_return())
    }

    fn take(&mut self, number: usize) {
        self.taken.push(Step {
            number,
            next: self.next,
            last_front_call: self.last_front_call,
        });
        self.by_return.take_out(number);
        self.by_call.take_out(number);
        self.of_value.take_out(number);
        self.mark = self.mark.wrapping_add(self.marks[number]);
        match self.operations[number].action {
            Action::Add(value) => self.next = Some(value),
            Action::FindEmpty => {}
            action => {
                self.last_front_call = self.last_front_call.max(self.call(number));
                if !matches!(action, Action::Peek(_)) {
                    self.next = None;
                }
            }
        }
    }

    fn put_back_to(&mut self, length: usize) {
        while self.taken.len() > length
            && let Some(step) = self.taken.pop()
        {
            self.of_value.put_back(step.number);
            self.by_call.put_back(step.number);
            self.by_return.put_back(step.number);
            self.mark = self.mark.wrapping_sub(self.marks[step.number]);
            (self.next, self.last_front_call) = (step.next, step.last_front_call);
        }
    }

    /// The operations of a list that were called before a return, in order of call.
    fn called_before(&self, list: usize, ret: Rank) -> impl Iterator<Item = usize> {
        self.by_call
            .iter(list)
            .take_while(move |number| self.call(*number) < ret)
    }

    /// Whether a front operation that may come next is free.
    fn is_free(&self, number: usize) -> bool {
        let call = self.call(number);
        self.by_call.first(EMPTIES).is_none() || call < self.last_front_call || call < self.first_return()
    }

    /// Takes operations as long as there is no choice.
    fn take_forced(&mut self) {
        loop {
            if let Some(value) = self.next {
                self.take_free_peeks(value);
                if !self.take_forced_removal(value) {
                    return;
                }
            }
            while let Some(empty) = self.by_call.first(EMPTIES)
                && self.call(empty).max(self.last_front_call) < self.first_return()
            {
                self.take(empty);
            }
            // Most items are forced by the front operation that returns first.
            let first = self.by_return.first(OTHERS);
            if first.is_some_and(|number| self.take_forced_item(number)) {
                continue;
            }
            let removals: Vec<usize> = self.called_before(REMOVALS, self.other_return()).collect();
            if !removals
                .into_iter()
                .any(|number| Some(number) != first && self.take_forced_item(number))
            {
                return;
            }
        }
    }

    /// Takes the item that an operation belongs to, if it is forced.
    fn take_forced_item(&mut self, number: usize) -> bool {
        let (Action::Remove(value) | Action::Peek(value)) = self.operations[number].action else {
            return false;
        };
        let addition = self.of_value.first(2 * value as usize);
        let Some(addition) = addition.filter(|addition| self.call(*addition) < self.first_return()) else {
            return false;
        };
        let before = self.taken.len();
        self.take(addition);
        self.take_free_peeks(value);
        let is_forced = self.take_forced_removal(value);
        if !is_forced {
            self.put_back_to(before);
        }
        is_forced
    }

    /// Takes the removal of the value that is next, if it is forced.
    fn take_forced_removal(&mut self, value: ValueId) -> bool {
        let has_peeks =
            self.by_call.first(PEEKS + value as usize).is_some() && !mutated(Mutant::RemoveBeforePeeks);
        let removal = self
            .of_value
            .first(2 * value as usize + 1)
            .filter(|number| !has_peeks && self.call(*number) < self.other_return() && self.is_free(*number));
        if let Some(removal) = removal {
            self.take(removal);
        }
        removal.is_some()
    }

    /// Takes peeks of the value that is next.
    fn take_free_peeks(&mut self, value: ValueId) {
        while let Some(peek) = self.by_call.first(PEEKS + value as usize)
            && self.call(peek) < self.other_return()
            && self.is_free(peek)
        {
            self.take(peek);
        }
    }

    /// The operations of which one comes next, if there are others after it. The last one returns first.
    fn choices(&self) -> Vec<usize> {
        let mut choices = match self.next {
            None => self.additions(),
            Some(value) => self.fronts(value),
        };
        sort_by_key(&mut choices, |(ret, _)| std::cmp::Reverse(*ret));
        choices.into_iter().map(|(_, number)| number).collect()
    }

    /// The additions that may begin an item, with the return of a front operation of the item.
    fn additions(&self) -> Vec<(Rank, usize)> {
        let mut additions: Vec<usize> = self.called_before(ADDITIONS, self.first_return()).collect();
        sort_by_key(&mut additions, |number| {
            (self.value(*number), self.returns(*number))
        });
        if mutated(Mutant::LatestEqualAddition) {
            additions.reverse();
        }
        additions.dedup_by_key(|number| self.value(*number));
        let other_return = self.other_return();
        // A removal may have to wait for a peek of its value.
        let first = self.by_return.first(OTHERS);
        let peek = first.filter(|number| matches!(self.operations[*number].action, Action::Peek(_)));
        let pending = self.called_before(PENDING_REMOVALS, other_return);
        let fronts: Vec<usize> = self
            .called_before(REMOVALS, other_return)
            .chain(peek)
            .chain(pending)
            .collect();
        let with_front = |addition: usize| {
            let value = self.operations[addition].action.value();
            let is_of_item = |number: &&usize| {
                let action = self.operations[**number].action;
                action == Action::RemoveAny || action.value() == value
            };
            let returns = fronts
                .iter()
                .filter(is_of_item)
                .map(|number| self.returns(*number));
            returns.min().map(|ret| (ret, addition))
        };
        additions.into_iter().filter_map(with_front).collect()
    }

    /// The front operations of the value that is next.
    fn fronts(&self, value: ValueId) -> Vec<(Rank, usize)> {
        let other_return = self.other_return();
        let removals: Vec<usize> = self
            .called_before(REMOVALS, other_return)
            .filter(|number| self.value(*number) == value)
            .collect();
        let is_better = |one: usize, other: usize| {
            self.returns(one) < self.returns(other)
                && (self.is_free(one) || self.call(one) < self.call(other))
        };
        let is_best = |number: &usize| !removals.iter().any(|other| is_better(*other, *number));
        // Pending removals never return. One that can take this value only is better than one that can take any.
        let is_any = |number: &usize| self.operations[*number].action == Action::RemoveAny;
        let pending = self
            .called_before(PENDING_REMOVALS, other_return)
            .filter(|number| is_any(number) || self.value(*number) == value);
        let peek = self.called_before(PEEKS + value as usize, other_return).next();
        let best = removals.iter().copied().filter(is_best);
        best.chain(pending)
            .chain(peek)
            .map(|number| (self.returns(number), number))
            .collect()
    }

    /// Whether only additions are left, or peeks of one value that may be next.
    fn is_complete(&mut self) -> bool {
        let Some(first) = self.by_return.first(OTHERS) else {
            return true;
        };
        let has_others = [REMOVALS, EMPTIES]
            .iter()
            .any(|list| self.by_call.first(*list).is_some());
        let is_of_first = |number: usize| self.value(number) == self.value(first);
        if has_others || !self.by_return.iter(OTHERS).all(is_of_first) {
            return false;
        }
        let addition = match self.next {
            Some(_) => None,
            None => self
                .called_before(ADDITIONS, self.first_return())
                .find(|number| is_of_first(*number)),
        };
        if addition.is_none() && self.next != Some(self.value(first)) {
            return false;
        }
        let peeks: Vec<usize> = self.by_call.iter(PEEKS + self.value(first) as usize).collect();
        addition
            .into_iter()
            .chain(peeks)
            .for_each(|number| self.take(number));
        true
    }

    /// The linearization of a complete sequence: each operation takes effect as early as those before it and its call allow.
    fn linearization(&self) -> Vec<usize> {
        let [mut additions, mut fronts, mut empties]: [Vec<Effect>; 3] = Default::default();
        let (mut part, mut added, mut front) = (0, 0, 0);
        let unremoved = self.by_call.iter(ADDITIONS);
        let unremoved = unremoved.filter(|number| self.operations[*number].ret.is_some());
        for number in self.taken.iter().map(|step| step.number).chain(unremoved) {
            let call = self.call(number);
            match self.operations[number].action {
                Action::Add(_) => {
                    added = added.max(call);
                    additions.push((added, part, number));
                }
                Action::FindEmpty => {
                    // All values that were added are removed.
                    let position = front.max(call);
                    (added, front) = (position, position);
                    empties.push((position, part + 1, number));
                    part += 2;
                }
                _ => {
                    front = front.max(added).max(call);
                    fronts.push((front, part, number));
                }
            }
        }
        merged([empties, additions, fronts], self.operations.len())
    }
}
