//! Livelock detection: recognising a state of the whole program that occurred before.
//!
//! Threads that read the same values over and over may still make progress: a loop may count its attempts. They never will if
//! the whole state repeats: the registers and stacks of all threads, and all memory that the program can change. The threads
//! that can run take turns in a fixed order by then, so everything between the two moments repeats for ever.
//!
//! The runtime's own state is not included, except for what the program can read: the clock and random numbers.

use crate::rt::entry::{REGISTERS, Registers};
use crate::rt::memory_map::{self, Mapping};
use crate::rt::threads::{ThreadSet, ThreadState, ids, thread};
use crate::rt::{clock, heap, random};

fn stack_pointer(registers: &Registers) -> u64 {
    registers[REGISTERS - 1]
}

/// A fingerprint of the program's state: two states have the same one with a probability of 2^-64.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fingerprint {
    /// The thread that stopped.
    thread: u8,
    /// Registers and stacks.
    stacks: u64,
    /// All other memory; computed only if the rest is the same.
    memory: u64,
}

struct Hash(u64);

impl Hash {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        let mixed = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128);
        self.0 = (mixed as u64) ^ ((mixed >> 64) as u64) ^ word.rotate_left(32);
    }

    unsafe fn add_range(&mut self, from: u64, to: u64) {
        let mut at = from & !7;
        while at + 8 <= to {
            self.add((at as *const u64).read_volatile());
            at += 8;
        }
    }
}

/// Finds a repeated state by Brent's method: compares with one kept state, which is replaced at doubling distances.
pub struct CycleDetector {
    kept: Option<Fingerprint>,
    /// Comparisons with `kept` so far, and their maximum.
    comparisons: u32,
    comparisons_max: u32,
}

impl CycleDetector {
    pub const NEW: Self = Self {
        kept: None,
        comparisons: 0,
        comparisons_max: 1,
    };

    /// Whether the state in which `current` has just stopped occurred before. `candidates` are the threads that can run.
    pub unsafe fn is_repeated(&mut self, current: u8, candidates: ThreadSet) -> bool {
        let Some(stacks) = stacks(current, candidates) else {
            return false;
        };
        if let Some(kept) = self.kept
            && (kept.thread, kept.stacks) == (current, stacks)
            && memory(candidates).is_some_and(|memory| memory == kept.memory)
        {
            return true;
        }
        self.comparisons += 1;
        if self.comparisons >= self.comparisons_max {
            self.kept = memory(candidates).map(|memory| Fingerprint {
                thread: current,
                stacks,
                memory,
            });
            self.comparisons = 0;
            self.comparisons_max *= 2;
        }
        false
    }
}

/// A hash of the candidates' registers and stacks, the clock and random numbers. None if the registers of a candidate are not
/// known.
unsafe fn stacks(current: u8, candidates: ThreadSet) -> Option<u64> {
    let mut hash = Hash(current.into());
    hash.add(clock::now_ns());
    hash.add(random::system_state());
    for id in ids() {
        let other = &*thread(id);
        hash.add(other.state as u64);
        if candidates & (1 << id) == 0 {
            continue;
        }
        // A wait with a time limit ends by the clock, which advances.
        if stack_pointer(&other.registers) == 0 || other.state != ThreadState::Ready {
            return None;
        }
        other.registers.iter().for_each(|&word| hash.add(word));
        hash.add_range(stack_pointer(&other.registers), other.stack_begin);
    }
    Some(hash.0)
}

/// The state of a program with more memory is not compared.
const BYTES_MAX: u64 = 256 << 20;

/// A hash of all memory that the program can change. None if it is not known which memory that is, or if it is too much.
unsafe fn memory(candidates: ThreadSet) -> Option<u64> {
    let mut hash = Hash(1);
    let mut left = BYTES_MAX;
    for &Mapping { from, to, .. } in memory_map::writable()? {
        let mut at = from;
        while at < to {
            let (excluded_from, excluded_to) = next_excluded(at, to, candidates);
            left = left.checked_sub(excluded_from - at)?;
            hash.add_range(at, excluded_from);
            at = excluded_to;
        }
    }
    Some(hash.0)
}

/// The first part of `at..to` that is not hashed: the runtime's own memory, and the unused part of each stack.
unsafe fn next_excluded(at: u64, to: u64, candidates: ThreadSet) -> (u64, u64) {
    let mut first = (to, to);
    let mut exclude = |from: u64, until: u64| {
        let (from, until) = (from.max(at), until.min(to));
        if from < until && from < first.0 {
            first = (from, until);
        }
    };
    for (from, until) in memory_map::own_state().chain(heap::unused()) {
        exclude(from, until);
    }
    for id in ids() {
        let other = &*thread(id);
        // The stacks of candidates were hashed with their registers. The whole used stack of any other thread counts, because
        // another thread can change it.
        let until = match candidates & (1 << id) != 0 {
            true => other.stack_begin,
            false => other.stack_low,
        };
        // The system keeps a gap below each stack: lower memory of the same mapping is not in use.
        if at <= other.stack_low && other.stack_low < to {
            exclude(at, until);
        }
    }
    first
}
