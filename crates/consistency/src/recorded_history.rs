//! Histories as they were recorded: operations of a trace with what is known about their order.
//!
//! Two forms are read. A *trace* is one history. A *file of histories* holds many, one JSON object a line:
//! `{"id":7,"ops":[{"thread":0,"method":"put","args":[1,1],"ret":"null"},…],"hb":[[0,1],…]}`. In both, what happened
//! before what is told by explicit pairs, by per-thread counters, by vector clocks or by timeboxes; see [`KnownOrder`].

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use omnilink_trace::{Args, Operation, Place, Timebox};
use omnilink_value::Value;
use thiserror::Error;

use crate::vector_clocks::Clocks;
use crate::decoder::Decoder;
use crate::history::{History, Observed};
use crate::order::{Order, OrderError};

/// A history as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// How people know it.
    pub id: String,
    /// Where it was read.
    pub place: Place,
    /// Its operations.
    pub ops: Vec<Operation>,
    /// How people know each of them.
    pub labels: Vec<String>,
    /// The transaction that each belongs to, if any.
    pub transactions: Vec<Option<Value>>,
    /// What is known about their order, besides the order of each thread's own operations.
    pub order: KnownOrder,
}

/// What tells which operations happened before which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownOrder {
    /// Nothing but each thread's own order, which is the order in which its operations are given.
    ProgramOrder,
    /// These pairs, by position: in a file of histories `"hb":[[a,b],…]` with ids of operations, in a trace
    /// `"meta":{"after":[…]}` with positions or `"id"`s.
    Pairs(Vec<(usize, usize)>),
    /// For each operation the counters of all threads before its call: `"call_pcs":[…]`, in a trace inside `"meta"`. A
    /// thread counts every call and every return of its own.
    Counters(Vec<Vec<u64>>),
    /// A vector clock for each operation: `"clock":{"a":1,…}`; and what had begun when it returned, where that was noted:
    /// `"meta":{"return_clock":{"a":2,…}}`.
    VectorClocks(Clocks),
    /// The operations' timeboxes. Each thread does one operation after the other, also where its timeboxes touch.
    Timeboxes,
    /// The operations' timeboxes; threads are labels, and their operations may overlap.
    AsyncTimeboxes,
}

/// A history that cannot be read.
#[derive(Debug, Error)]
pub enum RecordedError {
    /// The input could not be read.
    #[error("{name}: {error}")]
    Io {
        /// The input.
        name: String,
        /// What went wrong.
        #[source]
        error: io::Error,
    },
    /// Something is wrong with a history.
    #[error("{place}: {problem}")]
    Bad {
        /// Where.
        place: Place,
        /// What.
        problem: RecordedProblem,
    },
}

/// What is wrong with a history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordedProblem {
    /// Not JSON.
    #[error("{0}")]
    Json(String),
    /// A field is missing.
    #[error("{whole} has no \"{field}\"; expected {expected}")]
    Missing {
        /// What lacks it.
        whole: String,
        /// The field.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
    },
    /// A field holds something else.
    #[error("\"{field}\" of {whole} is {found}; expected {expected}")]
    Wrong {
        /// What it belongs to.
        whole: String,
        /// The field.
        field: &'static str,
        /// What is there.
        found: Value,
        /// What should be there.
        expected: &'static str,
    },
    /// Two operations have one id.
    #[error("two operations have the id {0}; give each its own")]
    Duplicate(Value),
    /// The order names an operation that is not there.
    #[error("the order names operation {0}, which the history does not have")]
    NoSuchOp(Value),
    /// The order is none.
    #[error("{}", error.in_words(labels))]
    Order {
        /// What is wrong with it.
        error: OrderError,
        /// How people know the operations that it speaks of.
        labels: Vec<String>,
    },
    /// A thread does two things at once.
    #[error(
        "thread {thread} starts operation {label} at {start} while its operation {earlier} is open; if calls of one thread may \
         overlap, say so (on the command line: --async)"
    )]
    Overlap {
        /// The thread.
        thread: Value,
        /// The operation.
        label: String,
        /// When it starts.
        start: i64,
        /// The one that is open.
        earlier: String,
    },
    /// The model cannot make sense of an operation.
    #[error("operation {label}: {message}")]
    Decode {
        /// The operation.
        label: String,
        /// What the model says.
        message: String,
    },
}

