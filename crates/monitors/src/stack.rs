//! Stacks.
//!
//! Values that are inside together are nested: the one below was pushed before and is popped after the one above. The
//! monitor peels values off from the outside. `depth(p)` is how many values that were not peeled off yet are surely inside
//! at position `p`. A value *leaves* when each of its operations has a position at which no other of these values is surely
//! inside: its push and its pop at depth 0, its peeks at depth 0, or at depth 1 where it is the one inside.
//!
//! **Violation iff** values remain when no more can leave, or an operation that found the stack empty has no position at
//! which no value is surely inside (besides the rules for one value, which [`Lives`] checks).
//!
//! *Necessary.* Let some values be linearizable, and take out the push, pop and peeks of the value `x` among them that is
//! pushed first of those that are inside when a maximal nest begins. When `x` is pushed, nothing is inside, and the same
//! when it is popped; when it is peeked, nothing but `x` is. So `x` can leave, and the others are linearizable still. By
//! induction all leave; in which order does not matter, since leaving only lowers depths, so that a value that can leave can
//! leave later too.
//!
//! *Sufficient.* When `x` leaves, let `from` be the last position of depth 0 before `first(x)` and `to` the first one from
//! `last(x)` on. The push can take effect at `from`: it can at some position of depth 0 before `first(x)`, and so at all
//! positions between. The same goes for the pop and `to`, and for peeks at depth 0, moved to the nearer of the two. What
//! leaves later has a depth above 0 between its own `from` and `to`, so these are nested in those of `x`, or apart from
//! them: depths at `from` and `to` stay 0. So the operations are in order of their positions, at the same position with
//! pops of inner values before those of outer ones, then pushes of outer values before those of inner ones.
//!
//! *Empty.* Positions at which no value is surely inside have depth 0 from the beginning: no `from..to` goes across them.
//! *Values whose operations all overlap* take effect at one position, one after the other, on top of whatever is there.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::answer::{Answer, Rule};
use crate::depth::{Depth, Least};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Operation, Rank};
use crate::positions::place_empties;
use crate::stabbing::Stabbing;

pub(crate) fn check(operations: &[Operation], lives: &Lives) -> Answer {
    let empties = match place_empties(operations, lives) {
        Ok(positions) => positions,
        Err(answer) => return answer,
    };
    let nested: Vec<&Life> = lives.lives.iter().filter(|life| life.is_critical()).collect();
    let mut peeling = Peeling::new(operations, lives, &nested);
    peeling.run();
    if peeling.left.len() == nested.len() {
        return Answer::Linearizable(order(operations, lives, &nested, &empties, &peeling));
    }
    let remaining = (0..nested.len()).filter(|number| peeling.spans[*number].is_none());
    let remaining: Vec<&Life> = remaining.map(|number| nested[number]).collect();
    let involved = smallest_core(operations, lives, remaining);
    let involved = involved.into_iter().flat_map(|life| lives.operations(life));
    violation(Rule::NoneOutermost, operations, involved)
}

/// Where a value is pushed and popped.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Rank,
    to: Rank,
    /// How many values left before it: those around it are among them.
    level: u32,
}

/// A push, a pop, or a peek that has no place yet.
#[derive(Clone, Debug)]
struct Unplaced {
    value: usize,
    positions: Range<Rank>,
    /// The peek; none for a push or a pop.
    peek: Option<usize>,
}

struct Peeling<'a> {
    lives: &'a [&'a Life],
    depth: Depth,
    /// Pushes, pops and peeks in order of their first positions, and what is left of them.
    unplaced: Vec<Unplaced>,
    by_position: Stabbing,
    /// Peeks by value, as indices into `unplaced`; the range of each value; and what is left of them.
    peeks: Vec<usize>,
    peeks_of: Vec<Range<usize>>,
    peeks_by_value: Stabbing,
    /// For each element of `unplaced` its index in `peeks`.
    peek_index: Vec<Option<usize>>,
    /// How many operations of each value have no place yet.
    missing: Vec<u32>,
    /// Positions at depth 1 that were looked at, by the one value there.
    waiting: Vec<Vec<Rank>>,
    /// Positions of depth 0.
    free: BTreeSet<Rank>,
    ready: Vec<usize>,
    left: Vec<usize>,
    spans: Vec<Option<Span>>,
    /// The peeks that have a place, with the value and the position.
    placed_peeks: Vec<(usize, usize, Rank)>,
}

