//! Several sorted inputs as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::Arc;

use crate::records::Records;
use crate::{Operation, Time, TraceError};

/// Merges inputs that are each in order of start; among equal starts, the input given first comes first.
pub(crate) struct Merge<R> {
    inputs: Vec<(R, Option<Arc<Operation>>)>,
    /// The start of each input's next operation.
    heads: BinaryHeap<Reverse<(Time, usize)>>,
}

impl<R: Records> Merge<R> {
    pub(crate) fn new(inputs: impl IntoIterator<Item = R>) -> Result<Self, TraceError> {
        let mut merge = Self {
            inputs: Vec::new(),
            heads: BinaryHeap::new(),
        };
        for mut input in inputs {
            let head = input.next()?;
            if let Some(operation) = &head {
                merge
                    .heads
                    .push(Reverse((operation.timebox.start, merge.inputs.len())));
            }
            merge.inputs.push((input, head));
        }
        Ok(merge)
    }
}

impl<R: Records> Records for Merge<R> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Some((input, held)) = self.inputs.get_mut(head.0.1) else {
            return Ok(None);
        };
        let next = input.next()?;
        match &next {
            // Replacing the top costs one descent where removing and adding would cost two.
            Some(operation) => head.0.0 = operation.timebox.start,
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(std::mem::replace(held, next))
    }
}

impl Records for Box<dyn Records> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        (**self).next()
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        (**self).next_start()
    }
}
