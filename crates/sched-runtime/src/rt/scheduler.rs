//! Who runs next.
//!
//! A thread stops before each step (an atomic access, a lock, a futex call, the beginning of a call of the
//! harness) and a decision is made: who takes the next step. The step then lasts until that thread stops
//! again. Cost: a decision that changes nothing is some tens of nanoseconds, a change of the thread two system
//! calls and one switch of the processor, which is why a harness is tied to one processor.

use crate::layout::{NOBODY, STEPS_CAP, Shared, StepRecord, THREADS_CAP, choices, ending, flag};
use crate::random::Random;
use crate::situation::{self, Watch};
use crate::spin::Yield;
use crate::sys;
use crate::threads::{self, State, ids, me, thread};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nobody is under control.
    Off,
    /// The main thread runs alone: decisions are not part of the schedule.
    Alone,
    /// The columns run.
    Columns,
    /// A whole program runs, its main thread is thread 0.
    Whole,
}

#[unsafe(link_section = "omnilink_state")]
static mut SHARED: *mut Shared = core::ptr::null_mut();
#[unsafe(link_section = "omnilink_state")]
static mut PHASE: Phase = Phase::Off;
#[unsafe(link_section = "omnilink_state")]
static mut RANDOM: Random = Random(0);
/// Yields since something changed.
#[unsafe(link_section = "omnilink_state")]
static mut VAIN: u32 = 0;
/// How many times something has changed. A thread that yielded since then would only find what it found before.
#[unsafe(link_section = "omnilink_state")]
static mut EPOCH: u64 = 1;
#[unsafe(link_section = "omnilink_state")]
static mut LOWEST_PRIORITY: u64 = 0;
#[unsafe(link_section = "omnilink_state")]
static mut CHANGE_AT: [u64; CHANGES_CAP] = [u64::MAX; CHANGES_CAP];

const CHANGES_CAP: usize = 64;
/// How often each candidate may yield in vain before it is looked for a situation that was there before. Most loops that
/// give up do so earlier.
const VAIN_PER_THREAD: u32 = 100;
#[unsafe(link_section = "omnilink_state")]
static mut WATCH: Watch = Watch::NEW;
/// A thread that takes more steps than this in one turn yields, whatever it does.
const TURN_MAX: u32 = 2_000;

pub fn shared() -> *mut Shared {
    unsafe { SHARED }
}

pub fn phase() -> Phase {
    unsafe { PHASE }
}

pub fn steps_made() -> u64 {
    unsafe { (*SHARED).steps_made }
}

pub unsafe fn set_phase(phase: Phase) {
    unsafe { PHASE = phase };
}

pub unsafe fn attach(shared: *mut Shared) {
    unsafe { SHARED = shared };
}

/// Prepares what random strategies need.
pub unsafe fn prepare() {
    unsafe {
        let random = &mut *(&raw mut RANDOM);
        *random = Random((*SHARED).seed);
        VAIN = 0;
        LOWEST_PRIORITY = 1 << 32;
        for id in ids() {
            // The id makes priorities different.
            (*thread(id)).priority = (1 << 33) | (random.next() >> 32 << 5) | u64::from(id);
        }
        let changes = ((*SHARED).changes as usize).min(CHANGES_CAP);
        for change in (*(&raw mut CHANGE_AT)).iter_mut().take(changes) {
            *change = random.below((*SHARED).steps_expected.max(1));
        }
    }
}

pub unsafe fn columns() -> u8 {
    unsafe { (*SHARED).columns as u8 }
}

/// Ids that no column and not the main thread has.
pub fn ids_of_new_threads() -> core::ops::Range<u8> {
    let first = unsafe { if PHASE == Phase::Whole { 1 } else { columns() + 1 } };
    first..THREADS_CAP as u8
}

fn column_bits() -> u32 {
    unsafe { ((1_u64 << columns()) - 1) as u32 }
}

fn bit(id: u8) -> u32 {
    1_u32.checked_shl(id.into()).unwrap_or(0)
}

