//! Livelock detection: recognising a state of the whole program that occurred before.
//!
//! Threads that read the same values over and over may still make progress: a loop may count its attempts. They never will if
//! the whole state repeats: the registers and stacks of all threads, and all memory that the program can change. The threads
//! that can run take turns in a fixed order by then, so everything between the two moments repeats for ever.
//!
//! The runtime's own state is not included, except for what the program can read: the clock and random numbers.

use crate::layout::NO_THREAD;
use crate::rt::entry::{REGISTERS, Registers};
use crate::rt::memory_map::{self, Mapping};
use crate::rt::threads::{ThreadSet, ThreadState, ids, thread};
use crate::rt::{clock, heap, random};
use core::cell::Cell;

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

/// Stands for the clock in states that are compared without it.
const ANY_TIME: u64 = 0;

struct Hash(u64);

impl Hash {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        let mixed = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128);
        self.0 = (mixed as u64) ^ ((mixed >> 64) as u64) ^ word.rotate_left(32);
    }

    /// Adds the words of a range.
    ///
    /// # Safety
    /// The range is mapped for reading.
    unsafe fn add_range(&mut self, from: u64, to: u64) {
        let mut at = from & !7;
        while at + 8 <= to {
            // SAFETY: the caller's contract. The word is read as the machine has it, whatever it belongs to.
            self.add(unsafe { (at as *const u64).read_volatile() });
            at += 8;
        }
    }
}

/// Finds a repeated state by Brent's method: compares with one kept state, which is replaced at doubling distances.
pub struct CycleDetector {
    kept: Cell<Option<Fingerprint>>,
    /// Comparisons with `kept` so far, and their maximum.
    comparisons: Cell<u32>,
    comparisons_max: Cell<u32>,
}

impl CycleDetector {
    pub const fn new() -> Self {
        Self {
            kept: Cell::new(None),
            comparisons: Cell::new(0),
            comparisons_max: Cell::new(1),
        }
    }

    /// Forgets what was before.
    pub fn reset(&self) {
        self.kept.set(None);
        self.comparisons.set(0);
        self.comparisons_max.set(1);
    }

    /// Counts a comparison, and keeps this state if it is its turn.
    fn keep_in_turn(&self, state: impl FnOnce() -> Option<Fingerprint>) {
        let (comparisons, max) = (self.comparisons.get() + 1, self.comparisons_max.get());
        if comparisons < max {
            self.comparisons.set(comparisons);
            return;
        }
        self.kept.set(state());
        self.comparisons.set(0);
        self.comparisons_max.set(max.saturating_mul(2));
    }

    /// Whether the state in which `current` has just stopped occurred before. `candidates` are the threads that can run.
    pub fn is_repeated(&self, current: u8, candidates: ThreadSet) -> bool {
        self.is_known(current, candidates, clock::now_ns())
    }

    /// The same for a state in which all threads wait, these with a time limit that has come, at whatever time.
    pub fn is_repeated_later(&self, woken: ThreadSet) -> bool {
        self.is_known(NO_THREAD, woken, ANY_TIME)
    }

    fn is_known(&self, current: u8, candidates: ThreadSet, time: u64) -> bool {
        let Some(stacks) = stacks(current, candidates, time) else {
            return false;
        };
        if let Some(kept) = self.kept.get()
            && (kept.thread, kept.stacks) == (current, stacks)
            && memory(candidates).is_some_and(|memory| memory == kept.memory)
        {
            return true;
        }
        self.keep_in_turn(|| {
            memory(candidates).map(|memory| Fingerprint {
                thread: current,
                stacks,
                memory,
            })
        });
        false
    }
}

/// A hash of the candidates' registers and stacks, the clock and random numbers. None if the registers of a candidate are not
/// known.
fn stacks(current: u8, candidates: ThreadSet, time: u64) -> Option<u64> {
    let mut hash = Hash(current.into());
    hash.add(time);
    hash.add(random::system_state());
    for id in ids() {
        let other = thread(id);
        hash.add(other.state.get() as u64);
        if candidates & (1 << id) == 0 {
            continue;
        }
        // A wait with a time limit ends by the clock, which advances.
        let registers = other.registers.get();
        let is_comparable = other.state.get() == ThreadState::Ready || time == ANY_TIME;
        if stack_pointer(&registers) == 0 || !is_comparable {
            return None;
        }
        registers.iter().for_each(|&word| hash.add(word));
        // SAFETY: it is the used part of the stack of a thread that has stopped.
        unsafe { hash.add_range(stack_pointer(&registers), other.stack_begin.get()) };
    }
    Some(hash.0)
}

/// The state of a program with more memory is not compared.
const BYTES_MAX: u64 = 256 << 20;

/// A hash of all memory that the program can change. None if it is not known which memory that is, or if it is too much.
fn memory(candidates: ThreadSet) -> Option<u64> {
    let mut hash = Hash(1);
    let mut left = BYTES_MAX;
    for mapping in memory_map::writable()? {
        let Mapping { from, to, .. } = mapping.get();
        let mut at = from;
        while at < to {
            let (excluded_from, excluded_to) = next_excluded(at, to, candidates);
            left = left.checked_sub(excluded_from - at)?;
            // SAFETY: the system lists the range as mapped for reading, and no thread runs that could change that.
            unsafe { hash.add_range(at, excluded_from) };
            at = excluded_to;
        }
    }
    Some(hash.0)
}

/// The first part of `at..to` that is not hashed: the runtime's own memory, and the unused part of each stack.
fn next_excluded(at: u64, to: u64, candidates: ThreadSet) -> (u64, u64) {
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
        let other = thread(id);
        // The stacks of candidates were hashed with their registers. The whole used stack of any other thread counts, because
        // another thread can change it.
        let until = match candidates & (1 << id) != 0 {
            true => other.stack_begin.get(),
            false => other.stack_low.get(),
        };
        // The system keeps a gap below each stack: lower memory of the same mapping is not in use.
        if at <= other.stack_low.get() && other.stack_low.get() < to {
            exclude(at, until);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::{CycleDetector, Fingerprint};

    /// The steps at which a state is found that was kept, of a sequence of states.
    fn repeats_at(states: impl Iterator<Item = u64>) -> Option<usize> {
        let detector = CycleDetector::new();
        let fingerprint = |stacks| Fingerprint {
            thread: 0,
            stacks,
            memory: 0,
        };
        for (step, state) in states.enumerate() {
            let state = fingerprint(state);
            if detector.kept.get() == Some(state) {
                return Some(step);
            }
            detector.keep_in_turn(|| Some(state));
        }
        None
    }

    #[test]
    fn a_cycle_of_any_length_is_found_within_four_rounds() {
        for tail in [0, 1, 5, 40] {
            for length in [1, 2, 3, 7, 64] {
                let states = (0..).map(|step: u64| {
                    if step < tail {
                        step
                    } else {
                        tail + (step - tail) % length
                    }
                });
                let found = repeats_at(states.take(1_000)).expect("a cycle");
                assert!(
                    found as u64 <= 4 * (tail + length),
                    "{found} of {tail} and {length}"
                );
            }
        }
    }

    #[test]
    fn what_never_repeats_is_no_cycle() {
        assert_eq!(repeats_at(0..1_000), None);
    }
}
