//! The event sweep: processes calls and returns in time order and keeps every partial explanation.
//!
//! The *frontier* is the set of configurations that explain everything so far. A call opens an operation and decides
//! nothing. A return forces its operation: every configuration that has not placed it is extended by sequences of open
//! operations that end in it. This is Lowe's just-in-time linearization. It is complete, because an operation that no
//! return forces can always be placed later. If no configuration is left after a return, that return is the violation.
//!
//! Memory depends on the frontier and the open operations, never on the length of the trace. So this strategy also
//! serves traces that are still being written.

mod minimal_frontier;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use omnilink_trace::Time;
use smallvec::SmallVec;

use crate::configuration::Configuration;
use crate::dominance::{Dominance, VisitedSet};
use crate::evidence::SearchFigures;
use crate::mask::Mask;
use crate::mutant::{Mutant, mutated};
use crate::op_table::{OpRecord, OpRef, OpTable};
use crate::open_ops::OpenOps;
use crate::options::Reductions;
use crate::path::{PathId, Paths};
use crate::search_context::{Advance, SearchContext};
use crate::state_ids::{Renumber, StateId};
use crate::state_space::DynStateSpace;

/// Statistics of a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepFigures {
    pub returns: u64,
    pub frontier_max: usize,
    pub frontier_sum: u64,
}

impl SweepFigures {
    /// Adds these statistics to those of the whole check.
    pub fn add_to(self, figures: &mut SearchFigures) {
        figures.frontier_max = figures.frontier_max.max(self.frontier_max as u64);
        figures.frontier_sum += self.frontier_sum;
        figures.returns += self.returns;
    }
}

/// The sweep over one part of a trace.
#[derive(Debug)]
pub(crate) struct Sweep<K> {
    pub ops: OpenOps<K>,
    /// The configurations that explain everything before the return that is being processed.
    pub frontier: Vec<Configuration<K>>,
    /// The returns to come, as `(end, id, slot)`.
    returns: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// The slot whose return is being processed, if one was interrupted or failed.
    pub returning: Option<usize>,
    /// Configurations that have not placed the returning operation yet.
    stack: Vec<Configuration<K>>,
    /// Configurations that explain the return: the next frontier.
    next: Vec<Configuration<K>>,
    visited: VisitedSet<K>,
    pub figures: SweepFigures,
}

impl<K: Mask> Sweep<K> {
    pub fn new(initial: impl Iterator<Item = StateId>) -> Self {
        Self {
            ops: OpenOps::new(),
            frontier: initial.map(Configuration::initial).collect(),
            returns: BinaryHeap::new(),
            returning: None,
            stack: Vec::new(),
            next: Vec::new(),
            visited: VisitedSet::new(),
            figures: SweepFigures {
                frontier_max: 1,
                ..SweepFigures::default()
            },
        }
    }

    /// The same sweep with room for more open operations. Must not be called while a return is being processed.
    pub fn widen<W: Mask>(self) -> Sweep<W> {
        debug_assert!(self.returning.is_none());
        Sweep {
            ops: self.ops.widen(),
            frontier: self.frontier.iter().map(Configuration::convert).collect(),
            returns: self.returns,
            returning: None,
            stack: Vec::new(),
            next: Vec::new(),
            visited: VisitedSet::new(),
            figures: self.figures,
        }
    }

    /// Whether there is a slot for the next call.
    pub fn has_room(&self) -> bool {
        self.ops.next_slot() < K::CAPACITY
    }

    /// The only state left, if no operation is open.
    pub fn settled_state(&self) -> Option<StateId> {
        match self.frontier.as_slice() {
            [only] if self.ops.open.is_empty() => Some(only.state),
            _ => None,
        }
    }

    /// Opens `op`. All returns before its start must have been processed.
    pub fn call(
        &mut self,
        op: OpRef,
        op_table: &OpTable,
        paths: &mut Paths,
        context: &mut SearchContext<'_, '_>,
    ) {
        let slot = self.ops.next_slot();
        self.ops.occupy(slot, op, op_table, context.space);
        let record = op_table.get(op);
        if record.end != OpRecord::NEVER {
            self.returns.push(Reverse((record.end, record.id, slot as u32)));
        }
        if context.reductions.absorption && self.ops.pure.contains(slot) {
            let class = record.class;
            for config in &mut self.frontier {
                if self.ops.predecessors_placed(slot, &config.placed)
                    && context.space.accepts(config.state, class)
                {
                    config.placed.insert(slot);
                    config.path = paths.extend(config.path, op);
                }
            }
        }
    }

