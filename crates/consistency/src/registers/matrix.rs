//! Prefixes of threads: for each operation and each thread, how many operations of the thread are meant.

/// One row of counts for each operation, one column for each thread.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    width: usize,
    counts: Vec<u32>,
}

impl Matrix {
    pub fn new(rows: usize, width: usize) -> Self {
        Self {
            width,
            counts: vec![0; rows * width],
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn row(&self, op: usize) -> &[u32] {
        &self.counts[op * self.width..][..self.width]
    }

    pub fn row_mut(&mut self, op: usize) -> &mut [u32] {
        &mut self.counts[op * self.width..][..self.width]
    }

    /// Joins the row of another operation to a row.
    pub fn join_row(&mut self, op: usize, other: usize) {
        for thread in 0..self.width {
            let more = self.counts[other * self.width + thread];
            let count = &mut self.counts[op * self.width + thread];
            *count = (*count).max(more);
        }
    }
}

/// Joins prefixes: of each thread the longer one.
pub(super) fn join(counts: &mut [u32], more: &[u32]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count = (*count).max(*more);
    }
}
