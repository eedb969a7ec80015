//! What a check of a log against a specification found besides the verdict.

use serde::Serialize;

use crate::operation::ReportedOperation;

/// How a log was read, what of the specification it exercised, and what would make a rejected log acceptable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LogFindings {
    /// Lines that are steps.
    pub steps: u64,
    /// How often each action was taken, in the explanations that were tried.
    pub actions: Vec<LogActionFindings>,
    /// How often a line could be explained by steps to different states.
    pub choices: u64,
    /// The first such line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_choice: Option<String>,
    /// What would have to be different for the log to be accepted, or to be explained further: sentences, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<String>,
    /// The lines that the guesses are about, besides the one that is not explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<ReportedOperation>,
    /// How many explanations end earlier than the unexplained line, without being continued.
    pub dead_ends: u64,
    /// Where explanations of a rejected log end: those of the most lines first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endings: Vec<LogEnding>,
}

/// Explanations of the same lines that nothing continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEnding {
    /// How many lines they explain.
    pub lines: u64,
    /// The lines that could come next and cannot be explained: file and line.
    pub refused: Vec<String>,
    /// How many states they lead to.
    pub states: u64,
}

/// How often an action of the next-state relation was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogActionFindings {
    /// Its name.
    pub action: String,
    /// File, line and column.
    pub at: String,
    /// How many steps took it.
    pub taken: u64,
}
