//! The operations of a timeline, in columns.

use std::collections::BTreeMap;

use omnilink_evidence::{Evidence, ReportedOperation, ReportedTransaction, Subject, ThreadName, Violation};
use omnilink_trace::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// The id of a row that the evidence does not name.
const NO_ID: u32 = u32::MAX;
/// More threads than this share the last lane.
const THREADS_MAX: usize = 4096;

const PENDING: u8 = 1;
const ABORTED: u8 = 2;
const UNTIMED: u8 = 4;

/// Where operations without times are drawn: one after the other.
const UNTIMED_STEP: Time = 10;
const UNTIMED_LENGTH: Time = 8;

/// The operations that a page draws. `page/scene.js` reads what `columns` writes.
#[derive(Clone, Debug, Serialize)]
pub struct Timeline {
    rows: usize,
    /// The time to which all others are relative, as text: it may exceed what JavaScript calls a safe integer.
    base: String,
    /// `ns`, or empty where the unit is not known.
    unit: String,
    threads: Vec<String>,
    calls: Vec<String>,
    #[serde(skip)]
    sorted: Vec<Row>,
    #[serde(skip)]
    first: Time,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    start: Time,
    end: Option<Time>,
    call: u32,
    id: u32,
    thread: u16,
    flags: u8,
}

impl Timeline {
    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The moment at which the operation of a row returned, or was called if it never returned.
    pub fn moment(&self, row: usize) -> Option<Time> {
        let row = self.sorted.get(row)?;
        Some(row.end.unwrap_or(row.start))
    }

    /// The first time.
    pub(crate) fn first(&self) -> Time {
        self.first
    }

    /// `ns`, or empty where the unit is not known.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Appends the columns, each from a multiple of 8 on. Starts are written as differences and ends as lengths, which deflate well.
    pub(crate) fn columns(&self, bytes: &mut Vec<u8>) {
        let mut before = self.first;
        column(bytes, &self.sorted, |row| {
            let step = row.start.wrapping_sub(before) as f64;
            before = row.start;
            step.to_le_bytes()
        });
        column(bytes, &self.sorted, |row| {
            (row.end.map_or(0, |end| end.saturating_sub(row.start)) as f64).to_le_bytes()
        });
        column(bytes, &self.sorted, |row| row.call.to_le_bytes());
        column(bytes, &self.sorted, |row| row.id.to_le_bytes());
        column(bytes, &self.sorted, |row| row.thread.to_le_bytes());
        column(bytes, &self.sorted, |row| [row.flags]);
    }
}

fn column<const SIZE: usize>(bytes: &mut Vec<u8>, rows: &[Row], mut value: impl FnMut(&Row) -> [u8; SIZE]) {
    align(bytes);
    rows.iter().for_each(|row| bytes.extend_from_slice(&value(row)));
}

/// Fills up to a multiple of 8.
pub(crate) fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

/// An operation of the evidence that is looked for in a trace.
#[derive(Debug)]
struct Wanted {
    id: u32,
    /// `None` if it had not returned when the check ended.
    end: Option<Time>,
    place: Option<String>,
    text: String,
}

/// What tells an operation from others, with its end.
type ThreadAndStart = (ThreadName, Time);

/// Collects the operations of a timeline.
#[derive(Debug, Default)]
pub struct TimelineBuilder {
    threads: FxHashMap<ThreadName, usize>,
    calls: FxHashMap<String, u32>,
    rows: Vec<(Row, usize)>,
    /// Operations of the evidence that have not been met in the trace.
    wanted: FxHashMap<ThreadAndStart, Vec<Wanted>>,
    /// Where at least one was.
    met: FxHashSet<ThreadAndStart>,
    unit: String,
    /// Whether operations go by their numbers in the trace, as transactions without names do.
    is_numbered: bool,
}

impl TimelineBuilder {
    /// The timeline of the operations that some evidence names; `None` if it names none.
    pub fn of_evidence(evidence: &Evidence) -> Option<Timeline> {
        let mut known: Vec<ReportedOperation> = named_operations(evidence).into_values().collect();
        if let Some(isolation) = evidence
            .isolation
            .as_ref()
            .filter(|one| !one.transactions.is_empty())
        {
            known = isolation.transactions.iter().filter_map(as_operation).collect();
        }
        if evidence.subject == Subject::Log {
            in_order_of_explanation(&mut known, evidence);
        }
        (!known.is_empty()).then(|| Self::of_operations(&known, evidence.subject))
    }

