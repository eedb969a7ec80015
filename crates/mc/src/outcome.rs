//! Outcome of a search.

use std::convert::Infallible;
use std::io;

use crate::checkpoint_error::CheckpointError;
use crate::codec::StateDecodeError;
use crate::fingerprint::Fingerprint;
use crate::fingerprint_set::FingerprintSet;
use crate::limits::Limit;
use crate::statistics::{ActionCount, SearchStatistics};
use crate::transition_system::State;

/// What a state or a step violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind<E> {
    /// The invariant of this index.
    Invariant(usize),
    /// The property of initial states of this index.
    Initial(usize),
    /// The property of steps of this index.
    Step(usize),
    /// There is no successor.
    Deadlock,
    /// An evaluation failed.
    Failed(E),
}

impl ViolationKind<Infallible> {
    /// The same kind, among kinds with errors.
    pub fn into_any<E>(self) -> ViolationKind<E> {
        match self {
            Self::Invariant(index) => ViolationKind::Invariant(index),
            Self::Initial(index) => ViolationKind::Initial(index),
            Self::Step(index) => ViolationKind::Step(index),
            Self::Deadlock => ViolationKind::Deadlock,
            Self::Failed(never) => match never {},
        }
    }
}

/// A violation that does not end the search.
pub type PassedViolation = SearchViolation<Infallible>;

/// A violation that a search found, located by fingerprint.
#[derive(Clone, Debug)]
pub struct SearchViolation<E> {
    /// What is violated.
    pub kind: ViolationKind<E>,
    /// The expanded state in or after which the violation occurs; `None` for initial states.
    pub from: Option<Fingerprint>,
    /// The level of that state; 0 for none.
    pub level: u32,
    /// The violating successor or initial state; `None` if it is the expanded state itself.
    pub state: Option<State>,
}

/// Why a search failed for reasons outside the spec.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Queued states could not be written to disk.
    #[error(
        "queued states must go to a temporary file, which failed: {0}; set TMPDIR to a folder with room, or raise --memory-limit"
    )]
    Disk(#[from] io::Error),
    /// Queued states could not be read back.
    #[error("{0}; did something else write to it? Set TMPDIR to another folder")]
    Decode(#[from] StateDecodeError),
    /// No thread could be started.
    #[error("the system gives no thread to search in: {0}; end other programs or raise the limit on threads")]
    Thread(io::Error),
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The state graph could not be written.
    #[error("the state graph cannot be written: {0}; choose a file in a folder that exists and has room")]
    Dump(io::Error),
}

/// Why a search ended.
#[derive(Debug)]
pub enum SearchEnd<E> {
    /// Every state was explored.
    Complete,
    /// The spec requested it.
    Stopped,
    /// The sink has seen enough.
    Decided,
    /// A limit was reached.
    Limit(Limit),
    /// A violation was found.
    Violation(Box<SearchViolation<E>>),
}

/// What a search found.
#[derive(Debug)]
pub struct SearchOutcome<E> {
    /// Why it ended.
    pub end: SearchEnd<E>,
    /// Size of the explored part.
    pub statistics: SearchStatistics,
    /// Steps of each action.
    pub action_counts: Vec<ActionCount>,
    /// The first violation of each property, if the search goes on after violations.
    pub violations: Vec<PassedViolation>,
    /// The seen set, from which paths are recomputed.
    pub seen: FingerprintSet,
}
