//! The decisions of a whole program that differ from those of a run without preemptions.
//!
//! A long run has millions of decisions, and few of them matter. Kept are those at which the chosen thread is not the one that a run without
//! preemptions takes: the current one, or if it cannot go on, the next in circular order. A run that is asked to make the same switches is
//! the same run. If some are left out, the others still name the same places: see [`SwitchRecord`].

use crate::layout::{NO_THREAD, SwitchRecord, switch};
use crate::rt::entry::me;
use crate::rt::policy::{Candidates, ChosenThread, next_in_circle};
use crate::rt::scheduler::{Phase, SchedulingPoint, bit, phase, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{describe, thread};
use core::cell::Cell;

/// The choice of a run without preemptions.
pub fn without_preemption(current: u8, candidates: Candidates) -> ChosenThread {
    let thread = match candidates.free & bit(current) != 0 {
        true => current,
        false => next_in_circle(current, candidates.free),
    };
    ChosenThread {
        thread,
        goes_on: false,
    }
}

/// What the switches that are asked for say about a decision, if they say anything that is possible.
pub fn asked(current: u8, candidates: Candidates) -> Option<ChosenThread> {
    if current == NO_THREAD {
        return None;
    }
    let shared = shared();
    let known = shared
        .switches_asked
        .get(..shared.switches_asked_len.get() as usize)?;
    let wanted = find(known, current, 0)?;
    let goes_on = wanted.flags & switch::GOES_ON != 0;
    let possible = match goes_on {
        true => candidates.yielded,
        false => candidates.free,
    };
    (possible & bit(wanted.chosen) != 0).then_some(ChosenThread {
        thread: wanted.chosen,
        goes_on,
    })
}

/// The switch, or the choice, that is asked for where the thread is.
fn find(known: &[Cell<SwitchRecord>], current: u8, kind: u8) -> Option<SwitchRecord> {
    let key = |record: SwitchRecord| (record.current, record.decision, record.flags & switch::CHOOSES);
    let wanted = (current, thread(current).decisions.get(), kind);
    let at = known.binary_search_by_key(&wanted, |known| key(known.get()));
    known.get(at.ok()?).map(Cell::get)
}

/// The choice that is asked for in the step of the calling thread, or 0.
pub fn asked_choice() -> usize {
    let shared = shared();
    let known = shared
        .switches_asked
        .get(..shared.switches_asked_len.get() as usize);
    let wanted = known.and_then(|known| find(known, me(), switch::CHOOSES));
    wanted.map_or(0, |wanted| wanted.chosen.into())
}

/// Records a choice of the calling thread other than 0.
pub fn record_choice(choice: usize) {
    let here = me();
    add(
        SwitchRecord {
            decision: thread(here).decisions.get(),
            current: here,
            chosen: choice as u8,
            flags: switch::CHOOSES,
            reserved: 0,
        },
        here,
    );
}

/// Adds a record, of which `to` goes on.
fn add(record: SwitchRecord, to: u8) {
    let shared = shared();
    let len = shared.switches_len.get();
    if let Some(free) = shared.switches.get(len as usize) {
        free.set(record);
    }
    if let Some(free) = shared.switch_places.get(len as usize) {
        let [from_place, to_place] = free.get();
        free.set([describe(record.current, from_place), describe(to, to_place)]);
    }
    shared.switches_len.set(len.saturating_add(1));
}

/// Records a decision of a whole program, and counts it for the current thread.
pub fn record(current: u8, chosen: ChosenThread, candidates: Candidates, point: SchedulingPoint) {
    if phase() != Phase::WholeProgram || current == NO_THREAD {
        return;
    }
    let shared = shared();
    let stopped = thread(current);
    let next = thread(chosen.thread);
    shared.interleaving.set(mix(
        shared.interleaving.get(),
        next.next_code.get() << 8 | u64::from(chosen.thread),
    ));
    shared
        .threads_max
        .set(shared.threads_max.get().max(u32::from(chosen.thread) + 1));
    let usual = without_preemption(current, candidates);
    if usual.thread != chosen.thread || chosen.goes_on {
        let preempts = usual.thread == current && point.yields == Yield::No;
        let record = SwitchRecord {
            decision: stopped.decisions.get(),
            current,
            chosen: chosen.thread,
            flags: if chosen.goes_on { switch::GOES_ON } else { 0 }
                | if preempts { switch::PREEMPTS } else { 0 },
            reserved: 0,
        };
        add(record, chosen.thread);
    }
    stopped.decisions.set(stopped.decisions.get().wrapping_add(1));
}

const fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(29)
}
