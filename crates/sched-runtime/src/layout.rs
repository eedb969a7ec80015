//! The memory that the explorer shares with a harness.
//!
//! Both sides use this module: `omnilink-sched`, which explores, and the runtime that is linked with the component. Everything
//! has a fixed offset, so that an execution allocates nothing and the records of a process that crashes survive it.
//!
//! Every word of it may be changed by another process, so that each is an atomic or a [`Cell`] of [`Shared`]: nobody holds a reference
//! that promises that a word stays as it is. Atomics are the words that are read while someone else may write them. Each of the others
//! has one writer at a time: the explorer until it has asked for an execution, then the running thread, until the explorer has the
//! answer. `SOUNDNESS.md` of this crate says why.

mod program_records;

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, AtomicU64};

pub use program_records::{OutsideRecord, PlaceRecord, SwitchRecord, WaitingPlaceRecord, outside, switch};

/// Written by the explorer; a runtime with another layout refuses to serve.
pub const MAGIC: u64 = 0x006f_6d6e_696c_0010;
/// Threads of one execution of the explorer: as many as bits in [`StepRecord::candidates`]. A whole program may have more.
pub const THREADS_CAP: usize = 32;
/// Steps that are recorded; a longer execution goes on unrecorded.
pub const STEPS_CAP: usize = 1 << 15;
/// Calls of one program.
pub const OPS_CAP: usize = 1 << 12;
/// Bytes of events, headers included.
pub const EVENTS_CAP: usize = 1 << 20;
/// Data races that are recorded in one execution.
pub const RACES_CAP: usize = 32;
/// Plain accesses that are scheduling points.
pub const RACY_ACCESSES_CAP: usize = 256;
/// Functions of the call stack of a process that died.
pub const STACK_CAP: usize = 64;
/// Libraries into which calls are counted.
pub const LIBRARIES_CAP: usize = 16;
/// Switches of a whole program that are recorded, or that one is asked to make.
pub const SWITCHES_CAP: usize = 1 << 15;
/// Those of them whose places are recorded.
pub const PLACES_CAP: usize = 64;
/// Threads of a deadlock that are described.
pub const STUCK_CAP: usize = 32;
/// Functions of the call stack of a place.
pub const FRAMES_CAP: usize = 14;
/// The value of [`Shared::stop_at`] for a program that waits for a debugger where the runtime finds something wrong with it.
pub const STOP_AT_FAILURE: u64 = u64::MAX;
/// Call sites of a step that are recorded if they are asked for.
pub const STEP_FRAMES: usize = 6;
/// Places at which threads of a whole program may wait that are recorded.
pub const WAITING_PLACES_CAP: usize = 128;
/// Things outside of a whole program that are recorded.
pub const OUTSIDE_CAP: usize = 8;
/// Bytes of their names.
pub const OUTSIDE_NAME_CAP: usize = 112;
/// Functions of prebuilt libraries of which nothing is known, and the bytes of their names.
pub const UNKNOWN_CALLS_CAP: usize = 16;
/// See [`UNKNOWN_CALLS_CAP`].
pub const UNKNOWN_NAME_CAP: usize = 64;
/// No thread.
pub const NO_THREAD: u8 = u8::MAX;

/// Values of [`Shared::policy`].
pub mod policy {
    /// Follow the schedule, then run without preemptions.
    pub const FOLLOW: u32 = 0;
    /// Any candidate.
    pub const RANDOM: u32 = 1;
    /// The candidate with the highest priority.
    pub const PRIORITIES: u32 = 2;
    /// No control: threads run as the operating system schedules them.
    pub const NATIVE: u32 = 3;
    /// A serial execution whose calls are made in the order of the schedule: an element is the column of a call.
    pub const CALLS_IN_ORDER: u32 = 4;
    /// A whole program without preemptions, except for the switches that are asked for.
    pub const SWITCHES: u32 = 5;
    /// Partial-order sampling: the candidate whose next step has the highest random priority.
    pub const PARTIAL_ORDERS: u32 = 6;
    /// A random walk over the orders of the accesses to one location.
    pub const ONE_LOCATION: u32 = 7;
}

