//! The answer about a history, whatever the model was: what reports are made of.

use std::collections::BTreeMap;

use omnilink_engine::{Exhausted, Model};

use crate::criterion::Ret;
use crate::history::HistoryOp;
use crate::isolation::IsolationVerdict;
use crate::level::Level;
use crate::long_history::LongVerdict;
use crate::outcome::WeakOutcome;

/// The answer to a question about one history, or about many together.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The history.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// What was found.
    pub answer: Answer,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// About the operations of one history.
    Operations {
        /// The operations, as the outcome numbers them.
        ops: Vec<ShownOp>,
        /// How returns were read.
        ret: Ret,
        /// Whether there is an explanation.
        outcome: WeakOutcome,
    },
    /// About the transactions of one history.
    Transactions {
        /// How many operations there are.
        operations: usize,
        /// Whether they are isolated.
        verdict: IsolationVerdict,
    },
    /// About the operations of one history that is too long to be searched.
    Long {
        /// The operations, as the verdict numbers them.
        ops: Vec<ShownOp>,
        /// How returns were read.
        ret: Ret,
        /// Whether a stronger level holds.
        verdict: LongVerdict,
    },
    /// About many histories: the strongest levels that they satisfy.
    Inferred(Inference),
    /// About a history that was not read to its end.
    Unread {
        /// How many operations were read.
        operations: usize,
        /// The limit that was reached.
        limit: Exhausted,
    },
}

/// An operation as a person knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownOp {
    /// Its id in the input.
    pub label: String,
    /// Who called it.
    pub thread: String,
    /// The call with its result.
    pub text: String,
    /// Whether it never returned.
    pub is_pending: bool,
    /// Whether it may change a state: who does not see it may miss something.
    pub is_writer: bool,
}

/// The strongest levels that histories satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// How many histories there are.
    pub histories: usize,
    /// A strongest level for each method.
    pub levels: BTreeMap<String, Level>,
    /// The strongest level of all methods together; `None` if even the weakest is violated.
    pub together: Option<Level>,
    /// Histories that satisfy no level at all; the levels are inferred from the others.
    pub unexplained: Vec<String>,
    /// Histories for which a limit was reached; a level that could not be decided for one counts as violated.
    pub undecided: Vec<String>,
}

impl Judgement {
    /// `valid`, `violation` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match &self.answer {
            Answer::Operations { outcome, .. } => outcome.verdict.word(),
            Answer::Transactions { verdict, .. } => verdict.word(),
            Answer::Long { verdict, .. } => verdict.word(),
            Answer::Inferred(inference) if !inference.unexplained.is_empty() => "violation",
            Answer::Inferred(inference) if !inference.undecided.is_empty() => "unknown",
            Answer::Inferred(_) => "valid",
            Answer::Unread { .. } => "unknown",
        }
    }
}

/// The operations of a history, in the words of its model.
pub(crate) fn shown<M: Model>(
    model: &M,
    ops: &[HistoryOp<M::Op>],
    thread_name: impl Fn(u32) -> String,
) -> Vec<ShownOp> {
    ops.iter()
        .map(|op| ShownOp {
            label: op.label.clone(),
            thread: thread_name(op.thread),
            text: model.describe_op(&op.op),
            is_pending: op.optional,
            is_writer: !model.is_pure(&op.effect),
        })
        .collect()
}
