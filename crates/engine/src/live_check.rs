//! The live check: checks calls and returns of a running system as they happen.
//!
//! The search needs the result of an operation when it opens it. So a call waits until it returns or is lost, and the
//! verdict lags behind by the longest open call. An operation that will never return should be reported as
//! [`CallEvent::Lost`].
//!
//! Each event does a bounded amount of work. If many operations are open, that may not be enough. Then operations wait,
//! each later event does some of the work, and [`LiveCheck::finish`] does the rest within the limits.
//!
//! A model that is a collection ([`Model::collection_kind`]) is then also decided by a near-linear monitor
//! ([`check_as_collections`]): in `finish`, and before that at moments at which no call is open, each time the history has
//! doubled. Only then are the operations so far a history of their own: later calls cannot explain them. A near-linear monitor starts
//! from the initial state, so the operations are kept, up to [`KEPT_MAX`] of them; a longer history is left to the search.

use std::collections::VecDeque;
use std::time::Instant;

use omnilink_evidence::Limit;
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::checker::Checker;
use crate::collections::check_as_collections;
use crate::error::{CheckError, Progress};
use crate::evidence::{CheckOutcome, Conclusion};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::Options;
use crate::partition::Partitioning;
use crate::portfolio::may_ask_monitors;

/// The longest history that is kept for near-linear monitors.
const KEPT_MAX: usize = 1 << 18;

/// A call, a return, or the loss of a call. Events are given in the order in which they happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEvent<O> {
    /// An operation was called.
    Call {
        /// An id for this call that no other open call has.
        call: u64,
        /// The calling thread. Overlapping calls of one thread are not ordered.
        thread: u32,
        /// The operation without its result, for the case that it is lost.
        op: O,
    },
    /// An operation was called that the model cannot represent without its result, such as a read. If it is lost, it is
    /// left out. So this is for operations that change nothing; use [`CallEvent::Call`] for all others.
    CallForResult {
        /// An id for this call that no other open call has.
        call: u64,
        /// The calling thread.
        thread: u32,
    },
    /// An operation returned.
    Return {
        /// The id of the call.
        call: u64,
        /// The operation with its result.
        op: O,
    },
    /// A call will never return. It may take effect at any later time, or not at all.
    Lost {
        /// The id of the call.
        call: u64,
    },
}

/// Why an event cannot be used.
#[derive(Debug, Error)]
pub enum EventError {
    /// A call has the id of an open call.
    #[error("event {event}: call {call} is open already: give every open call a name of its own")]
    AlreadyOpen {
        /// The event's position.
        event: u64,
        /// The id of the call.
        call: u64,
    },
    /// A return or loss without a call, or the second one of a call.
    #[error("event {event}: call {call} is not open: it was never called, or it has returned already")]
    NotOpen {
        /// The event's position.
        event: u64,
        /// The id of the call.
        call: u64,
    },
    /// The check itself failed.
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// A call that was not given to the checker yet.
struct WaitingCall<O> {
    thread: u32,
    start: Time,
    /// `None` if the model cannot represent it without its result.
    op: Option<O>,
    status: CallStatus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallStatus {
    Open,
    Returned(Time),
    Lost,
}

/// Checks a stream of calls and returns.
///
/// ```
/// # use omnilink_engine::{CallEvent, LiveCheck, Model, Options, Outcomes};
/// # struct Register;
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// # enum Op { Write(i64), Read(Option<i64>) }
/// # impl Model for Register {
/// #     type State = i64;
/// #     type Op = Op;
/// #     fn initial(&self) -> Vec<i64> { vec![0] }
/// #     fn step(&self, state: &i64, op: &Op, outcomes: &mut Outcomes<i64>) {
/// #         match op {
/// #             Op::Write(value) => outcomes.accept(*value),
/// #             Op::Read(value) if value.is_none_or(|value| value == *state) => outcomes.accept(*state),
/// #             Op::Read(_) => {}
/// #         }
/// #     }
/// # }
/// let mut live = LiveCheck::new(&Register, Options::default());
/// live.feed(CallEvent::Call { call: 1, thread: 0, op: Op::Write(7) })?;
/// live.feed(CallEvent::Call { call: 2, thread: 1, op: Op::Read(None) })?;
/// live.feed(CallEvent::Return { call: 2, op: Op::Read(Some(7)) })?;
/// live.feed(CallEvent::Return { call: 1, op: Op::Write(7) })?;
/// assert!(live.finish()?.conclusion.is_valid());
/// # Ok::<(), omnilink_engine::EventError>(())
/// ```
pub struct LiveCheck<'m, M: Model> {
    checker: Checker<'m, M>,
    waiting: VecDeque<WaitingCall<M::Op>>,
    /// The number of the first waiting call, counting all calls.
    first: u64,
    /// The numbers of the open calls, by id.
    open: FxHashMap<u64, u64>,
    events: u64,
    /// What the search says.
    progress: Progress,
    kept: Option<KeptHistory<'m, M>>,
    /// What a near-linear monitor decided.
    decided: Option<CheckOutcome>,
}

/// All operations so far, for near-linear monitors.
struct KeptHistory<'m, M: Model> {
    model: &'m M,
    options: Options,
    started: Instant,
    operations: Vec<TimedOp<M::Op>>,
    /// How long the history is when it is tried again.
    next_size: usize,
}

impl<'m, M: Model> KeptHistory<'m, M> {
    fn new(model: &'m M, options: Options) -> Option<Self> {
        may_ask_monitors(model, &options).then(|| Self {
            model,
            options,
            started: Instant::now(),
            operations: Vec::new(),
            next_size: 0,
        })
    }

