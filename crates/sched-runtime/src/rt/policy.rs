//! Scheduling policies: which of the candidates runs next.

use crate::checked::slot;
use crate::layout::{NO_THREAD, ending, policy, scheduled};
use crate::rt::global::Global;
use crate::rt::random::Random;
use crate::rt::scheduler::{SchedulingPoint, bit, end, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{ThreadSet, all_ids, ids, thread};
use crate::rt::{one_location, switches};
use core::cell::Cell;

#[unsafe(link_section = "omnilink_state")]
static RANDOM: Global<Random> = Global::new(Random::new(0));
#[unsafe(link_section = "omnilink_state")]
static LOWEST_PRIORITY: Global<Cell<u64>> = Global::new(Cell::new(0));
/// The steps at which the running thread gets the lowest priority.
#[unsafe(link_section = "omnilink_state")]
static CHANGES: Global<[Cell<u64>; CHANGES_CAP]> = Global::new([const { Cell::new(u64::MAX) }; CHANGES_CAP]);

const CHANGES_CAP: usize = 64;

/// Prepares random choices, and if they are asked for random priorities and the steps at which these change (PCT: Burckhardt et al.,
/// ASPLOS 2010).
pub fn prepare() {
    let random = random();
    random.set_seed(shared().seed.get());
    if shared().policy.get() == policy::PARTIAL_ORDERS {
        all_ids().for_each(|id| thread(id).priority.set(random.next()));
        return;
    }
    // The structures of all threads are many pages, which every execution would copy.
    if shared().policy.get() != policy::PRIORITIES {
        return;
    }
    LOWEST_PRIORITY.set(1 << 32);
    for id in all_ids() {
        // The id makes priorities different.
        thread(id)
            .priority
            .set((1 << 33) | (random.next() >> 32 << 7) | u64::from(id));
    }
    let changes = (shared().changes.get() as usize).min(CHANGES_CAP);
    for change in CHANGES.iter().take(changes) {
        change.set(random.below(shared().steps_expected.get().max(1)));
    }
}

/// The generator of random choices.
pub fn random() -> &'static Random {
    &RANDOM
}

/// The threads that can be chosen at a decision.
#[derive(Clone, Copy)]
pub struct Candidates {
    /// Those that take a step like any other.
    pub free: ThreadSet,
    /// Those that have yielded since the last progress and may go on all the same: see the module `idle`. Where the current thread
    /// yields for the first time since the last progress, all that have yielded may, and nowhere else.
    pub yielded: ThreadSet,
}

impl Candidates {
    /// No choice.
    pub const fn only(id: u8) -> Self {
        Self {
            free: bit(id),
            yielded: 0,
        }
    }

    /// Without the threads that run only when no other one can.
    pub fn without_background(self) -> Self {
        let background = bit(shared().background_threads.get() as u8) - 1;
        match self.free & !background {
            0 => self,
            free => Self {
                free,
                yielded: self.yielded & !background,
            },
        }
    }
}

/// What a policy chose.
#[derive(Clone, Copy)]
pub struct ChosenThread {
    pub thread: u8,
    /// It goes on past its yield.
    pub goes_on: bool,
}

/// Chooses among the candidates as the policy says.
pub fn choose(step: u64, current: u8, candidates: Candidates, point: SchedulingPoint) -> ChosenThread {
    let shared = shared();
    if shared.policy.get() == policy::FOLLOW && step < u64::from(shared.schedule_len.get()) {
        let wanted = slot(&shared.schedule, step as usize).get();
        let chosen = ChosenThread {
            thread: (wanted & scheduled::THREAD) as u8,
            goes_on: wanted & scheduled::GOES_ON != 0,
        };
        let possible = match chosen.goes_on {
            true => candidates.yielded,
            false => candidates.free,
        };
        if possible & bit(chosen.thread) == 0 {
            end(ending::DIVERGED, bit(chosen.thread));
        }
        return chosen;
    }
    if shared.policy.get() == policy::SWITCHES {
        return match switches::asked(current, candidates) {
            Some(chosen) => chosen,
            None => switches::without_preemption(current, candidates),
        };
    }
    if let Some(thread) = at_random_past_yield(candidates.yielded) {
        return ChosenThread {
            thread,
            goes_on: true,
        };
    }
    let free = candidates.free;
    let thread = match shared.policy.get() {
        policy::RANDOM => nth(free, random().below(free.count_ones().into())),
        policy::PRIORITIES => choose_by_priority(step, current, free, point),
        policy::PARTIAL_ORDERS => choose_by_step_priority(current, free),
        policy::ONE_LOCATION => one_location::choose(free),
        _ if free & bit(current) != 0 => current,
        _ => next_in_circle(current, free),
    };
    ChosenThread {
        thread,
        goes_on: false,
    }
}

/// A thread that goes on past its yield, once in a while, if choices are random.
fn at_random_past_yield(yielded: ThreadSet) -> Option<u8> {
    const ONE_IN: u64 = 4;
    let is_random = matches!(
        shared().policy.get(),
        policy::RANDOM | policy::PRIORITIES | policy::PARTIAL_ORDERS
    );
    if !is_random || yielded == 0 || random().below(ONE_IN) != 0 {
        return None;
    }
    Some(nth(yielded, random().below(yielded.count_ones().into())))
}

fn nth(candidates: ThreadSet, index: u64) -> u8 {
    let mut rest = candidates;
    for _ in 0..index {
        rest &= rest.wrapping_sub(1);
    }
    rest.trailing_zeros() as u8
}

/// The first candidate after `current` in circular order. There is at least one candidate.
pub fn next_in_circle(current: u8, candidates: ThreadSet) -> u8 {
    let from = match current {
        NO_THREAD => 0,
        current => u32::from(current) + 1,
    };
    let after = candidates & ThreadSet::MAX.checked_shl(from).unwrap_or(0);
    (if after != 0 { after } else { candidates }).trailing_zeros() as u8
}

fn choose_by_priority(step: u64, current: u8, candidates: ThreadSet, point: SchedulingPoint) -> u8 {
    let changes = CHANGES.iter().any(|change| change.get() == step) || point.yields == Yield::Yes;
    if changes && current != NO_THREAD {
        LOWEST_PRIORITY.set(LOWEST_PRIORITY.get() - 1);
        thread(current).priority.set(LOWEST_PRIORITY.get());
    }
    let mut best = candidates.trailing_zeros() as u8;
    for id in ids() {
        if candidates & bit(id) != 0 && thread(id).priority.get() > thread(best).priority.get() {
            best = id;
        }
    }
    best
}

/// Partial-order sampling (Yuan, Yang and Gu, CAV 2018): each step has a random priority, and the highest comes first. A step that depends on
/// the chosen one gets a new priority, so that the orders of dependent steps are sampled, and not those of all steps.
fn choose_by_step_priority(current: u8, candidates: ThreadSet) -> u8 {
    // The step that the current thread has stopped before is a new one.
    if current != NO_THREAD {
        thread(current).priority.set(random().next());
    }
    let candidate_ids = || ids().filter(|&id| candidates & bit(id) != 0);
    let best = candidate_ids().max_by_key(|&id| thread(id).priority.get());
    let best = best.unwrap_or_else(|| candidates.trailing_zeros() as u8);
    let chosen = thread(best);
    for id in candidate_ids().filter(|&id| id != best) {
        let other = thread(id);
        if other.next_address.get() == chosen.next_address.get()
            && (other.next_writes.get() || chosen.next_writes.get())
        {
            other.priority.set(random().next());
        }
    }
    best
}