type Read<T> = Result<T, RecordedProblem>;

/// Reads a file of histories, one JSON object a line. Empty lines are skipped.
pub fn read_histories<R: BufRead>(
    name: &str,
    input: R,
) -> impl Iterator<Item = Result<Recorded, RecordedError>> {
    let name = name.to_owned();
    input
        .lines()
        .enumerate()
        .filter_map(move |(number, line)| match line {
            Err(error) => Some(Err(RecordedError::Io {
                name: name.clone(),
                error,
            })),
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => {
                let place = Place::line(&name, number as u64 + 1);
                let read = Recorded::from_json(&line, place.clone(), number);
                Some(read.map_err(|problem| RecordedError::Bad { place, problem }))
            }
        })
}

/// Whether a line looks like one of a file of histories: an object with `"ops"`, or what is left of one.
pub fn is_history_line(line: &str) -> bool {
    match Value::from_json(line.as_bytes()) {
        Ok(value) => value.field("ops").is_some(),
        Err(_) => line.trim_start().starts_with('{') && line.contains("\"ops\":["),
    }
}

impl Recorded {
    fn from_json(line: &str, place: Place, number: usize) -> Read<Self> {
        let json =
            Value::from_json(line.as_bytes()).map_err(|error| RecordedProblem::Json(error.to_string()))?;
        let id = json.field("id").map_or_else(|| number.to_string(), label_of);
        let whole = format!("history {id}");
        let found = json.field("ops").ok_or_else(|| RecordedProblem::Missing {
            whole: whole.clone(),
            field: "ops",
            expected: "an array of operations",
        })?;
        let entries = found.as_tuple().ok_or_else(|| RecordedProblem::Wrong {
            whole: whole.clone(),
            field: "ops",
            found: found.clone(),
            expected: "an array of operations",
        })?;
        let mut names = Names::default();
        let mut ops = Vec::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            names.add(entry.field("id"), position)?;
            ops.push(operation(entry, &names.labels[position], position, &place)?);
        }
        let transactions = entries.iter().map(|entry| entry.field("txn").cloned()).collect();
        let order = match json.field("hb") {
            Some(pairs) => KnownOrder::Pairs(names.pairs(&whole, pairs)?),
            None => {
                let counters = entries
                    .iter()
                    .map(|entry| entry.field("call_pcs"))
                    .collect::<Option<Vec<_>>>();
                let is_timed =
                    !entries.is_empty() && entries.iter().all(|entry| entry.field("start").is_some());
                match (counters, Clocks::of(&ops, &names.labels)?) {
                    (Some(counters), _) if !counters.is_empty() => {
                        KnownOrder::Counters(counters_of(&names.labels, counters)?)
                    }
                    (_, Some(clocks)) => KnownOrder::VectorClocks(clocks),
                    _ if is_timed => KnownOrder::Timeboxes,
                    _ => KnownOrder::ProgramOrder,
                }
            }
        };
        Ok(Self {
            id,
            place,
            ops,
            labels: names.labels,
            transactions,
            order,
        })
    }

    /// The operations of a trace, as one history.
    ///
    /// # Errors
    /// If the order that they carry is malformed.
    pub fn from_operations(name: &str, ops: Vec<Operation>) -> Result<Self, RecordedError> {
        let place = ops
            .first()
            .map_or_else(|| Place::whole(name), |op| op.place.clone());
        Self::from_trace(name, ops).map_err(|problem| RecordedError::Bad { place, problem })
    }

    fn from_trace(name: &str, ops: Vec<Operation>) -> Read<Self> {
        let meta = |op: &Operation, field: &str| op.meta.as_ref().and_then(|meta| meta.field(field)).cloned();
        let mut names = Names::default();
        for (position, op) in ops.iter().enumerate() {
            names.add(meta(op, "id").as_ref(), position)?;
        }
        let counters: Option<Vec<Value>> = ops.iter().map(|op| meta(op, "call_pcs")).collect();
        let after: Vec<Option<Value>> = ops.iter().map(|op| meta(op, "after")).collect();
        let order = if after.iter().any(Option::is_some) {
            let mut pairs = Vec::new();
            for (second, after) in after.iter().enumerate() {
                let Some(after) = after else { continue };
                let list = after.as_tuple().ok_or_else(|| RecordedProblem::Wrong {
                    whole: format!("operation {}", names.labels[second]),
                    field: "after",
                    found: after.clone(),
                    expected: "an array of operations that happened before",
                })?;
                for first in list {
                    pairs.push((names.find(first)?, second));
                }
            }
            KnownOrder::Pairs(pairs)
        } else if let Some(counters) = counters.filter(|counters| !counters.is_empty()) {
            KnownOrder::Counters(counters_of(&names.labels, counters.iter().collect())?)
        } else if let Some(clocks) = Clocks::of(&ops, &names.labels)? {
            KnownOrder::VectorClocks(clocks)
        } else {
            KnownOrder::Timeboxes
        };
        let transactions = ops.iter().map(|op| meta(op, "txn")).collect();
        let place = ops
            .first()
            .map_or_else(|| Place::whole(name), |op| op.place.clone());
        Ok(Self {
            id: name.to_owned(),
            place,
            ops,
            labels: names.labels,
            transactions,
            order,
        })
    }

    /// Takes threads for labels: calls of one thread may overlap.
    #[must_use]
    pub fn with_async_threads(mut self) -> Self {
        if self.order == KnownOrder::Timeboxes {
            self.order = KnownOrder::AsyncTimeboxes;
        }
        self
    }

    /// Refuses threads that do two things at once.
    fn check_threads(&self) -> Read<()> {
        let mut by_start: Vec<usize> = (0..self.ops.len()).collect();
        by_start.sort_by_key(|at| self.ops[*at].timebox.start);
        let mut last: BTreeMap<&Value, usize> = BTreeMap::new();
        for at in by_start {
            let Operation { thread, timebox, .. } = &self.ops[at];
            if let Some(earlier) = last.insert(thread, at)
                && self.ops[earlier]
                    .timebox
                    .end
                    .is_none_or(|end| end > timebox.start)
            {
                return Err(RecordedProblem::Overlap {
                    thread: thread.clone(),
                    label: self.labels[at].clone(),
                    start: timebox.start,
                    earlier: self.labels[earlier].clone(),
                });
            }
        }
        Ok(())
    }

    /// The history as a model understands it.
    ///
    /// # Errors
    /// If the model cannot make sense of an operation, or the order is none.
    pub fn decode<O>(&self, decoder: &impl Decoder<O>) -> Result<History<O>, RecordedError> {
        self.in_order(self.decode_ops(decoder)?)
    }

    /// The operations as a model understands them, with no order yet.
    pub(crate) fn decode_ops<O>(&self, decoder: &impl Decoder<O>) -> Result<DecodedOps<O>, RecordedError> {
        let (mut threads, mut names) = (BTreeMap::new(), Vec::new());
        let mut ops = Vec::with_capacity(self.ops.len());
        let mut kept = Vec::with_capacity(self.ops.len());
        for (position, operation) in self.ops.iter().enumerate() {
            let label = &self.labels[position];
            let meaningless = |message: String| RecordedError::Bad {
                place: operation.place.clone(),
                problem: RecordedProblem::Decode {
                    label: label.clone(),
                    message,
                },
            };
            let op = decoder
                .returned(operation)
                .map_err(|error| meaningless(error.to_string()))?;
            let effect = decoder
                .effect(operation)
                .map_err(|error| meaningless(error.to_string()))?;
            let (Some(op), Some(effect)) = (op, effect) else {
                continue;
            };
            let next = threads.len() as u32;
            if !threads.contains_key(&operation.thread) {
                names.push(label_of(&operation.thread));
            }
            ops.push(Observed {
                op,
                effect,
                method: operation.name.as_str().to_owned(),
                thread: *threads.entry(operation.thread.clone()).or_insert(next),
                optional: operation.timebox.is_pending(),
                label: label.clone(),
            });
            kept.push(position);
        }
        Ok(DecodedOps { ops, kept, names })
    }

    /// Decoded operations with their order.
    pub(crate) fn in_order<O>(&self, decoded: DecodedOps<O>) -> Result<History<O>, RecordedError> {
        let DecodedOps { ops, kept, names } = decoded;
        let history = self.history(ops, &kept).map_err(|problem| RecordedError::Bad {
            place: self.place.clone(),
            problem,
        })?;
        Ok(history.with_thread_names(names))
    }

    fn history<O>(&self, ops: Vec<Observed<O>>, kept: &[usize]) -> Read<History<O>> {
        let count = ops.len();
        let wrong = |labels: Vec<String>| move |error| RecordedProblem::Order { error, labels };
        let timeboxes =
            |kept: &[usize]| -> Vec<Timebox> { kept.iter().map(|at| self.ops[*at].timebox).collect() };
        let of_all = || wrong(self.labels.clone());
        let of_kept = || wrong(kept.iter().map(|at| self.labels[*at].clone()).collect());
        let order = match &self.order {
            KnownOrder::Timeboxes => {
                self.check_threads()?;
                return History::from_timeboxes(ops, &timeboxes(kept)).map_err(of_kept());
            }
            KnownOrder::AsyncTimeboxes => {
                return History::from_async_timeboxes(ops, &timeboxes(kept)).map_err(of_kept());
            }
            KnownOrder::ProgramOrder => Order::none(count).map_err(of_kept())?,
            // What was left out may still lie between two that were not: the order is closed first.
            KnownOrder::Pairs(pairs) => Order::from_pairs(self.ops.len(), pairs.iter().copied())
                .map_err(of_all())?
                .restricted_to(kept),
            KnownOrder::Counters(counters) => {
                let mut index = BTreeMap::new();
                let mut slots: Vec<&Value> = self.ops.iter().map(|op| &op.thread).collect();
                slots.sort();
                slots.dedup();
                index.extend(slots.into_iter().zip(0..));
                let threads: Vec<u32> = self.ops.iter().map(|op| index[&op.thread]).collect();
                Order::from_counters(&threads, counters)
                    .map_err(of_all())?
                    .restricted_to(kept)
            }
            KnownOrder::VectorClocks(clocks) => clocks.order(kept).map_err(of_kept())?,
        };
        History::new(ops, &order).map_err(of_kept())
    }
}

