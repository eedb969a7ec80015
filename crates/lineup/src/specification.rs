//! Histories explained by a given specification instead of the component's own serial runs.
//!
//! The specification is any sequential model, with any consistency level. Which models there are (shipped ones, a TLA+
//! specification) is not for this crate to know: it is given a [judge](Specification::new), and [`explain_by`] makes one of a
//! model. So nothing of the search is compiled here for models that a program does not use.
//!
//! The component's own serial runs are then runs like all others. A model does not say when a call may block, so a call
//! that is stuck counts as one that may or may not have taken effect; where nothing may ever block, say so
//! ([`Blocking::Never`](crate::Blocking)).

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use omnilink_consistency::{
    Decoder, Guarantee, RecordedCheckError, RecordedHistory, UnknownConsistency, WeakChecker, WeakOptions,
    check_recorded,
};
use omnilink_engine::{
    CheckError, Consistency, Limits, Model, Operation as EngineOperation, Options, Verdict, check,
};
use omnilink_report::{Look, weak_evidence};
use omnilink_trace::{Args, Operation, Place, Time, Timebox};
use omnilink_value::Value;
use thiserror::Error;

use crate::alphabet::Alphabet;
use crate::history::{History, Moment};
use crate::notation::{call_of, is_huge, value_of};
use crate::verdict::Why;
use crate::words::Words;

/// Why a specification gives no answer.
#[derive(Debug, Error)]
pub enum SpecificationError {
    /// The specification cannot make sense of a call or a result.
    #[error("{0}; name calls as the specification does, such as \"enqueue(1)\", and return what it expects")]
    Decode(String),
    /// The search for explanations failed.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The search for weak explanations failed.
    #[error(transparent)]
    Judge(#[from] RecordedCheckError),
    /// The specification cannot be evaluated.
    #[error("{0}")]
    Failed(String),
    /// The time limit ended the search.
    #[error("time was up before a history was explained")]
    TimeIsUp,
}

/// Why nothing explains these operations, or `None` if something does.
pub type Judged = Result<Option<Why>, SpecificationError>;

/// What is promised about histories.
#[derive(Clone, Debug)]
pub enum Promise {
    /// An order of all calls, that of the engine.
    Order(Consistency),
    /// Less, or something else.
    Weak(Guarantee),
}

impl Promise {
    /// The promise that a level is: `linearizable`, `sequential`, `causal` ….
    ///
    /// # Errors
    /// When there is no such level.
    pub fn from_name(name: &str) -> Result<Self, UnknownConsistency> {
        Ok(match name {
            "linearizable" => Self::Order(Consistency::Linearizable),
            "sequential" => Self::Order(Consistency::Sequential),
            name => Self::Weak(Guarantee::from_name(name)?),
        })
    }

    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Order(Consistency::Linearizable) => "linearizable".to_owned(),
            Self::Order(Consistency::Sequential) => "sequential".to_owned(),
            Self::Weak(question) => question.name(),
        }
    }
}

/// A model, or something like it, that explains histories.
pub struct Specification {
    name: String,
    judge: Box<dyn Fn(Vec<Operation>) -> Judged + Send + Sync>,
}

impl fmt::Debug for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specification")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Specification {
    /// A specification of this name that `judge` knows; see [`explain_by`].
    pub fn new(
        name: impl Into<String>,
        judge: impl Fn(Vec<Operation>) -> Judged + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            judge: Box::new(judge),
        }
    }

    /// A specification that can be asked in a thread of its own only, such as one that is evaluated on a deep stack. `work`
    /// answers there until the specification is dropped; if it cannot begin, it says why.
    pub fn in_a_thread(
        name: impl Into<String>,
        work: impl FnOnce(&Questions) -> Result<(), String> + Send + 'static,
    ) -> Self {
        let (ask, asked) = channel::<Asked>();
        thread::spawn(move || {
            let questions = Questions(Mutex::new(asked));
            if let Err(reason) = work(&questions) {
                questions.answer(|_| Err(SpecificationError::Failed(reason.clone())));
            }
        });
        Self::new(name, move |operations| {
            let (reply, replied) = channel();
            let is_asked = ask.send(Asked { operations, reply }).is_ok();
            let answer = is_asked.then(|| replied.recv().ok()).flatten();
            answer.unwrap_or_else(|| {
                let message =
                    "internal error, please report it: the thread that evaluates the specification is gone";
                Err(SpecificationError::Failed(message.to_owned()))
            })
        })
    }

    /// What it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why nothing explains `history`, or `None` if something does.
    pub(crate) fn explain(&self, history: &History, words: Words<'_>) -> Judged {
        let operations = operations_of(history, words);
        let huge = operations
            .iter()
            .find(|operation| operation.ret.as_ref().is_some_and(is_huge));
        let impossible = huge.map(|operation| {
            let result = operation.ret.as_ref().and_then(Value::as_model).unwrap_or_default();
            Why::Specification(format!(
                "{} = {result}: no number of the specification is as large as that (they have 64 bits with a sign).\n",
                operation.name
            ))
        });
        match ((self.judge)(operations), impossible) {
            // What cannot make sense of the number does not allow it.
            (Err(error), Some(why)) if !matches!(error, SpecificationError::TimeIsUp) => Ok(Some(why)),
            (judged, _) => judged,
        }
    }
}

