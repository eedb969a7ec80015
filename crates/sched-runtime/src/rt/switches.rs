//! The decisions of a whole program that differ from those of a run without preemptions.
//!
//! A long run has millions of decisions, and few of them matter. Kept are those at which the chosen thread is not the one that a run without
//! preemptions takes: the current one, or if it cannot go on, the next in circular order. A run that is asked to make the same switches is
//! the same run. If some are left out, the others still name the same places: see [`SwitchRecord`].

use crate::layout::{NO_THREAD, Shared, SwitchRecord, switch};
use crate::rt::policy::{Candidates, ChosenThread, next_in_circle};
use crate::rt::scheduler::{Phase, SchedulingPoint, bit, phase, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{describe, thread};

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
pub unsafe fn asked(current: u8, candidates: Candidates) -> Option<ChosenThread> {
    let Shared {
        switches_asked,
        switches_asked_len,
        ..
    } = &*shared();
    let known = switches_asked.get(..*switches_asked_len as usize)?;
    let decision = (*thread(current)).decisions;
    let at = known.binary_search_by_key(&(current, decision), |known| (known.current, known.decision));
    let wanted = known.get(at.ok()?)?;
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

/// Records a decision of a whole program, and counts it for the current thread.
pub unsafe fn record(current: u8, chosen: ChosenThread, candidates: Candidates, point: SchedulingPoint) {
    if phase() != Phase::WholeProgram || current == NO_THREAD {
        return;
    }
    let shared = &mut *shared();
    let stopped = &mut *thread(current);
    let next = &*thread(chosen.thread);
    shared.interleaving = mix(
        shared.interleaving,
        next.next_code << 8 | u64::from(chosen.thread),
    );
    shared.threads_max = shared.threads_max.max(u32::from(chosen.thread) + 1);
    let usual = without_preemption(current, candidates);
    if usual.thread != chosen.thread || chosen.goes_on {
        let preempts = usual.thread == current && point.yields == Yield::No;
        if let Some(free) = shared.switches.get_mut(shared.switches_len as usize) {
            *free = SwitchRecord {
                decision: stopped.decisions,
                current,
                chosen: chosen.thread,
                flags: if chosen.goes_on { switch::GOES_ON } else { 0 }
                    | if preempts { switch::PREEMPTS } else { 0 },
                reserved: 0,
            };
        }
        if let Some([from, to]) = shared.switch_places.get_mut(shared.switches_len as usize) {
            describe(current, from);
            describe(chosen.thread, to);
        }
        shared.switches_len = shared.switches_len.saturating_add(1);
    }
    stopped.decisions = stopped.decisions.wrapping_add(1);
}

const fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(29)
}
