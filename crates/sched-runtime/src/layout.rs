//! The memory that the explorer shares with a harness.
//!
//! One file, compiled into both sides: into the crate that explores, and into the runtime that is linked with
//! the component. Everything has a fixed place, so that an execution costs no allocation and a process that
//! crashes leaves behind all that it had written.

/// Set by the explorer, refused by a runtime of another layout.
pub const MAGIC: u64 = 0x006f_6d6e_696c_0005;
/// As many threads as fit into a word of candidates.
pub const THREADS_CAP: usize = 32;
/// Decisions that are recorded; a longer execution goes on unrecorded.
pub const STEPS_CAP: usize = 1 << 15;
/// Calls of one program.
pub const OPS_CAP: usize = 1 << 12;
/// Bytes of events, headers included.
pub const EVENTS_CAP: usize = 1 << 20;
/// Data races that are told of one execution.
pub const RACES_CAP: usize = 32;
/// Places of plain accesses at which threads are switched.
pub const PLACES_CAP: usize = 256;
/// No thread.
pub const NOBODY: u8 = u8::MAX;

/// Values of [`Shared::choices`].
pub mod choices {
    /// The schedule, then no preemption.
    pub const FOLLOW: u32 = 0;
    /// Any candidate.
    pub const RANDOM: u32 = 1;
    /// The candidate with the highest priority.
    pub const PRIORITIES: u32 = 2;
    /// Nobody decides: threads run as the system lets them.
    pub const NATIVE: u32 = 3;
}

/// Values of [`Shared::ending`].
pub mod ending {
    /// Not ended: what is found when the process died.
    pub const NONE: u32 = 0;
    /// Every call returned.
    pub const FINISHED: u32 = 1;
    /// Every thread waits.
    pub const DEADLOCK: u32 = 2;
    /// Threads run in vain.
    pub const LIVELOCK: u32 = 3;
    /// Too many steps.
    pub const STEP_LIMIT: u32 = 4;
    /// The schedule could not be followed.
    pub const DIVERGED: u32 = 5;
    /// Too many threads.
    pub const TOO_MANY_THREADS: u32 = 6;
    /// The events did not fit.
    pub const EVENTS_TOO_LARGE: u32 = 7;
    /// Memory was used that must not be.
    pub const MEMORY_ERROR: u32 = 8;
}

/// Values of [`EventHeader::kind`].
pub mod kind {
    /// A call begins.
    pub const CALL: u8 = 0;
    /// A call returned.
    pub const RETURN: u8 = 1;
    /// A round of native threads ended.
    pub const ROUND_END: u8 = 2;
    /// Nobody has written this event.
    pub const UNWRITTEN: u8 = 255;
}

/// Bits of [`StepRecord::flags`].
pub mod flag {
    /// The current thread would have gone on.
    pub const PREEMPTIBLE: u16 = 1;
    /// The current thread asked to be switched.
    pub const YIELDING: u16 = 2;
    /// The current thread was between two calls.
    pub const BOUNDARY: u16 = 4;
    /// A call began.
    pub const CALLS: u16 = 8;
    /// A call returned.
    pub const RETURNS: u16 = 16;
    /// The access may have changed the location.
    pub const WRITES: u16 = 32;
    /// A thread was created, or something else happened that orders this step with all others.
    pub const OPAQUE: u16 = 64;
}

/// Bits of [`RaceRecord::first_kind`] and `second_kind`.
pub mod race {
    /// The access may change the location.
    pub const WRITES: u8 = 1;
    /// It is atomic.
    pub const ATOMIC: u8 = 2;
    /// One of the two is volatile, or gives the memory back.
    pub const MEANT: u8 = 4;
    /// The access gives the memory back.
    pub const FREES: u8 = 8;
}

/// Values of [`MemoryErrorRecord::kind`].
pub mod memory_error {
    /// An access to memory that was given back.
    pub const USE_AFTER_FREE: u32 = 1;
    /// An access before or behind a block.
    pub const OUT_OF_BOUNDS: u32 = 2;
    /// A block was given back twice.
    pub const DOUBLE_FREE: u32 = 3;
    /// Something was given back that is no block.
    pub const BAD_FREE: u32 = 4;
}

