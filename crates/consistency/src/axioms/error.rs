//! What can be wrong with axioms, and where.

use std::fmt;

use thiserror::Error;

use crate::criterion::CriterionError;

/// Malformed axioms.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct AxiomError {
    /// The file, or another name for the text.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in characters.
    pub column: usize,
    /// The number of characters marked.
    pub width: usize,
    /// That line.
    pub text: String,
    /// What is wrong.
    pub problem: AxiomProblem,
}

impl AxiomError {
    pub(super) fn new(file: &str, source: &str, from: usize, to: usize, problem: AxiomProblem) -> Self {
        // An error at the end is shown after the last word, not in the blank lines that follow.
        let from = from.min(source.trim_end().len());
        let before = source.get(..from).unwrap_or(source);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let text = source
            .get(start..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        let width = source
            .get(from..to)
            .unwrap_or_default()
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or_default().chars().count() + 1,
            width: width.max(1),
            text: text.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for AxiomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            width,
            text,
            problem,
        } = self;
        writeln!(f, "{file}:{line}:{column}: {problem}")?;
        writeln!(f, "  | {text}")?;
        write!(f, "  | {:skip$}{:^<width$}", "", "", skip = column - 1)
    }
}

/// What is wrong with axioms.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AxiomProblem {
    /// A character that has no meaning here.
    #[error("`{0}` has no meaning in axioms")]
    Character(char),
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// There is no such relation.
    #[error("there is no relation \"{0}\"; there are po, hb, lin and vis")]
    UnknownRelation(String),
    /// There is no such kind of operations.
    #[error("there is no kind \"@{0}\"; there are @readers and @writers")]
    UnknownKind(String),
    /// Only `lin` and `vis` can be made to contain something.
    #[error("an axiom says what lin or vis contains, as in `vis >= po`; `{0}` is given by the history")]
    Given(String),
    /// Visibility can only be equal to the linearization.
    #[error("only `vis = lin` can be said with `=`; say what vis contains with `>=`")]
    Equation,
    /// Only one axiom can be dropped.
    #[error("only `lin >= hb` can be dropped")]
    Undroppable,
    /// The axioms cannot be checked.
    #[error("{0}")]
    Criterion(#[from] CriterionError),
}
