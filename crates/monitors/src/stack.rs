//! The monitor for stacks.
//!
//! Values that are inside together are nested: the lower one was pushed before and is popped after the upper one. The
//! monitor peels values off from the outside. `depth(p)` is the number of values not peeled off yet that are certainly
//! inside at position `p`. A value *leaves* when each of its operations has a position at which no other of these values is
//! certainly inside: its push and its pop at depth 0, its peeks at depth 0, or at depth 1 where it is the one inside.
//!
//! **Violation iff** values remain when no more can leave, or an operation that found the stack empty has no position at
//! which no value is certainly inside (besides the rules for one value, which [`ValueHistories`] checks).
//!
//! *Necessary.* Take a linearization of some values, and let `x` be a value that is pushed onto an empty stack. When `x` is
//! pushed and when it is popped, nothing else is inside, and when it is peeked, nothing but `x` is. So `x` can leave, and
//! the others are still linearizable. By induction, all leave. The order does not matter: leaving only lowers depths, so a
//! value that can leave now can also leave later.
//!
//! *Sufficient.* When `x` leaves, let `from` be the last position of depth 0 before `first(x)` and `to` the first one from
//! `last(x)` on. The push can take effect at `from`: it can at some position of depth 0 before `first(x)`, and so at all
//! positions in between. The same holds for the pop and `to`, and for peeks at depth 0, moved to the nearer of the two. A
//! value that leaves later has depths above 0 between its own `from` and `to`. So its interval is nested in that of `x` or
//! disjoint from it, because depths at the `from` and `to` of `x` stay 0. Sort the operations by position; at one position,
//! pops of inner values come before pops of outer ones, then pushes of outer values before pushes of inner ones.
//!
//! *Empty.* Positions at which no value is certainly inside have depth 0 from the start, so no `from..to` contains them.
//! *Values whose operations all overlap* take effect at one position, one after the other, on top of the stack. ∎

use std::collections::BTreeSet;
use std::ops::Range;

use omnilink_sorting::sort_by_key;

use crate::action::{Rank, TimedAction};
use crate::coverage::place_empties;
use crate::decision::{Decision, Rule};
use crate::depth::{Depth, Least};
use crate::mutant::{Mutant, mutated};
use crate::stabbing::Stabbing;
use crate::value_history::{ValueHistories, ValueHistory, violation};

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let empties = match place_empties(operations, values) {
        Ok(positions) => positions,
        Err(decision) => return decision,
    };
    let nested: Vec<&ValueHistory> = values
        .histories
        .iter()
        .filter(|history| history.is_critical())
        .collect();
    let mut peeling = Peeling::new(operations, values, &nested);
    peeling.run();
    if peeling.left.len() == nested.len() {
        return Decision::Linearizable(order(operations, values, &nested, &empties, &peeling));
    }
    let remaining = (0..nested.len()).filter(|number| peeling.spans[*number].is_none());
    let remaining: Vec<&ValueHistory> = remaining.map(|number| nested[number]).collect();
    let involved = small_core(operations, values, remaining);
    let involved = involved
        .into_iter()
        .flat_map(|history| values.operations(history));
    violation(Rule::NoneOutermost, operations, involved)
}

/// The positions at which a value is pushed and popped.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Rank,
    to: Rank,
    /// The number of values that left before it. The values around it are among them.
    level: u32,
}

/// A push, a pop or a peek that has no position yet.
#[derive(Clone, Debug)]
struct Unplaced {
    value: usize,
    positions: Range<Rank>,
    /// The peek; `None` for a push or a pop.
    peek: Option<usize>,
}

/// The values that are peeled off from the outside.
struct Peeling<'a> {
    values: &'a [&'a ValueHistory],
    depth: Depth,
    /// Pushes, pops and peeks in order of their first positions, and the remaining ones as intervals.
    unplaced: Vec<Unplaced>,
    by_position: Stabbing,
    /// Peeks by value, as indices into `unplaced`; the range of each value; and the remaining ones as intervals.
    peeks: Vec<usize>,
    peeks_of: Vec<Range<usize>>,
    peeks_by_value: Stabbing,
    /// For each element of `unplaced` its index in `peeks`.
    peek_index: Vec<Option<usize>>,
    /// The number of operations of each value without a position.
    missing: Vec<u32>,
    /// The visited positions at depth 1, by the one value there.
    waiting: Vec<Vec<Rank>>,
    /// Positions of depth 0.
    free: BTreeSet<Rank>,
    ready: Vec<usize>,
    left: Vec<usize>,
    spans: Vec<Option<Span>>,
    /// The peeks that have a position, with the value and the position.
    placed_peeks: Vec<(usize, usize, Rank)>,
}

