//! One call for a command line: a recorded history and a question in, verdict, text and JSON out.

use std::fmt::Display;

use omnilink_engine::{Limits, Model};
use omnilink_trace::Operation;
use omnilink_value::Value;
use thiserror::Error;

use crate::axioms::AxiomError;
use crate::check::{WeakChecker, WeakError, WeakOptions};
use crate::criterion::Criterion;
use crate::history::History;
use crate::infer::infer;
use crate::isolation::{Isolation, TransactionError, check_transactions};
use crate::level::{Level, UnknownLevel};
use crate::method_levels::{MethodLevels, MethodLevelsError, known_methods};
use crate::recorded::{Recorded, RecordedError};
use crate::render::{outcome_json, outcome_text};

/// What is asked of histories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// `--consistency LEVEL`: is it at this level?
    Level(Level),
    /// `--axioms FILE`: does it satisfy these axioms?
    Axioms(Criterion),
    /// `--levels FILE`: is each method at its level?
    Levels(MethodLevels),
    /// `--consistency serializable` and the like: are its transactions isolated?
    Isolation(Isolation),
}

impl Question {
    /// The question that `--consistency NAME` asks.
    ///
    /// # Errors
    /// If there is no level of this name.
    pub fn from_name(name: &str) -> Result<Self, UnknownConsistency> {
        let unknown = |UnknownLevel { name }| UnknownConsistency { name };
        match name.parse() {
            Ok(isolation) => Ok(Self::Isolation(isolation)),
            Err(_) => name.parse().map(Self::Level).map_err(unknown),
        }
    }

    /// What the question is called in answers.
    pub fn name(&self) -> String {
        match self {
            Self::Level(level) => level.to_string(),
            Self::Axioms(criterion) => criterion.name().to_owned(),
            Self::Levels(levels) => levels.to_string(),
            Self::Isolation(isolation) => isolation.to_string(),
        }
    }
}

/// There is no level of this name, of single operations or of transactions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no consistency level \"{name}\"; there are {}, and for transactions {}",
    Level::ALL.map(Level::name).join(", "),
    Isolation::ALL.map(Isolation::name).join(", ")
)]
pub struct UnknownConsistency {
    /// What was asked for.
    pub name: String,
}

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

/// The answer about one history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The history.
    pub id: String,
    /// `valid`, `violation` or `unknown`.
    pub verdict: &'static str,
    /// The evidence, for people.
    pub text: String,
    /// The evidence, for machines: an object that has `id`, `verdict` and `consistency` among others.
    pub json: Value,
}

impl Judgement {
    pub(crate) fn new(
        id: &str,
        verdict: &'static str,
        question: &str,
        text: String,
        evidence: &Value,
    ) -> Self {
        let mut fields = vec![
            ("id".to_owned(), Value::str(id)),
            ("consistency".to_owned(), Value::str(question)),
            ("verdict".to_owned(), Value::str(verdict)),
        ];
        let evidence = evidence.as_record().into_iter().flat_map(|record| record.iter());
        fields.extend(
            evidence
                .filter(|(name, _)| *name != "verdict")
                .map(|(name, value)| (name.to_owned(), value.clone())),
        );
        let head = format!("history {id}: {verdict} ({question})\n");
        Self {
            id: id.to_owned(),
            verdict,
            text: head + &text,
            json: Value::record(fields),
        }
    }
}

/// Answers `question` about one recorded history.
///
/// `decode` makes operations of the model out of recorded ones, `None` for those that did not happen; `known` are the
/// methods that the model knows, against which the names in axioms and levels are checked.
///
/// # Errors
/// If the history, the question or the model cannot be used.
pub fn judge<M: Model, E: Display>(
    checker: &mut WeakChecker<'_, M>,
    recorded: &Recorded,
    decode: impl FnMut(&Operation) -> Result<Option<M::Op>, E>,
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
    known_methods(criterion.methods(), known)?;
    let history = recorded.decode(decode)?;
    if let Question::Levels(levels) = question {
        known_methods(levels.methods.keys().map(String::as_str), known)?;
        levels.cover(&history)?;
    }
    let outcome = checker.check(&history, &criterion, options)?;
    let text = outcome_text(checker.model(), &history, &outcome);
    let json = outcome_json(checker.model(), &history, &outcome);
    Ok(Judgement::new(
        &recorded.id,
        outcome.verdict.word(),
        &question.name(),
        text,
        &json,
    ))
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
    let verdict = check_transactions(recorded, isolation, limits)?;
    let json = verdict.json();
    Ok(Judgement::new(
        &recorded.id,
        verdict.word(),
        isolation.name(),
        verdict.to_string(),
        &json,
    ))
}

/// `--infer`: the strongest levels that all histories satisfy together.
///
/// # Errors
/// If a history or the model cannot be used.
pub fn judge_together<M: Model, E: Display>(
    model: &M,
    recorded: &[Recorded],
    mut decode: impl FnMut(&Operation) -> Result<Option<M::Op>, E>,
    options: &WeakOptions,
) -> Result<Judgement, JudgeError> {
    let histories: Vec<History<M::Op>> = recorded
        .iter()
        .map(|recorded| recorded.decode(&mut decode))
        .collect::<Result<_, _>>()?;
    let inferred = infer(model, &histories, options)?;
    let ids = |positions: &[usize]| -> Vec<&str> {
        positions
            .iter()
            .filter_map(|at| recorded.get(*at))
            .map(|recorded| recorded.id.as_str())
            .collect()
    };
    let (unexplained, undecided) = (ids(&inferred.unexplained), ids(&inferred.undecided));
    let mut text = String::new();
    for (method, level) in &inferred.levels.methods {
        text.push_str(&format!("  {method}: {level}\n"));
    }
    match inferred.together {
        Some(level) => text.push_str(&format!("all methods together: {level}\n")),
        None => text.push_str("all methods together: no level\n"),
    }
    if !unexplained.is_empty() {
        text.push_str(&format!(
            "left out, as they satisfy no level: {}\n",
            unexplained.join(" ")
        ));
    }
    if !undecided.is_empty() {
        text.push_str(&format!("undecided within the limits: {}\n", undecided.join(" ")));
    }
    let names = |names: &[&str]| Value::tuple(names.iter().map(|name| Value::str(name)));
    let levels = inferred
        .levels
        .methods
        .iter()
        .map(|(method, level)| (method, Value::str(level.name())));
    let json = Value::record([
        ("histories", Value::int(recorded.len() as i64)),
        ("levels", Value::record(levels)),
        (
            "together",
            inferred
                .together
                .map_or_else(Value::null, |level| Value::str(level.name())),
        ),
        ("unexplained", names(&unexplained)),
        ("undecided", names(&undecided)),
    ]);
    let verdict = match (unexplained.is_empty(), undecided.is_empty()) {
        (false, _) => "violation",
        (true, false) => "unknown",
        (true, true) => "valid",
    };
    let id = format!("{} histories", recorded.len());
    Ok(Judgement::new(&id, verdict, "inferred", text, &json))
}
