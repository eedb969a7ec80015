//! Calls and returns as they happen, for systems that are still running.
//!
//! The search wants an operation's result when it opens it. A call therefore waits until it is known what became of it;
//! everything before it has been checked by then. So the answer lags behind by the longest open call, and an operation
//! that will never return should be reported as [`Event::Lost`].
//!
//! An event is answered with a bounded amount of work. Where very much is open at once that may not be enough: then
//! operations wait, each later event does some of the work, and [`Monitor::finish`] does the rest, within the limits.

use std::collections::VecDeque;

use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::checker::Checker;
use crate::evidence::Outcome;
use crate::model::Model;
use crate::operation::Operation;
use crate::options::Options;
use crate::partition::Partitioning;
use crate::progress::{CheckError, Progress};

/// Something that happened. Events are given in the order in which they happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<O> {
    /// An operation was called.
    Call {
        /// The caller's name for this call, to find it again: unused by any other open call.
        call: u64,
        /// Who called. Calls of one thread may overlap; they are then not ordered.
        thread: u32,
        /// The operation as the model knows it when the result is never seen.
        op: O,
    },
    /// An operation was called that the model cannot tell without its result, such as a read. Should it be lost, it is left
    /// out: so this is for operations that change nothing, and [`Event::Call`] for all others.
    CallForResult {
        /// The caller's name for this call.
        call: u64,
        /// Who called.
        thread: u32,
    },
    /// An operation returned.
    Return {
        /// Which call.
        call: u64,
        /// The operation with its result.
        op: O,
    },
    /// An operation will never be seen to return: it may take effect at any later time, or not at all.
    Lost {
        /// Which call.
        call: u64,
    },
}

/// Why an event cannot be used.
#[derive(Debug, Error)]
pub enum EventError {
    /// A call that is open already was called again.
    #[error("event {event}: call {call} is open already: give every open call a name of its own")]
    AlreadyOpen {
        /// The event's position.
        event: u64,
        /// The call's name.
        call: u64,
    },
    /// A return (or loss) without a call, or the second one of a call.
    #[error("event {event}: call {call} is not open: it was never called, or it has returned already")]
    NotOpen {
        /// The event's position.
        event: u64,
        /// The call's name.
        call: u64,
    },
    /// The check itself failed.
    #[error(transparent)]
    Check(#[from] CheckError),
}

struct Waiting<O> {
    thread: u32,
    start: Time,
    /// `None` if it cannot be told without its result.
    op: Option<O>,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Returned(Time),
    Lost,
}

/// Checks a stream of calls and returns.
///
/// ```
/// # use omnilink_engine::{Event, Model, Monitor, Options, Outcomes};
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
/// let mut monitor = Monitor::new(&Register, Options::default());
/// monitor.feed(Event::Call { call: 1, thread: 0, op: Op::Write(7) })?;
/// monitor.feed(Event::Call { call: 2, thread: 1, op: Op::Read(None) })?;
/// monitor.feed(Event::Return { call: 2, op: Op::Read(Some(7)) })?;
/// monitor.feed(Event::Return { call: 1, op: Op::Write(7) })?;
/// assert!(monitor.finish()?.conclusion.is_valid());
/// # Ok::<(), omnilink_engine::EventError>(())
/// ```
pub struct Monitor<'m, M: Model> {
    checker: Checker<'m, M>,
    waiting: VecDeque<Waiting<M::Op>>,
    /// The number of the first waiting call, counted over all calls.
    first: u64,
    /// Open calls by name, to their number.
    open: FxHashMap<u64, u64>,
    events: u64,
}

impl<M: Model> std::fmt::Debug for Monitor<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Monitor")
            .field("checker", &self.checker)
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> Monitor<'m, M> {
    /// A monitor for a system in one of the model's initial states. Everything is checked together: a live system cannot
    /// be asked to start over when parts turn out to belong together.
    pub fn new(model: &'m M, options: Options) -> Self {
        Self::with_partitioning(model, options, Partitioning::Whole)
    }

    /// A monitor that checks parts apart, where it is known that no operation will ever span them.
    pub fn with_partitioning(model: &'m M, options: Options, partitioning: Partitioning) -> Self {
        Self {
            checker: Checker::with_partitioning(model, options, partitioning).eager(),
            waiting: VecDeque::new(),
            first: 0,
            open: FxHashMap::default(),
            events: 0,
        }
    }

    /// Takes the next event. `Decided` means that no later event can change the answer.
    ///
    /// # Errors
    /// If the event does not fit the ones before.
    pub fn feed(&mut self, event: Event<M::Op>) -> Result<Progress, EventError> {
        let now = self.events as Time;
        self.events += 1;
        match event {
            Event::Call { call, thread, op } => self.call(call, thread, Some(op), now)?,
            Event::CallForResult { call, thread } => self.call(call, thread, None, now)?,
            Event::Return { call, op } => {
                let waiting = self.resolve(call, now)?;
                waiting.op = Some(op);
                waiting.fate = Fate::Returned(now);
            }
            Event::Lost { call } => self.resolve(call, now)?.fate = Fate::Lost,
        }
        self.pass_on(false)
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
        self.waiting.push_back(Waiting {
            thread,
            start: now,
            op,
            fate: Fate::Open,
        });
        Ok(())
    }

    fn resolve(&mut self, call: u64, now: Time) -> Result<&mut Waiting<M::Op>, EventError> {
        let number = self.open.remove(&call).ok_or(EventError::NotOpen {
            event: now as u64,
            call,
        })?;
        Ok(&mut self.waiting[(number - self.first) as usize])
    }

    fn pass_on(&mut self, ending: bool) -> Result<Progress, EventError> {
        let mut progress = Progress::Going;
        while let Some(front) = self.waiting.front() {
            let timebox = match front.fate {
                Fate::Open if !ending => break,
                Fate::Open | Fate::Lost => Timebox::pending(front.start),
                Fate::Returned(end) => Timebox::new(front.start, end),
            };
            let Some(Waiting { thread, op, .. }) = self.waiting.pop_front() else {
                break;
            };
            self.first += 1;
            let Some(op) = op else { continue };
            // No two events happen at the same time, so no operation starts where another one ends.
            progress = self
                .checker
                .push_followed(Operation::new(thread, op, timebox), false)?;
            if progress != Progress::Going {
                break;
            }
        }
        Ok(progress)
    }

    /// The answer. Calls that are still open may or may not have taken effect.
    ///
    /// # Errors
    /// Those of [`Checker::finish`].
    pub fn finish(mut self) -> Result<Outcome, EventError> {
        self.pass_on(true)?;
        Ok(self.checker.finish()?)
    }
}
