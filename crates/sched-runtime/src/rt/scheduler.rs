//! The scheduler: which thread runs next.
//!
//! A thread stops before each step (an atomic access, a lock operation, a futex call, the beginning of a call of the harness)
//! and a decision is made: which thread takes the next step. The step lasts until that thread stops again. A decision costs some tens
//! of nanoseconds, and so does a switch between two fibers: the main thread and the columns. They share one thread of the system. A
//! switch from or to a thread that the component created costs two system calls and a context switch, which is why a harness is bound
//! to one processor.

use crate::layout::{NO_THREAD, StepRecord, THREADS_CAP, ending, flag};
use crate::rt::entry::{self, is_controlled, me};
use crate::rt::global::Global;
use crate::rt::policy::{Candidates, ChosenThread, choose, next_in_circle};
use crate::rt::program_state::CycleDetector;
use crate::rt::spin::Yield;
use crate::rt::sys;
use crate::rt::threads::{self, ALL_THREADS_CAP, ThreadSet, ThreadState, ids, thread};
use crate::rt::{
    cancellation, checkpoint, clock, debugger, endless_loop, fiber, idle, once, processes, runnable, serial,
    signals, step_records, switches, unknown_calls, wait, whole_program, wide_write,
};
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

pub use crate::rt::shared::{Phase, attach, detach, is_attached, phase, set_phase, shared};
pub use crate::rt::step_records::{also_accesses, flag_step, mark_opaque, step_of};

/// Yields since the last progress.
#[unsafe(link_section = "omnilink_state")]
static FRUITLESS_YIELDS: Global<Cell<u32>> = Global::new(Cell::new(0));
/// Counts changes of the state. A thread that yielded since the last one would only read the same values again.
#[unsafe(link_section = "omnilink_state")]
static PROGRESS: Global<Cell<u64>> = Global::new(Cell::new(1));
#[unsafe(link_section = "omnilink_state")]
static CYCLES: Global<CycleDetector> = Global::new(CycleDetector::new());

/// A futex: the id plus 1 of the fiber that becomes the running thread while the thread of the fibers sleeps.
#[unsafe(link_section = "omnilink_state")]
static FIBER_TURN: AtomicU32 = AtomicU32::new(0);

/// Less than every progress count.
pub const NOT_YIELDED: u64 = 0;
/// Fruitless yields per candidate before livelock detection begins. Most loops that give up do so earlier.
const FRUITLESS_YIELDS_MAX: u32 = 100;
/// Fruitless yields per candidate of a whole program before the clock jumps to the end of the next sleep. Loops that spin a little before
/// they wait with a time limit must have come to their wait.
const SPINS_BEFORE_SLEEPERS: u32 = FRUITLESS_YIELDS_MAX;
/// A thread that takes more steps than this in one turn, inside of a call, yields: it may wait for another one in a loop that
/// changes something in every round. Fewer than the steps of an execution, so that the other one has some left.
const STEPS_IN_TURN_MAX: u32 = 8_000;

/// The number of columns.
pub fn columns() -> u8 {
    shared().columns.get() as u8
}

/// The ids of threads that the component creates.
pub fn ids_of_new_threads() -> core::ops::Range<u8> {
    match phase() {
        Phase::WholeProgram => 1..ALL_THREADS_CAP as u8,
        _ => columns() + 1..THREADS_CAP as u8,
    }
}

pub const fn bit(id: u8) -> ThreadSet {
    match ThreadSet::checked_shl(1, id as u32) {
        Some(bit) => bit,
        None => 0,
    }
}

/// Something has changed: threads that yielded may go on.
pub fn progress() {
    FRUITLESS_YIELDS.set(0);
    PROGRESS.set(PROGRESS.get() + 1);
}

/// Blocks a thread until it is the running one.
pub fn wait_for_turn(id: u8) {
    let turn = &thread(id).turn;
    while turn.swap(0, SeqCst) == 0 {
        sys::futex_wait(turn, 0);
    }
}

