//! Operations in order of start, in constant memory, from inputs in any order.
//!
//! Logs are written when a call returns, or thread by thread, so the order of a file is not the order of starts. Of four
//! methods the cheapest that certainly works is chosen:
//!
//! 1. a file of at most [`SortOptions::chunk_ops`] operations is sorted in memory;
//! 2. a larger file is scanned once, reading starts only; if it is sorted, it streams without buffering;
//! 3. if no operation is more than [`disorder::WINDOW_MAX`] positions late, it streams through a window of that size;
//! 4. otherwise it is sorted through runs in a temporary file.
//!
//! A header that promises `"sorted":true` saves the scan; a broken promise is an error, never a wrong order.

mod disorder;
mod external_sort;
mod merge;
mod reorder;

use std::sync::Arc;

use omnilink_sorting::sort_by_key;

use crate::note::Notes;
use crate::stream::{InMemory, OperationStream};
use crate::{Note, Operation, TraceError};

pub(crate) use merge::Merge;

use disorder::Disorder;
use reorder::ReorderWindow;

/// The assumed order of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputOrder {
    /// Unknown: scan it. An input that can be read only once is sorted within a large window.
    #[default]
    Auto,
    /// In order of start: stream it without a scan, as a live check must. A late operation is an error.
    Sorted,
    /// Not in order: sort it, through a temporary file if it is large.
    Unsorted,
    /// As it comes, whatever the order: an operation of a file of events comes when it returns. Nothing is read ahead or twice, as an
    /// input that is still being written demands; the events of a history are ordered by their position.
    Arrival,
}

/// How to sort one input.
pub(crate) struct SortOptions<'a> {
    pub(crate) file: &'a str,
    pub(crate) order: InputOrder,
    pub(crate) is_repeatable: bool,
    /// The number of operations that may be held in memory.
    pub(crate) chunk_ops: usize,
    pub(crate) notes: &'a Notes,
}

impl SortOptions<'_> {
    fn note_sorted(&self, spilled: bool) {
        let file = self.file.to_owned();
        self.notes.push(Note::Sorted { file, spilled });
    }
}

/// The operations in order of start, ties in the order of the input. `reopen` opens the input again.
pub(crate) fn in_order(
    mut operations: Box<dyn OperationStream>,
    reopen: impl Fn() -> Result<Box<dyn OperationStream>, TraceError>,
    options: &SortOptions<'_>,
) -> Result<Box<dyn OperationStream>, TraceError> {
    if options.order == InputOrder::Arrival {
        return Ok(operations);
    }
    if options.order == InputOrder::Sorted {
        return Ok(Box::new(ReorderWindow::new(operations, 0)));
    }
    let mut chunk = Vec::new();
    while chunk.len() < options.chunk_ops {
        match operations.next()? {
            Some(operation) => chunk.push(operation),
            None => {
                if !chunk.is_sorted_by_key(start) {
                    sort_by_key(&mut chunk, start);
                    options.note_sorted(false);
                }
                return Ok(Box::new(InMemory(chunk.into_iter())));
            }
        }
    }
    let window = match (options.order, options.is_repeatable) {
        (InputOrder::Unsorted, _) => None,
        (_, false) => Some(options.chunk_ops),
        (_, true) => match disorder::measure(reopen()?.as_mut()) {
            Disorder::None => Some(0),
            Disorder::Within(window) => {
                options.note_sorted(false);
                Some(window)
            }
            Disorder::Beyond => None,
        },
    };
    match window {
        Some(window) => {
            let all = ReadAhead {
                buffer: chunk.into_iter(),
                rest: operations,
            };
            Ok(Box::new(ReorderWindow::new(Box::new(all), window)))
        }
        None => {
            options.note_sorted(true);
            external_sort::sort(chunk, operations, options.chunk_ops)
        }
    }
}

/// The number of operations that may be held in memory to sort inputs; all inputs of a trace share it.
pub(crate) const CHUNK_OPS: usize = 1 << 15;

/// The operations in order of start, ties in the order of the input.
pub(crate) fn sorted(operations: Box<dyn OperationStream>) -> Result<Box<dyn OperationStream>, TraceError> {
    let options = SortOptions {
        file: "",
        order: InputOrder::Unsorted,
        is_repeatable: false,
        chunk_ops: CHUNK_OPS,
        // A change of times is expected to change the order: no note.
        notes: &Notes::default(),
    };
    let never_reopened = || Ok(Box::new(InMemory(std::iter::empty())) as Box<dyn OperationStream>);
    in_order(operations, never_reopened, &options)
}

fn start(operation: &Arc<Operation>) -> crate::Time {
    operation.timebox.start
}

/// Operations that were read ahead, then the rest.
struct ReadAhead {
    buffer: std::vec::IntoIter<Arc<Operation>>,
    rest: Box<dyn OperationStream>,
}

impl OperationStream for ReadAhead {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        match self.buffer.next() {
            Some(operation) => Ok(Some(operation)),
            None => self.rest.next(),
        }
    }
}
