//! The situation of the whole program, to be recognised when it comes again.
//!
//! Threads that only read the same values over and over may still come to their end: a loop may count its tries. They never
//! will if the whole situation repeats: the registers and stacks of all threads, and all memory that the program can change.
//! The threads go round in a circle by then, so everything that happens between the two moments happens again, for ever.
//!
//! What the runtime itself remembers is left out, except for what the program can ask for: the clock and random numbers.

use crate::code::caller;
use crate::sys::{number, raw};
use crate::threads::{State, ids, thread};
use crate::{clock, random};

/// What a thread had in its registers when it called the runtime, and where its stack then ended.
///
/// Only registers that a called function has to keep: what the others hold is lost to the program by the call itself.
pub type Entry = [u64; ENTRY_LEN];

#[cfg(target_arch = "x86_64")]
pub const ENTRY_LEN: usize = 7;
#[cfg(target_arch = "aarch64")]
pub const ENTRY_LEN: usize = 20;

#[thread_local]
pub static mut ENTRY: Entry = [0; ENTRY_LEN];

/// Where the function was called from that kept its registers in `ENTRY`.
#[thread_local]
static mut ENTRY_CODE: u64 = 0;

/// Keeps the registers of the caller of an exported function, and returns where that called from. It has to be the first
/// thing such a function does, and the function must do nothing else but call another one: then the compiler has no use
/// yet for the registers that are kept.
#[inline(always)]
pub unsafe fn enter() -> u64 {
    unsafe {
        let entry = &raw mut ENTRY;
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov [rax], rbx", "mov [rax + 8], rbp", "mov [rax + 16], r12", "mov [rax + 24], r13",
            "mov [rax + 32], r14", "mov [rax + 40], r15", "mov [rax + 48], rsp",
            in("rax") entry, options(nostack, preserves_flags),
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "stp x19, x20, [x9]", "stp x21, x22, [x9, #16]", "stp x23, x24, [x9, #32]", "stp x25, x26, [x9, #48]",
            "stp x27, x28, [x9, #64]", "str x29, [x9, #80]", "stp d8, d9, [x9, #88]", "stp d10, d11, [x9, #104]",
            "stp d12, d13, [x9, #120]", "stp d14, d15, [x9, #136]", "mov x10, sp", "str x10, [x9, #152]",
            in("x9") entry, out("x10") _, options(nostack, preserves_flags),
        );
        ENTRY_CODE = caller();
        ENTRY_CODE
    }
}

/// The entry of the calling thread, which stops in a function that was called at `code`. All zero if that function did not
/// keep the registers.
pub fn entry(code: u64) -> Entry {
    unsafe { if ENTRY_CODE == code { ENTRY } else { [0; ENTRY_LEN] } }
}

fn stack_end(entry: &Entry) -> u64 {
    entry[ENTRY_LEN - 1]
}

unsafe extern "C" {
    /// The first byte of what the runtime itself remembers; the linker names sections so.
    static __start_omnilink_state: u8;
    static __stop_omnilink_state: u8;
}

/// Numbers that differ if situations do, with a probability of 1 - 2^-64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Who is about to go on.
    thread: u8,
    /// Registers and stacks.
    stacks: u64,
    /// All other memory; looked at only where the rest is the same.
    memory: u64,
}

struct Hash(u64);

impl Hash {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        let mixed = (self.0 ^ word) as u128 * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
        self.0 = (mixed as u64) ^ ((mixed >> 64) as u64) ^ word.rotate_left(32);
    }

    unsafe fn add_range(&mut self, from: u64, to: u64) {
        let mut at = from & !7;
        while at + 8 <= to {
            self.add(unsafe { (at as *const u64).read_volatile() });
            at += 8;
        }
    }
}

/// Looks for a situation that was there before, at ever longer distances.
pub struct Watch {
    before: Option<Situation>,
    /// Looks since `before` was kept, and how many there are to be.
    looks: u32,
    distance: u32,
}

impl Watch {
    pub const NEW: Self = Self { before: None, looks: 0, distance: 1 };

    /// Whether the situation in which `current` has just stopped was there before. `runs` are the threads that go round.
    pub unsafe fn sees_again(&mut self, current: u8, runs: u32) -> bool {
        unsafe {
            let Some(stacks) = stacks(current, runs) else { return false };
            if let Some(before) = self.before
                && (before.thread, before.stacks) == (current, stacks)
                && memory(runs).is_some_and(|memory| memory == before.memory)
            {
                return true;
            }
            self.looks += 1;
            if self.looks >= self.distance {
                self.before = memory(runs).map(|memory| Situation { thread: current, stacks, memory });
                self.looks = 0;
                self.distance *= 2;
            }
            false
        }
    }
}

