//! The monitor for sets.
//!
//! Values of a set are independent of each other. For one value, the state is whether it is inside. Additions and removals
//! that changed something *flip* the state; peeks and misses *look* at it. The monitor processes the calls and returns of
//! the operations of one value in order, and places as little as it can:
//!
//! - a look takes effect as soon as it is called, or when the state that it saw begins while it is open;
//! - when a look returns that has not taken effect, the state flips first;
//! - when a flip returns that has not taken effect, it takes effect; if the state is not the one before it, the state flips
//!   first;
//! - to flip the state, the open flip of the right kind that returns first takes effect. If there is none: **violation**.
//!
//! Values may come back any number of times. A pending addition or removal is a flip that never returns, so nothing forces it.
//! (If it changed nothing, it can be left out.)
//!
//! *Sufficient.* What is placed is a linearization.
//!
//! *Necessary.* Say that a partial linearization *covers* another one of the same calls and returns if every continuation of the
//! other one gives one of it. The monitor's covers all others, at each moment. Let this hold up to the return of an operation
//! `o` that has not taken effect, let the monitor place the flips `F` (one, or two if `o` is itself a flip in the wrong state)
//! and then `o`, if it is a look. Let another linearization continue the monitor's with the flips `G` up to that return.
//! The looks of the state before `F` have taken effect, so whatever looks `G` places, the monitor has placed or can place as
//! soon as `G`'s flips are placed. 1. `G` has flips of the kinds of `F`, because `o` has taken effect in it. If `G` has `g`
//! instead of the `f` of the same kind that returns first, exchange the two in `G` and its continuation: both are open now, and
//! `f` returns first. So let `G` contain `F`. 2. The other flips of `G` are open, and there are as many additions as
//! removals among them, up to the one that the last state of `G` and the state after `F` differ by. So they can be placed one
//! after the other from the state after `F`, and lead to the state of `G`. The monitor's linearization covers `G`, because it
//! can place them now. ∎

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::action::{Action, Rank, TimedAction};
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::violation;

/// Refutations with more operations that look at the state are not made smaller.
const LOOKS_MAX: usize = 128;

pub(crate) fn check(operations: &[TimedAction], end: Rank) -> Decision {
    let mut by_value: Vec<(u32, usize)> = Vec::with_capacity(operations.len());
    for (number, op) in operations.iter().enumerate() {
        by_value.extend(op.action.value().map(|value| (value, number)));
    }
    by_value.sort_unstable();
    // When each operation takes effect: the position, the place among the operations of its value, and the operation.
    let mut effects: Vec<(Rank, u32, usize)> = Vec::with_capacity(operations.len());
    for group in by_value.chunk_by(|one, other| one.0 == other.0) {
        let members: Vec<usize> = group.iter().map(|(_, number)| *number).collect();
        match Element::run(operations, end, &members) {
            Ok(placed) => effects.extend(
                placed
                    .into_iter()
                    .zip(0..)
                    .map(|((at, number), turn)| (at, turn, number)),
            ),
            Err(stuck) => return refuted(operations, end, &members, &stuck),
        }
    }
    effects.sort_unstable();
    Decision::Linearizable(effects.into_iter().map(|(.., number)| number).collect())
}

/// The state of one value, with the operations that have not taken effect.
struct Element<'a> {
    operations: &'a [TimedAction],
    is_inside: bool,
    /// The open removals and additions, by return.
    flips: [BinaryHeap<Reverse<(Rank, usize)>>; 2],
    /// The open looks that saw the value absent, and those that saw it inside.
    looks: [Vec<usize>; 2],
    /// Positions and operations, in the order in which they took effect.
    placed: Vec<(Rank, usize)>,
    /// The last addition or removal that took effect.
    last_flip: Option<usize>,
}

/// A return at which the monitor's linearization ends.
struct Stuck {
    rank: Rank,
    /// The last rank before at which no operation was open.
    quiet: Rank,
    /// The last addition before that rank, if the value was inside then.
    addition: Option<usize>,
}

