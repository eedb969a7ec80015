//! Happens-before between the accesses of an execution, as vector clocks.
//!
//! The own entry of a thread's clock counts its releases; the other entries say how much of each other thread it has acquired.
//! Access a happens before access b if the thread of b has acquired the epoch of a, which is the thread of a and its count at
//! that time.
//!
//! A clock has a second half for the order in which accesses must be *visible*. It contains happens-before, and two orders that
//! synchronise nothing: that of sequentially consistent fences, and that of calls which begin after others have returned.

use crate::checked::trap;
use crate::layout::THREADS_CAP;
use core::ffi::c_int;

/// A C memory order, as the compiler passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOrder(pub c_int);

impl MemoryOrder {
    /// Sequentially consistent.
    pub const SEQ_CST: Self = Self(5);

    /// Consume counts as acquire.
    pub const fn acquires(self) -> bool {
        matches!(self.0 & 0xff, 1 | 2 | 4 | 5)
    }

    /// Release, both, or sequentially consistent.
    pub const fn releases(self) -> bool {
        matches!(self.0 & 0xff, 3..=5)
    }

    /// Sequentially consistent.
    pub const fn is_seq_cst(self) -> bool {
        self.0 & 0xff == 5
    }
}

/// For each thread the number of its last epoch that is known.
pub type Epochs = [u32; THREADS_CAP];

/// What a thread knows, or what a store passes on.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Clock {
    /// What happened before.
    pub happened: Epochs,
    /// What must be visible: at least what happened before.
    pub visible: Epochs,
    /// The number of sequentially consistent accesses before the last sequentially consistent fence that must be visible.
    pub seq_cst_accesses: u32,
}

impl Clock {
    /// Nothing is known.
    pub const NOTHING: Self = Self {
        happened: [0; THREADS_CAP],
        visible: [0; THREADS_CAP],
        seq_cst_accesses: 0,
    };

    /// Adds what another clock knows.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        join(&mut self.happened, &other.happened);
        self.join_visible(other);
    }

    fn join_visible(&mut self, other: &Self) {
        join(&mut self.visible, &other.visible);
        self.seq_cst_accesses = self.seq_cst_accesses.max(other.seq_cst_accesses);
    }
}

#[inline]
fn join(epochs: &mut Epochs, other: &Epochs) {
    for (mine, theirs) in epochs.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// The slot of a thread. Only the first threads have clocks: none of the others comes here.
#[inline(always)]
pub(crate) fn index(id: u8) -> usize {
    let index = usize::from(id);
    if index >= THREADS_CAP {
        trap();
    }
    index
}

/// The clocks of all threads.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct HappensBefore {
    clocks: [Clock; THREADS_CAP],
    /// What relaxed loads of each thread have read: acquired by its next acquire fence.
    relaxed_loads: [Clock; THREADS_CAP],
    /// The clock of each thread at its last release fence: released by the relaxed stores that follow.
    release_fences: [Clock; THREADS_CAP],
    /// The join of everything that was released.
    released: Clock,
    /// The join of the clocks of all sequentially consistent fences.
    seq_cst_fences: Clock,
    /// The sequentially consistent accesses so far.
    seq_cst_accesses: u32,
    /// The join of the clocks of all calls that have returned.
    returned: Clock,
    /// The join of the clocks of all threads that have ended and whose ids others have now.
    replaced: Clock,
}

impl HappensBefore {
    /// No thread has done anything.
    pub const NEW: Self = {
        let mut new = Self {
            clocks: [Clock::NOTHING; THREADS_CAP],
            relaxed_loads: [Clock::NOTHING; THREADS_CAP],
            release_fences: [Clock::NOTHING; THREADS_CAP],
            released: Clock::NOTHING,
            seq_cst_fences: Clock::NOTHING,
            seq_cst_accesses: 0,
            returned: Clock::NOTHING,
            replaced: Clock::NOTHING,
        };
        let mut id = 0;
        while id < THREADS_CAP {
            new.clocks[id].happened[id] = 1;
            new.clocks[id].visible[id] = 1;
            id += 1;
        }
        new
    };

    /// What a thread knows.
    #[inline]
    pub fn clock(&self, id: u8) -> &Clock {
        &self.clocks[index(id)]
    }

    /// The number of a thread's epoch.
    #[inline]
    pub fn epoch(&self, id: u8) -> u32 {
        self.clocks[index(id)].happened[index(id)]
    }

