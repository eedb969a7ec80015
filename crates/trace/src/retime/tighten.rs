//! The rule `tighten`: narrows timeboxes by known synchronisation.
//!
//! Assumption: the call of `b` came after the return of `a`, because `b` had received a message that `a` sent. Let `e(x)` be
//! the time of the effect of `x`, which lies in its timebox and between its call and return. Then
//! `a.start <= e(a) <= e(b) <= b.end`, so
//!
//! - `b.start` may be raised to `a.start`, because `e(b) >= e(a) >= a.start`, and
//! - `a.end` may be lowered to `b.end`, because `e(a) <= e(b) <= b.end`.
//!
//! Neither excludes a possible time of an effect, so every true explanation survives. Raised starts and lowered ends are
//! bounds of the same kind, so they propagate from operation to operation. More would not be sound: if `a` and `b` still
//! overlap, any time chosen to separate them would also separate one of them from a third operation.
//!
//! ```text
//! a  |----------------------|              a  |----------------|
//! b       |------------|            =>     b       |-----------|      a may not end after b,
//! c  |--------------|                      c       |-----------|      nor c (which received from b) start before b
//! ```
//!
//! An operation that never returned sent nothing *after its return*, so its `sent` is ignored; it may have received.
//!
//! Memory grows with the operations that are open at one time. Once the starts have passed the end of `x`, all further
//! operations start after it and cannot narrow it. A pending operation has no end; it is released as soon as the starts have
//! passed its own, so a sender that starts later does not narrow it. That loses precision, not soundness.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::note::Notes;
use crate::stream::OperationStream;
use crate::{Location, Note, Operation, OperationName, Problem, Time, TraceError};

/// The number of an operation in the trace.
type Index = u64;

pub(super) struct Tighten {
    operations: Box<dyn OperationStream>,
    sent: String,
    received: String,
    notes: Notes,
    /// Operations that may still be narrowed, by their number.
    open: BTreeMap<Index, OpenOperation>,
    /// When each open operation can be released: its recorded end. The operations of a thread are released in their order,
    /// which keeps that order if narrowing makes their starts equal.
    ends: BTreeSet<(Time, Index)>,
    senders: FxHashMap<Value, Index>,
    receivers: FxHashMap<Value, Vec<Index>>,
    /// Messages that released operations received. If one is sent later, the trace contradicts the assumption. Cleared at
    /// [`RELEASED_MAX`], so that memory does not grow with the trace.
    released: FxHashMap<Value, (Location, OperationName)>,
    ready: VecDeque<Arc<Operation>>,
    count: Index,
}

const RELEASED_MAX: usize = 1 << 16;

struct OpenOperation {
    operation: Arc<Operation>,
    sent: Vec<Value>,
    received: Vec<Value>,
    /// Operations that were called after this one returned, and those that returned before this one was called.
    later: Vec<Index>,
    earlier: Vec<Index>,
}

impl Tighten {
    pub(super) fn new(
        operations: Box<dyn OperationStream>,
        sent: String,
        received: String,
        notes: Notes,
    ) -> Self {
        Self {
            operations,
            sent,
            received,
            notes,
            open: BTreeMap::new(),
            ends: BTreeSet::new(),
            senders: FxHashMap::default(),
            receivers: FxHashMap::default(),
            released: FxHashMap::default(),
            ready: VecDeque::new(),
            count: 0,
        }
    }

    /// Adds the next operation in order of start.
    fn add(&mut self, operation: Arc<Operation>) -> Result<(), TraceError> {
        self.release_before(operation.timebox.start);
        let messages = |field: &str| messages(operation.meta.as_ref().and_then(|meta| meta.field(field)));
        let sent = if operation.timebox.is_pending() {
            Vec::new()
        } else {
            messages(&self.sent)
        };
        let received = messages(&self.received);
        let index = self.count;
        self.count += 1;
        self.ends
            .insert((operation.timebox.end.unwrap_or(operation.timebox.start), index));
        self.connect(
            index,
            OpenOperation {
                operation,
                sent,
                received,
                later: Vec::new(),
                earlier: Vec::new(),
            },
        )
    }