impl<'a> Peeling<'a> {
    fn new(operations: &[Operation], all: &Lives, lives: &'a [&'a Life]) -> Self {
        let mut depth = Depth::new(all.position_count());
        let mut unplaced = Vec::new();
        let mut missing = Vec::with_capacity(lives.len());
        for (value, life) in lives.iter().enumerate() {
            depth.raise(life.first..life.last, value);
            let add = all.positions(&operations[life.add]);
            let gone = life
                .remove
                .map_or(all.end + 1, |remove| all.positions(&operations[remove]).end);
            let mut place = |positions: Range<Rank>, peek: Option<usize>| {
                unplaced.push(Unplaced {
                    value,
                    positions,
                    peek,
                });
            };
            place(add.start..life.first, None);
            place(life.last..gone, None);
            for peek in all.peeks(life) {
                let positions = all.positions(&operations[*peek]);
                place(
                    positions.start.max(add.start)..positions.end.min(gone),
                    Some(*peek),
                );
            }
            missing.push(2 + all.peeks(life).len() as u32);
        }
        unplaced.sort_unstable_by_key(|op| (op.positions.start, op.positions.end));
        let mut peeks: Vec<usize> = (0..unplaced.len())
            .filter(|index| unplaced[*index].peek.is_some())
            .collect();
        peeks.sort_by_key(|index| unplaced[*index].value);
        let mut peek_index = vec![None; unplaced.len()];
        let mut peeks_of = vec![0..0; lives.len()];
        for (at, index) in peeks.iter().enumerate() {
            peek_index[*index] = Some(at);
            let range = &mut peeks_of[unplaced[*index].value];
            *range = match Range::is_empty(range) {
                true => at..at + 1,
                false => range.start..at + 1,
            };
        }
        Self {
            lives,
            depth,
            by_position: Stabbing::new(unplaced.iter().map(|op| op.positions.clone())),
            peeks_by_value: Stabbing::new(peeks.iter().map(|index| unplaced[*index].positions.clone())),
            unplaced,
            peeks,
            peeks_of,
            peek_index,
            missing,
            waiting: vec![Vec::new(); lives.len()],
            free: BTreeSet::new(),
            ready: Vec::new(),
            left: Vec::new(),
            spans: vec![None; lives.len()],
            placed_peeks: Vec::new(),
        }
    }

    /// Peels values off until no more can leave.
    fn run(&mut self) {
        loop {
            // All positions of depth 0 must be known when a value leaves: they bound where it is pushed and popped.
            while let Some(least) = self.depth.least() {
                self.depth.hide(least.position);
                self.look_at(least);
            }
            match self.ready.pop() {
                Some(value) => self.leave(value),
                None => return,
            }
        }
    }

    /// Places what can take effect at a position.
    fn look_at(&mut self, Least { position, only }: Least) {
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
        let life = self.lives[value];
        let from = self.free.range(..life.first).next_back().copied();
        let to = self.free.range(life.last..).next().copied();
        // Both are there: the push and the pop took effect at such positions.
        self.spans[value] = Some(Span {
            from: from.unwrap_or(0),
            to: to.unwrap_or(life.last),
            level: self.left.len() as u32,
        });
        self.left.push(value);
        self.depth.lower(life.first..life.last, value);
        for position in std::mem::take(&mut self.waiting[value]) {
            self.depth.show(position);
        }
    }
}

/// The order of what takes effect at one position: pops of inner values first, then pushes of outer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// A value is seen, then popped; inner values, which have a greater level, first.
    Close(std::cmp::Reverse<u32>, bool),
    /// The stack is found empty.
    Empty,
    /// A value is pushed, then seen.
    Open(u32, bool),
}

fn order(
    operations: &[Operation],
    lives: &Lives,
    nested: &[&Life],
    empties: &[Rank],
    peeling: &Peeling<'_>,
) -> Vec<usize> {
    let mut effects: Vec<(Rank, Turn, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in lives.empties.iter().zip(empties) {
        effects.push((*position, Turn::Empty, *empty));
    }
    let span_of = |value: usize| peeling.spans[value];
    for (value, life) in nested.iter().enumerate() {
        let Some(Span { from, to, level }) = span_of(value) else {
            continue;
        };
        effects.push((from, Turn::Open(level, false), life.add));
        if let Some(remove) = life.remove {
            effects.push((to, Turn::Close(std::cmp::Reverse(level), true), remove));
        }
    }
    for (peek, value, position) in &peeling.placed_peeks {
        let Some(Span { from, to, level }) = span_of(*value) else {
            continue;
        };
        let position = (*position).clamp(from, to);
        let turn = if position == from {
            Turn::Open(level, true)
        } else {
            Turn::Close(std::cmp::Reverse(level), false)
        };
        effects.push((position, turn, *peek));
    }
    effects.sort_unstable();
    // Values that take effect at one position, in groups: after everything else at that position nothing needs to be on
    // top of anything, so they may stand at its end.
    let mut together: Vec<(Rank, &Life)> = lives
        .lives
        .iter()
        .filter(|life| !life.is_critical())
        .map(|life| (life.last, life))
        .collect();
    together.sort_unstable_by_key(|(position, _)| *position);
    let mut together = together.into_iter().peekable();
    let mut order = Vec::with_capacity(operations.len());
    let mut push_together = |order: &mut Vec<usize>, before: Rank| {
        while let Some((_, life)) = together.next_if(|(position, _)| *position < before) {
            order.push(life.add);
            order.extend(lives.peeks(life));
            order.extend(life.remove);
        }
    };
    for (position, _, number) in effects {
        push_together(&mut order, position);
        order.push(number);
    }
    push_together(&mut order, Rank::MAX);
    order
}

/// A few of the values that already cannot be nested. A history stays a violation when values are added to it, so the
/// shortest beginning of the list that is one ends with a value that is needed; that one goes to the front, and so on
/// until those at the front are enough. Gives up, with more values than needed, when this takes too long.
fn smallest_core<'a>(operations: &[Operation], all: &Lives, mut values: Vec<&'a Life>) -> Vec<&'a Life> {
    let mut work_left = 64 * values.len();
    let mut is_violation = |values: &[&Life]| {
        work_left = work_left.checked_sub(values.len())?;
        let mut peeling = Peeling::new(operations, all, values);
        peeling.run();
        Some(peeling.left.len() < values.len())
    };
    values.sort_unstable_by_key(|life| life.first);
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
