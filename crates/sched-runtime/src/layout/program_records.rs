//! What a whole program records of its run.

use super::{FRAMES_CAP, OUTSIDE_NAME_CAP};

/// Bits of [`SwitchRecord::flags`].
pub mod switch {
    /// The chosen thread goes on past its yield.
    pub const GOES_ON: u8 = 1;
    /// The current thread could have gone on.
    pub const PREEMPTS: u8 = 2;
    /// No switch: the step that follows takes the choice `chosen`.
    pub const CHOOSES: u8 = 4;
}

/// A decision of a whole program that differs from the one without preemptions: to go on, or if that is not possible, the next thread in
/// circular order.
///
/// It is named by the thread that stops and by how many times that has stopped before, because these stay the same when a switch of other
/// threads is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct SwitchRecord {
    /// How often the current thread had stopped before.
    pub decision: u32,
    /// The thread that stopped.
    pub current: u8,
    /// The thread that was chosen.
    pub chosen: u8,
    /// Bits of [`switch`].
    pub flags: u8,
    /// Always 0.
    pub reserved: u8,
}

/// Where a thread of a whole program has stopped.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PlaceRecord {
    /// The code address; 0 if the thread has not begun.
    pub code: u64,
    /// The call sites of the instrumented functions that it is in, the innermost first.
    pub frames: [u64; FRAMES_CAP],
    /// Length of `frames`.
    pub frames_len: u32,
    /// The thread.
    pub thread: u32,
}

impl PlaceRecord {
    /// No place.
    pub const NONE: Self = Self {
        code: 0,
        frames: [0; FRAMES_CAP],
        frames_len: 0,
        thread: 0,
    };
}

/// A place at which a thread of a whole program may wait.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WaitingPlaceRecord {
    /// The place.
    pub place: PlaceRecord,
    /// For a wait in a system call: where a function of Rust's standard library was called last, which the thread may be in.
    pub library_call: u64,
    /// Not 0: a thread has waited here.
    pub has_waited: u64,
}

/// Values of [`OutsideRecord::kind`].
pub mod outside {
    /// A file was read or written.
    pub const FILE: u32 = 1;
    /// A process was started.
    pub const PROCESS: u32 = 2;
    /// Memory was mapped that other processes may have, too.
    pub const SHARED_MEMORY: u32 = 3;
}

/// Something that a whole program used and that is not controlled.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct OutsideRecord {
    /// One of [`outside`].
    pub kind: u32,
    /// The length of its name.
    pub name_len: u32,
    /// Its name.
    pub name: [u8; OUTSIDE_NAME_CAP],
}