    fn connect(&mut self, index: Index, added: OpenOperation) -> Result<(), TraceError> {
        let mut edges = Vec::new();
        for message in &added.sent {
            if let Some(other) = self
                .senders
                .insert(message.clone(), index)
                .and_then(|other| self.open.get(&other))
            {
                let (message, earlier) = (message.clone(), other.operation.location.clone());
                let location = added.operation.location.clone();
                return Err(TraceError::new(location, Problem::SentTwice { message, earlier }));
            }
            if let Some((location, op)) = self.released.remove(message) {
                self.notes.push(Note::Contradiction { location, op });
            }
            edges.extend(
                self.receivers
                    .get(message)
                    .into_iter()
                    .flatten()
                    .map(|&receiver| (index, receiver)),
            );
        }
        for message in &added.received {
            self.receivers.entry(message.clone()).or_default().push(index);
            edges.extend(
                self.senders
                    .get(message)
                    .filter(|&&sender| sender != index)
                    .map(|&sender| (sender, index)),
            );
        }
        self.open.insert(index, added);
        for (earlier, later) in edges {
            self.order(earlier, later);
        }
        Ok(())
    }

    /// Records that `later` was called after `earlier` returned, and narrows all timeboxes that follow from it.
    fn order(&mut self, earlier: Index, later: Index) {
        let (Some(first), Some(second)) = (self.open.get(&earlier), self.open.get(&later)) else {
            return;
        };
        if first.operation.thread == second.operation.thread {
            return;
        }
        let (start, end) = (first.operation.timebox.start, second.operation.timebox.end);
        if end.is_some_and(|end| start > end) {
            let (location, op) = (second.operation.location.clone(), second.operation.name.clone());
            self.notes.push(Note::Contradiction { location, op });
            return;
        }
        if let Some(first) = self.open.get_mut(&earlier) {
            first.later.push(later);
        }
        if let Some(second) = self.open.get_mut(&later) {
            second.earlier.push(earlier);
        }
        self.raise(later, start);
        if let Some(end) = end {
            self.lower(earlier, end);
        }
    }

    /// Raises the start of an operation and of those that were called after it returned.
    fn raise(&mut self, index: Index, start: Time) {
        let mut work = vec![(index, start)];
        while let Some((index, start)) = work.pop() {
            let Some(open) = self.open.get_mut(&index) else {
                continue;
            };
            // A start beyond the end would contradict the assumption: leave the timebox as it is.
            let timebox = &mut Arc::make_mut(&mut open.operation).timebox;
            if timebox.start < start && timebox.end.is_none_or(|end| start <= end) {
                timebox.start = start;
                work.extend(open.later.iter().map(|&later| (later, start)));
            }
        }
    }

    /// Lowers the end of an operation and of those that returned before it was called.
    fn lower(&mut self, index: Index, end: Time) {
        let mut work = vec![(index, end)];
        while let Some((index, end)) = work.pop() {
            let Some(open) = self.open.get_mut(&index) else {
                continue;
            };
            let timebox = &mut Arc::make_mut(&mut open.operation).timebox;
            if timebox.end.is_some_and(|later| later > end) && end >= timebox.start {
                timebox.end = Some(end);
                work.extend(open.earlier.iter().map(|&earlier| (earlier, end)));
            }
        }
    }

    /// Releases the operations that ended before `start`.
    fn release_before(&mut self, start: Time) {
        while let Some(&(end, index)) = self.ends.first().filter(|(end, _)| *end < start) {
            self.ends.remove(&(end, index));
            self.release(index);
        }
    }

    fn release(&mut self, index: Index) {
        let Some(open) = self.open.remove(&index) else {
            return;
        };
        for message in &open.sent {
            self.senders.remove(message);
        }
        if self.released.len() >= RELEASED_MAX {
            self.released.clear();
        }
        for message in &open.received {
            self.released.insert(
                message.clone(),
                (open.operation.location.clone(), open.operation.name.clone()),
            );
            if let Some(receivers) = self.receivers.get_mut(message) {
                receivers.retain(|&receiver| receiver != index);
                if receivers.is_empty() {
                    self.receivers.remove(message);
                }
            }
        }
        self.ready.push_back(open.operation);
    }
}

impl OperationStream for Tighten {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        while self.ready.is_empty() {
            match self.operations.next()? {
                Some(operation) => self.add(operation)?,
                None if self.open.is_empty() => return Ok(None),
                None => {
                    while let Some((_, index)) = self.ends.pop_first() {
                        self.release(index);
                    }
                }
            }
        }
        Ok(self.ready.pop_front())
    }
}

/// One message, or the messages of a set.
fn messages(value: Option<&Value>) -> Vec<Value> {
    match value {
        None => Vec::new(),
        Some(value) => value
            .as_set()
            .map_or_else(|| vec![value.clone()], <[Value]>::to_vec),
    }
}
