//! The answer in one word.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

/// The answer in one word: the contract of every command.
///
/// The order of the variants is the order of severity. Of several inputs the worst decides: bad input makes every other
/// answer doubtful, and a violation is certain, whatever else was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything is explained, or every property holds.
    Valid,
    /// A limit was reached before there was an answer.
    Unknown,
    /// There is no explanation, or a property does not hold.
    Violation,
    /// The input could not be checked.
    Error,
}

impl Verdict {
    /// The word used in output: `valid`, `unknown`, `violation` or `error`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Unknown => "unknown",
            Self::Violation => "violation",
            Self::Error => "error",
        }
    }
}

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(word: &str) -> Result<Self, UnknownVerdict> {
        let all = [Self::Valid, Self::Unknown, Self::Violation, Self::Error];
        let found = all.into_iter().find(|verdict| verdict.word() == word);
        found.ok_or_else(|| UnknownVerdict(word.to_owned()))
    }
}

/// A word that is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no verdict: there are valid, unknown, violation and error")]
pub struct UnknownVerdict(pub String);

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