/// Registers and stacks of the threads that run, the clock and random numbers. None if a thread was stopped where its registers are
/// not known.
unsafe fn stacks(current: u8, runs: u32) -> Option<u64> {
    unsafe {
        let mut hash = Hash(current.into());
        hash.add(clock::now_ns());
        hash.add(random::state());
        for id in ids() {
            let other = &*thread(id);
            hash.add(other.state as u64);
            if runs & (1 << id) == 0 {
                continue;
            }
            // A wait with a time limit ends by the clock, which goes on.
            if stack_end(&other.entry) == 0 || other.state != State::Ready {
                return None;
            }
            other.entry.iter().for_each(|&word| hash.add(word));
            hash.add_range(stack_end(&other.entry), other.stack_begin);
        }
        Some(hash.0)
    }
}

/// More than this is not looked at: then nothing is known.
const BYTES_MAX: u64 = 256 << 20;
const RANGES_MAX: usize = 512;

/// All memory that the program can change. None if that is not known.
unsafe fn memory(runs: u32) -> Option<u64> {
    unsafe {
        #[unsafe(link_section = "omnilink_state")]
        static mut RANGES: [(u64, u64); RANGES_MAX] = [(0, 0); RANGES_MAX];
        let ranges = &mut *(&raw mut RANGES);
        let count = writable_ranges(ranges)?;
        let mut hash = Hash(1);
        let mut left = BYTES_MAX;
        for &(from, to) in ranges.iter().take(count) {
            let mut at = from;
            while at < to {
                let (skip_from, skip_to) = next_left_out(at, to, runs);
                left = left.checked_sub(skip_from - at)?;
                hash.add_range(at, skip_from);
                at = skip_to;
            }
        }
        Some(hash.0)
    }
}

/// The first part of `at..to` that is left out: what the runtime remembers, and of each stack what is not in use.
unsafe fn next_left_out(at: u64, to: u64, runs: u32) -> (u64, u64) {
    unsafe {
        let mut first = (to, to);
        let mut leave_out = |from: u64, until: u64| {
            let (from, until) = (from.max(at), until.min(to));
            if from < until && from < first.0 {
                first = (from, until);
            }
        };
        leave_out((&raw const __start_omnilink_state) as u64, (&raw const __stop_omnilink_state) as u64);
        for (from, until) in crate::left_out() {
            leave_out(from, until);
        }
        for id in ids() {
            let other = &*thread(id);
            // The stacks of threads that run were looked at with their registers. Another thread stays as it is, so
            // that all it has on its stack counts: somebody else can change it.
            let until = if runs & (1 << id) != 0 { other.stack_begin } else { other.stack_low };
            // The system keeps a gap below each stack: whatever is mapped together with it and lies lower is not in use.
            if at <= other.stack_low && other.stack_low < to {
                leave_out(at, until);
            }
        }
        first
    }
}

/// The memory that is private to the process and can be written, as the system lists it.
unsafe fn writable_ranges(ranges: &mut [(u64, u64)]) -> Option<usize> {
    const BUFFER: usize = 1 << 12;
    #[unsafe(link_section = "omnilink_state")]
    static mut TEXT: [u8; BUFFER] = [0; BUFFER];
    unsafe {
        let file = raw(number::OPENAT, -100, c"/proc/self/maps".as_ptr() as i64, 0, 0, 0, 0);
        if file < 0 {
            return None;
        }
        let text = (&raw mut TEXT).cast::<u8>();
        let mut line = Line::NEW;
        let mut count = 0;
        let read = loop {
            let read = raw(number::READ, file, text as i64, BUFFER as i64, 0, 0, 0);
            if read <= 0 || count == ranges.len() {
                break read;
            }
            for index in 0..read as usize {
                if let Some(range) = line.take(*text.add(index)) {
                    if let Some(place) = ranges.get_mut(count) {
                        *place = range;
                        count += 1;
                    }
                }
            }
        };
        raw(number::CLOSE, file, 0, 0, 0, 0, 0);
        (read == 0 && count < ranges.len()).then_some(count)
    }
}

/// One line of the list: `7f00-7f80 rw-p …`.
struct Line {
    from: u64,
    to: u64,
    /// 0: the first address, 1: the second, 2 to 5: the letters of the rights, 6: the rest.
    part: u8,
    is_wanted: bool,
}

impl Line {
    const NEW: Self = Self { from: 0, to: 0, part: 0, is_wanted: true };

    fn take(&mut self, byte: u8) -> Option<(u64, u64)> {
        let digit = match byte {
            b'0'..=b'9' => u64::from(byte - b'0'),
            b'a'..=b'f' => u64::from(byte - b'a') + 10,
            _ => 16,
        };
        match (self.part, byte) {
            (_, b'\n') => {
                let line = core::mem::replace(self, Self::NEW);
                return (line.part == 6 && line.is_wanted).then_some((line.from, line.to));
            }
            (0, b'-') | (1, b' ') => self.part += 1,
            (0, _) => self.from = (self.from << 4) | digit,
            (1, _) => self.to = (self.to << 4) | digit,
            (2..=5, letter) => {
                let wanted = match self.part {
                    2 => b'r',
                    3 => b'w',
                    4 => letter,
                    _ => b'p',
                };
                self.is_wanted &= letter == wanted;
                self.part += 1;
            }
            _ => {}
        }
        None
    }
}
