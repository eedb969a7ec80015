//! Straight-line programs over two atomic variables and plain data. A call is a sequence of instructions, encoded in its number: the digits in
//! base `BASE`, the first instruction lowest.

#[path = "../../../../harness/src/serve.rs"]
#[allow(
    dead_code,
    unused_doc_comments,
    reason = "the file also offers what no component here needs"
)]
mod harness;

use harness::ComponentInstance;
use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU64, fence};

const BASE: u32 = 43;
/// The most instructions of a call.
const LENGTH: u32 = 5;

struct Variables {
    atomic: [AtomicU64; 2],
    data: UnsafeCell<u64>,
}

// Some programs have data races, which is what the tests are about.
unsafe impl Sync for Variables {}

impl ComponentInstance for Variables {
    fn call(&self, thread: u32, op: u32) -> String {
        let mut read = Vec::new();
        let instruction = |position: u32| op / BASE.pow(position) % BASE;
        // Each position is a place of its own in the code: a loop would look like one that waits.
        read.extend(self.make::<0>(instruction(0), thread));
        read.extend(self.make::<1>(instruction(1), thread));
        read.extend(self.make::<2>(instruction(2), thread));
        read.extend(self.make::<3>(instruction(3), thread));
        read.extend(self.make::<4>(instruction(4), thread));
        let words: Vec<String> = read.iter().map(u64::to_string).collect();
        words.join(" ")
    }
}

impl Variables {
    /// What the instruction reads, if it reads.
    #[inline(never)]
    fn make<const POSITION: u32>(&self, instruction: u32, thread: u32) -> Option<u64> {
        // Without this the compiler may merge the functions of two positions.
        let position = std::hint::black_box(POSITION);
        let value = u64::from(1 + thread * 8 + position);
        let at = &self.atomic[(instruction.saturating_sub(1) / 16 % 2) as usize];
        let exchange = |order| at.swap(value, order);
        let replace = |order| at.compare_exchange(0, value, order, Relaxed).unwrap_or_else(|found| found);
        if instruction == 0 {
            return None;
        }
        if instruction > 32 {
            match instruction {
                33 => fence(Acquire),
                34 => fence(Release),
                35 => fence(AcqRel),
                36 => fence(SeqCst),
                37 => return Some(unsafe { *self.data.get() }),
                38 => unsafe { *self.data.get() = value },
                39 | 40 => return Some(unsafe { *self.atomic[instruction as usize - 39].as_ptr() }),
                _ => unsafe { *self.atomic[instruction as usize - 41].as_ptr() = value },
            }
            return None;
        }
        match (instruction - 1) % 16 {
            0 => Some(at.load(Relaxed)),
            1 => Some(at.load(Acquire)),
            2 => Some(at.load(SeqCst)),
            3 => {
                at.store(value, Relaxed);
                None
            }
            4 => {
                at.store(value, Release);
                None
            }
            5 => {
                at.store(value, SeqCst);
                None
            }
            6 => Some(exchange(Relaxed)),
            7 => Some(exchange(Acquire)),
            8 => Some(exchange(Release)),
            9 => Some(exchange(AcqRel)),
            10 => Some(exchange(SeqCst)),
            11 => Some(replace(Relaxed)),
            12 => Some(replace(Acquire)),
            13 => Some(replace(Release)),
            14 => Some(replace(AcqRel)),
            _ => Some(replace(SeqCst)),
        }
    }
}

fn main() {
    harness::serve(BASE.pow(LENGTH), "litmus", &|| {
        Box::new(Variables {
            atomic: [const { AtomicU64::new(0) }; 2],
            data: UnsafeCell::new(0),
        })
    });
}