/// Values of [`Shared::memory_model`].
pub mod memory_model {
    /// A load reads the newest store.
    pub const SEQUENTIALLY_CONSISTENT: u32 = 0;
    /// A load reads any store that the memory orders of C++20 allow.
    pub const CPP20: u32 = 1;
}

/// Values of [`Shared::ending`].
pub mod ending {
    /// Not ended: the value when the process died.
    pub const NONE: u32 = 0;
    /// Every call returned.
    pub const FINISHED: u32 = 1;
    /// Every thread waits.
    pub const DEADLOCK: u32 = 2;
    /// Threads run without progress.
    pub const LIVELOCK: u32 = 3;
    /// Too many steps.
    pub const STEP_LIMIT: u32 = 4;
    /// The schedule could not be followed.
    pub const DIVERGED: u32 = 5;
    /// Too many threads.
    pub const TOO_MANY_THREADS: u32 = 6;
    /// The events did not fit.
    pub const EVENTS_TOO_LARGE: u32 = 7;
    /// An invalid use of heap memory.
    pub const MEMORY_ERROR: u32 = 8;
    /// A thread that went on past its yield waits for others all the same.
    pub const IDLE: u32 = 9;
    /// Threads of a whole program wait, and for a long time the others only sleep.
    pub const SUSPECTED_DEADLOCK: u32 = 10;
}

/// The parts of an element of [`Shared::schedule`].
pub mod scheduled {
    /// The thread.
    pub const THREAD: u16 = 0x7f;
    /// The thread goes on past its yield.
    pub const GOES_ON: u16 = 0x80;
    /// The store that its access chooses is in the bits from this one on.
    pub const STORE_SHIFT: u32 = 8;
}

/// Values of [`Shared::worker`].
pub mod worker {
    /// It makes an execution.
    pub const RUNNING: u32 = 0;
    /// It has answered, and waits for a request.
    pub const IDLE: u32 = 1;
    /// It ended because it cannot make the execution that is requested: another process has to.
    pub const UNSERVED: u32 = 2;
}

/// Values of [`EventHeader::kind`].
pub mod event_kind {
    /// A call begins.
    pub const CALL: u8 = 0;
    /// A call returned.
    pub const RETURN: u8 = 1;
    /// A round of native threads ended.
    pub const ROUND_END: u8 = 2;
    /// The event was reserved but not written.
    pub const UNWRITTEN: u8 = 255;
}

/// Bits of [`StepRecord::flags`].
pub mod flag {
    /// The current thread could have gone on: a switch is a preemption.
    pub const PREEMPTIBLE: u16 = 1;
    /// The current thread yields.
    pub const YIELDING: u16 = 2;
    /// The current thread was between two calls.
    pub const BETWEEN_CALLS: u16 = 4;
    /// A call began.
    pub const CALLS: u16 = 8;
    /// A call returned.
    pub const RETURNS: u16 = 16;
    /// The access may have changed the location.
    pub const WRITES: u16 = 32;
    /// The step depends on every other: it created a thread, for instance, or its accesses are not known.
    pub const OPAQUE: u16 = 64;
    /// The step read [`StepRecord::read`](super::StepRecord::read) atomically.
    pub const HAS_READ: u16 = 128;
    /// The step stored [`StepRecord::written`](super::StepRecord::written) atomically.
    pub const HAS_WRITTEN: u16 = 256;
    /// The chosen thread goes on past its yield.
    pub const GOES_ON: u16 = 512;
    /// The step is a weak compare-and-swap that failed although the value was the expected one.
    pub const FAILS: u16 = 1024;
    /// The choice is no store: a wait for a condition ends at once, or another thread is woken than the one that waits for longest.
    pub const WAKES: u16 = 2048;
}

/// Bits of [`RaceRecord::first_kind`] and `second_kind`.
pub mod race {
    /// The access may change the location.
    pub const WRITES: u8 = 1;
    /// It is atomic.
    pub const ATOMIC: u8 = 2;
    /// One of the two accesses is volatile or frees the memory.
    pub const INCONCLUSIVE: u8 = 4;
    /// It frees the memory.
    pub const FREES: u8 = 8;
}

