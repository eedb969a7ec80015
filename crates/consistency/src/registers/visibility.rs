//! The least visibility of each operation, as prefixes of threads.
//!
//! With `wr(r)` for the write that a read `r` returned, an operation `o` sees
//!
//! - every operation in the prefixes `writes(o)`,
//! - `wr(y)` for every read `y` in the prefixes `reads(o)`,
//! - and `wr(o)`, if it is a read.
//!
//! The axioms of each level give the least such prefixes. Let `P(o)` be the operations before `o` in its thread and `H(o)` those
//! that happen before it.
//!
//! | level | axioms | `writes(o)` | `reads(o)` |
//! |---|---|---|---|
//! | return value | | ∅ | ∅ |
//! | read my writes | `vis ⊇ po` | `P(o)` | ∅ |
//! | monotonic reads | `vis ⊇ vis;po` | ∅ | `P(o)` |
//! | monotonic writes | `vis ⊇ po;vis` | ∅ (1) | ∅ |
//! | writes follow reads | `vis ⊇ vis;po;vis` | ∅ | `past(wr(o))` (2) |
//! | weak | `vis ⊇ hb` | `H(o)` | ∅ |
//! | monotonic | and `vis ⊇ vis;hb` | `H(o)` and `writes(x)` of all `x ∈ H(o)` | `H(o)` and `reads(x)` |
//! | peer | and `vis ⊇ po;vis` | also `P(wr(y))` for `y` in `reads(o)` and for `o` | the same |
//! | causal | `vis ⊇ hb`, `vis ⊇ vis;vis` | closure of `H(o)` (3) | `writes(o)` |
//!
//! 1. `P(wr(o))` is visible, too. A linearization that keeps program order has it before `wr(o)`, which is all that a read asks of
//!    what it sees (see [`super`]), so it is left out.
//! 2. `past(x)` is `P(x)` with `past(wr(y))` for every read `y` in it. What a read in `past(wr(o))` returned, `o` must see.
//! 3. The least prefixes that contain `H(o)`, `writes(wr(o))`, and for every operation `x` in them `writes(x)` and
//!    `writes(wr(x))`.
//!
//! Operations may have different levels, of those between return value and causal. In all of these `reads(x)` is within `writes(x)`,
//! so a causal operation that sees `x` has `reads(x)` in its own.
//!
//! Causal convergence is causal consistency with program order in the place of happens-before.

use super::accesses::Access;
use super::matrix::{Matrix, join};
use super::thread_order::ThreadOrder;
use crate::level::ConsistencyLevel;

/// What each operation sees.
#[derive(Debug)]
pub(super) struct Visibility<'a> {
    order: &'a ThreadOrder<'a>,
    accesses: &'a [Access],
    levels: &'a [ConsistencyLevel],
    pub writes: Matrix,
    pub reads: Matrix,
    /// `past`, for writes follow reads.
    past: Matrix,
    /// Joined over each operation and the earlier ones of its thread: their `writes` and `reads`, and, for each read among them, what
    /// comes before the write that it returned, and what that write sees.
    writes_so_far: Matrix,
    reads_so_far: Matrix,
    before_writers: Matrix,
    seen_by_writers: Matrix,
}

impl<'a> Visibility<'a> {
    pub fn new(order: &'a ThreadOrder<'a>, accesses: &'a [Access], levels: &'a [ConsistencyLevel]) -> Self {
        let rows = accesses.len();
        let width = order.threads.len();
        let matrix = |needed: &[ConsistencyLevel]| {
            if levels.iter().any(|level| needed.contains(level)) {
                Matrix::new(rows, width)
            } else {
                Matrix::new(rows, 0)
            }
        };
        use ConsistencyLevel::{Causal, CausalConvergence, Monotonic, Peer, WritesFollowReads};
        let propagating = [Monotonic, Peer, Causal, CausalConvergence];
        Self {
            order,
            accesses,
            levels,
            writes: Matrix::new(rows, width),
            reads: Matrix::new(rows, width),
            past: matrix(&[WritesFollowReads]),
            writes_so_far: matrix(&propagating),
            reads_so_far: matrix(&propagating[..2]),
            before_writers: matrix(&[Peer]),
            seen_by_writers: matrix(&propagating[2..]),
        }
    }

    /// Whether the level is writes follow reads.
    pub fn has_writes_follow_reads(&self) -> bool {
        self.past.width() > 0
    }

    /// Whether the least visibility of this read contains what the earlier reads of its thread returned.
    pub fn keeps_earlier_reads(&self, op: usize) -> bool {
        !matches!(
            self.levels[op],
            ConsistencyLevel::ReturnValue
                | ConsistencyLevel::ReadMyWrites
                | ConsistencyLevel::MonotonicWrites
                | ConsistencyLevel::WritesFollowReads
                | ConsistencyLevel::Weak
        )
    }