fn candidates_now() -> u32 {
    let mut candidates = 0;
    for id in ids() {
        let thread = unsafe { &*thread(id) };
        if thread.state == State::Ready || (thread.state == State::Waiting && thread.deadline_ns.is_some()) {
            candidates |= bit(id);
        }
    }
    candidates
}

/// Something has changed: whoever waits for a change may go on.
pub fn progress() {
    unsafe {
        VAIN = 0;
        EPOCH += 1;
    }
}

pub unsafe fn wait_for_turn(id: u8) {
    unsafe {
        let turn: &AtomicU32 = &(*thread(id)).turn;
        while turn.swap(0, SeqCst) == 0 {
            sys::futex_wait(turn, 0);
        }
    }
}

unsafe fn give_turn(id: u8) {
    unsafe {
        (*SHARED).running = id.into();
        let turn: &AtomicU32 = &(*thread(id)).turn;
        turn.store(1, SeqCst);
        sys::futex_wake(turn);
    }
}

/// Ends the execution and with it the process.
pub unsafe fn end(how: u32, stuck: u32) -> ! {
    unsafe {
        if PHASE == Phase::Whole {
            crate::whole::end(how);
        }
        (*SHARED).stuck = stuck;
        (*SHARED).ending = how;
        sys::exit_process(0)
    }
}

/// What the thread that asks for a decision wants of it.
#[derive(Clone, Copy)]
pub struct Asking {
    pub yields: Yield,
    /// It is between two calls.
    pub boundary: bool,
}

/// The calling thread stops; returns when it has the baton again.
pub unsafe fn stop(asking: Asking) {
    unsafe {
        let id = me();
        let here = 0_u8;
        (*thread(id)).stack_low = (&raw const here) as u64;
        (*thread(id)).entry = situation::entry((*thread(id)).next_code);
        let chosen = decide(id, asking);
        if chosen != id {
            give_turn(chosen);
            wait_for_turn(id);
        }
    }
}

/// The calling thread, which is no candidate any more, hands the baton on and does not wait for it.
pub unsafe fn pass_on_and_leave(id: u8) {
    unsafe {
        let chosen = decide(id, Asking { yields: Yield::No, boundary: true });
        give_turn(chosen);
    }
}

/// The main thread lets the columns run and returns when all of them have finished.
pub unsafe fn run_columns(main: u8) {
    unsafe {
        PHASE = Phase::Columns;
        (*thread(main)).state = State::Resting;
        let chosen = decide(NOBODY, Asking { yields: Yield::No, boundary: true });
        if chosen != main {
            give_turn(chosen);
            wait_for_turn(main);
        }
    }
}

unsafe fn decide(current: u8, asking: Asking) -> u8 {
    unsafe {
        (*SHARED).beat += 1;
        match PHASE {
            Phase::Columns | Phase::Whole => decide_step(current, asking),
            Phase::Alone | Phase::Off => decide_alone(current, asking),
        }
    }
}

/// Outside the schedule a thread goes on as long as it can.
unsafe fn decide_alone(current: u8, asking: Asking) -> u8 {
    unsafe {
        let candidates = candidates_now();
        if candidates == 0 {
            end(ending::DEADLOCK, bit(columns()));
        }
        let others = candidates & !bit(current);
        if asking.yields == Yield::Asked {
            count_vain(candidates, bit(columns()), current);
        }
        let chosen = match candidates & bit(current) != 0 && (asking.yields != Yield::Asked || others == 0) {
            true => current,
            false => next_in_circle(current, if others == 0 { candidates } else { others }),
        };
        begin_turn(current, chosen);
        chosen
    }
}

/// Ends the execution if threads go round for ever: only if the situation in which `current` stopped was there before,
/// with everybody who could go on having had a turn since.
unsafe fn count_vain(candidates: u32, stuck: u32, current: u8) {
    unsafe {
        VAIN += 1;
        if VAIN == VAIN_PER_THREAD * candidates.count_ones() {
            WATCH = Watch::NEW;
        }
        let is_late = VAIN >= VAIN_PER_THREAD * candidates.count_ones();
        if is_late && not_yielding(candidates) == 0 && (*(&raw mut WATCH)).sees_again(current, candidates) {
            end(ending::LIVELOCK, stuck);
        }
    }
}