/// Operations as a model understands them.
pub(crate) struct DecodedOps<O> {
    pub ops: Vec<Observed<O>>,
    /// Where each stands in the recording.
    pub kept: Vec<usize>,
    /// What threads are called, by number.
    pub names: Vec<String>,
}

/// What operations are called.
#[derive(Default)]
struct Names {
    labels: Vec<String>,
    positions: BTreeMap<Value, usize>,
}

impl Names {
    fn add(&mut self, id: Option<&Value>, position: usize) -> Read<()> {
        let id = id.cloned().unwrap_or_else(|| Value::int(position as i64));
        self.labels.push(label_of(&id));
        match self.positions.insert(id.clone(), position) {
            Some(_) => Err(RecordedProblem::Duplicate(id)),
            None => Ok(()),
        }
    }

    fn find(&self, id: &Value) -> Read<usize> {
        self.positions
            .get(id)
            .copied()
            .ok_or_else(|| RecordedProblem::NoSuchOp(id.clone()))
    }

    fn pairs(&self, whole: &str, pairs: &Value) -> Read<Vec<(usize, usize)>> {
        let wrong = |found: &Value| RecordedProblem::Wrong {
            whole: whole.to_owned(),
            field: "hb",
            found: found.clone(),
            expected: "an array of pairs [first, second] of operation ids",
        };
        let list = pairs.as_tuple().ok_or_else(|| wrong(pairs))?;
        list.iter()
            .map(|pair| match pair.as_tuple() {
                Some([first, second]) => Ok((self.find(first)?, self.find(second)?)),
                _ => Err(wrong(pair)),
            })
            .collect()
    }
}