/// A use of memory that must not be.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemoryErrorRecord {
    /// Which one: [`memory_error`].
    pub kind: u32,
    /// Always 0.
    pub reserved: u32,
    /// Where memory was accessed or given back.
    pub code: u64,
    /// Which memory.
    pub address: u64,
    /// The size of the block, if one is near.
    pub size: u64,
    /// Where in the block.
    pub offset: i64,
    /// Where the function was called that allocated the block, or 0.
    pub allocated: u64,
    /// Where the function was called that gave it back, or 0.
    pub freed: u64,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RaceRecord {
    /// The location, divided by 8 without a rest.
    pub address: u64,
    /// Where the access that came first in this execution returns to.
    pub first_code: u64,
    /// Where the other one does.
    pub second_code: u64,
    /// Who made them.
    pub first_thread: u8,
    /// See `first_thread`.
    pub second_thread: u8,
    /// Bits of [`race`].
    pub first_kind: u8,
    /// Bits of [`race`].
    pub second_kind: u8,
    /// Always 0.
    pub reserved: u32,
}

/// A decision and what came of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StepRecord {
    /// The location accessed, or 0.
    pub address: u64,
    /// A second location, or 0.
    pub second: u64,
    /// Where the current thread was.
    pub current_code: u64,
    /// Where the chosen thread went on.
    pub chosen_code: u64,
    /// Who could have been chosen.
    pub candidates: u32,
    /// Who held the baton, or [`NOBODY`].
    pub current: u8,
    /// Who was chosen.
    pub chosen: u8,
    /// Bits of [`flag`].
    pub flags: u16,
}

/// The head of an event; `value_len` bytes of result follow, padded to 8.
#[derive(Clone, Copy)]
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
    /// What it is: [`kind`].
    pub kind: u8,
    /// Always 0.
    pub reserved: u16,
}

/// All of it.
#[repr(C)]
pub struct Shared {
    /// [`MAGIC`].
    pub magic: u64,

    /// How decisions are made: [`choices`].
    pub choices: u32,
    /// Not 0: calls are not interrupted.
    pub serial: u32,
    /// Not 0: plain accesses are decisions.
    pub plain: u32,
    /// Seconds after which a process that shows no end is killed, whatever it does.
    pub patience_s: u32,
    /// Seed of random choices.
    pub seed: u64,
    /// Steps after which the execution ends.
    pub steps_max: u64,
    /// What time, random numbers and addresses are derived from.
    pub environment: u64,
    /// Steps among which priorities change.
    pub steps_expected: u64,
    /// How many times priorities change.
    pub changes: u32,
    /// Not 0: data races are looked for.
    pub races_wanted: u32,
    /// Length of `schedule`.
    pub schedule_len: u32,
    /// Rounds of native threads.
    pub rounds: u32,
    /// Number of columns.
    pub columns: u32,
    /// Calls before, after, and of each column; `ops` has them one after the other.
    pub before_len: u32,
    /// See `before_len`.
    pub after_len: u32,
    /// How many calls the harness offers: written once, when it starts.
    pub ops_offered: u32,
    /// See `before_len`.
    pub column_len: [u32; THREADS_CAP],
    /// The calls: before, columns, after.
    pub ops: [u32; OPS_CAP],

    /// How it ended: [`ending`].
    pub ending: u32,
    /// The thread that held the baton last.
    pub running: u32,
    /// Threads that cannot go on.
    pub stuck: u32,
    /// Bytes used in `events`.
    pub events_len: u32,
    /// Steps made, recorded or not.
    pub steps_made: u64,
    /// How often the scheduler was asked: it stands still where a thread comes to no step.
    pub beat: u64,
    /// The process of the execution, 0 before it runs.
    pub process: u32,
    /// How many data races were seen.
    pub races_len: u32,
    /// Where the harness was loaded.
    pub load_address: u64,

    /// How many places there are in `places`.
    pub places_len: u64,
    /// Places of plain accesses that are decisions.
    pub places: [u64; PLACES_CAP],
    /// What ended an execution with a memory error.
    pub memory_error: MemoryErrorRecord,
    /// The data races.
    pub races: [RaceRecord; RACES_CAP],

    /// The decisions to follow.
    pub schedule: [u8; STEPS_CAP],
    /// The decisions made.
    pub steps: [StepRecord; STEPS_CAP],
    /// Calls and returns; when the harness starts, its description.
    pub events: [u8; EVENTS_CAP],
}
