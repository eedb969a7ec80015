//! The limits that end a check before there is an answer.

use std::fmt;

use omnilink_memory::guard::Over;
use serde::Serialize;

/// A limit that ended a check before there was an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit on configurations.
    Configurations,
    /// The user interrupted the check.
    Interrupt,
    /// The history has more operations than the search that would be needed can take.
    Operations,
    /// A simulation generated as many behaviours as were asked for.
    Behaviours,
    /// States beyond the greatest depth were not explored.
    Depth,
    /// Some properties cannot be checked.
    Unchecked,
    /// The runs of a component allow no conclusion.
    Inconclusive,
}

impl Limit {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Configurations => "configurations",
            Self::Interrupt => "interrupt",
            Self::Operations => "operations",
            Self::Behaviours => "behaviours",
            Self::Depth => "depth",
            Self::Unchecked => "unchecked",
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl From<Over> for Limit {
    fn from(over: Over) -> Self {
        match over {
            Over::Interrupt => Self::Interrupt,
            Over::Time => Self::Time,
            Over::Memory => Self::Memory,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