    /// Processes every return before `until`.
    pub fn advance(
        &mut self,
        until: Time,
        fuel: &mut u64,
        op_table: &mut OpTable,
        paths: &mut Paths,
        context: &mut SearchContext<'_, '_>,
    ) -> Advance {
        loop {
            let slot = match self.returning {
                Some(slot) => slot,
                None => match self.returns.peek() {
                    Some(Reverse((end, _, slot))) if *end < until => {
                        let slot = *slot as usize;
                        self.returns.pop();
                        self.begin_return(slot, context);
                        slot
                    }
                    _ => return Advance::Done,
                },
            };
            match self.expand(slot, fuel, paths, context) {
                Advance::Done => {}
                other => return other,
            }
            if self.next.is_empty() {
                return Advance::Violation;
            }
            if context.reductions.minimal_frontier && !self.minimize_frontier(slot, context) {
                return Advance::Limit;
            }
            debug_assert!(!self.next.is_empty() || mutated(Mutant::MinimalAcrossReturn));
            self.end_return(slot, op_table, paths);
        }
    }

    fn dominance(&self, reductions: &Reductions) -> Dominance<K> {
        if mutated(Mutant::DominateByAny) {
            Dominance::new(self.ops.open.clone(), K::default())
        } else if mutated(Mutant::DominateMandatory) {
            Dominance::new(K::default(), self.ops.open.clone())
        } else if reductions.dominance {
            Dominance::new(self.ops.dominating(), self.ops.optional.clone())
        } else {
            Dominance::equality()
        }
    }

    fn begin_return(&mut self, slot: usize, context: &mut SearchContext<'_, '_>) {
        self.returning = Some(slot);
        self.next.clear();
        self.stack.clear();
        // By far the most frequent case: a single configuration, with nothing to compare it with.
        if let [only] = self.frontier.as_slice() {
            if only.placed.contains(slot) {
                self.next.push(only.clone());
            } else {
                self.visited.clear();
                self.stack.push(only.clone());
                if self.ops.optional.contains(slot) {
                    self.next.push(only.clone());
                }
            }
            return;
        }
        self.visited.clear();
        let dominance = self.dominance(context.reductions);
        // Configurations that placed the operation come first: they may dominate others, and they need no work.
        for config in self.frontier.iter().filter(|config| config.placed.contains(slot)) {
            if self.visited.insert(config.state, &config.placed, &dominance) {
                self.next.push(config.clone());
            }
        }
        let optional = self.ops.optional.contains(slot);
        for config in self
            .frontier
            .iter()
            .filter(|config| !config.placed.contains(slot))
        {
            if self.visited.insert(config.state, &config.placed, &dominance) {
                self.stack.push(config.clone());
                if optional {
                    self.next.push(config.clone());
                }
            }
        }
    }

    /// Extends the configurations on the stack until each of them has placed `target`.
    fn expand(
        &mut self,
        target: usize,
        fuel: &mut u64,
        paths: &mut Paths,
        context: &mut SearchContext<'_, '_>,
    ) -> Advance {
        if self.stack.is_empty() {
            return Advance::Done;
        }
        let dominance = self.dominance(context.reductions);
        while let Some(config) = self.stack.pop() {
            if *fuel == 0 {
                self.stack.push(config);
                return Advance::OutOfFuel;
            }
            let visited = &self.visited;
            if context
                .budget
                .configuration(|| context.space.heap_bytes() + visited.heap_bytes() + paths.heap_bytes())
            {
                self.stack.push(config);
                return Advance::Limit;
            }
            let candidates = self.ops.stubborn_set(
                context.space,
                config.state,
                &config.placed,
                target,
                context.reductions,
            );
            let tried = candidates.count();
            *fuel = fuel.saturating_sub(1 + tried as u64);
            // With a single configuration and a single candidate, no configuration can be reached twice.
            let is_unique = tried == 1 && self.stack.is_empty() && self.next.is_empty();
            for slot in candidates.slots() {
                let successors = context.space.successors(config.state, self.ops.slot(slot).class);
                let mut branch = 0;
                while let Some(state) = context.space.successor(successors, branch) {
                    branch += 1;
                    let mut placed = config.placed.clone();
                    placed.insert(slot);
                    let ops = &self.ops;
                    let mut absorbed = SmallVec::<[usize; 8]>::new();
                    ops.absorb(context.space, state, &mut placed, context.reductions, |slot| {
                        absorbed.push(slot)
                    });
                    let is_unique = is_unique && context.space.successor(successors, 1).is_none();
                    if !is_unique && !self.visited.insert(state, &placed, &dominance) {
                        continue;
                    }
                    let mut path = paths.extend(config.path, ops.slot(slot).op);
                    for absorbed in absorbed {
                        path = paths.extend(path, ops.slot(absorbed).op);
                    }
                    let config = Configuration { state, placed, path };
                    if config.placed.contains(target) {
                        self.next.push(config);
                    } else {
                        self.stack.push(config);
                    }
                }
            }
        }
        Advance::Done
    }

