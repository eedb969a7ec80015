//! The merge of several sorted inputs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::Arc;

use crate::stream::OperationStream;
use crate::{Operation, Time, TraceError};

/// Merges inputs that are in order of start. Among equal starts, the first input comes first.
pub(crate) struct Merge<R> {
    inputs: Vec<(R, Option<Arc<Operation>>)>,
    /// The start of each input's next operation.
    heads: BinaryHeap<Reverse<(Time, usize)>>,
}

impl<R: OperationStream> Merge<R> {
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

impl<R: OperationStream> OperationStream for Merge<R> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Some((input, buffered)) = self.inputs.get_mut(head.0.1) else {
            return Ok(None);
        };
        let next = input.next()?;
        match &next {
            // Replacing the top sifts once; removing and adding would sift twice.
            Some(operation) => head.0.0 = operation.timebox.start,
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(std::mem::replace(buffered, next))
    }
}