impl<'a> Peeling<'a> {
    fn new(operations: &[TimedAction], all: &ValueHistories, values: &'a [&'a ValueHistory]) -> Self {
        let mut depth = Depth::new(all.position_count());
        let mut unplaced = Vec::new();
        let mut missing = Vec::with_capacity(values.len());
        for (value, history) in values.iter().enumerate() {
            depth.raise(history.first..history.last, value);
            let add = all.positions(&operations[history.add]);
            let gone = history
                .remove
                .filter(|_| !mutated(Mutant::PopLate))
                .map_or(all.end + 1, |remove| all.positions(&operations[remove]).end);
            let mut place = |positions: Range<Rank>, peek: Option<usize>| {
                unplaced.push(Unplaced {
                    value,
                    positions,
                    peek,
                });
            };
            place(add.start..history.first, None);
            place(history.last..gone, None);
            // A peek that is free before the push or after the pop is also free at `from` or `to`, where the push or the pop is.
            for peek in all.peeks(history) {
                place(all.positions(&operations[*peek]), Some(*peek));
            }
            missing.push(2 + all.peeks(history).len() as u32);
        }
        sort_by_key(&mut unplaced, |op| (op.positions.start, op.positions.end));
        let mut peeks: Vec<usize> = (0..unplaced.len())
            .filter(|index| unplaced[*index].peek.is_some())
            .collect();
        sort_by_key(&mut peeks, |index| unplaced[*index].value);
        let mut peek_index = vec![None; unplaced.len()];
        let mut peeks_of = vec![0..0; values.len()];
        for (at, index) in peeks.iter().enumerate() {
            peek_index[*index] = Some(at);
            let range = &mut peeks_of[unplaced[*index].value];
            *range = if Range::is_empty(range) {
                at..at + 1
            } else {
                range.start..at + 1
            };
        }
        Self {
            values,
            depth,
            by_position: Stabbing::new(unplaced.iter().map(|op| op.positions.clone())),
            peeks_by_value: Stabbing::new(peeks.iter().map(|index| unplaced[*index].positions.clone())),
            unplaced,
            peeks,
            peeks_of,
            peek_index,
            missing,
            waiting: vec![Vec::new(); values.len()],
            free: BTreeSet::new(),
            ready: Vec::new(),
            left: Vec::new(),
            spans: vec![None; values.len()],
            placed_peeks: Vec::new(),
        }
    }

    /// Peels values off until no more can leave.
    fn run(&mut self) {
        loop {
            // All positions of depth 0 must be known before a value leaves, because they bound its push and its pop.
            while let Some(least) = self.depth.least() {
                self.depth.hide(least.position);
                self.visit(least);
            }
            match self.ready.pop() {
                Some(value) => self.leave(value),
                None => return,
            }
        }
    }

    /// Places the operations that can take effect at a position.
    fn visit(&mut self, Least { position, only }: Least) {
        match only {
            None => {
                self.free.insert(position);
                while let Some(index) = self.by_position.take(0..self.unplaced.len(), position) {
                    if let Some(at) = self.peek_index[index] {
                        self.peeks_by_value.remove(at);
                    }
                    self.place(index, position);
                }
            }
            Some(value) => {
                self.waiting[value].push(position);
                let peeks = self.peeks_of[value].clone();
                while let Some(at) = self.peeks_by_value.take(peeks.clone(), position) {
                    let index = self.peeks[at];
                    self.by_position.remove(index);
                    self.place(index, position);
                }
            }
        }
    }

    fn place(&mut self, index: usize, position: Rank) {
        let Unplaced { value, peek, .. } = self.unplaced[index];
        if let Some(peek) = peek {
            self.placed_peeks.push((peek, value, position));
        }
        self.missing[value] -= 1;
        if self.missing[value] == 0 {
            self.ready.push(value);
        }
    }

    fn leave(&mut self, value: usize) {
        let history = self.values[value];
        let from = self.free.range(..history.first).next_back().copied();
        let to = self.free.range(history.last..).next().copied();
        // Both exist: the push and the pop were placed at such positions.
        self.spans[value] = Some(Span {
            from: from.unwrap_or(0),
            to: to.unwrap_or(history.last),
            level: self.left.len() as u32,
        });
        self.left.push(value);
        self.depth.lower(history.first..history.last, value);
        for position in std::mem::take(&mut self.waiting[value]) {
            self.depth.show(position);
        }
    }
}

/// The order of effects at one position: pops of inner values first, then pushes of outer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EffectOrder {
    /// A value is peeked, then popped; inner values, which have a greater level, come first.
    Close(std::cmp::Reverse<u32>, bool),
    /// The stack is found empty.
    Empty,
    /// A value is pushed, then peeked.
    Open(u32, bool),
}