    /// The outcome, if a near-linear monitor decides the operations so far.
    fn outcome(&mut self) -> Result<Option<CheckOutcome>, CheckError> {
        self.next_size = 2 * self.operations.len();
        let options = Options {
            limits: self.options.limits.after(self.started.elapsed()),
            ..self.options
        };
        match check_as_collections(self.model, &self.operations, &options) {
            Ok(outcome) => outcome.map(Some),
            Err(_) => Ok(None),
        }
    }
}

impl<M: Model> std::fmt::Debug for LiveCheck<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveCheck")
            .field("checker", &self.checker)
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> LiveCheck<'m, M> {
    /// A check of a system in one of the model's initial states. All keys are checked as one part, because a running
    /// system cannot start over if an operation spans parts.
    pub fn new(model: &'m M, options: Options) -> Self {
        Self::with_partitioning(model, options, Partitioning::Whole)
    }

    /// A check of parts separately. No operation may span them.
    pub fn with_partitioning(model: &'m M, options: Options, partitioning: Partitioning) -> Self {
        Self {
            checker: Checker::with_partitioning(model, options, partitioning).eager(),
            waiting: VecDeque::new(),
            first: 0,
            open: FxHashMap::default(),
            events: 0,
            progress: Progress::Going,
            kept: KeptHistory::new(model, options),
            decided: None,
        }
    }

    /// Takes the next event. `Decided` means that no later event can change the verdict.
    ///
    /// # Errors
    /// If the event contradicts earlier ones.
    pub fn feed(&mut self, event: CallEvent<M::Op>) -> Result<Progress, EventError> {
        let now = self.events as Time;
        self.events += 1;
        match event {
            CallEvent::Call { call, thread, op } => self.call(call, thread, Some(op), now)?,
            CallEvent::CallForResult { call, thread } => self.call(call, thread, None, now)?,
            CallEvent::Return { call, op } => {
                let waiting = self.resolve(call, now)?;
                waiting.op = Some(op);
                waiting.status = CallStatus::Returned(now);
            }
            CallEvent::Lost { call } => self.resolve(call, now)?.status = CallStatus::Lost,
        }
        match self.forward(false)? {
            Progress::Going => self.try_near_linear(),
            progress => Ok(progress),
        }
    }

    /// Lets a near-linear monitor look for a violation, if the search is behind and it is time.
    fn try_near_linear(&mut self) -> Result<Progress, EventError> {
        if self.decided.is_some() {
            return Ok(Progress::Decided);
        }
        let is_quiet = self.open.is_empty() && self.waiting.is_empty();
        if is_quiet
            && self.is_hard()
            && let Some(kept) = &mut self.kept
            && kept.operations.len() >= kept.next_size
        {
            let outcome = kept.outcome()?;
            self.decided = outcome.filter(|outcome| matches!(outcome.conclusion, Conclusion::Violation(_)));
        }
        Ok(match self.decided {
            Some(_) => Progress::Decided,
            None => Progress::Going,
        })
    }

    fn call(&mut self, call: u64, thread: u32, op: Option<M::Op>, now: Time) -> Result<(), EventError> {
        let number = self.first + self.waiting.len() as u64;
        if self.open.contains_key(&call) {
            return Err(EventError::AlreadyOpen {
                event: now as u64,
                call,
            });
        }
        self.open.insert(call, number);
        self.waiting.push_back(WaitingCall {
            thread,
            start: now,
            op,
            status: CallStatus::Open,
        });
        Ok(())
    }

    fn resolve(&mut self, call: u64, now: Time) -> Result<&mut WaitingCall<M::Op>, EventError> {
        let number = self.open.remove(&call).ok_or(EventError::NotOpen {
            event: now as u64,
            call,
        })?;
        Ok(&mut self.waiting[(number - self.first) as usize])
    }

    /// Whether the search alone has not kept up.
    fn is_hard(&self) -> bool {
        self.checker.is_hard() || self.progress != Progress::Going
    }

    /// Whether later events can change the verdict. If the search has used up its configurations, a near-linear monitor may still decide.
    fn progress(&self) -> Progress {
        match self.checker.exhausted() {
            Some(Limit::Configurations) if self.kept.is_some() => Progress::Going,
            _ => self.progress,
        }
    }

    fn forward(&mut self, ending: bool) -> Result<Progress, EventError> {
        while let Some(front) = self.waiting.front() {
            let timebox = match front.status {
                CallStatus::Open if !ending => break,
                CallStatus::Open | CallStatus::Lost => Timebox::pending(front.start),
                CallStatus::Returned(end) => Timebox::new(front.start, end),
            };
            let Some(WaitingCall { thread, op, .. }) = self.waiting.pop_front() else {
                break;
            };
            self.first += 1;
            let Some(op) = op else { continue };
            let operation = TimedOp::new(thread, op, timebox);
            match &mut self.kept {
                Some(kept) if kept.operations.len() < KEPT_MAX => kept.operations.push(operation.clone()),
                kept => *kept = None,
            }
            // Events have distinct times, so no operation starts where another one ends.
            if self.progress == Progress::Going {
                self.progress = self.checker.push_followed(operation, false)?;
            }
            if self.progress() != Progress::Going {
                break;
            }
        }
        Ok(self.progress())
    }

    /// The outcome. Calls that are still open may or may not have taken effect.
    ///
    /// # Errors
    /// Those of [`Checker::finish`].
    pub fn finish(mut self) -> Result<CheckOutcome, EventError> {
        if let Some(outcome) = self.decided {
            return Ok(outcome);
        }
        if self.forward(true)? == Progress::Going
            && self.is_hard()
            && let Some(kept) = &mut self.kept
            && let Some(outcome) = kept.outcome()?
        {
            return Ok(outcome);
        }
        Ok(self.checker.finish()?)
    }
}