/// Makes another thread the running one, which is not a fiber if the calling thread is one.
fn give_turn(id: u8) {
    shared().running.set(id.into());
    let (turn, value) = match thread(id).fiber.get().exists() {
        true => (&FIBER_TURN, u32::from(id) + 1),
        false => (&thread(id).turn, 1),
    };
    turn.store(value, SeqCst);
    sys::futex_wake(turn);
}

/// Makes another thread the running one, and returns when the calling thread is that again.
fn hand_over(id: u8, chosen: u8) {
    if !thread(id).fiber.get().exists() {
        give_turn(chosen);
        return wait_for_turn(id);
    }
    let mut next = chosen;
    if !thread(chosen).fiber.get().exists() {
        give_turn(chosen);
        next = wait_for_fiber();
    }
    shared().running.set(next.into());
    if next != id {
        // SAFETY: the calling thread is the fiber `id`, and the other one stands where it was switched from, or begins: its stack is
        // that of a thread that never runs again by itself.
        unsafe { fiber::switch(&thread(id).fiber, thread(next).fiber.get()) };
    }
}

/// Blocks the thread of the fibers until one of them is the running thread.
fn wait_for_fiber() -> u8 {
    loop {
        match FIBER_TURN.swap(0, SeqCst) {
            0 => sys::futex_wait(&FIBER_TURN, 0),
            id => return (id - 1) as u8,
        }
    }
}

/// Ends the execution, and with it the process if that cannot be used again.
pub fn end(how: u32, stuck: ThreadSet) -> ! {
    if phase() == Phase::WholeProgram {
        whole_program::end(how, stuck);
    }
    shared().stuck.set(stuck as u32);
    shared().ending.store(how, Relaxed);
    checkpoint::rewind();
    sys::exit_process(0)
}

/// A point at which the running thread stops for a decision.
#[derive(Clone, Copy)]
pub struct SchedulingPoint {
    pub yields: Yield,
    /// The thread is between two calls.
    pub between_calls: bool,
}

impl SchedulingPoint {
    const BETWEEN_CALLS: Self = Self {
        yields: Yield::No,
        between_calls: true,
    };
}

/// The calling thread stops; returns when it is the running thread again, and what has come meanwhile for it alone was done.
pub fn stop(point: SchedulingPoint) {
    stop_undisturbed(point);
    after_stop();
}

/// Signal handlers and cancellation.
pub fn after_stop() {
    if phase() == Phase::WholeProgram {
        signals::deliver();
        cancellation::after_stop();
    }
}

/// The calling thread stops; returns when it is the running thread again.
pub fn stop_undisturbed(point: SchedulingPoint) {
    unknown_calls::notice();
    let id = me();
    let here = 0_u8;
    thread(id).stack_low.set((&raw const here) as u64);
    thread(id)
        .registers
        .set(entry::registers(thread(id).next_code.get()));
    let chosen = decide(id, point);
    if chosen != id {
        hand_over(id, chosen);
    }
    debugger::stop_before(thread(id).step.get());
}

/// The calling thread, which is no candidate any more, lets another thread run. It does not wait, except if it is a fiber: then it
/// never runs again.
pub fn leave(id: u8) {
    let chosen = decide(id, SchedulingPoint::BETWEEN_CALLS);
    match thread(id).fiber.get().exists() {
        true => hand_over(id, chosen),
        false => {
            threads::forget_storage(id);
            give_turn(chosen);
        }
    }
}

/// The main thread lets the columns run and returns when all of them have finished.
pub fn run_columns(main: u8) {
    set_phase(Phase::Columns);
    thread(main).state.set(ThreadState::WaitingForColumns);
    let chosen = decide(NO_THREAD, SchedulingPoint::BETWEEN_CALLS);
    if chosen != main {
        hand_over(main, chosen);
    }
}

/// Tells the explorer that the program goes on. Only the running thread counts, so that nothing is lost between the two accesses.
pub fn beat() {
    let heartbeat = &shared().heartbeat;
    heartbeat.store(heartbeat.load(Relaxed).wrapping_add(1), Relaxed);
}

