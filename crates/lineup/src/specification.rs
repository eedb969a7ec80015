//! Histories explained by a given specification: a shipped model, with any consistency level.
//!
//! The component's own serial runs are then runs like all others. A model does not say when a call may block, so a call
//! that is stuck counts as one that may or may not have taken effect; where nothing may ever block, say so
//! ([`Blocking::Never`](crate::Blocking)).

use std::fmt;

use omnilink_consistency::{JudgeError, Question, Recorded, WeakChecker, WeakOptions, judge};
use omnilink_engine::{CheckError, Consistency, Operation as EngineOperation, Options, Verdict, check};
use omnilink_models::{Decoded, ModelSpecError, Shipped, Visitor, with_model};
use omnilink_report::{Look, weak_evidence};
use omnilink_trace::{Args, Operation, Place, Time, Timebox};
use thiserror::Error;

use crate::history::{History, Moment};
use crate::notation::{call_of, value_of};
use crate::verdict::Why;
use crate::words::Words;

/// Why a specification cannot be used.
#[derive(Debug, Error)]
pub enum SpecificationError {
    /// There is no such model, or not with such options.
    #[error(transparent)]
    Model(#[from] ModelSpecError),
    /// There is no such consistency level.
    #[error("{0}")]
    Level(String),
    /// The model cannot make sense of a call or a result.
    #[error("{0}; name calls as the model does, such as \"enqueue(1)\", and return what it expects")]
    Decode(String),
    /// The search for explanations failed.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The search for weak explanations failed.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

type Judge = dyn Fn(Vec<Operation>) -> Result<Option<Why>, SpecificationError> + Send + Sync;

/// A shipped model and a consistency level.
pub struct Specification {
    name: String,
    judge: Box<Judge>,
}

impl fmt::Debug for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specification")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Specification {
    /// The model that `model` asks for (`queue`, `map:…`) and the level that `consistency` names (`linearizable`,
    /// `causal` …).
    ///
    /// # Errors
    /// When there is no such model or level.
    pub fn new(model: &str, consistency: &str) -> Result<Self, SpecificationError> {
        let level = match consistency {
            "linearizable" => Level::Engine(Consistency::Linearizable),
            "sequential" => Level::Engine(Consistency::Sequential),
            name => {
                let question = Question::from_name(name);
                Level::Weak(question.map_err(|error| SpecificationError::Level(error.to_string()))?)
            }
        };
        Ok(Self {
            name: format!("{model}, {consistency}"),
            judge: with_model(model, MakeJudge(level))?,
        })
    }

    /// What it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why nothing explains `history`, or `None` if something does.
    pub(crate) fn explain(
        &self,
        history: &History,
        words: Words<'_>,
    ) -> Result<Option<Why>, SpecificationError> {
        (self.judge)(operations_of(history, words))
    }
}

enum Level {
    Engine(Consistency),
    Weak(Question),
}

struct MakeJudge(Level);

impl Visitor for MakeJudge {
    type Output = Box<Judge>;

    fn visit<M: Shipped>(self, model: M) -> Box<Judge> {
        match self.0 {
            Level::Engine(consistency) => {
                Box::new(move |operations| by_engine(&model, consistency, &operations))
            }
            Level::Weak(question) => Box::new(move |operations| by_judge(&model, &question, operations)),
        }
    }
}

fn decoded<M: Shipped>(model: &M, operation: &Operation) -> Result<Option<M::Op>, SpecificationError> {
    match model.decode(operation) {
        Ok(Decoded::Op(op)) => Ok(Some(op)),
        Ok(Decoded::DidNotHappen) => Ok(None),
        Err(error) => Err(SpecificationError::Decode(error.to_string())),
    }
}

fn by_engine<M: Shipped>(
    model: &M,
    consistency: Consistency,
    operations: &[Operation],
) -> Result<Option<Why>, SpecificationError> {
    let mut history = Vec::with_capacity(operations.len());
    for operation in operations {
        if let Some(op) = decoded(model, operation)? {
            let thread = operation.thread.as_int().unwrap_or_default() as u32;
            history.push(EngineOperation::new(thread, op, operation.timebox));
        }
    }
    let options = Options {
        consistency,
        ..Options::default()
    };
    Ok(match check(model, history, options)?.verdict {
        Verdict::Violation(counterexample) => Some(Why::Results(counterexample)),
        Verdict::Valid(_) | Verdict::Unknown(_) => None,
    })
}

fn by_judge<M: Shipped>(
    model: &M,
    question: &Question,
    operations: Vec<Operation>,
) -> Result<Option<Why>, SpecificationError> {
    let recorded = Recorded::from_operations("run", operations).map_err(JudgeError::from)?;
    let methods: Vec<&str> = M::ENTRY.ops.iter().map(|op| op.name).collect();
    let mut checker = WeakChecker::new(model);
    let judgement = judge(
        &mut checker,
        &recorded,
        &|operation: &Operation| decoded(model, operation),
        &methods,
        question,
        &WeakOptions::default(),
    )?;
    let is_violation = judgement.verdict() == "violation";
    Ok(is_violation.then(|| Why::Specification(weak_evidence(&judgement, &Look::plain()))))
}

/// The calls of a history as operations of a trace.
fn operations_of(history: &History, words: Words<'_>) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut slots = Vec::new();
    for (now, moment) in (0 as Time..).zip(&history.moments) {
        match *moment {
            Moment::Call(slot) => {
                let call = words.call(slot);
                let (name, arguments) = call_of(call);
                let timebox = Timebox::pending(now);
                let thread = i64::from(slot.lane.number());
                let mut operation = Operation::new(thread, name, Args::positional(arguments), timebox);
                operation.place = Place::whole(format!("{call} of {}", slot.lane).as_str());
                slots.push(slot);
                operations.push(operation);
            }
            Moment::Return(slot, result) => {
                let open = slots.iter().position(|other| *other == slot);
                if let Some(operation) = open.and_then(|at| operations.get_mut(at)) {
                    operation.timebox.end = Some(now);
                    operation.ret = value_of(words.results.text(result));
                }
            }
        }
    }
    operations
}
