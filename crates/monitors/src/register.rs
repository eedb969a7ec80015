//! Registers: each read names the write that it saw.
//!
//! The operations of one value, its write and its reads, stand together in every linearization. Its *zone* is
//! `first..last`: forward if `first < last`, and then the register holds the value at all these positions; backward
//! otherwise, and then all its operations overlap at the positions `last..first`. (Zones after Gibbons and Korach.)
//!
//! **Violation iff** two forward zones overlap, or a backward zone lies within a forward one (besides the rules for one
//! value, which [`Lives`] checks).
//!
//! Necessary: a register holds one value at a time, and all operations of a backward zone take effect between its `last`
//! and its `first`. Sufficient: forward zones stand one after the other. A backward zone that lies within none of them has
//! a position outside of all of them, since they do not touch: ranks are distinct. All its operations take effect there.

use crate::answer::{Answer, Reason, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Action, Operation, Rank};

/// The positions at which a value is held.
struct Zone<'a> {
    begin: Rank,
    end: Rank,
    /// The value; none for the initial one.
    life: Option<&'a Life>,
}

pub(crate) fn check(operations: &[Operation], lives: &Lives) -> Answer {
    let is_foreign = |op: &Operation| matches!(op.action, Action::Remove(_) | Action::RemoveAny);
    if operations.iter().any(is_foreign) {
        return Answer::Undecided(Reason::ForeignOperation);
    }
    // Reads of the initial value: it is there from the beginning until the last of them is called.
    let initial = lives.empties.iter().map(|read| operations[*read].call).max();
    let mut forward: Vec<Zone<'_>> = Vec::from_iter(initial.map(|last| Zone {
        begin: 0,
        end: last,
        life: None,
    }));
    let mut backward: Vec<(Rank, Rank, &Life)> = Vec::new();
    for life in &lives.lives {
        // Nothing removes a value from a register, but it need not stay longer than until its last use.
        let calls = lives.operations(life).map(|number| operations[number].call);
        let (first, last) = (life.first, calls.max().unwrap_or(life.first));
        if first < last {
            forward.push(Zone {
                begin: first,
                end: last,
                life: Some(life),
            });
        } else {
            backward.push((last, first, life));
        }
    }
    forward.sort_unstable_by_key(|zone| zone.begin);
    for pair in forward.windows(2) {
        if let [one, other] = pair
            && other.begin < one.end
        {
            return overlap(operations, lives, [one.life, other.life]);
        }
    }
    // Blocks of operations in their order. A forward zone begins late at the position before its first return, a backward
    // one takes a whole position.
    let mut blocks: Vec<(Rank, Option<&Life>)> = Vec::with_capacity(lives.lives.len() + 1);
    for (last, first, life) in backward {
        let before = forward.partition_point(|zone| zone.begin <= last);
        let zone = before.checked_sub(1).and_then(|index| forward.get(index));
        if let Some(zone) = zone.filter(|zone| zone.end > first) {
            return overlap(operations, lives, [zone.life, Some(life)]);
        }
        let position = zone.map_or(last, |zone| zone.end.max(last));
        blocks.push((2 * position, Some(life)));
    }
    blocks.extend(
        forward
            .iter()
            .map(|zone| ((2 * zone.begin).saturating_sub(1), zone.life)),
    );
    blocks.sort_unstable_by_key(|(position, _)| *position);
    let mut order = Vec::with_capacity(operations.len());
    for (_, life) in blocks {
        match life {
            Some(life) => {
                order.push(life.add);
                order.extend(lives.peeks(life));
            }
            None => order.extend(&lives.empties),
        }
    }
    Answer::Linearizable(order)
}

fn overlap(operations: &[Operation], lives: &Lives, zones: [Option<&Life>; 2]) -> Answer {
    let mut involved = Vec::new();
    for zone in zones {
        match zone {
            Some(life) => involved.extend(lives.bounds(operations, life)),
            None => involved.extend(
                lives
                    .empties
                    .iter()
                    .copied()
                    .max_by_key(|read| operations[*read].call),
            ),
        }
    }
    violation(Rule::Overwritten, operations, involved)
}
