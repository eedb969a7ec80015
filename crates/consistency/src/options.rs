//! Options of a check.

use omnilink_engine::{Limits, Strategy};

use crate::criterion::Ret;

/// Options of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakOptions {
    /// How the returns of visible operations are read.
    pub ret: Ret,
    /// When to stop.
    pub limits: Limits,
    /// Which reductions the search may use.
    pub reductions: WeakReductions,
    /// Which of the engine's strategies finds linearizations. `None`: the portfolio of sweep and depth-first search
    /// for complete visibility, and depth-first search otherwise.
    pub strategy: Option<Strategy>,
    /// Whether to look for a smallest set of returns that cannot be explained.
    pub minimise: bool,
}

impl Default for WeakOptions {
    fn default() -> Self {
        Self {
            ret: Ret::Own,
            limits: Limits::default(),
            reductions: WeakReductions::ALL,
            strategy: None,
            minimise: true,
        }
    }
}

/// The reductions of the search, each of which can be switched off. All are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakReductions {
    /// Search for an explanation with complete visibility (linearizability) first.
    pub strongest_first: bool,
    /// Try minimal visibilities only.
    pub minimal: bool,
    /// Location operations that no other operation depends on as soon as possible.
    pub eager: bool,
    /// Merge states with the same continuations.
    pub memo: bool,
    /// Give up where an unplaced operation cannot be explained any more. A lookahead costs more than a step of the
    /// search, so this is the number of configurations after which it starts; `None` for never.
    pub lookahead_after: Option<u64>,
}

impl WeakReductions {
    /// Everything on.
    pub const ALL: Self = Self {
        strongest_first: true,
        minimal: true,
        eager: true,
        memo: true,
        lookahead_after: Some(256),
    };
    /// Everything off: all linearizations, all visibilities.
    pub const NONE: Self = Self {
        strongest_first: false,
        minimal: false,
        eager: false,
        memo: false,
        lookahead_after: None,
    };
}

impl Default for WeakReductions {
    fn default() -> Self {
        Self::ALL
    }
}
