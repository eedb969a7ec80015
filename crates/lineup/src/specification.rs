//! Specifications other than the component's own serial runs.
//!
//! A specification is any sequential model, with any consistency condition. This crate does not know which models there are
//! (shipped ones, TLA+ specifications): it is given a [function](Specification::new), which [`explain_by`] makes of a model. So the
//! search is compiled only for models that a program uses.
//!
//! The component's serial runs are then runs like all others. A model does not say when a call may block, so a stuck call counts
//! as one that may or may not have taken effect. If no call may ever block, use [`Blocking::Never`](crate::Blocking).

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use omnilink_consistency::{
    Decoder, Guarantee, RecordedCheckError, RecordedHistory, UnknownConsistency, WeakChecker, WeakOptions,
    check_recorded,
};
use omnilink_engine::{CheckError, Conclusion, Consistency, Limits, Model, Options, TimedOp, check};
use omnilink_evidence::{Limit, Verdict};
use omnilink_report::{Look, visibility_reason};
use omnilink_sched::StopConditions;
use omnilink_trace::{Args, Location, Operation, Time, Timebox};
use thiserror::Error;

use crate::alphabet::Alphabet;
use crate::history::{CallHistory, HistoryEvent};
use crate::notation::{call_of, is_huge, value_of};
use crate::options::{limit_reached, search_limits};
use crate::verdict::Why;
use crate::words::Words;

/// Why a specification gives no verdict.
#[derive(Debug, Error)]
pub enum SpecificationError {
    /// The specification does not have this call or result.
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
    /// A limit or an interrupt ended the search.
    #[error("the {} limit ended the search for an explanation", .0.word())]
    Limit(Limit),
}

/// Why nothing explains these operations, or `None` if something does.
pub type SpecificationResult = Result<Option<Why>, SpecificationError>;

/// What a specification requires of histories.
#[derive(Clone, Debug)]
pub enum CorrectnessCondition {
    /// One order of all calls: linearizable or sequential.
    Order(Consistency),
    /// A weak consistency level.
    Weak(Guarantee),
}

impl CorrectnessCondition {
    /// The condition with this name: `linearizable`, `sequential`, `causal` ….
    ///
    /// # Errors
    /// When there is none.
    pub fn from_name(name: &str) -> Result<Self, UnknownConsistency> {
        Ok(match name {
            "linearizable" => Self::Order(Consistency::Linearizable),
            "sequential" => Self::Order(Consistency::Sequential),
            name => Self::Weak(Guarantee::from_name(name)?),
        })
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Order(Consistency::Linearizable) => "linearizable".to_owned(),
            Self::Order(Consistency::Sequential) => "sequential".to_owned(),
            Self::Weak(question) => question.name(),
        }
    }
}

/// Something that explains histories, such as a model.
pub struct Specification {
    name: String,
    explain: Box<dyn Fn(Vec<Operation>) -> SpecificationResult + Send + Sync>,
}

