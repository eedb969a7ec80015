//! The records of the steps of an execution.

use crate::checked::slot;
use crate::layout::{NO_THREAD, STEP_FRAMES, STEPS_CAP, StepRecord, flag};
use crate::rt::entry::me;
use crate::rt::policy::{Candidates, ChosenThread};
use crate::rt::scheduler::{SchedulingPoint, bit, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{self, ThreadState, thread};
use crate::store_history::NO_STEP;
use core::cell::Cell;

/// Records a decision, and the step that follows.
pub fn record(step: u64, current: u8, chosen: ChosenThread, candidates: Candidates, point: SchedulingPoint) {
    if step >= STEPS_CAP as u64 {
        return;
    }
    let next = thread(chosen.thread);
    let can_go_on = current != NO_THREAD && candidates.free & bit(current) != 0;
    let mut flags = if chosen.goes_on { flag::GOES_ON } else { 0 };
    if can_go_on && point.yields == Yield::No && thread(current).state.get() == ThreadState::Ready {
        flags |= flag::PREEMPTIBLE;
    }
    if point.yields == Yield::Yes {
        flags |= flag::YIELDING;
    }
    if point.between_calls {
        flags |= flag::BETWEEN_CALLS;
    }
    if next.next_writes.get() {
        flags |= flag::WRITES;
    }
    let current_code = match current {
        NO_THREAD => 0,
        current => thread(current).next_code.get(),
    };
    let shared = shared();
    slot(&shared.steps, step as usize).set(StepRecord {
        address: next.next_address.get(),
        second: 0,
        current_code,
        chosen_code: next.next_code.get(),
        read: 0,
        written: 0,
        newest: 0,
        newest_step: NO_STEP,
        read_step: NO_STEP,
        candidates: candidates.free as u32,
        yielded: candidates.yielded as u32,
        current,
        chosen: chosen.thread,
        flags,
        stores: 0,
        store: 0,
        order: 0,
    });
    if shared.is_watching.get() != 0 {
        let mut frames = [0; STEP_FRAMES];
        threads::copy_calls(chosen.thread, &mut frames);
        slot(&shared.step_frames, step as usize).set(frames);
    }
}

/// The record of the step that a thread is in, if there is one.
pub fn step_of(id: u8) -> Option<&'static Cell<StepRecord>> {
    let step = thread(id).step.get();
    shared().steps.get(usize::try_from(step).unwrap_or(usize::MAX))
}

/// Adds flags to the step that a thread is in.
pub fn flag_step(id: u8, flags: u16) {
    if let Some(step) = step_of(id) {
        let record = step.get();
        step.set(StepRecord {
            flags: record.flags | flags,
            ..record
        });
    }
}

/// The step that a thread is in depends on every other.
pub fn mark_opaque(id: u8) {
    flag_step(id, flag::OPAQUE);
}

/// The step that the calling thread is in also accesses this location.
pub fn also_accesses(address: u64) {
    if let Some(step) = step_of(me()) {
        let record = step.get();
        step.set(StepRecord {
            second: address,
            ..record
        });
    }
}
