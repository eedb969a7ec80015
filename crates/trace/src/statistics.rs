//! Statistics of a trace: its size, durations and concurrency.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use omnilink_value::Value;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::{Operation, OperationName, Time, TraceError};

/// Statistics of a trace, computed in one pass.
///
/// The *overlap* of a call is the number of operations that are open at that time, including the new one. Memory grows with
/// the open operations, the threads and the names, not with the trace.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statistics {
    /// The number of operations.
    pub operations: u64,
    /// The number of operations that never returned.
    pub pending: u64,
    /// The number of operations that the system reported as failed.
    pub aborted: u64,
    /// The number of threads.
    pub threads: u64,
    /// The earliest start.
    pub first_start: Option<Time>,
    /// The latest start or end.
    pub last_time: Option<Time>,
    /// The mean overlap over all calls.
    pub overlap_mean: f64,
    /// The maximal overlap.
    pub overlap_max: u64,
    /// The number of calls by overlap: entry 0 counts the calls with overlap 1, and so on.
    pub overlap_histogram: Vec<u64>,
    /// The operations with the longest timeboxes, longest first.
    pub longest: Vec<LongestOperation>,
    /// Statistics by operation name.
    pub names: BTreeMap<OperationName, NameStatistics>,
    #[serde(skip)]
    open: OpenOperations,
}

/// Statistics of the operations of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NameStatistics {
    /// The number of operations.
    pub operations: u64,
    /// The number of operations that never returned.
    pub pending: u64,
    /// The number of operations that the system reported as failed.
    pub aborted: u64,
}

/// An operation with a long timebox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LongestOperation {
    /// The length of the timebox.
    pub length: u64,
    /// Its start.
    pub start: Time,
    /// The calling thread.
    pub thread: Value,
    /// The operation with arguments and result.
    pub call: String,
    /// Where it was read.
    #[serde(rename = "place")]
    pub location: String,
}

/// The length of the list of longest operations.
const LONGEST_MAX: usize = 10;

#[derive(Clone, Debug, Default)]
struct OpenOperations {
    ends: BinaryHeap<Reverse<Time>>,
    pending: u64,
    threads: FxHashSet<Value>,
    overlap_sum: u128,
}

impl Statistics {
    /// The statistics of `operations`, which are in order of start.
    ///
    /// # Errors
    /// The first error among them.
    pub fn of(
        operations: impl IntoIterator<Item = Result<Operation, TraceError>>,
    ) -> Result<Self, TraceError> {
        let mut statistics = Self::default();
        for operation in operations {
            statistics.add(&operation?);
        }
        Ok(statistics)
    }

    /// Adds the next operation in order of start.
    pub fn add(&mut self, operation: &Operation) {
        let is_pending = operation.timebox.is_pending();
        let name = match self.names.get_mut(&operation.name) {
            Some(name) => name,
            None => self.names.entry(operation.name.clone()).or_default(),
        };
        name.operations += 1;
        name.pending += u64::from(is_pending);
        name.aborted += u64::from(operation.aborted);
        self.operations += 1;
        self.pending += u64::from(is_pending);
        self.aborted += u64::from(operation.aborted);
        if !self.open.threads.contains(&operation.thread) {
            self.open.threads.insert(operation.thread.clone());
            self.threads += 1;
        }
        self.add_times(operation);
        self.add_overlap(operation);
    }

    fn add_times(&mut self, operation: &Operation) {
        let start = operation.timebox.start;
        let last = operation.timebox.end.unwrap_or(start);
        self.first_start = Some(self.first_start.map_or(start, |first| first.min(start)));
        self.last_time = Some(self.last_time.map_or(last, |latest| latest.max(last)));
        let Some(end) = operation.timebox.end else { return };
        let length = end.abs_diff(start);
        let is_short = |shortest: &LongestOperation| shortest.length >= length;
        if self.longest.len() == LONGEST_MAX && self.longest.last().is_some_and(is_short) {
            return;
        }
        let at = self.longest.partition_point(|longer| longer.length >= length);
        self.longest.truncate(LONGEST_MAX - 1);
        self.longest.insert(
            at,
            LongestOperation {
                length,
                start,
                thread: operation.thread.clone(),
                call: operation.to_string(),
                location: operation.location.to_string(),
            },
        );
    }

    fn add_overlap(&mut self, operation: &Operation) {
        // An operation that ends at this start is still open: ties overlap.
        while self
            .open
            .ends
            .peek()
            .is_some_and(|Reverse(end)| *end < operation.timebox.start)
        {
            self.open.ends.pop();
        }
        match operation.timebox.end {
            Some(end) => self.open.ends.push(Reverse(end)),
            None => self.open.pending += 1,
        }
        let overlap = self.open.ends.len() as u64 + self.open.pending;
        let level = usize::try_from(overlap - 1)
            .unwrap_or(usize::MAX)
            .min(HISTOGRAM_MAX - 1);
        if self.overlap_histogram.len() <= level {
            self.overlap_histogram.resize(level + 1, 0);
        }
        self.overlap_histogram[level] += 1;
        self.overlap_max = self.overlap_max.max(overlap);
        self.open.overlap_sum += u128::from(overlap);
        self.overlap_mean = self.open.overlap_sum as f64 / self.operations as f64;
    }
}

/// The last entry of the histogram also counts all larger overlaps.
const HISTOGRAM_MAX: usize = 1024;
