//! A trace that is read more than once.
//!
//! Collecting constants, finding partitions and locating operations each take a pass over the trace. Parsing a record costs
//! many times what copying it does, so the operations of a short trace stay in memory after the first pass. A long trace is
//! read again instead: memory does not grow with it.
//!
//! All passes share one [`Trace`]. Each starts at its beginning, and they may be interleaved. The pass that exceeds the
//! memory limit continues with that trace alone, and an error discards it; every other pass then opens the input for itself
//! and meets the same error.

use std::sync::{Arc, Mutex, PoisonError};

use crate::note::Notes;
use crate::stream::OperationStream;
use crate::{Format, Header, Operation, Trace, TraceError};

/// Opens the trace from its beginning.
type Reopen = dyn Fn() -> Result<Trace, TraceError> + Send + Sync;

/// A trace whose operations stay in memory for later passes, up to a limit.
pub struct CachedTrace {
    shared: Arc<Shared>,
    header: Option<Header>,
    format: Format,
    notes: Notes,
}

struct Shared {
    cache: Mutex<Cache>,
    reopen: Box<Reopen>,
    bytes_max: usize,
}

struct Cache {
    operations: Chunks,
    bytes: usize,
    rest: Rest,
}

/// Operations in chunks of equal size: growing never copies them.
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

/// What follows the cached operations.
enum Rest {
    Unread(Box<Trace>),
    /// Nothing: all operations are cached.
    End,
    /// The cache was discarded: each pass reads for itself.
    Discarded,
}

impl CachedTrace {
    /// Caches the operations of the trace that `reopen` opens, up to about `bytes_max` bytes.
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
                cache: Mutex::new(Cache {
                    operations: Chunks::default(),
                    bytes: 0,
                    rest: Rest::Unread(Box::new(trace)),
                }),
                reopen: Box::new(reopen),
                bytes_max,
            }),
        })
    }

    /// Starts a pass from the beginning; `None` if the cache was discarded because the trace is too long or has an error.
    pub fn open(&self) -> Option<Trace> {
        if matches!(self.shared.cache().rest, Rest::Discarded) {
            return None;
        }
        let pass = Pass {
            shared: Arc::clone(&self.shared),
            at: 0,
            own: None,
        };
        Some(Trace::from_checked(
            Box::new(pass),
            self.header.clone(),
            self.format,
            self.notes.clone(),
        ))
    }
}

impl Shared {
    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // A panic cannot leave a partial change behind: each change is a single push or replacement.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Drops the cached operations and returns the rest of the trace.
    fn discard(&mut self) -> Rest {
        self.operations = Chunks::default();
        std::mem::replace(&mut self.rest, Rest::Discarded)
    }
}

/// One pass over the trace.
struct Pass {
    shared: Arc<Shared>,
    /// The number of operations returned so far.
    at: usize,
    /// The trace that this pass reads for itself, once the cache was discarded.
    own: Option<Box<Trace>>,
}

impl Pass {
    /// Opens the trace again and skips the operations returned so far.
    fn reopen(&self) -> Result<Box<Trace>, TraceError> {
        let mut trace = Box::new((self.shared.reopen)()?);
        for _ in 0..self.at {
            trace.next_shared().transpose()?;
        }
        Ok(trace)
    }
}

impl OperationStream for Pass {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(own) = &mut self.own {
            return own.next_shared().transpose();
        }
        let mut cache = self.shared.cache();
        if let Some(operation) = cache.operations.get(self.at) {
            self.at += 1;
            return Ok(Some(Arc::clone(operation)));
        }
        let read = match &mut cache.rest {
            Rest::Unread(trace) => trace.next_shared(),
            Rest::End => return Ok(None),
            Rest::Discarded => {
                drop(cache);
                return self.own.insert(self.reopen()?).next_shared().transpose();
            }
        };
        match read {
            None => {
                cache.rest = Rest::End;
                Ok(None)
            }
            Some(Ok(operation)) => {
                cache.bytes += operation.bytes();
                if cache.bytes <= self.shared.bytes_max {
                    cache.operations.push(Arc::clone(&operation));
                    self.at += 1;
                } else if let Rest::Unread(trace) = cache.discard() {
                    self.own = Some(trace);
                }
                Ok(Some(operation))
            }
            Some(Err(error)) => {
                cache.discard();
                Err(error)
            }
        }
    }
}

impl std::fmt::Debug for CachedTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedTrace")
            .field("format", &self.format)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputOrder, OpenOptions};

    const CACHE_BYTES: usize = 1 << 20;

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

    fn cached(text: &str, bytes_max: usize) -> CachedTrace {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        // Streamed: a small input would otherwise be read to its end when it is opened.
        let options = OpenOptions::new().with_order(InputOrder::Sorted);
        let reopen = move || Trace::from_bytes("text", Arc::clone(&bytes), &options);
        CachedTrace::new(bytes_max, reopen).unwrap()
    }

    fn starts(trace: Trace) -> Vec<i64> {
        trace.map(|operation| operation.unwrap().timebox.start).collect()
    }

    #[test]
    fn interleaved_passes_each_read_all_operations() {
        // With the smaller limits the first pass discards the cache while the second is in the middle.
        for bytes_max in [0, 600, 1500, CACHE_BYTES] {
            let cached = cached(&text(10), bytes_max);
            let (mut one, mut two) = (cached.open().unwrap(), cached.open().unwrap());
            let mut starts = [Vec::new(), Vec::new()];
            for turn in 0..15 {
                starts[0].extend(one.next().map(|operation| operation.unwrap().timebox.start));
                if turn % 3 > 0 {
                    starts[1].extend(two.next().map(|operation| operation.unwrap().timebox.start));
                }
            }
            let all: Vec<i64> = (0..10).map(|at| 2 * at).collect();
            assert_eq!(starts, [all.clone(), all], "{bytes_max} bytes cached");
        }
    }

    #[test]
    fn a_short_trace_is_cached_and_a_long_one_is_not() {
        let short = cached(&text(10), CACHE_BYTES);
        assert_eq!(starts(short.open().unwrap()).len(), 10);
        assert_eq!(starts(short.open().unwrap()).len(), 10);
        let long = cached(&text(10), 600);
        assert_eq!(starts(long.open().unwrap()).len(), 10);
        assert!(long.open().is_none());
        assert!(long.shared.cache().operations.get(0).is_none());
    }

    #[test]
    fn every_pass_meets_an_error() {
        let broken = cached(&format!("{}nonsense\n", text(3)), CACHE_BYTES);
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
    fn every_pass_has_the_notes_from_the_end() {
        let cut = cached(&format!("{}{{\"thread\":0,\"op", text(3)), CACHE_BYTES);
        for _ in 0..2 {
            let mut trace = cut.open().unwrap();
            assert_eq!(trace.by_ref().count(), 3);
            assert_eq!(trace.notes().len(), 1);
        }
    }
}
