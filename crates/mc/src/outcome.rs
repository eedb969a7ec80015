//! How a search ended.

use std::io;

use crate::codec::Garbled;
use crate::fingerprint::Fingerprint;
use crate::limits::Limit;
use crate::machine::State;
use crate::seen::SeenStates;

/// What is wrong with a state or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong<F> {
    /// This invariant does not hold.
    Invariant(usize),
    /// This property of initial states does not hold.
    Initial(usize),
    /// This property of steps does not hold.
    Step(usize),
    /// There is no successor.
    Deadlock,
    /// Something could not be evaluated.
    Failed(F),
}

/// The first thing that is wrong, and how to get there.
#[derive(Clone, Debug)]
pub struct Breach<F> {
    /// What is wrong.
    pub wrong: Wrong<F>,
    /// The explored state in or after which it is wrong; none for initial states.
    pub from: Option<Fingerprint>,
    /// The level of that state; 0 for none.
    pub level: u32,
    /// The successor (or initial state) that is wrong; none if it is the explored state itself.
    pub state: Option<State>,
}

/// Why a search could not go on, through no fault of the spec.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Waiting states could not be put on disk.
    #[error(
        "waiting states must go to a temporary file, which failed: {0}; set TMPDIR to a folder with room, or raise --memory-limit"
    )]
    Disk(#[from] io::Error),
    /// Waiting states could not be read back.
    #[error("{0}; did something else write to it? Set TMPDIR to another folder")]
    Garbled(#[from] Garbled),
    /// No thread could be had.
    #[error("the system gives no thread to search in: {0}; end other programs or raise the limit on threads")]
    Thread(io::Error),
    /// The state graph could not be written.
    #[error("the state graph cannot be written: {0}; choose a file in a folder that exists and has room")]
    Dump(io::Error),
}

/// Why a search ended.
#[derive(Debug)]
pub enum End<F> {
    /// Every state was explored.
    Complete,
    /// The spec asked for it.
    Stopped,
    /// A limit was reached.
    Limit(Limit),
    /// Something is wrong.
    Broken(Box<Breach<F>>),
}

/// How large the explored part is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// States found, also those found before.
    pub generated: u64,
    /// Distinct states.
    pub distinct: u64,
    /// The level of the deepest.
    pub depth: u32,
    /// States that were found and not explored.
    pub waiting: u64,
    /// The most states that waited at a time: level by level, those of the largest level.
    pub waiting_max: u64,
}

/// How often an action was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Steps.
    pub generated: u64,
    /// Steps that led to a new state.
    pub distinct: u64,
}

/// What a search found.
#[derive(Debug)]
pub struct Exploration<F> {
    /// Why it ended.
    pub end: End<F>,
    /// How far it got.
    pub figures: Figures,
    /// How often each action was taken.
    pub taken: Vec<Taken>,
    /// The states seen, to find the way to one of them.
    pub seen: SeenStates,
}
