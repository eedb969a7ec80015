//! What a check is asked to do.

use std::time::Duration;

/// How far a check may go before it answers `unknown`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory, in bytes: resident memory of the process where the system tells it, otherwise what the tables hold. `None`
    /// is no licence to be killed: it stands for [`default_memory_bytes`](crate::default_memory_bytes).
    pub memory_bytes: Option<u64>,
    /// Configurations explored.
    pub configurations: Option<u64>,
}

/// The order that an explanation must respect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// Real time: an operation that ended before another began comes first. Each thread's own order holds as well, also
    /// where its clock readings are equal.
    #[default]
    Linearizable,
    /// Each thread's own order only.
    Sequential,
}

/// Which search decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The sweep while it is easy; where it gets hard, sweep and depth-first by turns, with doubling budgets.
    #[default]
    Portfolio,
    /// The event sweep alone: memory is the frontier, whatever the length of the trace.
    Sweep,
    /// Depth-first alone: keeps the whole history.
    DepthFirst,
}

/// The reductions, each of which can be switched off. All are sound; `docs/engine.md` has the proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Place pure operations as soon as they are accepted.
    pub absorption: bool,
    /// Drop configurations that another one reaches by placing one more open operation.
    pub minimal_frontier: bool,
    /// Drop configurations that differ from another only in fewer reads placed or more optional operations used.
    pub dominance: bool,
    /// Among open operations of one class, try the one that returns first.
    pub symmetry: bool,
    /// Try only operations that can matter to the one that must be placed.
    pub footprints: bool,
    /// Check parts of the state that never meet apart from each other.
    pub partitions: bool,
}

impl Reductions {
    /// Everything on.
    pub const ALL: Self = Self {
        absorption: true,
        minimal_frontier: true,
        dominance: true,
        symmetry: true,
        footprints: true,
        partitions: true,
    };
    /// Everything off: plain just-in-time linearization.
    pub const NONE: Self = Self {
        absorption: false,
        minimal_frontier: false,
        dominance: false,
        symmetry: false,
        footprints: false,
        partitions: false,
    };
}

impl Default for Reductions {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a check is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The order that explanations must respect.
    pub consistency: Consistency,
    /// Which search decides.
    pub strategy: Strategy,
    /// Which reductions it may use.
    pub reductions: Reductions,
    /// When to give up.
    pub limits: Limits,
    /// Calls of one thread may overlap: the thread is a label. Otherwise, of two operations of one thread of which one starts
    /// at the very time at which the other ends, that other one comes first, although timeboxes that touch overlap.
    pub async_threads: bool,
    /// Keep track of an explanation and replay it before answering `valid`.
    pub witness: bool,
    /// How many configurations the sweep may explore on its own before the history counts as hard and depth-first search
    /// joins in. More is granted as operations come in.
    pub patience: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            consistency: Consistency::default(),
            strategy: Strategy::default(),
            reductions: Reductions::default(),
            limits: Limits::default(),
            async_threads: false,
            witness: true,
            patience: 4_096,
        }
    }
}
