//! Program order and happens-before of a long history, as prefixes of threads.
//!
//! A thread's operations are totally ordered, and program order is part of happens-before. So of each thread a prefix
//! happens before an operation, and one count for each thread says which. A pending operation comes after the earlier ones of its
//! thread, and nothing comes after it: it is in no prefix.

use omnilink_history::order_graph::{EdgeReason, Graph, Wiring};
use omnilink_sorting::sort_by_key;
use omnilink_trace::Timebox;

use super::matrix::{Matrix, join};
use crate::history::HistoryOp;
use crate::long_history::HappensBefore;

/// The orders of a history, restricted to the operations that are included.
#[derive(Debug)]
pub(super) struct ThreadOrder<'a> {
    /// The operations of each thread that returned, in program order.
    pub threads: Vec<Vec<usize>>,
    /// The thread of each operation, and how many of the thread's operations come before it.
    pub place: Vec<(usize, u32)>,
    /// How many operations of each thread happen before each operation.
    pub happens_before: Matrix,
    is_included: &'a [bool],
    timeboxes: &'a [Timebox],
    source: &'a HappensBefore,
}

impl<'a> ThreadOrder<'a> {
    pub fn new<O>(
        ops: &[HistoryOp<O>],
        timeboxes: &'a [Timebox],
        source: &'a HappensBefore,
        is_included: &'a [bool],
    ) -> Self {
        let width = ops.iter().map(|op| op.thread as usize + 1).max().unwrap_or(0);
        let mut sequence: Vec<usize> = (0..ops.len()).filter(|op| is_included[*op]).collect();
        if *source == HappensBefore::RealTime {
            sort_by_key(&mut sequence, |op| timeboxes[*op].start);
        }
        let mut threads: Vec<Vec<usize>> = vec![Vec::new(); width];
        let mut place = vec![(0, 0); ops.len()];
        for &op in &sequence {
            let thread = ops[op].thread as usize;
            place[op] = (thread, threads[thread].len() as u32);
            if !ops[op].optional {
                threads[thread].push(op);
            }
        }
        let mut order = Self {
            threads,
            place,
            happens_before: Matrix::new(ops.len(), width),
            is_included,
            timeboxes,
            source,
        };
        order.find_happens_before(&sequence);
        order
    }

    /// The operation before this one in its thread.
    pub fn previous(&self, op: usize) -> Option<usize> {
        let (thread, count) = self.place[op];
        Some(self.threads[thread][count.checked_sub(1)? as usize])
    }

    fn find_happens_before(&mut self, sequence: &[usize]) {
        match self.source {
            HappensBefore::AsyncRealTime => {}
            HappensBefore::RealTime => {
                // By start, so that the operations that are over only grow in number. In a thread they end in their order.
                let mut over = vec![0_u32; self.threads.len()];
                for &op in sequence {
                    let start = self.timeboxes[op].start;
                    for (count, thread) in over.iter_mut().zip(&self.threads) {
                        let is_over = |op: &usize| self.timeboxes[*op].end.is_some_and(|end| end < start);
                        while thread.get(*count as usize).is_some_and(is_over) {
                            *count += 1;
                        }
                    }
                    self.happens_before.row_mut(op).copy_from_slice(&over);
                }
            }
            HappensBefore::Pairs(pairs) => {
                let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.place.len()];
                for (first, second) in pairs.iter().filter(|pair| self.has(pair)) {
                    before[*second].push(*first);
                }
                let mut graph = Graph::new(self.place.len(), Wiring::Serial);
                self.add_happens_before(&mut graph);
                // The pairs were checked to be acyclic.
                for op in graph.topological(&[]).unwrap_or_default() {
                    let op = op as usize;
                    let firsts = before[op].iter().copied().chain(self.previous(op));
                    let mut row = vec![0; self.threads.len()];
                    for first in firsts {
                        join(&mut row, self.happens_before.row(first));
                        let (thread, count) = self.place[first];
                        row[thread] = row[thread].max(count + 1);
                    }
                    self.happens_before.row_mut(op).copy_from_slice(&row);
                }
            }
        }
        for &op in sequence {
            let (thread, count) = self.place[op];
            self.happens_before.row_mut(op)[thread] = count;
        }
    }

    fn has(&self, (first, second): &(usize, usize)) -> bool {
        self.is_included[*first] && self.is_included[*second]
    }

    /// Adds program order to a graph.
    pub fn add_program_order(&self, graph: &mut Graph) {
        for op in (0..self.place.len()).filter(|op| self.is_included[*op]) {
            if let Some(previous) = self.previous(op) {
                graph.add(graph.commit(previous), graph.begin(op), EdgeReason::Session);
            }
        }
    }

    /// Adds happens-before, which contains program order, to a graph.
    pub fn add_happens_before(&self, graph: &mut Graph) {
        self.add_program_order(graph);
        match self.source {
            HappensBefore::AsyncRealTime => {}
            HappensBefore::RealTime => {
                let included = (0..self.place.len()).filter(|op| self.is_included[*op]);
                graph.add_real_time(included.map(|op| (op, self.timeboxes[op])));
            }
            HappensBefore::Pairs(pairs) => {
                for (first, second) in pairs.iter().filter(|pair| self.has(pair)) {
                    graph.add(graph.commit(*first), graph.begin(*second), EdgeReason::RealTime);
                }
            }
        }
    }
}
