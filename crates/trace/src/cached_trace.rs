//! A trace that is read more than once.
//!
//! An answer may need several readings: constants are collected in one, which parts belong together is found out in
//! another, and where operations stand in a third. Taking a record apart costs many times what copying it does, so the
//! operations of a short trace are kept while they are first read. A long trace is read again instead: memory does not
//! grow with it.
//!
//! All readings draw on one [`Trace`], each from its beginning, however they take turns. A reading that gets past what is
//! worth keeping goes on with that trace alone, and a reading that meets an error ends it; the others then read for
//! themselves, and meet the same error.

use std::sync::{Arc, Mutex, PoisonError};

use crate::note::Notes;
use crate::records::Records;
use crate::{Format, Header, Operation, Trace, TraceError};

/// What opens the trace anew.
type Reopen = dyn Fn() -> Result<Trace, TraceError> + Send + Sync;

/// A trace whose beginning is kept for later readings.
pub struct Rereading {
    shared: Arc<Shared>,
    header: Option<Header>,
    format: Format,
    notes: Notes,
}

struct Shared {
    kept: Mutex<Kept>,
    reopen: Box<Reopen>,
    bytes_max: usize,
}

struct Kept {
    operations: Chunks,
    bytes: usize,
    rest: Rest,
}

/// Operations in pieces of one size: a list that grows as one would be copied again and again.
#[derive(Default)]
struct Chunks(Vec<Vec<Arc<Operation>>>);

impl Chunks {
    const EACH: usize = 256;

    fn get(&self, at: usize) -> Option<&Arc<Operation>> {
        self.0.get(at / Self::EACH)?.get(at % Self::EACH)
    }

    fn push(&mut self, operation: Arc<Operation>) {
        match self.0.last_mut() {
            Some(last) if last.len() < Self::EACH => last.push(operation),
            _ => {
                let mut next = Vec::with_capacity(Self::EACH);
                next.push(operation);
                self.0.push(next);
            }
        }
    }
}

/// What comes after the operations that are kept.
enum Rest {
    Unread(Box<Trace>),
    /// Nothing: they are all there are.
    End,
    /// Whoever wants more has to read for itself.
    Gone,
}

impl Rereading {
    /// Keeps the operations that `reopen` gives, as long as they take no more than about `bytes_max`.
    ///
    /// # Errors
    /// When the trace cannot be opened.
    pub fn new(
        bytes_max: usize,
        reopen: impl Fn() -> Result<Trace, TraceError> + Send + Sync + 'static,
    ) -> Result<Self, TraceError> {
        let trace = reopen()?;
        Ok(Self {
            header: trace.header().cloned(),
            format: trace.format(),
            notes: trace.shared_notes(),
            shared: Arc::new(Shared {
                kept: Mutex::new(Kept {
                    operations: Chunks::default(),
                    bytes: 0,
                    rest: Rest::Unread(Box::new(trace)),
                }),
                reopen: Box::new(reopen),
                bytes_max,
            }),
        })
    }

    /// Begins to read, from the beginning; `None` if nothing is kept because the trace is too long or has an error.
    pub fn open(&self) -> Option<Trace> {
        if matches!(self.shared.kept().rest, Rest::Gone) {
            return None;
        }
        let records = Reread {
            shared: Arc::clone(&self.shared),
            at: 0,
            own: None,
        };
        Some(Trace::reread(
            Box::new(records),
            self.header.clone(),
            self.format,
            self.notes.clone(),
        ))
    }
}

impl Shared {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        // A reader that panicked left no half-done change behind: an operation is added whole or not at all.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Forgets what was kept, and gives away the rest.
    fn give_up(&mut self) -> Rest {
        self.operations = Chunks::default();
        std::mem::replace(&mut self.rest, Rest::Gone)
    }
}

/// One reading.
struct Reread {
    shared: Arc<Shared>,
    /// How many operations it has passed on.
    at: usize,
    /// What it reads for itself, once nothing is kept any more.
    own: Option<Box<Trace>>,
}

impl Reread {
    /// The rest of the trace, read by nobody else.
    fn own(&self) -> Result<Box<Trace>, TraceError> {
        let mut trace = Box::new((self.shared.reopen)()?);
        for _ in 0..self.at {
            trace.next_shared().transpose()?;
        }
        Ok(trace)
    }
}