struct Asked {
    operations: Vec<Operation>,
    reply: Sender<Judged>,
}

/// What a specification in a thread of its own is asked.
pub struct Questions(Mutex<Receiver<Asked>>);

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions").finish_non_exhaustive()
    }
}

impl Questions {
    /// Answers until nobody can ask any more.
    pub fn answer(&self, mut judge: impl FnMut(Vec<Operation>) -> Judged) {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Asked { operations, reply } in &*asked {
            // Whoever asked may have stopped waiting.
            let _ = reply.send(judge(operations));
        }
    }
}

/// What decides about the operations of a history.
#[derive(Debug)]
pub struct Law<'a, M, D> {
    /// The model.
    pub model: &'a M,
    /// Makes its operations of those that a component was asked for.
    pub decoder: &'a D,
    /// The names of its operations.
    pub methods: &'a [&'a str],
    /// What it is taken to promise.
    pub promise: &'a Promise,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// Explains operations by a model.
///
/// # Errors
/// When the model cannot make sense of them, or fails, or time is up.
pub fn explain_by<M: Model, D: Decoder<M::Op>>(law: &Law<'_, M, D>, operations: Vec<Operation>) -> Judged {
    let time_left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
    let limits = Limits {
        time: law.deadline.map(time_left),
        ..Limits::default()
    };
    let judged = match law.promise {
        Promise::Order(consistency) => law.by_engine(*consistency, limits, &operations),
        Promise::Weak(question) => law.by_judge(question, limits, operations),
    };
    // A model that is stopped in the middle of a step fails, and that says nothing about it.
    let is_over = law.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    match judged {
        Err(_) if is_over => Err(SpecificationError::TimeIsUp),
        judged => judged,
    }
}

impl<M: Model, D: Decoder<M::Op>> Law<'_, M, D> {
    fn by_engine(&self, consistency: Consistency, limits: Limits, operations: &[Operation]) -> Judged {
        let mut history = Vec::with_capacity(operations.len());
        let mut positions = Vec::with_capacity(operations.len());
        for (position, operation) in (0..).zip(operations) {
            let decoded = self.decoder.returned(operation);
            if let Some(op) = decoded.map_err(|error| SpecificationError::Decode(error.to_string()))? {
                let thread = operation.thread.as_int().unwrap_or_default() as u32;
                history.push(EngineOperation::new(thread, op, operation.timebox));
                positions.push(position);
            }
        }
        let options = Options {
            consistency,
            limits,
            ..Options::default()
        };
        match check(self.model, history, options)?.verdict {
            Verdict::Violation(mut counterexample) => {
                // The engine counts what it was given; a report counts all calls, also those that are left out here.
                let given = usize::try_from(counterexample.op.id).ok();
                if let Some(position) = given.and_then(|given| positions.get(given)) {
                    counterexample.op.id = *position;
                }
                Ok(Some(Why::Results(counterexample)))
            }
            Verdict::Valid(_) => Ok(None),
            Verdict::Unknown(unfinished) => Err(unfinished_search(
                format!("{:?}", unfinished.limit).to_lowercase() + " ran out",
            )),
        }
    }

    fn by_judge(&self, question: &Guarantee, limits: Limits, operations: Vec<Operation>) -> Judged {
        let recorded =
            RecordedHistory::from_operations("run", operations).map_err(RecordedCheckError::from)?;
        let mut checker = WeakChecker::new(self.model);
        let options = WeakOptions {
            limits,
            ..WeakOptions::default()
        };
        let judgement = check_recorded(
            &mut checker,
            &recorded,
            self.decoder,
            self.methods,
            question,
            &options,
        )?;
        match judgement.verdict() {
            "valid" => Ok(None),
            "violation" => Ok(Some(Why::Specification(weak_evidence(
                &judgement,
                &Look::plain(),
            )))),
            _ => Err(unfinished_search(weak_evidence(&judgement, &Look::plain()))),
        }
    }
}

/// A history that is not decided is not explained: nothing may be concluded from it.
fn unfinished_search(reason: String) -> SpecificationError {
    SpecificationError::Failed(format!("the search for an explanation was given up: {reason}"))
}

/// The calls of an alphabet as operations that never returned: what a specification can know before anything is run.
pub fn calls_as_operations(alphabet: &Alphabet) -> Vec<Operation> {
    let operation = |call: &String| {
        let (name, arguments) = call_of(call);
        Operation::new(0, name, Args::positional(arguments), Timebox::pending(0))
    };
    alphabet.calls().iter().map(operation).collect()
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