/// What a function of Rust's standard library does, in the third argument of `omnilink_library`.
pub mod std_function {
    /// It accesses what its first two arguments point to.
    pub const ACCESSES_ARGUMENTS: u32 = 0;
    /// It calls a closure, and then changes what its first argument points to.
    pub const CALLS_CLOSURE: u32 = 1;
    /// It reads something that no argument points to.
    pub const READS_ANYTHING: u32 = 2;
    /// It accesses some part of what its first argument points to.
    pub const ACCESSES_PART: u32 = 3;
    /// It goes on where an instrumented access to what its first argument points to has ended: it is no step of its own.
    pub const CONTINUES_ACCESS: u32 = 4;
    /// It waits for a condition or notifies one, which its first two arguments point to.
    pub const CONDITION: u32 = 5;
}

/// Bits of [`Shared::influences`].
pub mod influence {
    /// The time.
    pub const TIME: u64 = 1;
    /// Random numbers, which also decide the order of hash tables.
    pub const RANDOM_NUMBERS: u64 = 2;
    /// Another machine, which was refused.
    pub const OTHER_MACHINE: u64 = 4;
    /// Accesses with a weaker order than sequential consistency.
    pub const WEAK_ORDERS: u64 = 8;
}

/// Values of [`MemoryErrorRecord::kind`].
pub mod memory_error {
    /// An access to freed memory.
    pub const USE_AFTER_FREE: u32 = 1;
    /// An access before the beginning or after the end of a block.
    pub const OUT_OF_BOUNDS: u32 = 2;
    /// A block was freed twice.
    pub const DOUBLE_FREE: u32 = 3;
    /// An address was freed that is not the beginning of a block.
    pub const BAD_FREE: u32 = 4;
    /// Nothing points to a block when the component has been destroyed.
    pub const LEAK: u32 = 5;
}

/// An invalid use of heap memory.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MemoryErrorRecord {
    /// One of [`memory_error`].
    pub kind: u32,
    /// Always 0.
    pub reserved: u32,
    /// The code address of the access or of the free.
    pub code: u64,
    /// The memory address.
    pub address: u64,
    /// The size of the nearest block, or 0.
    pub size: u64,
    /// The offset from the beginning of that block; of a leak, the number of blocks.
    pub offset: i64,
    /// The call site of the function that allocated the block, or 0.
    pub allocated: u64,
    /// The call site of the function that freed it, or 0.
    pub freed: u64,
}

impl MemoryErrorRecord {
    /// No error.
    pub const NONE: Self = Self {
        kind: 0,
        reserved: 0,
        code: 0,
        address: 0,
        size: 0,
        offset: 0,
        allocated: 0,
        freed: 0,
    };
}

/// Two accesses without happens-before between them.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RaceRecord {
    /// The location, rounded down to a multiple of 8.
    pub address: u64,
    /// The code address of the access that came first in this execution.
    pub first_code: u64,
    /// The code address of the other one.
    pub second_code: u64,
    /// The thread of the first access.
    pub first_thread: u8,
    /// The thread of the second access.
    pub second_thread: u8,
    /// Bits of [`race`].
    pub first_kind: u8,
    /// Bits of [`race`].
    pub second_kind: u8,
    /// The name of a call in between that may order the two, as a number in [`Shared::unknown_calls`] plus 1; 0 if there is none.
    pub unknown_call: u32,
}

/// A scheduling decision, and the step that followed.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct StepRecord {
    /// The location accessed, or 0.
    pub address: u64,
    /// A second location, or 0.
    pub second: u64,
    /// The code address at which the current thread stopped.
    pub current_code: u64,
    /// The code address at which the chosen thread went on.
    pub chosen_code: u64,
    /// The value that the step read, if its flags say so.
    pub read: u64,
    /// The value that it stored, if its flags say so.
    pub written: u64,
    /// The newest value at the location, and the step in which it was stored, or [`NO_STEP`](crate::store_history::NO_STEP).
    pub newest: u64,
    /// See `newest`.
    pub newest_step: u32,
    /// The step in which the store was made that the step read, or [`NO_STEP`](crate::store_history::NO_STEP).
    pub read_step: u32,
    /// The threads that could have been chosen, as a bit set. Of a whole program only the first ones: nobody reads its steps.
    pub candidates: u32,
    /// The threads that could have been chosen to go on past their yields.
    pub yielded: u32,
    /// The thread that was running, or [`NO_THREAD`].
    pub current: u8,
    /// The thread that was chosen.
    pub chosen: u8,
    /// Bits of [`flag`].
    pub flags: u16,
    /// How many stores its access could choose from, or 0.
    pub stores: u8,
    /// Which of them it chose, the newest being 0.
    pub store: u8,
    /// The C memory order of its atomic access plus 1, or 0.
    pub order: u8,
}

