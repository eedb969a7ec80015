//! Small concurrent programs over a few atomic locations.

use fastrand::Rng;
use omnilink_sched_runtime::happens_before::MemoryOrder;

pub const LOCATIONS: usize = 2;
pub const RELAXED: MemoryOrder = MemoryOrder(0);
pub const ACQUIRE: MemoryOrder = MemoryOrder(2);
pub const RELEASE: MemoryOrder = MemoryOrder(3);
pub const ACQ_REL: MemoryOrder = MemoryOrder(4);
pub const SEQ_CST: MemoryOrder = MemoryOrder(5);
pub const ALL: [MemoryOrder; 5] = [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    Load(usize, MemoryOrder),
    Store(usize, MemoryOrder),
    Swap(usize, MemoryOrder),
    /// Replaces the initial value 0; a failure is relaxed.
    CompareExchange(usize, MemoryOrder),
    Fence(MemoryOrder),
}

impl Instruction {
    pub fn location(self) -> Option<usize> {
        match self {
            Self::Load(at, _) | Self::Store(at, _) | Self::Swap(at, _) | Self::CompareExchange(at, _) => {
                Some(at)
            }
            Self::Fence(_) => None,
        }
    }

    pub fn reads(self) -> bool {
        !matches!(self, Self::Store(..) | Self::Fence(_))
    }

    pub fn may_write(self) -> bool {
        !matches!(self, Self::Load(..) | Self::Fence(_))
    }

    /// Whether it writes if it reads `value`.
    pub fn writes(self, value: u64) -> bool {
        match self {
            Self::CompareExchange(..) => value == 0,
            other => other.may_write(),
        }
    }

    pub fn order(self, writes: bool) -> MemoryOrder {
        match self {
            Self::CompareExchange(..) if !writes => RELAXED,
            Self::Load(_, order)
            | Self::Store(_, order)
            | Self::Swap(_, order)
            | Self::CompareExchange(_, order)
            | Self::Fence(order) => order,
        }
    }
}

/// The instructions of each thread. Instruction `i` of the whole program writes `i + 1`.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub threads: Vec<Vec<Instruction>>,
}

/// What the reads of each thread read, and what the locations hold at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    pub threads: Vec<Vec<u64>>,
    pub last: Vec<u64>,
}

/// A source of random programs.
pub struct Random(Rng);

impl Random {
    pub fn with_seed(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub fn instruction(&mut self) -> Instruction {
        let at = self.below(LOCATIONS);
        match self.below(10) {
            0..=3 => Instruction::Load(at, self.of(&[RELAXED, ACQUIRE, SEQ_CST])),
            4..=6 => Instruction::Store(at, self.of(&[RELAXED, RELEASE, SEQ_CST])),
            7 => Instruction::Swap(at, self.of(&[RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST])),
            8 => Instruction::CompareExchange(at, self.of(&[RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST])),
            _ => Instruction::Fence(self.of(&[ACQUIRE, RELEASE, ACQ_REL, SEQ_CST, SEQ_CST])),
        }
    }

    /// A well-known shape with random orders: some accesses become read-modify-writes, and fences come between.
    pub fn variant(&mut self, shape: &Program) -> Program {
        let mut program = Program::default();
        for thread in &shape.threads {
            let mut instructions = Vec::new();
            for (index, instruction) in thread.iter().enumerate() {
                if index > 0 && self.below(2) == 0 {
                    instructions.push(Instruction::Fence(self.of(&[ACQUIRE, RELEASE, ACQ_REL, SEQ_CST])));
                }
                let both = [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST];
                instructions.push(match (*instruction, self.below(6)) {
                    (Instruction::Fence(_), _) => Instruction::Fence(self.of(&both[1..])),
                    (other, 0) => Instruction::Swap(other.location().unwrap_or(0), self.of(&both)),
                    (other, 1) => Instruction::CompareExchange(other.location().unwrap_or(0), self.of(&both)),
                    (Instruction::Load(at, _), _) => {
                        Instruction::Load(at, self.of(&[RELAXED, RELAXED, ACQUIRE, SEQ_CST]))
                    }
                    (other, _) => Instruction::Store(
                        other.location().unwrap_or(0),
                        self.of(&[RELAXED, RELAXED, RELEASE, SEQ_CST]),
                    ),
                });
            }
            program.threads.push(instructions);
        }
        program
    }

    /// A program of two or three threads with at most `instructions` instructions.
    pub fn program(&mut self, instructions: usize) -> Program {
        let threads = 2 + self.below(2);
        let mut program = Program {
            threads: vec![Vec::new(); threads],
        };
        for _ in 0..instructions {
            let thread = self.below(threads);
            let instruction = self.instruction();
            program.threads[thread].push(instruction);
        }
        program.threads.retain(|thread| !thread.is_empty());
        program
    }
}