fn label_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// One operation of a file of histories.
fn operation(entry: &Value, label: &str, position: usize, place: &Place) -> Read<Operation> {
    let whole = || format!("operation {label}");
    let missing = |field, expected| RecordedProblem::Missing {
        whole: whole(),
        field,
        expected,
    };
    let wrong = |field, found: &Value, expected| RecordedProblem::Wrong {
        whole: whole(),
        field,
        found: found.clone(),
        expected,
    };
    if entry.as_record().is_none() {
        return Err(wrong("ops", entry, "an object with \"thread\" and \"method\""));
    }
    let thread = entry
        .field("thread")
        .ok_or_else(|| missing("thread", "who called"))?;
    let name = entry
        .field("method")
        .or_else(|| entry.field("op"))
        .ok_or_else(|| missing("method", "the name of what was called"))?;
    let name = name.as_str().ok_or_else(|| wrong("method", name, "a name"))?;
    let args = match entry.field("args") {
        None => Args::none(),
        Some(args) if args.as_tuple().is_some() => Args::Positional(args.clone()),
        Some(args) if args.as_record().is_some() => Args::Named(args.clone()),
        Some(args) => return Err(wrong("args", args, "an array or an object")),
    };
    let time = |field: &'static str| match entry.field(field) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => value
            .as_int()
            .map(Some)
            .ok_or_else(|| wrong(field, value, "an integer")),
    };
    let ret = entry.field("ret").cloned();
    let timebox = match (time("start")?, time("end")?) {
        (Some(start), Some(end)) if start <= end => Timebox::new(start, end),
        (Some(_), Some(end)) => return Err(wrong("end", &Value::int(end), "a time not before \"start\"")),
        (Some(start), None) => Timebox::pending(start),
        // Without timeboxes, an operation is pending if it says `"pending": true`.
        (None, _) => match entry.field("pending").and_then(Value::as_bool) {
            Some(true) => Timebox::pending(position as i64),
            _ => Timebox::new(position as i64, position as i64),
        },
    };
    let mut operation = Operation::new(thread.clone(), name, args, timebox);
    operation.ret = ret;
    operation.aborted = entry.field("aborted").and_then(Value::as_bool).unwrap_or(false);
    operation.meta = entry.field("meta").cloned();
    operation.clock = entry.field("clock").cloned();
    operation.place = place.clone();
    Ok(operation)
}

fn counters_of(labels: &[String], counters: Vec<&Value>) -> Read<Vec<Vec<u64>>> {
    let count = |value: &Value| value.as_int().and_then(|count| u64::try_from(count).ok());
    labels
        .iter()
        .zip(counters)
        .map(|(label, found)| {
            let list = found
                .as_tuple()
                .map(|list| list.iter().map(count).collect::<Option<Vec<u64>>>());
            list.flatten().ok_or_else(|| RecordedProblem::Wrong {
                whole: format!("operation {label}"),
                field: "call_pcs",
                found: found.clone(),
                expected: "an array of counters, one per thread",
            })
        })
        .collect()
}
