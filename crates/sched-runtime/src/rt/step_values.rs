//! What the atomic access of a step chooses, reads and stores.

use crate::checked::slot;
use crate::happens_before::MemoryOrder;
use crate::layout::{STEPS_CAP, StepRecord, ending, flag, policy, scheduled};
use crate::rt::entry::me;
use crate::rt::global::Global;
use crate::rt::policy::random;
use crate::rt::scheduler::{Phase, bit, end, flag_step, phase, progress, shared, step_of};
use crate::rt::switches;
use crate::rt::threads::thread;
use core::cell::Cell;

/// How many accesses with a random choice did not choose the newest store. Each execution is a process of its own.
#[unsafe(link_section = "omnilink_state")]
static STALE: Global<Cell<u32>> = Global::new(Cell::new(0));

/// The number of the step that a thread is in, if it is part of the schedule and recorded.
pub fn number_of_step(id: u8) -> Option<u32> {
    let is_scheduled = matches!(phase(), Phase::Columns | Phase::WholeProgram);
    let step = thread(id).step.get();
    (is_scheduled && step < STEPS_CAP as u64).then_some(step as u32)
}

/// Which of several stores the access of the calling thread chooses, the newest being 0. A step has one atomic access.
pub fn choose_store(stores: usize) -> usize {
    choose(stores)
}

/// Which of some threads that wait is woken, the one that waits for longest being 0; or with two, whether a wait ends at once without a reason. A step has one
/// choice.
pub fn choose_wakeup(choices: usize) -> usize {
    if shared().serial.get() != 0 {
        return 0;
    }
    let choice = choose(choices);
    if choice > 0 {
        flag_step(me(), flag::WAKES);
    }
    choice
}

fn choose(stores: usize) -> usize {
    if stores < 2 {
        return 0;
    }
    if phase() == Phase::WholeProgram {
        return choose_in_program(stores);
    }
    let Some(number) = number_of_step(me()) else {
        return 0;
    };
    let shared = shared();
    let store = match shared.policy.get() {
        policy::RANDOM | policy::PRIORITIES => random_store(stores, ONE_IN),
        _ if number < shared.schedule_len.get() => {
            usize::from(slot(&shared.schedule, number as usize).get() >> scheduled::STORE_SHIFT)
        }
        _ => 0,
    };
    if store >= stores {
        end(ending::DIVERGED, bit(me()));
    }
    if let Some(step) = step_of(me()) {
        step.set(StepRecord {
            stores: stores as u8,
            store: store as u8,
            ..step.get()
        });
    }
    if store > 0 {
        // A state that repeats after this is no livelock: the next load may read the newest store.
        progress();
    }
    store
}

/// The choices of a whole program are kept with its switches.
fn choose_in_program(choices: usize) -> usize {
    // A run with few choices and one with many are different ones.
    let one_in = ONE_IN << (3 * (shared().seed.get() % 3));
    let choice = match shared().policy.get() {
        policy::SWITCHES => switches::asked_choice().min(choices - 1),
        _ => random_store(choices.min(usize::from(u8::MAX)), one_in),
    };
    if let Some(step) = step_of(me()) {
        step.set(StepRecord {
            stores: choices.min(usize::from(u8::MAX)) as u8,
            store: choice as u8,
            ..step.get()
        });
    }
    if choice > 0 {
        switches::record_choice(choice);
        progress();
    }
    choice
}

/// One choice of this many is not that of 0.
const ONE_IN: u64 = 3;

/// Mostly the newest one; another one as often as is allowed.
fn random_store(stores: usize, one_in: u64) -> usize {
    let random = random();
    if STALE.get() >= shared().stale_max.get() || random.below(one_in) != 0 {
        return 0;
    }
    STALE.set(STALE.get() + 1);
    1 + random.below(stores as u64 - 1) as usize
}

/// The step that the calling thread is in read and stored these values, with this memory order.
pub fn record_values(read: Option<u64>, written: Option<u64>, order: MemoryOrder) {
    if number_of_step(me()).is_some()
        && let Some(step) = step_of(me())
    {
        let mut record = step.get();
        record.order = 1 + (order.0 & 0x7f) as u8;
        if let Some(value) = read {
            record.read = value;
            record.flags |= flag::HAS_READ;
        }
        if let Some(value) = written {
            record.written = value;
            record.flags |= flag::HAS_WRITTEN;
        }
        step.set(record);
    }
}
