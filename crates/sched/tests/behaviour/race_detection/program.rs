//! Small concurrent programs with atomic and plain accesses, and their interleavings.

use crate::memory_model::program::{Instruction, LOCATIONS, Random};

/// The location of plain data, after those of atomic variables.
pub const DATA: usize = LOCATIONS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceInstruction {
    Atomic(Instruction),
    /// A plain access to some bytes of a location.
    Plain {
        at: usize,
        bytes: u8,
        writes: bool,
    },
}

impl RaceInstruction {
    pub fn location(self) -> Option<usize> {
        match self {
            Self::Atomic(instruction) => instruction.location(),
            Self::Plain { at, .. } => Some(at),
        }
    }
}

#[derive(Clone, Debug)]
pub struct RaceProgram {
    pub threads: Vec<Vec<RaceInstruction>>,
}

/// An event of an interleaving: a thread makes its next instruction.
#[derive(Clone, Copy, Debug)]
pub struct RaceEvent {
    pub thread: usize,
    pub instruction: RaceInstruction,
    /// Whether an atomic instruction stores: a compare-and-swap may fail.
    pub writes: bool,
}

impl RaceProgram {
    /// Whether it has a plain store to an atomic variable.
    pub fn overwrites_an_atomic(&self) -> bool {
        let mut instructions = self.threads.iter().flatten();
        instructions.any(|instruction| matches!(*instruction, RaceInstruction::Plain { at, writes: true, .. } if at != DATA))
    }

    /// Shows every interleaving, in which memory is sequentially consistent.
    pub fn interleavings(&self, visit: &mut dyn FnMut(&[RaceEvent])) {
        let done = vec![0; self.threads.len()];
        self.extend(&mut Vec::new(), &mut [0; LOCATIONS], &done, visit);
    }

    fn extend(
        &self,
        events: &mut Vec<RaceEvent>,
        memory: &mut [u64; LOCATIONS],
        done: &[usize],
        visit: &mut dyn FnMut(&[RaceEvent]),
    ) {
        let mut has_ended = true;
        for (thread, instructions) in self.threads.iter().enumerate() {
            let Some(&instruction) = instructions.get(done[thread]) else {
                continue;
            };
            has_ended = false;
            let (mut memory, mut done) = (*memory, done.to_vec());
            let writes = match instruction {
                RaceInstruction::Atomic(atomic) => match atomic.location() {
                    Some(at) => {
                        let writes = atomic.writes(memory[at]);
                        if writes {
                            memory[at] = 1 + events.len() as u64;
                        }
                        writes
                    }
                    None => false,
                },
                RaceInstruction::Plain { at, writes, .. } => {
                    if let Some(value) = memory.get_mut(at).filter(|_| writes) {
                        *value = 1 + events.len() as u64;
                    }
                    writes
                }
            };
            done[thread] += 1;
            events.push(RaceEvent {
                thread,
                instruction,
                writes,
            });
            self.extend(events, &mut memory, &done, visit);
            events.pop();
        }
        if has_ended {
            visit(events);
        }
    }
}

/// A program of two or three threads. Most plain accesses are to the data, some to atomic variables as a whole.
pub fn random_program(random: &mut Random, instructions: usize) -> RaceProgram {
    let threads = 2 + random.below(2);
    let mut program = RaceProgram {
        threads: vec![Vec::new(); threads],
    };
    for _ in 0..instructions {
        let thread = random.below(threads);
        let instruction = match random.below(9) {
            0..=3 => RaceInstruction::Plain {
                at: DATA,
                bytes: [0xff, 0xff, 0x0f, 0xf0][random.below(4)],
                writes: random.below(2) == 0,
            },
            4 => RaceInstruction::Plain {
                at: random.below(LOCATIONS),
                bytes: 0xff,
                writes: random.below(2) == 0,
            },
            _ => RaceInstruction::Atomic(random.instruction()),
        };
        program.threads[thread].push(instruction);
    }
    program.threads.retain(|thread| !thread.is_empty());
    program
}

/// Data that one thread publishes through a flag, another through a read-modify-write or a plain store of it, and a third uses; orders and
/// fences at random.
pub fn random_publication(random: &mut Random) -> RaceProgram {
    use Instruction::{CompareExchange, Fence, Load, Store, Swap};
    let orders = crate::memory_model::program::ALL;
    let mut order = |allowed: &[usize]| orders[allowed[random.below(allowed.len())]];
    let (load, store) = (order(&[0, 1, 4]), order(&[0, 2, 4]));
    let (change, fences) = (
        order(&[0, 1, 2, 3, 4]),
        [order(&[1, 2, 3, 4]), order(&[1, 2, 3, 4])],
    );
    let data = |writes| RaceInstruction::Plain {
        at: DATA,
        bytes: 0xff,
        writes,
    };
    let mut first = vec![data(true), RaceInstruction::Atomic(Store(0, store))];
    let mut last = vec![RaceInstruction::Atomic(Load(0, load)), data(random.below(2) == 0)];
    if random.below(2) == 0 {
        first.insert(1, RaceInstruction::Atomic(Fence(fences[0])));
    }
    if random.below(2) == 0 {
        last.insert(1, RaceInstruction::Atomic(Fence(fences[1])));
    }
    let flag = RaceInstruction::Plain {
        at: 0,
        bytes: 0xff,
        writes: true,
    };
    let middle = match random.below(5) {
        0 => vec![RaceInstruction::Atomic(Swap(0, change))],
        1 => vec![RaceInstruction::Atomic(CompareExchange(0, change))],
        2 => vec![RaceInstruction::Atomic(Store(0, store))],
        3 => vec![flag],
        _ => Vec::new(),
    };
    let mut threads = vec![first, last, middle];
    threads.retain(|thread| !thread.is_empty());
    RaceProgram { threads }
}
