//! The monitor for registers with replacements (compare-and-set), where each value is written at most once.
//!
//! A replacement of `a` by `b` takes effect directly after the operations of `a` and before those of `b`. So values that replace
//! each other form a *chain*: a value that was written (or the initial one), the value that replaced it, and so on. The order
//! of the operations of a chain is determined, up to the order of reads of the same value: write, reads, replacement, reads,
//! replacement … Its operations are consecutive in every linearization.
//!
//! **Violation iff** a value is replaced twice; or values replace each other in a circle; or an operation of a chain returns before
//! one is called that comes earlier in the chain; or chains cannot be arranged. For that, a chain is like a value of a plain
//! register: its zone goes from the least return `first` to the greatest call `last` of its operations. Zones with `first < last`
//! must not overlap, and no chain with `last < first` lies within such a zone. The zone of the initial chain begins at 0.
//!
//! *Necessary.* The first two hold because each value is written once. Between `first` and `last` the register holds values of the
//! chain only, and all operations of a chain with `last < first` take effect between the two.
//! *Sufficient.* Let the operations of a chain with `first < last` take effect in its order, each at the greatest of `first - 1`
//! and the calls up to it. That is before its return: `first` is the least return, and no earlier operation of the chain is
//! called after it. It is not after `last`. So chains with disjoint zones do not meet. Another chain takes effect at one position
//! outside of all zones, as in a plain register. ∎
//!
//! *Pending* writes and replacements whose value no operation that returned needs can be left out: the register then keeps the value
//! before. All others have happened.

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Rank, TimedAction, ValueId};
use crate::decision::{Decision, Rule, UndecidedReason};
use crate::mutant::{Mutant, mutated};
use crate::value_history::violation;

/// The operations of a chain in its order.
#[derive(Debug, Default)]
struct Chain {
    operations: Vec<usize>,
    first: Rank,
    last: Rank,
}

/// The operations of each value.
#[derive(Debug)]
struct Values<'a> {
    operations: &'a [TimedAction],
    end: Rank,
    writer: Vec<Option<usize>>,
    replacement: Vec<Option<usize>>,
    reads: Vec<Vec<usize>>,
}

pub(crate) fn check(operations: &[TimedAction], end: Rank) -> Decision {
    let chains = match Values::of(operations, end).and_then(|values| values.chains()) {
        Ok(chains) => chains,
        Err(decision) => return decision,
    };
    let (mut forward, backward): (Vec<&Chain>, Vec<&Chain>) =
        chains.iter().partition(|chain| chain.first < chain.last);
    sort_by_key(&mut forward, |chain| chain.first);
    let meet = |one: &Chain, other: &Chain| {
        let involved = one.operations.iter().chain(&other.operations).copied();
        violation(Rule::Overwritten, operations, involved)
    };
    for pair in forward.windows(2) {
        if let [one, other] = pair
            && other.first < one.last
        {
            return meet(one, other);
        }
    }
    let mut blocks: Vec<(Rank, &Chain)> = Vec::with_capacity(chains.len());
    for chain in backward {
        let before = forward.partition_point(|zone| zone.first <= chain.last);
        let zone = before.checked_sub(1).map(|index| forward[index]);
        if let Some(zone) = zone.filter(|zone| zone.last > chain.first) {
            return meet(zone, chain);
        }
        blocks.push((chain.last, chain));
    }
    blocks.extend(forward.iter().map(|chain| (chain.first, *chain)));
    sort_by_key(&mut blocks, |(rank, _)| *rank);
    let order = blocks
        .into_iter()
        .flat_map(|(_, chain)| chain.operations.iter().copied());
    Decision::Linearizable(order.collect())
}