impl fmt::Debug for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specification")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Specification {
    /// A specification that explains by a function; see [`explain_by`].
    pub fn new(
        name: impl Into<String>,
        explain: impl Fn(Vec<Operation>) -> SpecificationResult + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            explain: Box::new(explain),
        }
    }

    /// A specification that is evaluated in a thread of its own, such as one that needs a deep stack. `work` answers requests there
    /// until the specification is dropped; if it cannot begin, it returns why.
    pub fn in_a_thread(
        name: impl Into<String>,
        work: impl FnOnce(&Requests) -> Result<(), String> + Send + 'static,
    ) -> Self {
        let (sender, receiver) = channel::<Pending>();
        thread::spawn(move || {
            let requests = Requests(Mutex::new(receiver));
            if let Err(reason) = work(&requests) {
                requests.answer(|_| Err(SpecificationError::Failed(reason.clone())));
            }
        });
        Self::new(name, move |operations| {
            let (reply, replied) = channel();
            let is_sent = sender.send(Pending { operations, reply }).is_ok();
            let answer = is_sent.then(|| replied.recv().ok()).flatten();
            answer.unwrap_or_else(|| {
                let message =
                    "internal error, please report it: the thread that evaluates the specification is gone";
                Err(SpecificationError::Failed(message.to_owned()))
            })
        })
    }

    /// Its name, for reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why nothing explains `history`, or `None` if something does.
    pub(crate) fn explain(&self, history: &CallHistory, words: Words<'_>) -> SpecificationResult {
        self.judged(operations_of(history, words))
    }

    fn judged(&self, operations: Vec<Operation>) -> SpecificationResult {
        match (self.explain)(operations.clone()) {
            Err(error @ SpecificationError::Decode(_)) => self.explain_huge(operations, error),
            explained => explained,
        }
    }

    /// Judges operations that the specification does not have.
    ///
    /// If that is so only because of results that are no numbers of 64 bits, the specification does not allow them: it can be asked about
    /// the same calls without these results, and no state of it has such a number. Any other error stays one.
    fn explain_huge(&self, mut operations: Vec<Operation>, error: SpecificationError) -> SpecificationResult {
        let mut impossible = None;
        for operation in &mut operations {
            let Some(result) = operation.ret.take_if(|result| is_huge(result)) else {
                continue;
            };
            let number = result.as_model().unwrap_or_default();
            impossible.get_or_insert_with(|| {
                Why::Specification(format!(
                    "{} = {number}: no number of the specification is as large as that (they have 64 bits with a sign).\n",
                    operation.name
                ))
            });
        }
        match (impossible, (self.explain)(operations)) {
            (Some(why), Ok(_)) => Ok(Some(why)),
            (Some(_), Err(limit @ SpecificationError::Limit(_))) => Err(limit),
            _ => Err(error),
        }
    }
}

/// A request with the channel for its answer.
struct Pending {
    operations: Vec<Operation>,
    reply: Sender<SpecificationResult>,
}

/// The requests to a specification in a thread of its own.
pub struct Requests(Mutex<Receiver<Pending>>);

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

impl Requests {
    /// Answers requests until the specification is dropped.
    pub fn answer(&self, mut explain: impl FnMut(Vec<Operation>) -> SpecificationResult) {
        let receiver = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Pending { operations, reply } in &*receiver {
            // The caller may have stopped waiting.
            let _ = reply.send(explain(operations));
        }
    }
}

/// A model as a specification.
#[derive(Debug)]
pub struct ModelSpecification<'a, M, D> {
    /// The model.
    pub model: &'a M,
    /// Converts the calls of a component to operations of the model.
    pub decoder: &'a D,
    /// The names of its operations.
    pub methods: &'a [&'a str],
    /// What is required of histories.
    pub condition: &'a CorrectnessCondition,
    /// Limits on time and memory, and an interrupt.
    pub stop: StopConditions,
}

/// Explains operations by a model.
///
/// # Errors
/// When the model does not have them, or fails, or a limit is reached.
pub fn explain_by<M: Model, D: Decoder<M::Op>>(
    specification: &ModelSpecification<'_, M, D>,
    operations: Vec<Operation>,
) -> SpecificationResult {
    let limits = search_limits(&specification.stop);
    let explained = match specification.condition {
        CorrectnessCondition::Order(consistency) => {
            specification.by_engine(*consistency, limits, &operations)
        }
        CorrectnessCondition::Weak(question) => specification.by_weak_checker(question, limits, operations),
    };
    // A model that a limit stops in the middle of a step fails.
    match explained {
        Err(error) => Err(limit_reached(&specification.stop).map_or(error, SpecificationError::Limit)),
        explained => explained,
    }
}

