//! One call for a command line: a recorded history and a question in, an answer with its evidence out.

use omnilink_engine::{Limits, Model};
use thiserror::Error;

use crate::axioms::AxiomError;
use crate::check::{WeakChecker, WeakError, WeakOptions};
use crate::decoder::Decoder;
use crate::history::History;
use crate::infer::infer;
use crate::isolation::{Isolation, TransactionError, check_transactions};
use crate::judgement::{Answer, Inference, Judgement, shown};
use crate::long_history::LongHistory;
use crate::method_levels::{MethodLevelsError, known_methods};
use crate::op_set::OpSet;
use crate::guarantee::{Question, UnknownConsistency};
use crate::recorded_history::{Recorded, RecordedError};

/// Why there is no answer. All of these are the user's to mend, exit code 2.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// There is no such level.
    #[error(transparent)]
    Unknown(#[from] UnknownConsistency),
    /// The axioms cannot be understood.
    #[error(transparent)]
    Axioms(#[from] AxiomError),
    /// The levels cannot be used.
    #[error(transparent)]
    Levels(#[from] MethodLevelsError),
    /// The history cannot be read.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// The transactions cannot be understood.
    #[error(transparent)]
    Transactions(#[from] TransactionError),
    /// The check failed.
    #[error(transparent)]
    Check(#[from] WeakError),
}

/// Answers `question` about one recorded history.
///
/// `decoder` makes operations of the model out of recorded ones; `known` are the methods that the model knows, against
/// which the names in axioms and levels are checked.
///
/// # Errors
/// If the history, the question or the model cannot be used.
pub fn judge<M: Model>(
    checker: &mut WeakChecker<'_, M>,
    recorded: &Recorded,
    decoder: &impl Decoder<M::Op>,
    known: &[&str],
    question: &Question,
    options: &WeakOptions,
) -> Result<Judgement, JudgeError> {
    let criterion = match question {
        Question::Isolation(isolation) => return judge_transactions(recorded, *isolation, options.limits),
        Question::Level(level) => level.criterion(),
        Question::Axioms(criterion) => criterion.clone(),
        Question::Levels(levels) => levels.criterion()?,
    };
    let decoded = recorded.decode_ops(decoder)?;
    // A model may know a method by several names: the one that was recorded is as good as the one that it is listed by.
    let recorded_names = decoded.ops.iter().map(|op| op.method.as_str());
    let known: Vec<&str> = known.iter().copied().chain(recorded_names).collect();
    known_methods(criterion.methods(), &known)?;
    if let Question::Levels(levels) = question {
        known_methods(levels.methods.keys().map(String::as_str), &known)?;
        levels.cover(&decoded.ops)?;
    }
    if decoded.ops.len() > OpSet::CAPACITY {
        let long = LongHistory {
            ops: &decoded.ops,
            timeboxes: decoded.kept.iter().map(|at| recorded.ops[*at].timebox).collect(),
            order: &recorded.order,
        };
        let verdict = long.judge(checker.model(), question, options.strategy, options.limits)?;
        let thread = |thread: u32| decoded.names[thread as usize].clone();
        return Ok(Judgement {
            id: recorded.id.clone(),
            question: question.name(),
            answer: Answer::Long {
                ops: shown(checker.model(), &decoded.ops, thread),
                ret: options.ret,
                verdict,
            },
        });
    }
    let history = recorded.in_order(decoded)?;
    let outcome = checker.check(&history, &criterion, options)?;
    Ok(Judgement {
        id: recorded.id.clone(),
        question: question.name(),
        answer: Answer::Operations {
            ops: shown(checker.model(), history.ops(), |thread| {
                history.thread_name(thread)
            }),
            ret: options.ret,
            outcome,
        },
    })
}

/// Answers whether the transactions of one recorded history are isolated. No model is needed: keys hold values.
///
/// # Errors
/// If the operations are no reads and writes of keys.
pub fn judge_transactions(
    recorded: &Recorded,
    isolation: Isolation,
    limits: Limits,
) -> Result<Judgement, JudgeError> {
    Ok(Judgement {
        id: recorded.id.clone(),
        question: isolation.to_string(),
        answer: Answer::Transactions {
            operations: recorded.ops.len(),
            verdict: check_transactions(recorded, isolation, limits)?,
        },
    })
}

/// `--infer`: the strongest levels that all histories satisfy together.
///
/// # Errors
/// If a history or the model cannot be used.
pub fn judge_together<M: Model>(
    model: &M,
    recorded: &[Recorded],
    decoder: &impl Decoder<M::Op>,
    options: &WeakOptions,
) -> Result<Judgement, JudgeError> {
    let mut histories: Vec<History<M::Op>> = Vec::with_capacity(recorded.len());
    for recorded in recorded {
        histories.push(recorded.decode(decoder)?);
    }
    let inferred = infer(model, &histories, options)?;
    let ids = |positions: &[usize]| -> Vec<String> {
        let named = positions.iter().filter_map(|at| recorded.get(*at));
        named.map(|recorded| recorded.id.clone()).collect()
    };
    Ok(Judgement {
        id: format!("{} histories", recorded.len()),
        question: "inferred".to_owned(),
        answer: Answer::Inferred(Inference {
            histories: recorded.len(),
            unexplained: ids(&inferred.unexplained),
            undecided: ids(&inferred.undecided),
            levels: inferred.levels.methods,
            together: inferred.together,
        }),
    })
}
