//! Registers whose reads-from relation is determined: weak levels, decided for histories of any length.
//!
//! Where every operation is a read or a write of one register, and no value is written twice to a register or is its initial
//! value, each read tells which write it returned (`wr`). Then the weak levels are decided by one graph, in time and memory
//! proportional to operations times threads.
//!
//! *The graph.* The axioms of a weak level do not mention the linearization, and they only demand that operations are
//! visible. So there is a least visibility `V` that contains `wr` and satisfies them, the same in every linearization
//! ([`visibility`] finds it). The graph has happens-before (program order, for causal convergence), `V`, and for each read `r`
//! of a write `w`, and every other write `w'` of the register that is visible to `r`, an edge from `w'` to `w`. The history satisfies the
//! level if and only if the graph has no cycle, and no read of an initial value sees a write of its register.
//!
//! *If it has none*: take any topological order as the linearization and `V` as the visibility. `V` is within it, since its pairs
//! are edges. The axioms hold by the choice of `V`. A read `r` of `w` sees `w` and, of the writes of the register, otherwise only
//! those before `w`: it returns what `w` wrote. A read of the initial value sees no write of its register.
//!
//! *If the level holds*, by some linearization and visibility: a read `r` of `w` sees `w`, as no other write leaves what it
//! returned. So the visibility contains `wr`, hence `V`. Of the writes that `r` sees, `w` is linearized last, so every edge
//! of the graph is in the linearization, and there is no cycle. A read of the initial value sees no write of its register. ∎
//!
//! Most edges follow from others and are left out: in a thread all but the last visible write of a register (program order has the
//! others before it), and what earlier reads of a thread returned, where a later read of the register has it in its own
//! visibility. Pairs of `V` that are in neither happens-before nor `wr` are composed of pairs that are.
//!
//! *Pending operations.* A pending write that no read returned, and a pending read, are left out: nothing happens after them, and
//! with fewer operations the axioms demand less. A pending write that was read took effect.

mod accesses;
mod conflicts;
mod involved;
mod matrix;
mod thread_order;
mod visibility;

use omnilink_engine::{Limit, Model};
use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode, OrderEdge, Wiring};

use self::accesses::{Access, ReadsFrom, reads_from};
use self::conflicts::Conflicts;
use self::thread_order::ThreadOrder;
use self::visibility::Visibility;
use crate::level::ConsistencyLevel;
use crate::long_history::LongHistory;

/// What the graph says about a history.
#[derive(Debug)]
pub(crate) enum RegisterOutcome {
    /// A linearization.
    Order(Vec<usize>),
    /// Each of these operations comes before the next, and the last before the first.
    Cycle(Vec<OrderEdge>),
    /// This read returned a value that was never written.
    ThinAir(usize),
    /// This read returned the initial value although it sees this write.
    StaleInitial {
        read: usize,
        write: usize,
    },
    Limit(Limit),
}

/// A history of registers with a determined reads-from relation.
#[derive(Debug)]
pub(crate) struct RegisterHistory<'a, O> {
    history: &'a LongHistory<O>,
    accesses: Vec<Access>,
    is_included: Vec<bool>,
}

/// More counts than this, operations times threads, are not kept: 128 MiB for each matrix.
const COUNTS_MAX: usize = 1 << 25;

impl<'a, O> RegisterHistory<'a, O> {
    /// A history as one of registers; `None` if it is none, or its reads-from relation is not determined. An error is a read of
    /// a value that was never written.
    pub fn of<M: Model<Op = O>>(model: &M, history: &'a LongHistory<O>) -> Option<Result<Self, usize>> {
        let threads = history.ops.iter().map(|op| op.thread as usize + 1).max()?;
        if history.ops.len().checked_mul(threads)? > COUNTS_MAX {
            return None;
        }
        let accesses = match reads_from(model, &history.ops) {
            ReadsFrom::Undetermined => return None,
            ReadsFrom::ThinAir(read) => return Some(Err(read)),
            ReadsFrom::Determined(accesses) => accesses,
        };
        let mut is_included: Vec<bool> = history.ops.iter().map(|op| !op.optional).collect();
        for access in &accesses {
            if let Access::Read(_, Some(writer)) = access {
                is_included[*writer] = true;
            }
        }
        Some(Ok(Self {
            history,
            accesses,
            is_included,
        }))
    }

