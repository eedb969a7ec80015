//! Test programs: which thread makes which calls.

use crate::ThreadId;

/// A test program over the numbered calls of a harness.
///
/// ```text
/// before: 0            main thread, alone, before the others start
/// columns: [[1, 2],    thread 0 calls 1, then 2
///           [2]]       thread 1 calls 2
/// after: 3             main thread, alone, when all columns are finished
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct TestProgram {
    /// Calls made by the main thread before the columns start.
    pub before: Vec<u32>,
    /// The calls of each thread, in their order.
    pub columns: Vec<Vec<u32>>,
    /// Calls made by the main thread when every column has finished.
    pub after: Vec<u32>,
}

impl TestProgram {
    /// A program with these columns and nothing before and after.
    pub fn new(columns: Vec<Vec<u32>>) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// The thread that makes the calls `before` and `after`.
    pub fn main_thread(&self) -> ThreadId {
        self.columns.len() as ThreadId
    }
}
