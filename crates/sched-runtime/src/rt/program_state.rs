//! Livelock detection: recognising a state of the whole program that occurred before.
//!
//! Threads that read the same values over and over may still make progress: a loop may count its attempts. They never will if
//! the whole state repeats: the registers and stacks of all threads, and all memory that the program can change. The threads
//! that can run take turns in a fixed order by then, so everything between the two moments repeats for ever.
//!
//! The runtime's own state is not included, except for what the program can read: the clock and random numbers.

use crate::rt::entry::{REGISTERS, Registers};
use crate::rt::sys::{number, raw};
use crate::rt::threads::{ThreadSet, ThreadState, ids, thread};
use crate::rt::{clock, heap, races, random, weak_memory};

fn stack_pointer(registers: &Registers) -> u64 {
    registers[REGISTERS - 1]
}

unsafe extern "C" {
    /// The linker defines these at the beginning and the end of the section with the runtime's own state.
    static __start_omnilink_state: u8;
    static __stop_omnilink_state: u8;
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
const RANGES_MAX: usize = 512;

/// A hash of all memory that the program can change. None if it is not known which memory that is, or if it is too much.
unsafe fn memory(candidates: ThreadSet) -> Option<u64> {
    #[unsafe(link_section = "omnilink_state")]
    static mut RANGES: [(u64, u64); RANGES_MAX] = [(0, 0); RANGES_MAX];
    let ranges = &mut *(&raw mut RANGES);
    let count = writable_ranges(ranges)?;
    let mut hash = Hash(1);
    let mut left = BYTES_MAX;
    for &(from, to) in ranges.iter().take(count) {
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
    exclude(
        (&raw const __start_omnilink_state) as u64,
        (&raw const __stop_omnilink_state) as u64,
    );
    let own = races::memory().into_iter().chain(weak_memory::memory());
    for (from, until) in own.chain(heap::unused()) {
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

/// The memory that is private to the process and can be written, as the system lists it.
unsafe fn writable_ranges(ranges: &mut [(u64, u64)]) -> Option<usize> {
    const BUFFER: usize = 1 << 12;
    #[unsafe(link_section = "omnilink_state")]
    static mut TEXT: [u8; BUFFER] = [0; BUFFER];
    let file = raw(number::OPENAT, [-100, c"/proc/self/maps".as_ptr() as i64]);
    if file < 0 {
        return None;
    }
    let text = (&raw mut TEXT).cast::<u8>();
    let mut line = MapsLine::NEW;
    let mut count = 0;
    let read = loop {
        let read = raw(number::READ, [file, text as i64, BUFFER as i64]);
        if read <= 0 || count == ranges.len() {
            break read;
        }
        for index in 0..read as usize {
            if let Some(range) = line.push(*text.add(index))
                && let Some(free) = ranges.get_mut(count)
            {
                *free = range;
                count += 1;
            }
        }
    };
    raw(number::CLOSE, [file]);
    (read == 0 && count < ranges.len()).then_some(count)
}

/// A line of `/proc/self/maps`, such as `7f00-7f80 rw-p …`, parsed byte by byte.
struct MapsLine {
    from: u64,
    to: u64,
    /// 0: the first address, 1: the second, 2 to 5: the letters of the permissions, 6: the rest.
    part: u8,
    is_writable: bool,
}

impl MapsLine {
    const NEW: Self = Self {
        from: 0,
        to: 0,
        part: 0,
        is_writable: true,
    };

    /// The range, at the end of a line of memory that is private and can be written.
    fn push(&mut self, byte: u8) -> Option<(u64, u64)> {
        let digit = match byte {
            b'0'..=b'9' => u64::from(byte - b'0'),
            b'a'..=b'f' => u64::from(byte - b'a') + 10,
            _ => 16,
        };
        match (self.part, byte) {
            (_, b'\n') => {
                let line = core::mem::replace(self, Self::NEW);
                return (line.part == 6 && line.is_writable).then_some((line.from, line.to));
            }
            (0, b'-') | (1, b' ') => self.part += 1,
            (0, _) => self.from = (self.from << 4) | digit,
            (1, _) => self.to = (self.to << 4) | digit,
            (2..=5, letter) => {
                let expected = match self.part {
                    2 => b'r',
                    3 => b'w',
                    4 => letter,
                    _ => b'p',
                };
                self.is_writable &= letter == expected;
                self.part += 1;
            }
            _ => {}
        }
        None
    }
}