unsafe fn unfinished_columns() -> u32 {
    unsafe {
        let mut unfinished = 0;
        for id in 0..columns() {
            if (*thread(id)).state != State::Done {
                unfinished |= bit(id);
            }
        }
        unfinished
    }
}

/// In a serial execution: between calls any column, inside a call only its column. Threads of the component itself
/// run when the call cannot go on without them, one after the other and without a choice.
unsafe fn serial_candidates(candidates: u32, current: u8, asking: Asking) -> (u32, u32) {
    unsafe {
        let columns = column_bits();
        let mut owner = 0;
        for id in 0..(*SHARED).columns as u8 {
            if (*thread(id)).in_call {
                owner |= bit(id);
            }
        }
        if owner == 0 && bit(current) & columns != 0 && !asking.boundary {
            owner = bit(current);
        }
        if owner == 0 {
            return (candidates & columns, unfinished_columns());
        }
        let awake = not_yielding(candidates);
        let helpers = awake & !columns;
        if awake & owner != 0 || helpers == 0 {
            return (candidates & owner, owner);
        }
        (if helpers & bit(current) != 0 { bit(current) } else { bit(next_in_circle(current, helpers)) }, owner)
    }
}

unsafe fn decide_step(current: u8, mut asking: Asking) -> u8 {
    unsafe {
        let shared = &mut *SHARED;
        let mut stuck = 0;
        let mut candidates = candidates_now();
        if current != NOBODY && (*thread(current)).steps_in_turn > TURN_MAX {
            asking.yields = Yield::Asked;
        }
        if asking.yields == Yield::Asked && current != NOBODY {
            (*thread(current)).yielded_in = EPOCH;
        }
        if PHASE == Phase::Columns {
            stuck = unfinished_columns();
            if stuck == 0 {
                let main = columns();
                PHASE = Phase::Alone;
                (*thread(main)).state = State::Ready;
                begin_turn(current, main);
                return main;
            }
            if shared.serial != 0 {
                (candidates, stuck) = serial_candidates(candidates, current, asking);
            }
        }
        if candidates == 0 {
            end(ending::DEADLOCK, stuck);
        }
        let step = shared.steps_made;
        if step >= shared.steps_max {
            end(ending::STEP_LIMIT, stuck);
        }
        if asking.yields == Yield::Asked {
            count_vain(candidates, stuck, current);
        }
        candidates = awake(candidates, current);
        let chosen = choose(step, current, candidates, asking);
        record(step, current, chosen, candidates, asking);
        shared.steps_made = step + 1;
        (*thread(chosen)).step = step;
        begin_turn(current, chosen);
        chosen
    }
}

/// The candidates for which there is something new since they yielded.
unsafe fn not_yielding(candidates: u32) -> u32 {
    unsafe {
        let mut awake = 0;
        for id in ids() {
            if (*thread(id)).yielded_in != EPOCH {
                awake |= candidates & bit(id);
            }
        }
        awake
    }
}

/// Who yielded is no candidate until something changes. If there is nothing new for anybody, they go round
/// without a choice: loops that give up after some rounds come to their end, the others are seen to be in vain.
unsafe fn awake(candidates: u32, current: u8) -> u32 {
    unsafe {
        match not_yielding(candidates) {
            0 => bit(next_in_circle(current, candidates)),
            awake => awake,
        }
    }
}

unsafe fn begin_turn(current: u8, chosen: u8) {
    unsafe {
        let thread = &mut *thread(chosen);
        thread.steps_in_turn = if current == chosen { thread.steps_in_turn + 1 } else { 0 };
        if thread.state == State::Waiting {
            crate::waiting::time_out(chosen);
        }
    }
}