/// The thread that runs next.
fn decide(current: u8, point: SchedulingPoint) -> u8 {
    beat();
    match phase() {
        Phase::Columns | Phase::WholeProgram => decide_step(current, point),
        Phase::MainThread | Phase::Off => decide_outside_schedule(current, point),
    }
}

/// Outside the schedule a thread goes on as long as it can.
fn decide_outside_schedule(current: u8, point: SchedulingPoint) -> u8 {
    let candidates = runnable::now();
    if candidates == 0 {
        end(ending::DEADLOCK, bit(columns()));
    }
    let others = candidates & !bit(current);
    if point.yields == Yield::Yes {
        count_yield(candidates, bit(columns()), current);
    }
    let chosen = match candidates & bit(current) != 0 && (point.yields != Yield::Yes || others == 0) {
        true => current,
        false => next_in_circle(current, if others == 0 { candidates } else { others }),
    };
    begin_turn(current, chosen);
    chosen
}

/// Ends the execution if it is a livelock: all candidates have yielded since the last progress, and the state in which
/// `current` stopped occurred before.
fn count_yield(candidates: ThreadSet, stuck: ThreadSet, current: u8) {
    let yields = FRUITLESS_YIELDS.get() + 1;
    FRUITLESS_YIELDS.set(yields);
    let max = FRUITLESS_YIELDS_MAX * candidates.count_ones();
    if yields == max {
        CYCLES.reset();
    }
    if yields >= max && not_yielding(candidates) == 0 && CYCLES.is_repeated(current, candidates) {
        end(ending::LIVELOCK, stuck);
    }
}

pub fn unfinished_columns() -> ThreadSet {
    let is_unfinished = |&id: &u8| thread(id).state.get() != ThreadState::Done;
    (0..columns())
        .filter(is_unfinished)
        .fold(0, |bits, id| bits | bit(id))
}

fn decide_step(current: u8, mut point: SchedulingPoint) -> u8 {
    let shared = shared();
    let mut stuck = 0;
    let mut candidates = runnable::now();
    let in_call = current != NO_THREAD && !point.between_calls;
    let phase = phase();
    let is_endless = in_call && phase == Phase::Columns && endless_loop::is_in_one(current);
    if is_endless || in_call && thread(current).steps_in_turn.get() > steps_in_turn_max(current) {
        point.yields = Yield::Yes;
    }
    let mut offers_yielded = false;
    if current != NO_THREAD {
        once::notice_left(current);
        let (yielded_at, progress) = (&thread(current).yielded_at, PROGRESS.get());
        // Without progress another yield of the thread offers nothing new: it has only read the same values once more.
        offers_yielded = point.yields == Yield::Yes
            && !is_endless
            && shared.serial.get() == 0
            && yielded_at.get() != progress;
        yielded_at.set(match point.yields {
            Yield::Yes => progress,
            // It has come out of its loop.
            Yield::No | Yield::Optional => NOT_YIELDED,
        });
    }
    if phase == Phase::Columns {
        stuck = unfinished_columns();
        if stuck == 0 {
            let main = columns();
            set_phase(Phase::MainThread);
            thread(main).state.set(ThreadState::Ready);
            begin_turn(current, main);
            return main;
        }
        if shared.serial.get() != 0 {
            (candidates, stuck) = serial::candidates(candidates, current, point);
        }
    }
    if phase == Phase::WholeProgram {
        if point.yields != Yield::Yes {
            clock::pass_step();
        }
        // Threads that only spin may wait for one that sleeps.
        let spins = FRUITLESS_YIELDS.get() >= SPINS_BEFORE_SLEEPERS * candidates.count_ones()
            && not_yielding(candidates) == 0;
        if spins {
            if candidates != 0 && processes::await_polled() {
                progress();
            } else {
                candidates = runnable::woken(candidates);
            }
        }
    }
    match candidates {
        0 => end(ending::DEADLOCK, stuck),
        only if is_endless && only == bit(current) => end(ending::LIVELOCK, stuck),
        _ => {}
    }
    let step = shared.steps_made.load(Relaxed);
    if step >= shared.steps_max.get() {
        end(ending::STEP_LIMIT, stuck);
    }
    let keeps_stream = || {
        current != NO_THREAD
            && phase == Phase::WholeProgram
            && point.yields != Yield::Yes
            && thread(current).streams_locked.get() != 0
            && candidates & bit(current) != 0
    };
    let candidates = if idle::goes_on(current, point, candidates) || keeps_stream() {
        Candidates::only(current)
    } else {
        if point.yields == Yield::Yes {
            count_yield(candidates, stuck, current);
        }
        let mut candidates = without_yielding(candidates, current, point);
        candidates.yielded &= if offers_yielded { ThreadSet::MAX } else { 0 };
        candidates.without_background()
    };
    let chosen = choose(step, current, candidates, point);
    switches::record(current, chosen, candidates, point);
    step_records::record(step, current, chosen, candidates, point);
    shared.steps_made.store(step + 1, Relaxed);
    let ChosenThread { thread: id, goes_on } = chosen;
    thread(id).step.set(step);
    begin_turn(current, id);
    if goes_on {
        // It may come back to where it yielded, but then in another turn of the others: no state repeats by that.
        FRUITLESS_YIELDS.set(0);
        idle::begin(id);
    }
    id
}

