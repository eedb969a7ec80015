//! What became of one input.

use std::collections::BTreeMap;

use omnilink_engine::{Consistency, Figures, OpView, Outcome, Verdict};

use crate::findings::SpecFindings;
use crate::keys::KeyReport;
use crate::minimal::MinimalHistory;
use crate::thread_names::ThreadNames;

/// What became of one input: all that [`Report::to_text`] and [`Report::to_json`] tell.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was checked, as the user named it.
    pub input: String,
    /// Against which model, with its options.
    pub model: String,
    /// By which criterion.
    pub consistency: Consistency,
    /// What threads are called.
    pub threads: ThreadNames,
    /// What came out.
    pub answer: Answer,
    /// Operations that the system itself reported as failed; they did not happen.
    pub aborted: u64,
    /// How long it took, all told.
    pub seconds: f64,
    /// The most memory that the process held, where the system tells.
    pub peak_bytes: Option<u64>,
    /// Where operations that occur in the answer were read, by position in the history.
    pub places: BTreeMap<u64, String>,
    /// What became of each object, if the history is one of many; the answer is that of the worst.
    pub keys: Vec<KeyReport>,
    /// What a person should be told about the input.
    pub notes: Vec<String>,
    /// What else was found, if the model is a specification.
    pub findings: Option<Box<SpecFindings>>,
}

/// What came out of a check.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A verdict.
    Checked {
        /// The verdict with its evidence.
        outcome: Outcome,
        /// A smallest history that fails, if there is a violation and it was asked for.
        minimal: Option<Box<MinimalHistory>>,
    },
    /// The input could not be checked, for this reason.
    Failed {
        /// What is wrong and what to do.
        message: String,
        /// How many operations had been taken before.
        operations: u64,
    },
}

/// The answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The history is explained.
    Valid,
    /// It cannot be.
    Violation,
    /// A limit was reached first.
    Unknown,
    /// The input could not be checked.
    Error,
}

impl Judgement {
    /// The word of the command line's contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Violation => "violation",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}

impl Report {
    /// The answer in a word.
    pub fn judgement(&self) -> Judgement {
        match &self.answer {
            Answer::Failed { .. } => Judgement::Error,
            Answer::Checked { outcome, .. } => match outcome.verdict {
                Verdict::Valid(_) => Judgement::Valid,
                Verdict::Violation(_) => Judgement::Violation,
                Verdict::Unknown(_) => Judgement::Unknown,
            },
        }
    }

    pub(crate) fn figures(&self) -> Figures {
        match &self.answer {
            Answer::Checked { outcome, .. } => outcome.figures,
            Answer::Failed { operations, .. } => Figures {
                operations: *operations,
                ..Figures::default()
            },
        }
    }

    /// Where an operation was read, if that is known.
    pub(crate) fn place(&self, op: &OpView) -> Option<&str> {
        self.places.get(&op.id).map(String::as_str)
    }

    /// The criterion's name.
    pub(crate) fn criterion(&self) -> &'static str {
        match self.consistency {
            Consistency::Linearizable => "linearizable",
            Consistency::Sequential => "sequential",
        }
    }
}