    fn end_return(&mut self, slot: usize, op_table: &mut OpTable, paths: &mut Paths) {
        std::mem::swap(&mut self.frontier, &mut self.next);
        let mut placed_somewhere = false;
        let optional = self.ops.optional.contains(slot);
        for config in &mut self.frontier {
            placed_somewhere |= config.placed.contains(slot);
            config.placed.remove(slot);
        }
        if optional {
            // Configurations that differed only in this operation are equal now.
            let equality = Dominance::equality();
            self.visited.clear();
            let visited = &mut self.visited;
            self.frontier
                .retain(|config| visited.insert(config.state, &config.placed, &equality));
        }
        let op = self.ops.slot(slot).op;
        if paths.enabled() && placed_somewhere {
            op_table.close(op)
        } else {
            op_table.remove(op)
        }
        self.ops.vacate(slot);
        self.returning = None;
        self.figures.returns += 1;
        self.figures.frontier_max = self.figures.frontier_max.max(self.frontier.len());
        self.figures.frontier_sum += self.frontier.len() as u64;
    }

    /// Frees the slots of pending operations that every configuration has placed. The operations tied before them have
    /// returned: those ended where the pending ones start, and later returns have been processed.
    pub fn retire_pending(&mut self, op_table: &mut OpTable, paths: &Paths) {
        let Some((first, rest)) = self.frontier.split_first() else {
            return;
        };
        let common = rest
            .iter()
            .fold(first.placed.clone(), |common, config| common.and(&config.placed));
        for slot in common.slots() {
            let op = self.ops.slot(slot).op;
            if !op_table.get(op).is_pending() {
                continue;
            }
            debug_assert!(self.ops.predecessors_placed(slot, &K::default()));
            for config in &mut self.frontier {
                config.placed.remove(slot);
            }
            if paths.enabled() {
                op_table.close(op)
            } else {
                op_table.remove(op)
            }
            self.ops.vacate(slot);
        }
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber, op_table: &OpTable) {
        for config in self
            .frontier
            .iter_mut()
            .chain(&mut self.stack)
            .chain(&mut self.next)
        {
            numbers.state(&mut config.state);
        }
        self.ops.refresh_classes(op_table);
    }

    /// A sweep that goes on from one configuration, which has placed nothing that is open.
    pub fn resumed(state: StateId, path: PathId, figures: SweepFigures) -> Self {
        let mut sweep = Self::new(std::iter::once(state));
        sweep.figures = figures;
        sweep.frontier.iter_mut().for_each(|config| config.path = path);
        sweep
    }

    /// Opens an operation of a resumed sweep, which its only configuration has placed or not.
    pub fn reopen(&mut self, op: OpRef, is_placed: bool, op_table: &OpTable, space: &DynStateSpace<'_>) {
        let slot = self.ops.next_slot();
        self.ops.occupy(slot, op, op_table, space);
        let record = op_table.get(op);
        if !record.is_pending() {
            self.returns.push(Reverse((record.end, record.id, slot as u32)));
        }
        if is_placed {
            self.frontier.iter_mut().for_each(|config| {
                config.placed.insert(slot);
            });
        }
    }

    /// The returns to come, as `(end, id, slot)` in time order.
    pub fn pending_returns(&self) -> Vec<(Time, u64, u32)> {
        let mut returns: Vec<_> = self.returns.iter().map(|Reverse(key)| *key).collect();
        returns.sort_unstable();
        returns
    }
}
