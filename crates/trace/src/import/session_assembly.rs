//! Transactions of sessions, put together from their reads and writes.
//!
//! Each transaction becomes one operation `txn`. Where a file has no times, its vector clock is the number of its session's transactions so
//! far: the only order that such files tell, so that nothing is concluded from times.

use std::collections::VecDeque;
use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::{Args, Call, Location, Operation, OperationName, Time, Timebox};

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Committed,
    Aborted,
    /// The file ends before it says so.
    Unknown,
}

/// A transaction while it is read.
pub(super) struct OpenTransaction {
    /// Its number in the file, where it has one.
    pub(super) number: i64,
    accesses: Vec<Value>,
    /// When it ran, if the file says so.
    pub(super) times: Option<(Time, Option<Time>)>,
    location: Location,
}

/// The sessions of a file.
#[derive(Default)]
pub(super) struct SessionAssembly {
    /// The name of the only session, where each has a file of its own.
    thread: Option<Value>,
    /// The names of sessions, where they are not their numbers.
    pub(super) names: FxHashMap<i64, Value>,
    pub(super) open: FxHashMap<i64, OpenTransaction>,
    /// How many transactions of each session are done.
    done: FxHashMap<i64, i64>,
    ready: VecDeque<Operation>,
    ordinal: Time,
}

impl SessionAssembly {
    /// The only session of a file, if it has a name.
    pub(super) fn of_thread(thread: Option<Value>) -> Self {
        Self {
            thread,
            ..Self::default()
        }
    }

    /// The transaction of a session that is open, or a new one.
    pub(super) fn begin(
        &mut self,
        session: i64,
        number: i64,
        location: impl FnOnce() -> Location,
    ) -> &mut OpenTransaction {
        self.open.entry(session).or_insert_with(|| OpenTransaction {
            number,
            accesses: Vec::new(),
            times: None,
            location: location(),
        })
    }

    /// The open transaction of a session is over.
    pub(super) fn finish(&mut self, session: i64, ending: Ending) {
        let Some(open) = self.open.remove(&session) else {
            return;
        };
        let done = self.done.entry(session).or_default();
        *done += 1;
        self.ordinal += 1;
        let accesses = Value::tuple(open.accesses);
        let args = Args::named([("value", accesses.clone())]);
        let is_timed = open.times.is_some();
        let (start, end) = open.times.unwrap_or((self.ordinal, Some(self.ordinal)));
        let timebox = match end.filter(|_| ending != Ending::Unknown) {
            Some(end) => Timebox::new(start, end),
            None => Timebox::pending(start),
        };
        let clock = Value::record([(session.to_string(), Value::int(*done))]);
        let call = Call {
            ret: Some(accesses).filter(|_| !timebox.is_pending()),
            aborted: ending == Ending::Aborted,
            clock: Some(clock).filter(|_| !is_timed),
            ..Call::new(OperationName::new("txn"), args)
        };
        self.ready.push_back(Operation {
            thread: { self.thread.as_ref().or(self.names.get(&session)).cloned() }
                .unwrap_or_else(|| session.to_string().into()),
            call: Arc::new(call),
            timebox,
            location: open.location,
        });
    }

    /// The end of the file ends what is open, in the order of sessions.
    pub(super) fn finish_all(&mut self, ending: Ending) {
        let mut sessions: Vec<i64> = self.open.keys().copied().collect();
        sessions.sort_unstable();
        for session in sessions {
            self.finish(session, ending);
        }
    }

    /// The next transaction that is over.
    pub(super) fn pop(&mut self) -> Option<Arc<Operation>> {
        self.ready.pop_front().map(Arc::new)
    }
}

impl OpenTransaction {
    /// Whether it does nothing but write to keys what they hold at first.
    pub(super) fn is_initial(&self) -> bool {
        let writes_nothing = |access: &Value| matches!(access.as_tuple(), Some([name, _, value]) if name.as_str() == Some("w") && value.is_null());
        self.accesses.iter().all(writes_nothing)
    }

    pub(super) fn access(&mut self, name: &str, key: Value, value: Value) {
        self.push(Value::tuple([Value::from(name), key, value]));
    }

    /// An access as a list, such as `["r", 1, 5]`.
    pub(super) fn push(&mut self, access: Value) {
        self.accesses.push(access);
    }
}