/// [`STEPS_IN_TURN_MAX`]. In a whole program it is another number in each turn, so that it cannot always fall inside a lock; which one,
/// depends on what is the same in a repetition.
fn steps_in_turn_max(current: u8) -> u32 {
    if phase() != Phase::WholeProgram {
        return STEPS_IN_TURN_MAX;
    }
    let turn = thread(current).decisions.get()
        - thread(current)
            .steps_in_turn
            .get()
            .min(thread(current).decisions.get());
    let mixed = (turn ^ u32::from(current) << 24).wrapping_mul(0x9e37_79b1);
    STEPS_IN_TURN_MAX / 2 + ((u64::from(mixed) * u64::from(STEPS_IN_TURN_MAX)) >> 32) as u32
}

/// The candidates that have not yielded since the last progress.
pub fn not_yielding(candidates: ThreadSet) -> ThreadSet {
    let progress = PROGRESS.get();
    let awake = ids().filter(|&id| thread(id).yielded_at.get() != progress);
    awake.fold(0, |bits, id| bits | candidates & bit(id))
}

/// A thread that yielded is no free candidate until something changes. If all candidates have yielded, they take turns in circular
/// order: loops that give up after some rounds end, and livelock detection finds the others.
fn without_yielding(candidates: ThreadSet, current: u8, point: SchedulingPoint) -> Candidates {
    // A serial execution chooses between calls only, where no thread waits for another one.
    if shared().serial.get() != 0 && phase() == Phase::Columns && point.between_calls {
        return Candidates {
            free: candidates,
            yielded: 0,
        };
    }
    let awake = not_yielding(candidates);
    Candidates {
        free: match awake {
            0 => bit(next_in_circle(current, candidates)),
            awake => awake,
        },
        yielded: candidates & !awake,
    }
}

fn begin_turn(current: u8, chosen: u8) {
    let thread = thread(chosen);
    let steps = if current == chosen {
        thread.steps_in_turn.get() + 1
    } else {
        0
    };
    thread.steps_in_turn.set(steps);
    if thread.state.get() == ThreadState::Waiting {
        wait::time_out(chosen);
    }
}

/// The calling thread is about to access `address`: a scheduling point. The first access of a call belongs to the step that
/// began the call.
pub fn access(address: u64, writes: bool, code: u64, yields: Yield) {
    if !is_controlled() {
        return;
    }
    wide_write::complete();
    let current = thread(me());
    if current.first_access.take() && yields != Yield::Yes {
        if let Some(step) = step_of(me()) {
            let record = step.get();
            step.set(StepRecord {
                address,
                chosen_code: code,
                flags: record.flags | if writes { flag::WRITES } else { 0 },
                ..record
            });
        }
        return;
    }
    current.next_address.set(address);
    current.next_writes.set(writes);
    current.next_code.set(code);
    stop(SchedulingPoint {
        yields,
        between_calls: false,
    });
}