fn order(
    operations: &[TimedAction],
    values: &ValueHistories,
    nested: &[&ValueHistory],
    empties: &[Rank],
    peeling: &Peeling<'_>,
) -> Vec<usize> {
    let mut effects: Vec<(Rank, EffectOrder, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in values.empties.iter().zip(empties) {
        effects.push((*position, EffectOrder::Empty, *empty));
    }
    let span_of = |value: usize| peeling.spans[value];
    for (value, history) in nested.iter().enumerate() {
        let Some(Span { from, to, level }) = span_of(value) else {
            continue;
        };
        effects.push((from, EffectOrder::Open(level, false), history.add));
        if let Some(remove) = history.remove {
            effects.push((to, EffectOrder::Close(std::cmp::Reverse(level), true), remove));
        }
    }
    for (peek, value, position) in &peeling.placed_peeks {
        let Some(Span { from, to, level }) = span_of(*value) else {
            continue;
        };
        let position = (*position).clamp(from, to);
        let turn = if position == from {
            EffectOrder::Open(level, true)
        } else {
            EffectOrder::Close(std::cmp::Reverse(level), false)
        };
        effects.push((position, turn, *peek));
    }
    effects.sort_unstable();
    // Values whose operations all take effect at one position come last there: their push, peeks and pop are consecutive and
    // leave the stack as it is.
    let mut together: Vec<(Rank, &ValueHistory)> = values
        .histories
        .iter()
        .filter(|history| !history.is_critical())
        .map(|history| (history.last, history))
        .collect();
    sort_by_key(&mut together, |(position, _)| *position);
    let mut together = together.into_iter().peekable();
    let mut order = Vec::with_capacity(operations.len());
    let mut push_together = |order: &mut Vec<usize>, before: Rank| {
        while let Some((_, history)) = together.next_if(|(position, _)| *position < before) {
            order.push(history.add);
            order.extend(values.peeks(history));
            order.extend(history.remove);
        }
    };
    for (position, _, number) in effects {
        push_together(&mut order, position);
        order.push(number);
    }
    push_together(&mut order, Rank::MAX);
    order
}

/// A few of the values that cannot be nested. Adding values to a violation leaves it a violation. So the shortest prefix of
/// the list that is a violation ends with a value that is needed. That value moves to the front, and so on, until the
/// values at the front are a violation. If this takes too long, the result has more values than needed.
///
/// Mostly a few values that were pushed about the same time are a violation. Looking for it among neighbours first, in groups that
/// overlap by half, costs about as much as the monitor itself.
fn small_core<'a>(
    operations: &[TimedAction],
    all: &ValueHistories,
    mut values: Vec<&'a ValueHistory>,
) -> Vec<&'a ValueHistory> {
    sort_by_key(&mut values, |history| history.first);
    let mut size = NEIGHBOURS;
    while size < values.len() {
        let mut groups = (0..values.len()).step_by(size / 2).map(|from| {
            let to = values.len().min(from + size);
            &values[from..to]
        });
        if let Some(group) = groups.find(|group| cannot_be_nested(operations, all, group)) {
            values = group.to_vec();
            break;
        }
        size *= 16;
    }
    let mut work_left = 64 * NEIGHBOURS + 2 * values.len();
    let mut is_violation = |values: &[&ValueHistory]| {
        work_left = work_left.checked_sub(values.len())?;
        Some(cannot_be_nested(operations, all, values))
    };
    let mut needed = 0;
    while needed < values.len() {
        let (mut enough, mut too_few) = (values.len(), needed);
        match is_violation(&values[..needed]) {
            Some(true) => {
                values.truncate(needed);
                return values;
            }
            Some(false) => {}
            None => return values,
        }
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            match is_violation(&values[..middle]) {
                Some(true) => enough = middle,
                Some(false) => too_few = middle,
                None => return values,
            }
        }
        values.truncate(enough);
        values[needed..].rotate_right(1);
        needed += 1;
    }
    values
}

/// The size of the first groups of values in which a violation is looked for.
const NEIGHBOURS: usize = 64;

/// Whether some values have no linearization by themselves. Takes time for these values only: their ranks are made dense.
fn cannot_be_nested(operations: &[TimedAction], all: &ValueHistories, values: &[&ValueHistory]) -> bool {
    let mut few: Vec<TimedAction> = Vec::new();
    for (value, history) in (0..).zip(values) {
        few.extend(all.operations(history).map(|number| {
            let op = operations[number];
            TimedAction {
                action: op.action.on(value),
                ..op
            }
        }));
    }
    let mut ranks: Vec<Rank> = few
        .iter()
        .flat_map(|op| op.ret.into_iter().chain([op.call]))
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    let dense = |rank: Rank| ranks.partition_point(|other| *other < rank) as Rank + 1;
    for op in &mut few {
        op.call = dense(op.call);
        op.ret = op.ret.map(dense);
    }
    let Ok(own) = ValueHistories::of(&few, ranks.len() as Rank + 1) else {
        return true;
    };
    let nested: Vec<&ValueHistory> = own
        .histories
        .iter()
        .filter(|history| history.is_critical())
        .collect();
    let mut peeling = Peeling::new(&few, &own, &nested);
    peeling.run();
    peeling.left.len() < nested.len()
}
