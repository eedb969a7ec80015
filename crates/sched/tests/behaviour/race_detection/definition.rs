//! The reference: the races of an interleaving by their definition. Happens-before is the transitive closure of program order and
//! synchronizes-with, made pair by pair; no clock is kept, and no code is shared with the detector.

use super::program::{RaceEvent, RaceInstruction};
use crate::memory_model::program::Instruction;

fn atomic(event: &RaceEvent) -> Option<Instruction> {
    match event.instruction {
        RaceInstruction::Atomic(instruction) => Some(instruction),
        RaceInstruction::Plain { .. } => None,
    }
}

fn acquires(event: &RaceEvent) -> bool {
    atomic(event).is_some_and(|instruction| instruction.order(event.writes).acquires())
}

fn releases(event: &RaceEvent) -> bool {
    atomic(event).is_some_and(|instruction| instruction.order(event.writes).releases())
}

fn is_fence(event: &RaceEvent) -> bool {
    matches!(atomic(event), Some(Instruction::Fence(_)))
}

/// The atomic store that the event `reader` reads, if it reads one: it may read a plain store.
fn read_by(events: &[RaceEvent], reader: usize) -> Option<usize> {
    let instruction = atomic(&events[reader]).filter(|instruction| instruction.reads())?;
    let newest = (0..reader).rev().find(|&writer| {
        let other = &events[writer];
        other.instruction.location() == instruction.location() && other.writes
    });
    newest.filter(|&writer| atomic(&events[writer]).is_some())
}

/// For each event those that it happens before.
fn happens_before(events: &[RaceEvent]) -> Vec<Vec<bool>> {
    let count = events.len();
    let mut before = vec![vec![false; count]; count];
    for a in 0..count {
        for b in a + 1..count {
            before[a][b] = events[a].thread == events[b].thread;
        }
    }
    let in_order = |a: usize, b: usize| a < b && events[a].thread == events[b].thread;
    for reader in 0..count {
        let mut head = read_by(events, reader);
        while let Some(writer) = head {
            for source in 0..count {
                let is_source = source == writer || (is_fence(&events[source]) && in_order(source, writer));
                if !is_source || !releases(&events[source]) {
                    continue;
                }
                for target in 0..count {
                    let is_target =
                        target == reader || (is_fence(&events[target]) && in_order(reader, target));
                    if is_target && acquires(&events[target]) {
                        before[source][target] = true;
                    }
                }
            }
            // The store of a read-modify-write belongs to the release sequence of what it read.
            head = read_by(events, writer);
        }
    }
    for middle in 0..count {
        let after_middle = before[middle].clone();
        for row in before.iter_mut().filter(|row| row[middle]) {
            for (is_after, through) in row.iter_mut().zip(&after_middle) {
                *is_after |= through;
            }
        }
    }
    before
}

fn bytes_and_writes(event: &RaceEvent) -> (u8, bool) {
    match event.instruction {
        RaceInstruction::Plain { bytes, writes, .. } => (bytes, writes),
        RaceInstruction::Atomic(_) => (0xff, event.writes),
    }
}

/// The pairs of events that race, the earlier one first.
pub fn races(events: &[RaceEvent]) -> Vec<(usize, usize)> {
    let before = happens_before(events);
    let mut races = Vec::new();
    for b in 0..events.len() {
        for a in 0..b {
            let (one, other) = (&events[a], &events[b]);
            let same = one.instruction.location().is_some()
                && one.instruction.location() == other.instruction.location();
            let ((bytes, writes), (other_bytes, other_writes)) =
                (bytes_and_writes(one), bytes_and_writes(other));
            let both_atomic = atomic(one).is_some() && atomic(other).is_some();
            if same && bytes & other_bytes != 0 && (writes || other_writes) && !both_atomic && !before[a][b] {
                races.push((a, b));
            }
        }
    }
    races
}
