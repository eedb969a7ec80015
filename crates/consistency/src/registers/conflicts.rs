//! The order of the writes of one register that a read sees: all come before the one that it returned.

use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode, Id};
use rustc_hash::FxHashMap;

use super::accesses::Access;
use super::thread_order::ThreadOrder;
use super::visibility::Visibility;

/// For each thread and register, numbers of operations in the thread.
type Numbers = FxHashMap<(usize, Id), Vec<u32>>;

/// Adds the edges between writes of a register that one read sees.
pub(super) struct Conflicts<'a> {
    accesses: &'a [Access],
    order: &'a ThreadOrder<'a>,
    visibility: &'a Visibility<'a>,
    graph: &'a mut Graph,
    writes: Numbers,
    reads: Numbers,
    /// For writes follow reads: a node after all writes that reads of the register in the thread have returned, up to this one.
    after_returned: FxHashMap<usize, GraphNode>,
}

impl<'a> Conflicts<'a> {
    pub fn new(
        accesses: &'a [Access],
        order: &'a ThreadOrder<'a>,
        visibility: &'a Visibility<'a>,
        graph: &'a mut Graph,
    ) -> Self {
        let (mut writes, mut reads) = (Numbers::default(), Numbers::default());
        for (thread, ops) in order.threads.iter().enumerate() {
            for (number, op) in (0..).zip(ops) {
                match accesses[*op] {
                    Access::Write(key) => writes.entry((thread, key)).or_default().push(number),
                    Access::Read(key, _) => reads.entry((thread, key)).or_default().push(number),
                    Access::None => {}
                }
            }
        }
        let mut conflicts = Self {
            accesses,
            order,
            visibility,
            graph,
            writes,
            reads,
            after_returned: FxHashMap::default(),
        };
        if visibility.has_writes_follow_reads() {
            conflicts.chain_returned();
        }
        conflicts
    }

    /// Adds the edges of one read. An error is a write that a read of the initial value sees.
    pub fn add(&mut self, read: usize) -> Result<(), usize> {
        let Access::Read(key, writer) = self.accesses[read] else {
            return Ok(());
        };
        for (thread, ops) in self.order.threads.iter().enumerate() {
            let op = |number: &u32| ops[*number as usize];
            let visible = within(
                &self.writes,
                (thread, key),
                self.visibility.writes.row(read)[thread],
            );
            // Program order has the earlier ones before it.
            if let Some(last) = visible.last().map(op) {
                self.add_edge(last, writer, read, key)?;
            }
            let reads = within(
                &self.reads,
                (thread, key),
                self.visibility.reads.row(read)[thread],
            );
            if self.visibility.has_writes_follow_reads() {
                let node = reads.last().and_then(|last| self.after_returned.get(&op(last)));
                if let (Some(node), Some(writer)) = (node, writer) {
                    let reason = EdgeReason::SeenBy {
                        reader: read as u32,
                        key,
                    };
                    self.graph.add(*node, self.graph.commit(writer), reason);
                }
                continue;
            }
            // A read that has what earlier ones returned in its own visibility has its own edges from that.
            let reads: Vec<usize> = reads.iter().rev().map(op).collect();
            let kept = |op: &usize| self.visibility.keeps_earlier_reads(*op);
            let last = reads.iter().position(kept).map_or(reads.len(), |at| at + 1);
            for earlier in &reads[..last] {
                if let Access::Read(_, Some(returned)) = self.accesses[*earlier] {
                    self.add_edge(returned, writer, read, key)?;
                }
            }
        }
        Ok(())
    }

    /// A visible write comes before the one that was returned.
    fn add_edge(&mut self, write: usize, writer: Option<usize>, read: usize, key: Id) -> Result<(), usize> {
        let writer = writer.ok_or(write)?;
        if write != writer {
            let reason = EdgeReason::SeenBy {
                reader: read as u32,
                key,
            };
            self.graph
                .add(self.graph.commit(write), self.graph.commit(writer), reason);
        }
        Ok(())
    }

    /// Collects what the reads of each thread returned of each register, in a chain of auxiliary nodes: there are too many pairs.
    ///
    /// A read's own write is not among those that the chain collects for it, unless there is a cycle already: they were returned
    /// by reads in the past of that write.
    fn chain_returned(&mut self) {
        for ((thread, key), numbers) in &self.reads {
            let mut last: Option<GraphNode> = None;
            for number in numbers {
                let op = self.order.threads[*thread][*number as usize];
                if let Access::Read(_, Some(returned)) = self.accesses[op] {
                    let node = self.graph.auxiliary();
                    let from = std::iter::once(self.graph.commit(returned)).chain(last);
                    let reason = EdgeReason::ReadFrom(*key);
                    from.for_each(|from| self.graph.add(from, node, reason));
                    last = Some(node);
                }
                self.after_returned.extend(last.map(|node| (op, node)));
            }
        }
    }
}

/// Those of the numbers of a thread and register that are in a prefix of the thread.
fn within(numbers: &Numbers, of: (usize, Id), count: u32) -> &[u32] {
    let numbers = numbers.get(&of).map_or(&[][..], Vec::as_slice);
    &numbers[..numbers.partition_point(|number| *number < count)]
}