    /// The timeline of some operations, one after the other if they have no times: those of a log's lines are positions.
    pub(crate) fn of_operations(operations: &[ReportedOperation], subject: Subject) -> Timeline {
        let mut builder = Self::default();
        let is_untimed = subject == Subject::Log || operations.iter().any(|op| op.start.is_none());
        for (rank, op) in operations.iter().enumerate() {
            let mut row = builder.row(&op.thread, &op.text);
            row.0.id = id_of(op.id);
            match (op.start, is_untimed) {
                (Some(start), false) => (row.0.start, row.0.end) = (start, op.end),
                _ => {
                    row.0.start = rank as Time * UNTIMED_STEP;
                    row.0.end = Some(row.0.start + UNTIMED_LENGTH);
                    row.0.flags |= UNTIMED;
                }
            }
            if op.pending {
                row.0.flags |= PENDING;
            }
            builder.rows.push(row);
        }
        builder.finish()
    }

    /// A timeline of a trace, whose operations are to be recognised in the evidence.
    pub fn of_trace(evidence: Option<&Evidence>, unit: &str) -> Self {
        let mut builder = Self {
            unit: unit.to_owned(),
            is_numbered: evidence.is_some_and(|evidence| evidence.subject == Subject::Transactions),
            ..Self::default()
        };
        let named = evidence.map(transactions_by_operation).unwrap_or_default();
        for mut op in evidence.map(named_operations).unwrap_or_default().into_values() {
            let Some(start) = op.start else { continue };
            if let Some(name) = named.get(&op.id) {
                op.text = format!("{name}: {}", op.text);
            }
            let key = (op.thread, start);
            builder.wanted.entry(key).or_default().push(Wanted {
                id: id_of(op.id),
                end: op.end,
                place: op.place,
                text: op.text,
            });
        }
        builder
    }

    /// Adds an operation of the trace.
    pub fn push(&mut self, op: &omnilink_trace::Operation) {
        let name = op
            .thread
            .as_str()
            .map_or_else(|| op.thread.to_string(), str::to_owned);
        let thread = ThreadName::Name(name);
        let mut row = self.row(&thread, &op.to_string());
        (row.0.start, row.0.end) = (op.timebox.start, op.timebox.end);
        if op.timebox.end.is_none() {
            row.0.flags |= PENDING;
        }
        if op.aborted {
            row.0.flags |= ABORTED;
        }
        if self.is_numbered {
            row.0.id = id_of(self.rows.len() as u64);
        }
        let key = (thread, op.timebox.start);
        if let Some(wanted) = self.wanted.get_mut(&key) {
            let place = op.location.to_string();
            // Operations with the same times are told apart by their places, where these differ. Of an operation in steps the last
            // one is the operation itself.
            let is_it = |wanted: &Wanted| wanted.end.is_none() || wanted.end == op.timebox.end;
            let at = wanted
                .iter()
                .rposition(|wanted| is_it(wanted) && wanted.place.as_ref() == Some(&place))
                .or_else(|| wanted.iter().rposition(is_it));
            if let Some(at) = at {
                let wanted = wanted.remove(at);
                row.0.id = wanted.id;
                // As the specification writes it.
                row.0.call = self.call(&wanted.text);
                self.met.insert(key);
            }
        }
        self.rows.push(row);
    }

    /// How many operations of the evidence were not met in the trace. The steps of one that was met are not counted: a trace does not
    /// have them.
    pub fn unmet(&self) -> usize {
        let unmet = self.wanted.iter().filter(|(key, _)| !self.met.contains(*key));
        unmet.map(|(_, wanted)| wanted.len()).sum()
    }

    /// Adds the steps of operations that were met: the evidence has them, and the trace does not.
    fn add_steps(&mut self) {
        for (key, wanted) in std::mem::take(&mut self.wanted) {
            if !self.met.contains(&key) {
                continue;
            }
            let (thread, start) = key;
            for step in wanted {
                let mut row = self.row(&thread, &step.text);
                (row.0.id, row.0.start, row.0.end) = (step.id, start, step.end);
                if step.end.is_none() {
                    row.0.flags |= PENDING;
                }
                self.rows.push(row);
            }
        }
    }

    fn row(&mut self, thread: &ThreadName, text: &str) -> (Row, usize) {
        let next = self.threads.len();
        let thread = *self.threads.entry(thread.clone()).or_insert(next);
        let row = Row {
            start: 0,
            end: None,
            call: self.call(text),
            id: NO_ID,
            thread: 0,
            flags: 0,
        };
        (row, thread)
    }

    /// The number of a text.
    fn call(&mut self, text: &str) -> u32 {
        if let Some(call) = self.calls.get(text) {
            return *call;
        }
        let call = self.calls.len() as u32;
        self.calls.insert(text.to_owned(), call);
        call
    }