impl<'a> Values<'a> {
    /// Sorts the operations that have happened by value. The initial value comes after all others.
    fn of(operations: &'a [TimedAction], end: Rank) -> Result<Self, Decision> {
        let greatest = operations.iter().filter_map(|op| match op.action {
            Action::Replace { from, to } => from.max(Some(to)),
            action => action.value(),
        });
        let initial = greatest.max().map_or(0, |greatest| greatest as usize + 1);
        let mut values = Self {
            operations,
            end,
            writer: vec![None; initial + 1],
            replacement: vec![None; initial + 1],
            reads: vec![Vec::new(); initial + 1],
        };
        for (number, op) in operations.iter().enumerate() {
            if let Action::Add(value) | Action::Replace { to: value, .. } = op.action
                && values.writer[value as usize].replace(number).is_some()
            {
                return Err(Decision::Undecided(UndecidedReason::AddedTwice(value)));
            }
        }
        // What has happened: what returned, and the pending ones that something needs that has happened.
        let mut has_happened: Vec<bool> = operations.iter().map(|op| op.ret.is_some()).collect();
        let mut happened: Vec<usize> = (0..operations.len())
            .filter(|number| has_happened[*number])
            .collect();
        let mut at = 0;
        while let Some(number) = happened.get(at).copied() {
            at += 1;
            let used = values.number(used(operations[number].action));
            if let Some(used) = used {
                values.add_use(number, used)?;
                let writer = values.writer[used];
                let is_new = |writer: &usize| !std::mem::replace(&mut has_happened[*writer], true);
                happened.extend(writer.filter(is_new));
            }
        }
        Ok(values)
    }

    fn number(&self, used: Option<Option<ValueId>>) -> Option<usize> {
        used.map(|value| value.map_or(self.reads.len() - 1, |value| value as usize))
    }

    /// Adds an operation that reads or replaces a value.
    fn add_use(&mut self, number: usize, value: usize) -> Result<(), Decision> {
        let writer = self.writer[value];
        let is_initial = value + 1 == self.reads.len();
        if writer.is_none() && !is_initial {
            return Err(violation(
                Rule::NeverAdded,
                self.operations,
                self.needed_by(number),
            ));
        }
        match self.operations[number].action {
            Action::Replace { .. } => {
                if let Some(other) = self.replacement[value].replace(number) {
                    let mut involved = self.up_to(value);
                    involved.extend(self.needed_by(other));
                    involved.extend(self.needed_by(number));
                    return Err(violation(Rule::ReplacedTwice, self.operations, involved));
                }
            }
            _ => self.reads[value].push(number),
        }
        Ok(())
    }

    /// The write and the replacements that led to a value.
    fn up_to(&self, value: usize) -> Vec<usize> {
        let mut involved = Vec::new();
        let mut at = Some(value);
        while let Some(writer) = at.and_then(|value| self.writer[value])
            && !involved.contains(&writer)
        {
            involved.push(writer);
            at = match self.operations[writer].action {
                Action::Replace { from, .. } => from.map(|from| from as usize),
                _ => None,
            };
        }
        involved
    }

    /// An operation that has happened and, if it is pending, one that needs it, up to one that returned.
    fn needed_by(&self, number: usize) -> Vec<usize> {
        let mut involved = vec![number];
        let mut at = number;
        while self.operations[at].ret.is_none()
            && let Some(value) = self.operations[at].action.value()
        {
            let reads = self.reads[value as usize].first().copied();
            match reads
                .or(self.replacement[value as usize])
                .filter(|next| !involved.contains(next))
            {
                Some(next) => at = next,
                None => break,
            }
            involved.push(at);
        }
        involved
    }

