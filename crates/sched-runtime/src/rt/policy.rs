//! Scheduling policies: which of the candidates runs next.

use crate::layout::{NO_THREAD, STEPS_CAP, ending, policy, scheduled};
use crate::rt::random::Random;
use crate::rt::scheduler::{SchedulingPoint, bit, end, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{ThreadSet, all_ids, ids, thread};
use crate::rt::{one_location, switches};

#[unsafe(link_section = "omnilink_state")]
static mut RANDOM: Random = Random(0);
#[unsafe(link_section = "omnilink_state")]
static mut LOWEST_PRIORITY: u64 = 0;
/// The steps at which the running thread gets the lowest priority.
#[unsafe(link_section = "omnilink_state")]
static mut CHANGES: [u64; CHANGES_CAP] = [u64::MAX; CHANGES_CAP];

const CHANGES_CAP: usize = 64;

/// Prepares random choices, and if they are asked for random priorities and the steps at which these change (PCT: Burckhardt et al.,
/// ASPLOS 2010).
pub unsafe fn prepare() {
    let random = &mut *(&raw mut RANDOM);
    *random = Random((*shared()).seed);
    if (*shared()).policy == policy::PARTIAL_ORDERS {
        all_ids().for_each(|id| (*thread(id)).priority = random.next());
        return;
    }
    // The structures of all threads are many pages, which every execution would copy.
    if (*shared()).policy != policy::PRIORITIES {
        return;
    }
    LOWEST_PRIORITY = 1 << 32;
    for id in all_ids() {
        // The id makes priorities different.
        (*thread(id)).priority = (1 << 33) | (random.next() >> 32 << 7) | u64::from(id);
    }
    let changes = ((*shared()).changes as usize).min(CHANGES_CAP);
    for change in (*(&raw mut CHANGES)).iter_mut().take(changes) {
        *change = random.below((*shared()).steps_expected.max(1));
    }
}

/// The generator of random choices.
pub unsafe fn random() -> &'static mut Random {
    &mut *(&raw mut RANDOM)
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
    pub unsafe fn without_background(self) -> Self {
        let background = bit((*shared()).background_threads as u8) - 1;
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
pub unsafe fn choose(step: u64, current: u8, candidates: Candidates, point: SchedulingPoint) -> ChosenThread {
    let shared = &mut *shared();
    if shared.policy == policy::FOLLOW && step < u64::from(shared.schedule_len) {
        let wanted = shared.schedule[step as usize & (STEPS_CAP - 1)];
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
    if shared.policy == policy::SWITCHES {
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
    let thread = match shared.policy {
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
unsafe fn at_random_past_yield(yielded: ThreadSet) -> Option<u8> {
    const ONE_IN: u64 = 4;
    let is_random = matches!(
        (*shared()).policy,
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

unsafe fn choose_by_priority(step: u64, current: u8, candidates: ThreadSet, point: SchedulingPoint) -> u8 {
    let changes = (*(&raw const CHANGES)).contains(&step) || point.yields == Yield::Yes;
    if changes && current != NO_THREAD {
        LOWEST_PRIORITY -= 1;
        (*thread(current)).priority = LOWEST_PRIORITY;
    }
    let mut best = candidates.trailing_zeros() as u8;
    for id in ids() {
        if candidates & bit(id) != 0 && (*thread(id)).priority > (*thread(best)).priority {
            best = id;
        }
    }
    best
}

/// Partial-order sampling (Yuan, Yang and Gu, CAV 2018): each step has a random priority, and the highest comes first. A step that depends on
/// the chosen one gets a new priority, so that the orders of dependent steps are sampled, and not those of all steps.
unsafe fn choose_by_step_priority(current: u8, candidates: ThreadSet) -> u8 {
    // The step that the current thread has stopped before is a new one.
    if current != NO_THREAD {
        (*thread(current)).priority = random().next();
    }
    let candidate_ids = || ids().filter(|&id| candidates & bit(id) != 0);
    let best = candidate_ids().max_by_key(|&id| (*thread(id)).priority);
    let best = best.unwrap_or_else(|| candidates.trailing_zeros() as u8);
    let chosen = &*thread(best);
    for id in candidate_ids().filter(|&id| id != best) {
        let other = &mut *thread(id);
        if other.next_address == chosen.next_address && (other.next_writes || chosen.next_writes) {
            other.priority = random().next();
        }
    }
    best
}