/// The head of an event; `value_len` bytes of result follow, padded to 8.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct EventHeader {
    /// The scheduler step.
    pub step: u64,
    /// Which call of its thread.
    pub position: u32,
    /// Which call of the harness.
    pub op: u32,
    /// Length of the result.
    pub value_len: u32,
    /// The thread.
    pub thread: u8,
    /// One of [`event_kind`].
    pub kind: u8,
    /// Always 0.
    pub reserved: u16,
}

/// The shared memory.
#[derive(Debug)]
#[repr(C)]
pub struct Shared {
    /// [`MAGIC`].
    pub magic: Cell<u64>,

    /// How the next thread is chosen: one of [`policy`].
    pub policy: Cell<u32>,
    /// Not 0: no switches inside calls.
    pub serial: Cell<u32>,
    /// Not 0: all plain accesses are scheduling points.
    pub plain_accesses: Cell<u32>,
    /// Seconds after which the process of an execution is killed.
    pub timeout_s: Cell<u32>,
    /// Seed of random choices.
    pub seed: Cell<u64>,
    /// Steps after which the execution ends.
    pub steps_max: Cell<u64>,
    /// The step before which the execution waits for a debugger, plus 1; 0 for none, [`STOP_AT_FAILURE`] for where something is wrong.
    pub stop_at: Cell<u64>,
    /// The seed of the environment: time, random numbers and addresses depend on it.
    pub environment: Cell<u64>,
    /// Priorities change within this number of steps.
    pub steps_expected: Cell<u64>,
    /// The number of priority changes.
    pub changes: Cell<u32>,
    /// Which stores a load may read: one of [`memory_model`].
    pub memory_model: Cell<u32>,
    /// The most accesses of an execution with random choices that do not choose the newest store.
    pub stale_max: Cell<u32>,
    /// Not 0: data races are detected.
    pub detects_races: Cell<u32>,
    /// Not 0: leaks are detected.
    pub detects_leaks: Cell<u32>,
    /// Not 0: the execution has a process of its own.
    pub isolated: Cell<u32>,
    /// Length of `schedule`.
    pub schedule_len: Cell<u32>,
    /// Rounds of native threads.
    pub rounds: Cell<u32>,
    /// Number of columns.
    pub columns: Cell<u32>,
    /// Calls before, after, and of each column; `ops` has them one after the other.
    pub before_len: Cell<u32>,
    /// See `before_len`.
    pub after_len: Cell<u32>,
    /// The number of calls that the harness offers; it writes this once, when it starts.
    pub ops_offered: Cell<u32>,
    /// See `before_len`.
    pub column_len: [Cell<u32>; THREADS_CAP],
    /// The calls: before, columns, after.
    pub ops: [Cell<u32>; OPS_CAP],

    /// How the execution ended: one of [`ending`].
    pub ending: AtomicU32,
    /// The thread that ran last.
    pub running: Cell<u32>,
    /// Threads that cannot go on.
    pub stuck: Cell<u32>,
    /// Bytes used in `events`.
    pub events_len: AtomicU32,
    /// Steps made, recorded or not.
    pub steps_made: AtomicU64,
    /// Counts scheduling points: it stands still while a thread reaches none.
    pub heartbeat: AtomicU64,
    /// The process of the execution, 0 before it runs.
    pub process: AtomicU32,
    /// What that process is doing: one of [`worker`].
    pub worker: AtomicU32,
    /// How many executions it has made.
    pub served: AtomicU32,
    /// Not 0: a thread made a relaxed load and then, with nothing in between that orders the two, a relaxed store elsewhere.
    pub load_buffering: Cell<u32>,
    /// Not 0: the execution waits for a debugger.
    pub is_stopped: AtomicU32,
    /// Always 0.
    pub reserved: Cell<u32>,
    /// Length of `stack`.
    pub stack_len: Cell<u32>,
    /// The number of data races.
    pub races_len: Cell<u32>,
    /// Where the harness was loaded.
    pub load_address: Cell<u64>,