impl<'a> Element<'a> {
    /// Positions and operations in the order in which they take effect.
    fn run(operations: &'a [TimedAction], end: Rank, members: &[usize]) -> Result<Vec<(Rank, usize)>, Stuck> {
        let mut events: Vec<(Rank, bool, usize)> = Vec::with_capacity(2 * members.len());
        for number in members {
            events.push((operations[*number].call, false, *number));
            events.extend(operations[*number].ret.map(|ret| (ret, true, *number)));
        }
        events.sort_unstable();
        let mut element = Self {
            operations,
            is_inside: false,
            flips: Default::default(),
            looks: Default::default(),
            placed: Vec::with_capacity(members.len()),
            last_flip: None,
        };
        let (mut open, mut quiet, mut addition) = (0, 0, None);
        for (rank, is_return, number) in events {
            if !is_return {
                if open == 0 {
                    (quiet, addition) = (rank, element.last_flip.filter(|_| element.is_inside));
                }
                open += 1;
                element.call(number, rank, end);
            } else {
                open -= 1;
                if element.is_open(number, rank) && !element.finish(number, rank - 1) {
                    return Err(Stuck {
                        rank,
                        quiet,
                        addition,
                    });
                }
            }
        }
        Ok(element.placed)
    }

    fn call(&mut self, number: usize, position: Rank, end: Rank) {
        let op = self.operations[number];
        match (flip(op.action), op.ret) {
            (Some(to), ret) => self.flips[usize::from(to)].push(Reverse((ret.unwrap_or(end), number))),
            // A pending look can be left out.
            (None, None) => {}
            (None, Some(_)) if sees_inside(op.action) == self.is_inside || mutated(Mutant::SeeAnyState) => {
                self.place(number, position)
            }
            (None, Some(_)) => self.looks[usize::from(sees_inside(op.action))].push(number),
        }
    }

    /// Lets an operation take effect that must.
    fn finish(&mut self, number: usize, position: Rank) -> bool {
        match flip(self.operations[number].action) {
            Some(to) if to == self.is_inside => self.flip(position) && self.flip(position),
            _ => self.flip(position),
        }
    }

    /// Flips the state with the open operation that returns first.
    fn flip(&mut self, position: Rank) -> bool {
        let Some(Reverse((_, number))) = self.flips[usize::from(!self.is_inside)].pop() else {
            return false;
        };
        self.is_inside = !self.is_inside;
        self.last_flip = Some(number);
        self.place(number, position);
        for look in std::mem::take(&mut self.looks[usize::from(self.is_inside)]) {
            self.place(look, position);
        }
        true
    }

    fn place(&mut self, number: usize, position: Rank) {
        self.placed.push((position, number));
    }

    /// Whether an operation that returns has not taken effect. An open flip that returns now returns first of its kind.
    fn is_open(&self, number: usize, ret: Rank) -> bool {
        let action = self.operations[number].action;
        match flip(action) {
            Some(to) => self.flips[usize::from(to)].peek() == Some(&Reverse((ret, number))),
            None => self.looks[usize::from(sees_inside(action))].contains(&number),
        }
    }
}

/// A violation: the flips since the last moment at which no operation was open, the addition that had put the value inside, and
/// the looks without which the rest would have a linearization.
fn refuted(operations: &[TimedAction], end: Rank, members: &[usize], stuck: &Stuck) -> Decision {
    let window = stuck.quiet..stuck.rank;
    let is_in_window = |number: &usize| window.contains(&operations[*number].call);
    let mut involved: Vec<usize> = members.iter().copied().filter(is_in_window).collect();
    involved.extend(stuck.addition);
    let looks = involved.iter().copied();
    let looks: Vec<usize> = looks
        .filter(|number| flip(operations[*number].action).is_none())
        .collect();
    if looks.len() <= LOOKS_MAX {
        // What had not returned by then may still have been explained by what was called later, so it counts as pending: a look may be left
        // out only if the returns up to this moment have no explanation without it.
        let cut: Vec<TimedAction> = operations
            .iter()
            .map(|op| TimedAction {
                ret: op.ret.filter(|ret| *ret <= stuck.rank),
                ..*op
            })
            .collect();
        for look in looks {
            let others: Vec<usize> = involved
                .iter()
                .copied()
                .filter(|number| *number != look)
                .collect();
            if Element::run(&cut, end, &others).is_err() {
                involved = others;
            }
        }
    }
    violation(Rule::NoAlternation, operations, involved)
}

/// The state after an operation that changes it.
fn flip(action: Action) -> Option<bool> {
    match action {
        Action::Add(_) => Some(true),
        Action::Remove(_) => Some(false),
        _ => None,
    }
}

fn sees_inside(action: Action) -> bool {
    matches!(action, Action::Peek(_))
}
