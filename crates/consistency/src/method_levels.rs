//! Levels per method: `get: complete, containsValue: monotonic`.
//!
//! A method's level says what its operations see; all operations share one linearization, which keeps happens-before.
//! So a level that gives happens-before up cannot be given to a single method.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::criterion::{Axiom, Criterion, CriterionError};
use crate::history::HistoryOp;
use crate::level::{ConsistencyLevel, UnknownLevel};
use crate::relation::Filter;

/// A level for each method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodLevels {
    /// The levels of methods by name.
    pub methods: BTreeMap<String, ConsistencyLevel>,
    /// The level of all other methods, written `*`.
    pub others: Option<ConsistencyLevel>,
}

/// Levels per method that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MethodLevelsError {
    /// Not of the form `method: level`.
    #[error(
        "{file}:{line}: \"{text}\" is no level of a method; write `method: level`, or `*: level` for all others"
    )]
    Form {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is there.
        text: String,
    },
    /// There is no such level.
    #[error("{file}:{line}: {error}")]
    ConsistencyLevel {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        error: UnknownLevel,
    },
    /// A method has two levels.
    #[error("{file}:{line}: {method} has a level already; give each method one")]
    Twice {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The method.
        method: String,
    },
    /// A level that applies to all operations together.
    #[error("{level} is no level for single methods: it changes what the linearization keeps; there are {}", ConsistencyLevel::LADDER.map(ConsistencyLevel::name).join(", "))]
    NotPerMethod {
        /// The level.
        level: ConsistencyLevel,
    },
    /// A method without a level.
    #[error(
        "the method {method} has no level; add `{method}: LEVEL`, or `*: LEVEL` for all methods that are not named"
    )]
    NoLevel {
        /// The method.
        method: String,
    },
    /// A level for a method that does not exist.
    #[error("there is no method {method}; there are {known}")]
    NoMethod {
        /// The method.
        method: String,
        /// The methods that there are.
        known: String,
    },
    /// The axioms cannot be checked.
    #[error("{0}")]
    Criterion(#[from] CriterionError),
}

impl MethodLevels {
    /// Reads levels: `method: level`, one a line or separated by commas; `#` begins a comment.
    ///
    /// # Errors
    /// If something is not of this form.
    pub fn parse(file: &str, text: &str) -> Result<Self, MethodLevelsError> {
        let mut levels = Self::default();
        for (number, line) in text.lines().enumerate() {
            let (file, line_number) = (file.to_owned(), number + 1);
            let line = line.split('#').next().unwrap_or_default();
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                let Some((methods, level)) = entry.split_once(':') else {
                    return Err(MethodLevelsError::Form {
                        file,
                        line: line_number,
                        text: entry.to_owned(),
                    });
                };
                let level = level
                    .parse()
                    .map_err(|error| MethodLevelsError::ConsistencyLevel {
                        file: file.clone(),
                        line: line_number,
                        error,
                    })?;
                for method in methods.split('|').map(str::trim) {
                    let previous = match method {
                        "*" => levels.others.replace(level),
                        _ => levels.methods.insert(method.to_owned(), level),
                    };
                    if previous.is_some() || method.is_empty() {
                        let method = method.to_owned();
                        return Err(MethodLevelsError::Twice {
                            file,
                            line: line_number,
                            method,
                        });
                    }
                }
            }
        }
        Ok(levels)
    }

    /// The levels as one criterion.
    ///
    /// # Errors
    /// If a level cannot be given to a single method.
    pub fn criterion(&self) -> Result<Criterion, MethodLevelsError> {
        let mut axioms = Vec::new();
        let named = self
            .methods
            .iter()
            .map(|(method, level)| (*level, Filter::Methods(vec![method.clone()])));
        let others = self
            .others
            .map(|level| (level, Filter::OtherThan(self.methods.keys().cloned().collect())));
        for (level, scope) in named.chain(others) {
            if !level.keeps_hb() {
                return Err(MethodLevelsError::NotPerMethod { level });
            }
            axioms.extend(level.claims().into_iter().map(|claim| Axiom {
                claim,
                scope: Some(scope.clone()),
            }));
        }
        Ok(Criterion::new(self.to_string(), axioms, true)?)
    }

    /// The level of a method, if it has one.
    pub fn level_of(&self, method: &str) -> Option<ConsistencyLevel> {
        self.methods.get(method).copied().or(self.others)
    }

    /// Checks that every method of `history` has a level.
    ///
    /// # Errors
    /// If a method has no level.
    pub fn cover<O>(&self, ops: &[HistoryOp<O>]) -> Result<(), MethodLevelsError> {
        match ops.iter().find(|op| self.level_of(&op.method).is_none()) {
            Some(op) => Err(MethodLevelsError::NoLevel {
                method: op.method.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Checks that the `methods` that a criterion names are known to the model.
///
/// # Errors
/// If one is not.
pub fn known_methods<'a>(
    methods: impl IntoIterator<Item = &'a str>,
    known: &[&str],
) -> Result<(), MethodLevelsError> {
    let Some(method) = methods.into_iter().find(|method| !known.contains(method)) else {
        return Ok(());
    };
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(name) {
            names.push(name);
        }
    }
    Err(MethodLevelsError::NoMethod {
        method: method.to_owned(),
        known: names.join(", "),
    })
}

impl fmt::Display for MethodLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self
            .methods
            .iter()
            .map(|(method, level)| (method.as_str(), *level));
        let mut separator = "";
        for (method, level) in named.chain(self.others.map(|level| ("*", level))) {
            write!(f, "{separator}{method}: {level}")?;
            separator = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_from_lines_and_commas() {
        let levels = MethodLevels::parse(
            "levels",
            "get: complete, size|values: monotonic # views\n*: weak\n",
        )
        .unwrap();
        assert_eq!(
            levels.to_string(),
            "get: linearizable, size: monotonic, values: monotonic, *: weak"
        );
        assert!(levels.criterion().unwrap().keeps_hb());
    }

    #[test]
    fn mistakes_name_the_line() {
        let message = |text| MethodLevels::parse("levels", text).unwrap_err().to_string();
        assert!(message("get: weak\nget complete").starts_with("levels:2: "));
        assert!(message("get: strong").contains("there is no consistency level \"strong\""));
        assert!(message("get: weak, get: causal").contains("get has a level already"));
        let sequential = MethodLevels::parse("levels", "get: sequential").unwrap();
        assert!(
            sequential
                .criterion()
                .unwrap_err()
                .to_string()
                .contains("no level for single methods")
        );
    }
}