    /// Length of `racy_accesses`.
    pub racy_accesses_len: Cell<u64>,
    /// Code addresses of plain accesses that are scheduling points.
    pub racy_accesses: [Cell<u64>; RACY_ACCESSES_CAP],
    /// The calls of the program into each library that is not instrumented, of all executions.
    pub library_calls: [AtomicU64; LIBRARIES_CAP],
    /// The memory error that ended the execution.
    pub memory_error: Cell<MemoryErrorRecord>,
    /// The functions that the running thread was in when the process died: where each goes on, relative to the first byte of the program,
    /// the innermost first.
    pub stack: [Cell<u64>; STACK_CAP],
    /// The data races.
    pub races: [Cell<RaceRecord>; RACES_CAP],

    /// How long a step of a whole program takes.
    pub step_ns: Cell<u64>,
    /// What the result of a whole program may depend on besides the schedule: bits of [`influence`].
    pub influences: Cell<u64>,
    /// How many of the first threads of a whole program run only when no other thread can: those of the harness that runs a test.
    pub background_threads: Cell<u64>,
    /// Length of `switches_asked`.
    pub switches_asked_len: Cell<u32>,
    /// How many switches were made; the first of them are in `switches`.
    pub switches_len: Cell<u32>,
    /// Length of `stuck_threads`.
    pub stuck_threads_len: Cell<u32>,
    /// How many threads a whole program had at most.
    pub threads_max: Cell<u32>,
    /// A hash of the decisions of a whole program and of where they were made.
    pub interleaving: Cell<u64>,
    /// The switches that a whole program is asked to make, ordered by thread and decision.
    pub switches_asked: [Cell<SwitchRecord>; SWITCHES_CAP],
    /// The switches that it made.
    pub switches: [Cell<SwitchRecord>; SWITCHES_CAP],
    /// The location whose accesses are ordered at random.
    pub location: Cell<u64>,
    /// How many of these each thread is expected to make.
    pub accesses_expected: [Cell<u32>; 128],
    /// Not 0: the call stacks of two accesses and the call sites of steps are recorded.
    pub is_watching: Cell<u64>,
    /// The threads and the code addresses of these accesses.
    pub watched: [Cell<PlaceRecord>; 2],
    /// Where the current and the chosen thread stood at the first of them.
    pub switch_places: [Cell<[PlaceRecord; 2]>; PLACES_CAP],
    /// The threads of a deadlock or livelock.
    pub stuck_threads: [Cell<PlaceRecord>; STUCK_CAP],

    /// Length of `unknown_calls`.
    pub unknown_calls_len: Cell<u32>,
    /// Always 0.
    pub reserved_too: Cell<u32>,
    /// The names of functions of prebuilt libraries that were called and of which nothing is known. They end with 0.
    pub unknown_calls: [Cell<[u8; UNKNOWN_NAME_CAP]>; UNKNOWN_CALLS_CAP],

    /// Length of `waiting_places`.
    pub waiting_places_len: Cell<u32>,
    /// Length of `outside`.
    pub outside_len: Cell<u32>,
    /// Places at which threads may wait.
    pub waiting_places: [Cell<WaitingPlaceRecord>; WAITING_PLACES_CAP],
    /// Files, processes and shared memory that were used.
    pub outside: [Cell<OutsideRecord>; OUTSIDE_CAP],

    /// For each step what to choose: see [`scheduled`].
    pub schedule: [Cell<u16>; STEPS_CAP],
    /// The steps made.
    pub steps: [Cell<StepRecord>; STEPS_CAP],
    /// Of each step the innermost call sites of the chosen thread, if `is_watching`; 0 where there are no more.
    pub step_frames: [Cell<[u64; STEP_FRAMES]>; STEPS_CAP],
    /// Calls and returns; when the harness starts, its description.
    pub events: [Cell<u8>; EVENTS_CAP],
}
