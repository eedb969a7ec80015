//! The monitor for registers, where each read determines the write that it observed.
//!
//! The operations of one value, its write and its reads, are consecutive in every linearization. The *zone* of the value is
//! `first..last` (Gibbons and Korach). If `first < last`, the zone is *forward*, and the register holds the value at all
//! these positions. Otherwise it is *backward*, and all operations of the value overlap at the positions `last..first`.
//!
//! **Violation iff** two forward zones overlap, or a backward zone lies within a forward one (besides the rules for one
//! value, which [`ValueHistories`] checks).
//!
//! *Necessary.* A register holds one value at a time, and all operations of a backward zone take effect between its `last`
//! and its `first`. *Sufficient.* Forward zones come one after the other. A backward zone that lies within none of them has
//! a position outside of all of them, because ranks are distinct, so that zones do not touch. All its operations take
//! effect there. ∎

use omnilink_sorting::sort_by_key;

use crate::action::{Rank, TimedAction};
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::{ValueHistories, ValueHistory, violation};

/// The positions at which the register holds a value.
struct Zone<'a> {
    begin: Rank,
    end: Rank,
    /// The value; `None` for the initial one.
    history: Option<&'a ValueHistory>,
}

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    // The zone of the initial value ends when its last read is called.
    let initial = values.empties.iter().map(|read| operations[*read].call).max();
    let mut forward: Vec<Zone<'_>> = Vec::from_iter(initial.map(|last| Zone {
        begin: 0,
        end: last,
        history: None,
    }));
    let mut backward: Vec<(Rank, Rank, &ValueHistory)> = Vec::new();
    for history in &values.histories {
        // No operation removes a value from a register. It stays at most until its last use.
        let calls = values.operations(history).map(|number| operations[number].call);
        let (first, last) = (history.first, calls.max().unwrap_or(history.first));
        if first < last {
            forward.push(Zone {
                begin: first,
                end: last,
                history: Some(history),
            });
        } else {
            backward.push((last, first, history));
        }
    }
    sort_by_key(&mut forward, |zone| zone.begin);
    for pair in forward.windows(2) {
        if let [one, other] = pair
            && other.begin < one.end
        {
            return overlap(operations, values, [one.history, other.history]);
        }
    }
    // The operations of each zone form a block. A forward block starts just before `begin`. A backward block takes effect at
    // the first position from its `last` on that is outside of all forward zones. These positions increase with `last`.
    let mut blocks: Vec<(Rank, Option<&ValueHistory>)> = Vec::with_capacity(values.histories.len() + 1);
    for (last, first, history) in backward {
        let before = forward.partition_point(|zone| zone.begin <= last);
        let zone = before.checked_sub(1).and_then(|index| forward.get(index));
        if let Some(zone) = zone.filter(|zone| zone.end > first && !mutated(Mutant::BackwardWithinForward)) {
            return overlap(operations, values, [zone.history, Some(history)]);
        }
        blocks.push((last, Some(history)));
    }
    blocks.extend(forward.iter().map(|zone| (zone.begin, zone.history)));
    sort_by_key(&mut blocks, |(rank, _)| *rank);
    let mut order = Vec::with_capacity(operations.len());
    for (_, history) in blocks {
        match history {
            Some(history) => {
                order.push(history.add);
                order.extend(values.peeks(history));
            }
            None => order.extend(&values.empties),
        }
    }
    Decision::Linearizable(order)
}

fn overlap(
    operations: &[TimedAction],
    values: &ValueHistories,
    zones: [Option<&ValueHistory>; 2],
) -> Decision {
    let mut involved = Vec::new();
    for zone in zones {
        match zone {
            Some(history) => involved.extend(values.bounds(operations, history)),
            None => involved.extend(
                values
                    .empties
                    .iter()
                    .copied()
                    .max_by_key(|read| operations[*read].call),
            ),
        }
    }
    violation(Rule::Overwritten, operations, involved)
}
