//! Tightening timeboxes by known synchronisation.
//!
//! Told is: the call of `b` came after the return of `a` (a message said so). Let `e(x)` be the time of the effect of
//! `x`, which lies in its timebox and between its call and return. Then `a.start <= e(a) <= e(b) <= b.end`, so
//!
//! - `b.start` may be raised to `a.start`, because `e(b) >= e(a) >= a.start`, and
//! - `a.end` may be lowered to `b.end`, because `e(a) <= e(b) <= b.end`.
//!
//! Neither excludes a time at which an effect can truly have happened, so every true explanation survives; and raised
//! starts and lowered ends are again bounds of the same kind, so they may be passed on from operation to operation.
//! More would not be sound: where `a` and `b` still overlap, any time chosen to part them would also part either from
//! some third operation.
//!
//! ```text
//! a  |----------------------|              a  |----------------|
//! b       |------------|            =>     b       |-----------|      a may not end after b,
//! c  |--------------|                      c       |-----------|      nor c (which waited for b) start before b …
//! ```
//!
//! An operation that never returned sent nothing *after it returned*, so its `sent` is passed over; it may have received.
//!
//! Memory is the operations that are open at one point of the trace: once the starts have passed the end of `x`, what
//! is still to come starts after it and can narrow it no further. A pending operation would be held for ever; it is let
//! go as soon as the starts have passed its own, so a sender that starts later does not narrow it, which loses precision
//! and nothing else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::note::Notes;
use crate::records::Records;
use crate::{Name, Note, Operation, Place, Problem, Time, TraceError};

/// The number of an operation in the trace.
type Index = u64;

pub(super) struct Tighten {
    records: Box<dyn Records>,
    sent: String,
    received: String,
    notes: Notes,
    /// Operations that may still be narrowed, by their number.
    held: BTreeMap<Index, Held>,
    /// When each held operation can be let go: its end as it was recorded. The operations of a thread are let go in
    /// their order, which keeps them in order where narrowing makes their starts equal.
    ends: BTreeSet<(Time, Index)>,
    senders: FxHashMap<Value, Index>,
    receivers: FxHashMap<Value, Vec<Index>>,
    /// Messages of receivers that were let go. Should one be sent only now, what was told cannot be true. Forgotten now
    /// and then, so that memory does not grow with the trace.
    gone: FxHashMap<Value, (Place, Name)>,
    ready: VecDeque<Arc<Operation>>,
    count: Index,
}

const GONE_MAX: usize = 1 << 16;

struct Held {
    operation: Arc<Operation>,
    sent: Vec<Value>,
    received: Vec<Value>,
    /// Operations known to have been called after this one returned, and the other way round.
    later: Vec<Index>,
    earlier: Vec<Index>,
}

impl Tighten {
    pub(super) fn new(records: Box<dyn Records>, sent: String, received: String, notes: Notes) -> Self {
        Self {
            records,
            sent,
            received,
            notes,
            held: BTreeMap::new(),
            ends: BTreeSet::new(),
            senders: FxHashMap::default(),
            receivers: FxHashMap::default(),
            gone: FxHashMap::default(),
            ready: VecDeque::new(),
            count: 0,
        }
    }

    /// Takes the next operation in order of start.
    fn take(&mut self, operation: Arc<Operation>) -> Result<(), TraceError> {
        self.release(operation.timebox.start);
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
        let place = operation.place.clone();
        self.connect(
            index,
            Held {
                operation,
                sent,
                received,
                later: Vec::new(),
                earlier: Vec::new(),
            },
            place,
        )
    }