    /// Gives operations that must see everything before them (linearizable) the level causal, which they imply. Returns whether
    /// that changes nothing; otherwise only a violation counts.
    ///
    /// It changes nothing if they are all writes, and no other operation gains from what they see:
    ///
    /// - No other operation has a level that looks at what others see. A write has no return that must be explained.
    /// - Or there is one register. Let `r` return `w`. Whatever `r` sees in addition because a complete write sees it is linearized
    ///   before some complete write `z` that `r` sees anyway (the axioms lead from what is seen through `z` to what is seen
    ///   after it). `z` is linearized no later than `w`, so of the writes that `r` sees, `w` is still the last. A read of
    ///   the initial value sees no write, so no `z`. ∎
    pub fn relax_complete(&self, levels: &mut [ConsistencyLevel]) -> bool {
        let complete: Vec<usize> = (0..levels.len())
            .filter(|op| levels[*op] == ConsistencyLevel::Linearizable)
            .collect();
        let is_propagating = |level: &ConsistencyLevel| {
            !matches!(
                level,
                ConsistencyLevel::ReturnValue | ConsistencyLevel::Weak | ConsistencyLevel::Linearizable
            )
        };
        let is_one_register = self.accesses.iter().all(|access| match access {
            Access::Write(key) | Access::Read(key, _) => *key == 0,
            Access::None => true,
        });
        let are_writes = complete
            .iter()
            .all(|op| matches!(self.accesses[*op], Access::Write(_)));
        let is_exact =
            complete.is_empty() || are_writes && (is_one_register || !levels.iter().any(is_propagating));
        complete
            .into_iter()
            .for_each(|op| levels[op] = ConsistencyLevel::Causal);
        is_exact
    }

    /// Decides whether every operation has its level. Different levels are of those between return value and causal.
    pub fn decide(&self, levels: &[ConsistencyLevel], budget: &mut Budget) -> RegisterOutcome {
        let LongHistory { ops, timeboxes, .. } = self.history;
        let order = ThreadOrder::new(ops, timeboxes, &self.history.happens_before, &self.is_included);
        let mut graph = Graph::new(ops.len(), Wiring::Serial);
        if levels.contains(&ConsistencyLevel::CausalConvergence) {
            order.add_program_order(&mut graph);
        } else {
            order.add_happens_before(&mut graph);
        }
        for (op, access) in self.accesses.iter().enumerate() {
            if let Access::Read(key, Some(writer)) = access {
                graph.add(graph.commit(*writer), graph.begin(op), EdgeReason::ReadFrom(*key));
            }
        }
        let priorities: Vec<i64> = timeboxes.iter().map(|timebox| timebox.start).collect();
        let sequence = match graph.topological(&priorities) {
            Ok(sequence) => sequence,
            Err(cycle) => return RegisterOutcome::Cycle(cycle),
        };
        let mut visibility = Visibility::new(&order, &self.accesses, levels);
        let threads = order.threads.len() as u64;
        for op in self.included(&graph, &sequence) {
            if budget.works(1 + threads / 8) {
                break;
            }
            visibility.visit(op);
        }
        let mut conflicts = Conflicts::new(&self.accesses, &order, &visibility, &mut graph);
        for op in (0..ops.len()).filter(|op| self.is_included[*op]) {
            if budget.works(1 + threads) {
                break;
            }
            if let Err(write) = conflicts.add(op) {
                return RegisterOutcome::StaleInitial { read: op, write };
            }
        }
        if let Some(limit) = budget.exhausted() {
            return RegisterOutcome::Limit(limit);
        }
        match graph.topological(&priorities) {
            Ok(sequence) => RegisterOutcome::Order(self.included(&graph, &sequence).collect()),
            Err(cycle) => RegisterOutcome::Cycle(cycle),
        }
    }

    fn included<'s>(
        &'s self,
        graph: &'s Graph,
        sequence: &'s [GraphNode],
    ) -> impl Iterator<Item = usize> + 's {
        let ops = sequence.iter().filter_map(|node| graph.transaction(*node));
        ops.filter(|op| self.is_included[*op])
    }
}
