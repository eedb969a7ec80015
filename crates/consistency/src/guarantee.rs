//! Consistency guarantees: what a history is checked for.

use omnilink_isolation::{Isolation, UnknownIsolation};
use thiserror::Error;

use crate::criterion::Criterion;
use crate::level::ConsistencyLevel;
use crate::method_levels::{MethodLevels, MethodLevelsError};

/// A consistency guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// `--consistency LEVEL`: a named level.
    Level(ConsistencyLevel),
    /// `--axioms FILE`: these axioms.
    Axioms(Criterion),
    /// `--levels FILE`: a level for each method.
    Levels(MethodLevels),
    /// `--consistency serializable` and the like: isolation of transactions.
    Isolation(Isolation),
}

impl Guarantee {
    /// The guarantee of `--consistency NAME`. A name that levels of both kinds have is that of single operations.
    ///
    /// # Errors
    /// If there is no level of this name.
    pub fn from_name(name: &str) -> Result<Self, UnknownConsistency> {
        if let Ok(level) = name.parse() {
            return Ok(Self::Level(level));
        }
        let unknown = |UnknownIsolation { name }| UnknownConsistency { name };
        name.parse().map(Self::Isolation).map_err(unknown)
    }

    /// The guarantee as a criterion for single operations. Isolation is about transactions and has the weakest
    /// criterion.
    ///
    /// # Errors
    /// If levels of methods do not make a criterion.
    pub fn criterion(&self) -> Result<Criterion, MethodLevelsError> {
        match self {
            Self::Level(level) => Ok(level.criterion()),
            Self::Axioms(criterion) => Ok(criterion.clone()),
            Self::Levels(levels) => levels.criterion(),
            Self::Isolation(_) => Ok(ConsistencyLevel::ReturnValue.criterion()),
        }
    }

    /// Its name in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Level(level) => level.to_string(),
            Self::Axioms(criterion) => criterion.name().to_owned(),
            Self::Levels(levels) => levels.to_string(),
            Self::Isolation(isolation) => isolation.to_string(),
        }
    }
}

/// No level of single operations or of transactions has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no consistency level \"{name}\"; there are {}, and for transactions {}",
    ConsistencyLevel::ALL.map(ConsistencyLevel::name).join(", "),
    Isolation::all().into_iter().map(Isolation::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownConsistency {
    /// The unknown name.
    pub name: String,
}