    fn connect(&mut self, index: Index, held: Held, place: Place) -> Result<(), TraceError> {
        let mut edges = Vec::new();
        for message in &held.sent {
            if let Some(other) = self
                .senders
                .insert(message.clone(), index)
                .and_then(|other| self.held.get(&other))
            {
                let (message, earlier) = (message.clone(), other.operation.place.clone());
                return Err(TraceError::new(place, Problem::SentTwice { message, earlier }));
            }
            if let Some((place, op)) = self.gone.remove(message) {
                self.notes.push(Note::Contradiction { place, op });
            }
            edges.extend(
                self.receivers
                    .get(message)
                    .into_iter()
                    .flatten()
                    .map(|&receiver| (index, receiver)),
            );
        }
        for message in &held.received {
            self.receivers.entry(message.clone()).or_default().push(index);
            edges.extend(
                self.senders
                    .get(message)
                    .filter(|&&sender| sender != index)
                    .map(|&sender| (sender, index)),
            );
        }
        self.held.insert(index, held);
        for (earlier, later) in edges {
            self.order(earlier, later);
        }
        Ok(())
    }

    /// Notes that `later` was called after `earlier` returned, and narrows all that follows from it.
    fn order(&mut self, earlier: Index, later: Index) {
        let (Some(first), Some(second)) = (self.held.get(&earlier), self.held.get(&later)) else {
            return;
        };
        if first.operation.thread == second.operation.thread {
            return;
        }
        let (start, end) = (first.operation.timebox.start, second.operation.timebox.end);
        if end.is_some_and(|end| start > end) {
            let (place, op) = (second.operation.place.clone(), second.operation.name.clone());
            self.notes.push(Note::Contradiction { place, op });
            return;
        }
        if let Some(first) = self.held.get_mut(&earlier) {
            first.later.push(later);
        }
        if let Some(second) = self.held.get_mut(&later) {
            second.earlier.push(earlier);
        }
        self.raise(later, start);
        if let Some(end) = end {
            self.lower(earlier, end);
        }
    }

    /// Raises the start of an operation, and of all that were called after it returned.
    fn raise(&mut self, index: Index, start: Time) {
        let mut work = vec![(index, start)];
        while let Some((index, start)) = work.pop() {
            let Some(held) = self.held.get_mut(&index) else {
                continue;
            };
            // A start beyond the end would mean that something told is not true: better to leave it alone.
            let timebox = &mut Arc::make_mut(&mut held.operation).timebox;
            if timebox.start < start && timebox.end.is_none_or(|end| start <= end) {
                timebox.start = start;
                work.extend(held.later.iter().map(|&later| (later, start)));
            }
        }
    }

    /// Lowers the end of an operation, and of all that had returned before it was called.
    fn lower(&mut self, index: Index, end: Time) {
        let mut work = vec![(index, end)];
        while let Some((index, end)) = work.pop() {
            let Some(held) = self.held.get_mut(&index) else {
                continue;
            };
            let timebox = &mut Arc::make_mut(&mut held.operation).timebox;
            if timebox.end.is_some_and(|later| later > end) && end >= timebox.start {
                timebox.end = Some(end);
                work.extend(held.earlier.iter().map(|&earlier| (earlier, end)));
            }
        }
    }

    /// Lets go of the operations that ended before `start`.
    fn release(&mut self, start: Time) {
        while let Some(&(end, index)) = self.ends.first().filter(|(end, _)| *end < start) {
            self.ends.remove(&(end, index));
            self.let_go(index);
        }
    }

    fn let_go(&mut self, index: Index) {
        let Some(held) = self.held.remove(&index) else {
            return;
        };
        for message in &held.sent {
            self.senders.remove(message);
        }
        if self.gone.len() >= GONE_MAX {
            self.gone.clear();
        }
        for message in &held.received {
            self.gone.insert(
                message.clone(),
                (held.operation.place.clone(), held.operation.name.clone()),
            );
            if let Some(receivers) = self.receivers.get_mut(message) {
                receivers.retain(|&receiver| receiver != index);
                if receivers.is_empty() {
                    self.receivers.remove(message);
                }
            }
        }
        self.ready.push_back(held.operation);
    }
}

impl Records for Tighten {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        while self.ready.is_empty() {
            match self.records.next()? {
                Some(operation) => self.take(operation)?,
                None if self.held.is_empty() => return Ok(None),
                None => {
                    while let Some((_, index)) = self.ends.pop_first() {
                        self.let_go(index);
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