    /// The chains of operations that have happened.
    fn chains(&self) -> Result<Vec<Chain>, Decision> {
        let initial = self.reads.len() - 1;
        let mut chains = Vec::new();
        let mut is_reached = vec![false; self.reads.len()];
        for root in 0..=initial {
            let writer = self.writer[root];
            let is_root = match writer.map(|writer| self.operations[writer]) {
                Some(op) => matches!(op.action, Action::Add(_)) && (op.ret.is_some() || self.is_used(root)),
                None => root == initial && self.is_used(root),
            };
            if !is_root {
                continue;
            }
            let mut chain = Chain::default();
            let mut next = Some((root, writer));
            // Layers: a write or a replacement by itself, then the reads of its value.
            let mut layers: Vec<Vec<usize>> = Vec::new();
            while let Some((value, writer)) = next {
                is_reached[value] = true;
                layers.push(writer.into_iter().collect());
                let mut reads = self.reads[value].clone();
                sort_by_key(&mut reads, |number| self.operations[*number].call);
                layers.push(reads);
                next = self.replacement[value].and_then(|replacement| {
                    Some((
                        self.operations[replacement].action.value()? as usize,
                        Some(replacement),
                    ))
                });
            }
            if !mutated(Mutant::ChainInAnyOrder) {
                self.check_layers(&layers)?;
            }
            chain.operations = layers.into_iter().flatten().collect();
            let positions = chain.operations.iter().map(|number| self.operations[*number]);
            let rets = positions.clone().map(|op| op.ret.unwrap_or(self.end));
            chain.first = if root == initial {
                0
            } else {
                rets.min().unwrap_or(self.end)
            };
            chain.last = positions.map(|op| op.call).max().unwrap_or(0);
            chains.push(chain);
        }
        // What no root leads to is written by replacing each other.
        let unreached = (0..initial).find(|value| {
            let has_happened = |writer: usize| self.operations[writer].ret.is_some() || self.is_used(*value);
            !is_reached[*value] && self.writer[*value].is_some_and(has_happened)
        });
        match unreached.filter(|_| !mutated(Mutant::WrittenInCircle)) {
            None => Ok(chains),
            Some(value) => Err(self.circular(value)),
        }
    }

    /// The violation of values that replace each other: the replacements and, because they may be pending, what uses them.
    fn circular(&self, value: usize) -> Decision {
        let mut involved = self.up_to(value);
        for writer in involved.clone() {
            involved.extend(self.needed_by(writer));
        }
        violation(Rule::Circular, self.operations, involved)
    }

    fn is_used(&self, value: usize) -> bool {
        self.replacement[value].is_some() || !self.reads[value].is_empty()
    }

    /// Checks that nothing returns before something is called that comes before it in the chain.
    fn check_layers(&self, layers: &[Vec<usize>]) -> Result<(), Decision> {
        let ret = |number: usize| self.operations[number].ret.unwrap_or(self.end);
        let mut earliest: Option<usize> = None;
        for (at, layer) in layers.iter().enumerate().rev() {
            for number in layer {
                if let Some(later) = earliest.filter(|later| ret(*later) < self.operations[*number].call) {
                    // The writes and replacements up to the later one, and the two.
                    let writers = layers.iter().step_by(2).flatten().copied();
                    let mut involved: Vec<usize> = writers.take_while(|writer| *writer != later).collect();
                    if !matches!(
                        self.operations[later].action,
                        Action::Add(_) | Action::Replace { .. }
                    ) {
                        let used = self.number(used(self.operations[later].action));
                        let until = used.map_or(0, |used| self.up_to(used).len());
                        involved.truncate(until.max(at / 2 + 1));
                    }
                    involved.extend([*number, later]);
                    return Err(violation(Rule::ChainOutOfOrder, self.operations, involved));
                }
            }
            let least = layer.iter().copied().min_by_key(|number| ret(*number));
            earliest = [earliest, least]
                .into_iter()
                .flatten()
                .min_by_key(|number| ret(*number));
        }
        Ok(())
    }
}

/// The value that an operation found in the register: `Some(None)` for the initial one, `None` if it found nothing out.
fn used(action: Action) -> Option<Option<ValueId>> {
    match action {
        Action::Peek(value) => Some(Some(value)),
        Action::FindEmpty => Some(None),
        Action::Replace { from, .. } => Some(from),
        _ => None,
    }
}