impl Records for Reread {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(own) = &mut self.own {
            return own.next_shared().transpose();
        }
        let mut kept = self.shared.kept();
        if let Some(operation) = kept.operations.get(self.at) {
            self.at += 1;
            return Ok(Some(Arc::clone(operation)));
        }
        let read = match &mut kept.rest {
            Rest::Unread(trace) => trace.next_shared(),
            Rest::End => return Ok(None),
            Rest::Gone => {
                drop(kept);
                return self.own.insert(self.own()?).next_shared().transpose();
            }
        };
        match read {
            None => {
                kept.rest = Rest::End;
                Ok(None)
            }
            Some(Ok(operation)) => {
                kept.bytes += operation.bytes();
                if kept.bytes <= self.shared.bytes_max {
                    kept.operations.push(Arc::clone(&operation));
                    self.at += 1;
                } else if let Rest::Unread(trace) = kept.give_up() {
                    self.own = Some(trace);
                }
                Ok(Some(operation))
            }
            Some(Err(error)) => {
                kept.give_up();
                Err(error)
            }
        }
    }
}

impl std::fmt::Debug for Rereading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rereading")
            .field("format", &self.format)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpenOptions, Order};

    const KEPT: usize = 1 << 20;

    fn text(operations: usize) -> String {
        let line = |at: usize| {
            format!(
                "{{\"thread\":0,\"op\":\"f\",\"start\":{},\"end\":{}}}\n",
                2 * at,
                2 * at + 1
            )
        };
        (0..operations).map(line).collect()
    }

    fn rereading(text: &str, bytes_max: usize) -> Rereading {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        // Streamed: what is small would otherwise be read to its end when it is opened.
        let options = OpenOptions {
            order: Order::Sorted,
            ..OpenOptions::default()
        };
        let reopen = move || Trace::from_bytes("text", Arc::clone(&bytes), &options);
        Rereading::new(bytes_max, reopen).unwrap()
    }

    fn starts(trace: Trace) -> Vec<i64> {
        trace.map(|operation| operation.unwrap().timebox.start).collect()
    }

    #[test]
    fn readings_that_take_turns_each_see_all() {
        // The second also where the first runs out of what is kept while both are under way.
        for bytes_max in [0, 600, 1500, KEPT] {
            let rereading = rereading(&text(10), bytes_max);
            let (mut one, mut two) = (rereading.open().unwrap(), rereading.open().unwrap());
            let mut seen = [Vec::new(), Vec::new()];
            for turn in 0..15 {
                seen[0].extend(one.next().map(|operation| operation.unwrap().timebox.start));
                if turn % 3 > 0 {
                    seen[1].extend(two.next().map(|operation| operation.unwrap().timebox.start));
                }
            }
            let all: Vec<i64> = (0..10).map(|at| 2 * at).collect();
            assert_eq!(seen, [all.clone(), all], "{bytes_max} bytes kept");
        }
    }

    #[test]
    fn a_short_trace_is_kept_and_a_long_one_is_not() {
        let short = rereading(&text(10), KEPT);
        assert_eq!(starts(short.open().unwrap()).len(), 10);
        assert_eq!(starts(short.open().unwrap()).len(), 10);
        let long = rereading(&text(10), 600);
        assert_eq!(starts(long.open().unwrap()).len(), 10);
        assert!(long.open().is_none());
        assert!(long.shared.kept().operations.get(0).is_none());
    }

    #[test]
    fn an_error_is_met_by_every_reading() {
        let broken = rereading(&format!("{}nonsense\n", text(3)), KEPT);
        let (first, mut second) = (broken.open().unwrap(), broken.open().unwrap());
        assert!(second.next().unwrap().is_ok());
        for trace in [first, second] {
            let errors = trace.filter_map(Result::err);
            let errors: Vec<String> = errors.map(|error| error.to_string()).collect();
            assert!(
                matches!(errors.as_slice(), [error] if error.contains("text:4")),
                "{errors:?}"
            );
        }
        assert!(broken.open().is_none());
    }

    #[test]
    fn what_is_noted_at_the_end_is_known_to_every_reading() {
        let cut = rereading(&format!("{}{{\"thread\":0,\"op", text(3)), KEPT);
        for _ in 0..2 {
            let mut trace = cut.open().unwrap();
            assert_eq!(trace.by_ref().count(), 3);
            assert_eq!(trace.notes().len(), 1);
        }
    }
}