impl<M: Model, D: Decoder<M::Op>> ModelSpecification<'_, M, D> {
    fn by_engine(
        &self,
        consistency: Consistency,
        limits: Limits,
        operations: &[Operation],
    ) -> SpecificationResult {
        let mut history = Vec::with_capacity(operations.len());
        let mut positions = Vec::with_capacity(operations.len());
        for (position, operation) in (0..).zip(operations) {
            let decoded = self.decoder.returned(operation);
            if let Some(op) = decoded.map_err(|error| SpecificationError::Decode(error.to_string()))? {
                let thread = operation.thread.as_int().unwrap_or_default() as u32;
                history.push(TimedOp::new(thread, op, operation.timebox));
                positions.push(position);
            }
        }
        let options = Options {
            consistency,
            limits,
            ..Options::default()
        };
        match check(self.model, history, options)?.conclusion {
            Conclusion::Violation(mut counterexample) => {
                // The engine numbers the operations it was given; a report numbers all calls, also those that are left out here.
                let given = usize::try_from(counterexample.op.id).ok();
                if let Some(position) = given.and_then(|given| positions.get(given)) {
                    counterexample.op.id = *position;
                }
                Ok(Some(Why::Results(counterexample)))
            }
            Conclusion::Valid(_) => Ok(None),
            Conclusion::Unknown(unfinished) => Err(SpecificationError::Limit(unfinished.limit)),
        }
    }

    fn by_weak_checker(
        &self,
        question: &Guarantee,
        limits: Limits,
        operations: Vec<Operation>,
    ) -> SpecificationResult {
        let recorded =
            RecordedHistory::from_operations("run", operations).map_err(RecordedCheckError::from)?;
        let mut checker = WeakChecker::new(self.model);
        let options = WeakOptions {
            limits,
            ..WeakOptions::default()
        };
        let evidence = check_recorded(
            &mut checker,
            &recorded,
            self.decoder,
            self.methods,
            question,
            &options,
        )?;
        let reason = visibility_reason(&evidence, &Look::plain());
        match evidence.verdict {
            Verdict::Valid => Ok(None),
            Verdict::Violation => Ok(Some(Why::Specification(reason))),
            // A history that is not decided is not explained.
            Verdict::Unknown | Verdict::Error => Err(SpecificationError::Failed(format!(
                "the search for an explanation was given up: {reason}"
            ))),
        }
    }
}

/// The calls of an alphabet as pending operations: what is known before anything is run.
pub fn calls_as_operations(alphabet: &Alphabet) -> Vec<Operation> {
    let operation = |call: &String| {
        let (name, arguments) = call_of(call);
        Operation::new(0, name, Args::positional(arguments), Timebox::pending(0))
    };
    alphabet.calls().iter().map(operation).collect()
}

/// The calls of a history as operations of a trace.
fn operations_of(history: &CallHistory, words: Words<'_>) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut slots = Vec::new();
    for (now, event) in (0 as Time..).zip(&history.events) {
        match *event {
            HistoryEvent::Call(slot) => {
                let call = words.call(slot);
                let (name, arguments) = call_of(call);
                let timebox = Timebox::pending(now);
                let thread = i64::from(slot.lane.number());
                let mut operation = Operation::new(thread, name, Args::positional(arguments), timebox);
                operation.location = Location::whole(format!("{call} of {}", slot.lane).as_str());
                slots.push(slot);
                operations.push(operation);
            }
            HistoryEvent::Return(slot, result) => {
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

#[cfg(test)]
mod tests {
    use omnilink_trace::{Args, Operation, Timebox};

    use super::{Specification, SpecificationError, SpecificationResult};
    use crate::notation::{is_huge, value_of};

    fn judged(
        explain: impl Fn(&[Operation]) -> SpecificationResult + Send + Sync + 'static,
        result: &str,
    ) -> SpecificationResult {
        let timebox = Timebox {
            end: Some(1),
            ..Timebox::pending(0)
        };
        let mut operation = Operation::new(0, "size", Args::positional(Vec::new()), timebox);
        operation.ret = value_of(result);
        Specification::new("test", move |operations| explain(&operations)).judged(vec![operation])
    }

    const HUGE: &str = "18446744073709551615";

    fn undecodable() -> SpecificationResult {
        Err(SpecificationError::Decode("not a number".to_owned()))
    }

    #[test]
    fn a_result_that_no_specification_has_is_a_violation_if_nothing_else_is_wrong() {
        let only_results = |operations: &[Operation]| {
            let is_odd = operations
                .iter()
                .any(|operation| operation.ret.as_ref().is_some_and(is_huge));
            if is_odd { undecodable() } else { Ok(None) }
        };
        assert!(matches!(judged(only_results, HUGE), Ok(Some(_))));
        assert!(matches!(judged(only_results, "3"), Ok(None)));
    }

    #[test]
    fn an_error_stays_an_error_whatever_is_returned() {
        let decode = judged(|_| undecodable(), HUGE);
        assert!(matches!(decode, Err(SpecificationError::Decode(_))));
        let failed = judged(|_| Err(SpecificationError::Failed("1 + TRUE".to_owned())), HUGE);
        assert!(matches!(failed, Err(SpecificationError::Failed(_))));
    }
}