    /// What all sequentially consistent fences knew.
    pub fn seq_cst_fences(&self) -> &Clock {
        &self.seq_cst_fences
    }

    /// The number of a new sequentially consistent access, from 1.
    pub fn next_seq_cst_access(&mut self) -> u32 {
        self.seq_cst_accesses += 1;
        self.seq_cst_accesses
    }

    /// What was released at all.
    pub fn released(&self) -> &Clock {
        &self.released
    }

    /// Begins a new epoch of a thread after a release: what it does from now on was not released.
    fn tick(&mut self, id: u8) {
        let clock = &mut self.clocks[index(id)];
        self.released.join(clock);
        clock.happened[index(id)] += 1;
        clock.visible[index(id)] += 1;
    }

    /// Every thread begins a new epoch, and releases nothing by that. Returns those that have ended.
    pub fn end_epochs(&mut self) -> Epochs {
        let mut ended = [0; THREADS_CAP];
        for (id, (clock, ended)) in self.clocks.iter_mut().zip(&mut ended).enumerate() {
            *ended = clock.happened[id];
            clock.happened[id] += 1;
            clock.visible[id] += 1;
        }
        ended
    }

    /// A thread acquires what was released with `message`.
    pub fn acquire(&mut self, id: u8, message: &Clock) {
        self.clocks[index(id)].join(message);
    }

    /// A thread acquires everything that was released.
    pub fn acquire_all(&mut self, id: u8) {
        let released = self.released;
        self.acquire(id, &released);
    }

    /// A thread releases: what it knows now.
    pub fn release(&mut self, id: u8) -> Clock {
        let clock = *self.clock(id);
        self.tick(id);
        clock
    }

    /// A thread reads a store atomically.
    pub fn read(&mut self, id: u8, order: MemoryOrder, message: &Clock) {
        match order.acquires() {
            true => self.clocks[index(id)].join(message),
            false => self.relaxed_loads[index(id)].join(message),
        }
    }

    /// A thread stores atomically: what the store passes on.
    pub fn write(&mut self, id: u8, order: MemoryOrder) -> Clock {
        match order.releases() {
            true => self.release(id),
            false => self.release_fences[index(id)],
        }
    }

    /// A fence of a thread.
    ///
    /// What was visible before one sequentially consistent fence must be visible after each that comes later in the order of
    /// these fences, which is the order of execution.
    pub fn fence(&mut self, id: u8, order: MemoryOrder) {
        let at = index(id);
        if order.acquires() {
            let loads = self.relaxed_loads[at];
            self.clocks[at].join(&loads);
        }
        if order.is_seq_cst() {
            self.clocks[at].join_visible(&self.seq_cst_fences);
            self.clocks[at].seq_cst_accesses = self.seq_cst_accesses;
            self.seq_cst_fences.join(&self.clocks[at]);
        }
        if order.releases() {
            self.release_fences[at] = self.clocks[at];
            self.tick(id);
        }
    }

    /// A thread creates another. The stack of the new one may be that of a thread that has ended, whose accesses to it are ordered
    /// before.
    pub fn create(&mut self, parent: u8, child: u8, ended: impl Iterator<Item = u8>) {
        let count = self.epoch(child) + 1;
        let replaced = *self.clock(child);
        self.replaced.join(&replaced);
        let mut clock = *self.clock(parent);
        for id in ended {
            clock.join(self.clock(id));
        }
        clock.join(&self.replaced);
        clock.happened[index(child)] = count;
        clock.visible[index(child)] = count;
        self.clocks[index(child)] = clock;
        self.relaxed_loads[index(child)] = Clock::NOTHING;
        self.release_fences[index(child)] = Clock::NOTHING;
        self.tick(parent);
    }

    /// A thread has joined another.
    pub fn join(&mut self, id: u8, other: u8) {
        let clock = *self.clock(other);
        self.acquire(id, &clock);
    }

    /// A thread begins a call of the harness: what calls did that have returned must be visible. The caller may know that they
    /// have returned; how is not the component's concern.
    pub fn begin_call(&mut self, id: u8) {
        let returned = self.returned;
        self.clocks[index(id)].join_visible(&returned);
    }

    /// A call of a thread returns.
    pub fn end_call(&mut self, id: u8) {
        let clock = *self.clock(id);
        self.returned.join_visible(&clock);
        self.tick(id);
    }
}