    /// Finds what an operation sees, once that is known of all operations before it.
    pub fn visit(&mut self, op: usize) {
        let (thread, count) = self.order.place[op];
        let writer = self.writer(op);
        match self.levels[op] {
            ConsistencyLevel::ReturnValue | ConsistencyLevel::MonotonicWrites => {}
            ConsistencyLevel::ReadMyWrites => self.writes.row_mut(op)[thread] = count,
            ConsistencyLevel::MonotonicReads => self.reads.row_mut(op)[thread] = count,
            ConsistencyLevel::WritesFollowReads => {
                if let Some(writer) = writer {
                    self.reads.row_mut(op).copy_from_slice(self.past.row(writer));
                }
            }
            ConsistencyLevel::Weak => self.start_from_happens_before(op),
            ConsistencyLevel::Monotonic | ConsistencyLevel::Peer => {
                self.start_from_happens_before(op);
                self.reads
                    .row_mut(op)
                    .copy_from_slice(self.order.happens_before.row(op));
                for x in last_of(self.order, self.order.happens_before.row(op)) {
                    join(self.writes.row_mut(op), self.writes_so_far.row(x));
                    join(self.reads.row_mut(op), self.reads_so_far.row(x));
                }
                if self.levels[op] == ConsistencyLevel::Peer {
                    for y in last_of(self.order, self.reads.row(op)) {
                        join(self.writes.row_mut(op), self.before_writers.row(y));
                    }
                    self.join_before(op, writer);
                }
            }
            ConsistencyLevel::Causal => {
                self.start_from_happens_before(op);
                self.close_causally(op, writer);
            }
            // The strongest levels are not for this module; their callers ask for causal consistency at most.
            ConsistencyLevel::CausalConvergence
            | ConsistencyLevel::Sequential
            | ConsistencyLevel::Linearizable => {
                self.writes.row_mut(op)[thread] = count;
                self.close_causally(op, writer);
            }
        }
        self.pass_on(op, writer);
    }

    fn writer(&self, op: usize) -> Option<usize> {
        match self.accesses[op] {
            Access::Read(_, writer) => writer,
            _ => None,
        }
    }

    fn start_from_happens_before(&mut self, op: usize) {
        let before = self.order.happens_before.row(op);
        self.writes.row_mut(op).copy_from_slice(before);
    }

    /// Joins what comes before a write in its thread.
    fn join_before(&mut self, op: usize, writer: Option<usize>) {
        if let Some((thread, count)) = writer.map(|writer| self.order.place[writer]) {
            let seen = &mut self.writes.row_mut(op)[thread];
            *seen = (*seen).max(count);
        }
    }

    fn close_causally(&mut self, op: usize, writer: Option<usize>) {
        if let Some(writer) = writer {
            self.writes.join_row(op, writer);
        }
        let mut done = vec![0; self.order.threads.len()];
        loop {
            let mut is_closed = true;
            for (thread, done) in done.iter_mut().enumerate() {
                let count = self.writes.row(op)[thread];
                if count > *done {
                    *done = count;
                    is_closed = false;
                    let last = self.order.threads[thread][count as usize - 1];
                    join(self.writes.row_mut(op), self.writes_so_far.row(last));
                    join(self.writes.row_mut(op), self.seen_by_writers.row(last));
                }
            }
            if is_closed {
                break;
            }
        }
        self.reads.row_mut(op).copy_from_slice(self.writes.row(op));
    }

    /// Updates what is joined over the operations of a thread.
    fn pass_on(&mut self, op: usize, writer: Option<usize>) {
        let previous = self.order.previous(op);
        if let Some(previous) = previous {
            self.writes_so_far.join_row(op, previous);
            self.reads_so_far.join_row(op, previous);
            self.before_writers.join_row(op, previous);
            self.seen_by_writers.join_row(op, previous);
            self.past.join_row(op, previous);
        }
        join(self.writes_so_far.row_mut(op), self.writes.row(op));
        join(self.reads_so_far.row_mut(op), self.reads.row(op));
        if let Some(writer) = writer {
            join(self.seen_by_writers.row_mut(op), self.writes.row(writer));
            let (thread, count) = self.order.place[writer];
            if let Some(before) = self.before_writers.row_mut(op).get_mut(thread) {
                *before = (*before).max(count);
            }
        }
        let (thread, count) = self.order.place[op];
        if let Some(own) = self.past.row_mut(op).get_mut(thread) {
            *own = count;
            if let Some(writer) = previous.and_then(|previous| self.writer(previous)) {
                self.past.join_row(op, writer);
            }
        }
    }
}

/// The last operation of each non-empty prefix.
fn last_of<'a>(order: &'a ThreadOrder<'_>, counts: &[u32]) -> Vec<usize> {
    let last = |(thread, count): (&'a Vec<usize>, &u32)| Some(thread[count.checked_sub(1)? as usize]);
    order.threads.iter().zip(counts).filter_map(last).collect()
}