    /// The timeline, with lanes in the order in which people look for threads.
    pub fn finish(mut self) -> Timeline {
        self.add_steps();
        let mut names: Vec<(ThreadName, usize)> = self.threads.into_iter().collect();
        names.sort();
        let mut lane = vec![0_u16; names.len()];
        for (at, (_, number)) in names.iter().enumerate() {
            lane[*number] = at.min(THREADS_MAX - 1) as u16;
        }
        let mut threads: Vec<String> = names
            .iter()
            .take(THREADS_MAX)
            .map(|(name, _)| name.to_string())
            .collect();
        if names.len() > THREADS_MAX
            && let Some(last) = threads.last_mut()
        {
            *last = format!("{} others", names.len() - THREADS_MAX + 1);
        }
        let mut calls = vec![String::new(); self.calls.len()];
        for (text, at) in self.calls {
            calls[at as usize] = text;
        }
        let mut sorted: Vec<Row> = self
            .rows
            .into_iter()
            .map(|(row, thread)| Row {
                thread: lane[thread],
                ..row
            })
            .collect();
        sorted.sort_by_key(|row| (row.start, row.id));
        let first = sorted.first().map_or(0, |row| row.start);
        Timeline {
            rows: sorted.len(),
            base: first.to_string(),
            unit: self.unit,
            threads,
            calls,
            sorted,
            first,
        }
    }
}

/// Lines of several nodes have no order but that of an explanation: those that it explains, then the one that it does not, then the rest.
fn in_order_of_explanation(lines: &mut [ReportedOperation], evidence: &Evidence) {
    let Some(Violation::Operation(counterexample)) = &evidence.violation else {
        return;
    };
    let explained = counterexample.alternatives.iter().take(1);
    let explained = explained.flat_map(|alternative| alternative.recent.iter().map(|line| line.id));
    let ranks: FxHashMap<u64, usize> = explained
        .chain([counterexample.op.id])
        .enumerate()
        .map(|(rank, id)| (id, rank))
        .collect();
    lines.sort_by_key(|line| (ranks.get(&line.id).copied().unwrap_or(usize::MAX), line.id));
}

/// The names of the transactions that evidence tells about, by the ids of their operations.
fn transactions_by_operation(evidence: &Evidence) -> FxHashMap<u64, &str> {
    let told = evidence
        .isolation
        .iter()
        .flat_map(|isolation| &isolation.transactions);
    told.flat_map(|one| one.ops.iter().map(|op| (op.id, one.name.as_str())))
        .collect()
}

/// A transaction as one operation, from the beginning of its first to the end of its last.
fn as_operation(transaction: &ReportedTransaction) -> Option<ReportedOperation> {
    let ops = &transaction.ops;
    let texts: Vec<&str> = ops.iter().map(|op| op.text.as_str()).collect();
    let has_ended = ops.iter().all(|op| op.end.is_some());
    Some(ReportedOperation {
        text: format!("{}: {}", transaction.name, texts.join(", ")),
        start: ops.iter().map(|op| op.start).min()?,
        end: ops.iter().filter_map(|op| op.end).max().filter(|_| has_ended),
        pending: ops.iter().any(|op| op.pending),
        ..ops.first()?.clone()
    })
}

fn id_of(id: u64) -> u32 {
    u32::try_from(id).unwrap_or(NO_ID)
}

/// The operations that evidence names, by id. Those of the shrunk history have ranks for times and are left out.
fn named_operations(evidence: &Evidence) -> BTreeMap<u64, ReportedOperation> {
    let mut named = BTreeMap::new();
    let mut evidence = evidence.clone();
    evidence.minimal = None;
    evidence.visit_operations(&mut |op| {
        named.insert(op.id, op.clone());
    });
    named
}

#[cfg(test)]
mod tests {
    use omnilink_trace::{Args, Timebox};
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_of_an_operation_are_drawn_beside_it() {
        let op = |id: u64, text: &str| json!({"id": id, "thread": "a", "text": text, "start": 3, "end": 9, "place": null});
        let evidence = json!({
            "evidence": 1, "command": "validate", "subject": "operations", "input": "t", "verdict": "violation", "ops": 1, "pending": 0,
            "aborted": 0, "seconds": 0.0, "notes": [], "context": {"ops": [op(0, "Put_Step(1)"), op(1, "Put(1)")], "left_out_before": 0},
        });
        let evidence = Evidence::from_json(&evidence.to_string()).expect("it is evidence");
        let mut builder = TimelineBuilder::of_trace(Some(&evidence), "");
        let call = |start| {
            omnilink_trace::Operation::new("a", "Put", Args::positional([1.into()]), Timebox::new(start, 9))
        };
        builder.push(&call(3));
        assert_eq!(builder.unmet(), 0);
        let timeline = builder.finish();
        let ids: Vec<u32> = timeline.sorted.iter().map(|row| row.id).collect();
        assert_eq!(ids, [0, 1]);
        let mut other = TimelineBuilder::of_trace(Some(&evidence), "");
        other.push(&call(4));
        assert_eq!(other.unmet(), 2);
    }
}