unsafe fn choose(step: u64, current: u8, candidates: u32, asking: Asking) -> u8 {
    unsafe {
        let shared = &mut *SHARED;
        match shared.choices {
            choices::RANDOM => nth(candidates, (*(&raw mut RANDOM)).below(candidates.count_ones().into())),
            choices::PRIORITIES => choose_by_priority(step, current, candidates, asking),
            _ if step < u64::from(shared.schedule_len) => {
                let chosen = *shared.schedule.get_unchecked(step as usize & (STEPS_CAP - 1));
                if candidates & bit(chosen) == 0 {
                    end(ending::DIVERGED, bit(chosen));
                }
                chosen
            }
            _ if candidates & bit(current) != 0 => current,
            _ => next_in_circle(current, candidates),
        }
    }
}

fn nth(candidates: u32, index: u64) -> u8 {
    let mut rest = candidates;
    for _ in 0..index {
        rest &= rest.wrapping_sub(1);
    }
    rest.trailing_zeros() as u8
}

/// The first candidate after `current`, which is not 0 candidates.
fn next_in_circle(current: u8, candidates: u32) -> u8 {
    let from = if current == NOBODY { 0 } else { u32::from(current) + 1 };
    let after = candidates & u32::MAX.checked_shl(from).unwrap_or(0);
    (if after != 0 { after } else { candidates }).trailing_zeros() as u8
}

unsafe fn choose_by_priority(step: u64, current: u8, candidates: u32, asking: Asking) -> u8 {
    unsafe {
        let falls = (*(&raw const CHANGE_AT)).iter().any(|&at| at == step) || asking.yields == Yield::Asked;
        if falls && current != NOBODY {
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
}

unsafe fn record(step: u64, current: u8, chosen: u8, candidates: u32, asking: Asking) {
    unsafe {
        if step >= STEPS_CAP as u64 {
            return;
        }
        let next = &*thread(chosen);
        let goes_on = current != NOBODY && candidates & bit(current) != 0;
        let mut flags = 0;
        if goes_on && asking.yields == Yield::No && (*thread(current)).state == State::Ready {
            flags |= flag::PREEMPTIBLE;
        }
        if asking.yields == Yield::Asked {
            flags |= flag::YIELDING;
        }
        if asking.boundary {
            flags |= flag::BOUNDARY;
        }
        if next.next_writes {
            flags |= flag::WRITES;
        }
        let current_code = if current == NOBODY { 0 } else { (*thread(current)).next_code };
        *(*SHARED).steps.as_mut_ptr().add(step as usize) = StepRecord {
            address: next.next_address,
            second: 0,
            current_code,
            chosen_code: next.next_code,
            candidates,
            current,
            chosen,
            flags,
        };
    }
}

/// The record of the step that a thread is in.
pub unsafe fn step_of(id: u8) -> Option<&'static mut StepRecord> {
    unsafe {
        let step = (*thread(id)).step;
        (step < STEPS_CAP as u64).then(|| &mut *(*SHARED).steps.as_mut_ptr().add(step as usize))
    }
}

pub unsafe fn mark_opaque(id: u8) {
    unsafe {
        if let Some(step) = step_of(id) {
            step.flags |= flag::OPAQUE;
        }
    }
}

/// The calling thread is about to access `address`.
pub unsafe fn access(address: u64, writes: bool, code: u64, yields: Yield) {
    unsafe {
        if !threads::is_controlled() {
            return;
        }
        let current = &mut *thread(me());
        if core::mem::take(&mut current.first_access) && yields != Yield::Asked {
            if let Some(step) = step_of(me()) {
                step.address = address;
                step.chosen_code = code;
                step.flags |= if writes { flag::WRITES } else { 0 };
            }
            return;
        }
        current.next_address = address;
        current.next_writes = writes;
        current.next_code = code;
        stop(Asking { yields, boundary: false });
    }
}

/// The step that the calling thread is in also concerns this location.
pub unsafe fn announce(address: u64) {
    unsafe {
        if let Some(step) = step_of(me()) {
            step.second = address;
        }
    }
}
