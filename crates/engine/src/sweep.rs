//! The event sweep: walk calls and returns in time order, keep every partial explanation alive.
//!
//! The frontier is the set of configurations that explain everything up to here. A call opens an operation; nothing is
//! decided. A return forces the operation: every configuration that has not placed it yet is extended by sequences of
//! open operations that end in it (Lowe's just-in-time linearization: complete, because an operation that no return
//! forces can always be placed later). If nothing survives a return, that return is the violation.
//!
//! Memory is the frontier and what is open, whatever the length of the trace; so this is also the strategy for traces
//! that are still being written.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use omnilink_trace::Time;
use smallvec::SmallVec;

use crate::config::{Config, Lens, Seen};
use crate::ledger::{Entry, Ledger, OpRef};
use crate::mask::Mask;
use crate::meter::Meter;
use crate::mutant::{Mutant, planted};
use crate::open_ops::OpenOps;
use crate::options::Reductions;
use crate::path::{Paths, START};
use crate::space::{AnySpace, Renumber, StateId};

/// What a search works with and does not own.
pub(crate) struct Tools<'a, 's> {
    pub space: &'a mut AnySpace<'s>,
    pub meter: &'a mut Meter,
    pub reductions: &'a Reductions,
}

/// How far an [`advance`](Sweep::advance) got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Everything asked for is done.
    Target,
    /// The fuel is used up; call again to go on.
    NoFuel,
    /// A limit of the whole check was reached.
    Limit,
    /// No configuration survives the return that is being processed.
    Violation,
}

/// Figures for reports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepFigures {
    pub returns: u64,
    pub frontier_max: usize,
    pub frontier_sum: u64,
}

/// The sweep over one partition of a trace.
#[derive(Debug)]
pub(crate) struct Sweep<K> {
    pub ops: OpenOps<K>,
    /// Before a return is done: the configurations that explained everything up to it.
    pub frontier: Vec<Config<K>>,
    returns: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// The return being processed, if one was interrupted or failed.
    pub returning: Option<usize>,
    stack: Vec<Config<K>>,
    next: Vec<Config<K>>,
    seen: Seen<K>,
    pub figures: SweepFigures,
}

impl<K: Mask> Sweep<K> {
    pub fn new(initial: impl Iterator<Item = StateId>) -> Self {
        Self {
            ops: OpenOps::new(),
            frontier: initial
                .map(|state| Config {
                    state,
                    placed: K::default(),
                    path: START,
                })
                .collect(),
            returns: BinaryHeap::new(),
            returning: None,
            stack: Vec::new(),
            next: Vec::new(),
            seen: Seen::new(),
            figures: SweepFigures {
                frontier_max: 1,
                ..SweepFigures::default()
            },
        }
    }

    /// The same sweep with room for more open operations. Not while a return is being processed.
    pub fn widen<W: Mask>(self) -> Sweep<W> {
        debug_assert!(self.returning.is_none());
        Sweep {
            ops: self.ops.widen(),
            frontier: self
                .frontier
                .into_iter()
                .map(|config| Config {
                    state: config.state,
                    placed: config.placed.convert(),
                    path: config.path,
                })
                .collect(),
            returns: self.returns,
            returning: None,
            stack: Vec::new(),
            next: Vec::new(),
            seen: Seen::new(),
            figures: self.figures,
        }
    }

    /// Whether the next call has a slot.
    pub fn has_room(&self) -> bool {
        self.ops.next_slot() < K::CAPACITY
    }

    /// Whether nothing is open and one state is left.
    pub fn settled_state(&self) -> Option<StateId> {
        match self.frontier.as_slice() {
            [only] if self.ops.open.is_empty() => Some(only.state),
            _ => None,
        }
    }

    /// Opens `op`. All returns before its start must have been processed.
    pub fn call(&mut self, op: OpRef, ledger: &Ledger, paths: &mut Paths, tools: &mut Tools<'_, '_>) {
        let slot = self.ops.next_slot();
        self.ops.occupy(slot, op, ledger, tools.space);
        let entry = ledger.get(op);
        if entry.end != Entry::NEVER {
            self.returns.push(Reverse((entry.end, entry.id, slot as u32)));
        }
        if tools.reductions.absorption && self.ops.pure.contains(slot) {
            let class = entry.class;
            for config in &mut self.frontier {
                if self.ops.is_first(slot, &config.placed) && tools.space.accepts(config.state, class) {
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
        ledger: &mut Ledger,
        paths: &mut Paths,
        tools: &mut Tools<'_, '_>,
    ) -> Reached {
        loop {
            let slot = match self.returning {
                Some(slot) => slot,
                None => match self.returns.peek() {
                    Some(Reverse((end, _, slot))) if *end < until => {
                        let slot = *slot as usize;
                        self.returns.pop();
                        self.begin_return(slot, tools);
                        slot
                    }
                    _ => return Reached::Target,
                },
            };
            match self.expand(slot, fuel, paths, tools) {
                Reached::Target => {}
                other => return other,
            }
            if self.next.is_empty() {
                return Reached::Violation;
            }
            if tools.reductions.minimal_frontier && !self.keep_minimal(slot, tools) {
                return Reached::Limit;
            }
            debug_assert!(!self.next.is_empty() || planted(Mutant::MinimalAcrossReturn));
            self.end_return(slot, ledger, paths);
        }
    }

    fn lens(&self, reductions: &Reductions) -> Lens<K> {
        if planted(Mutant::DominateByAny) {
            Lens::new(self.ops.open.clone(), K::default())
        } else if planted(Mutant::DominateMandatory) {
            Lens::new(K::default(), self.ops.open.clone())
        } else if reductions.dominance {
            Lens::new(self.ops.dominating(), self.ops.optional.clone())
        } else {
            Lens::new(K::default(), K::default())
        }
    }

    fn begin_return(&mut self, slot: usize, tools: &mut Tools<'_, '_>) {
        self.returning = Some(slot);
        self.next.clear();
        self.stack.clear();
        // The most frequent case by far, on its own: one configuration, and nothing to compare it with.
        if let [only] = self.frontier.as_slice() {
            if only.placed.contains(slot) {
                self.next.push(only.clone());
            } else {
                self.seen.clear();
                self.stack.push(only.clone());
                if self.ops.optional.contains(slot) {
                    self.next.push(only.clone());
                }
            }
            return;
        }
        self.seen.clear();
        let lens = self.lens(tools.reductions);
        // Configurations that placed it come first: they may dominate others, and they need no work.
        for config in self.frontier.iter().filter(|config| config.placed.contains(slot)) {
            if self.seen.admit(config.state, &config.placed, &lens) {
                self.next.push(config.clone());
            }
        }
        let optional = self.ops.optional.contains(slot);
        for config in self
            .frontier
            .iter()
            .filter(|config| !config.placed.contains(slot))
        {
            if self.seen.admit(config.state, &config.placed, &lens) {
                self.stack.push(config.clone());
                if optional {
                    self.next.push(config.clone());
                }
            }
        }
    }

    /// Extends what is on the stack until everything on it has placed `target`.
    fn expand(
        &mut self,
        target: usize,
        fuel: &mut u64,
        paths: &mut Paths,
        tools: &mut Tools<'_, '_>,
    ) -> Reached {
        if self.stack.is_empty() {
            return Reached::Target;
        }
        let lens = self.lens(tools.reductions);
        while let Some(config) = self.stack.pop() {
            if *fuel == 0 {
                self.stack.push(config);
                return Reached::NoFuel;
            }
            let seen = &self.seen;
            if tools
                .meter
                .configuration(|| tools.space.heap_bytes() + seen.heap_bytes() + paths.heap_bytes())
            {
                self.stack.push(config);
                return Reached::Limit;
            }
            let relevant = self.ops.relevant(
                tools.space,
                config.state,
                &config.placed,
                target,
                tools.reductions,
            );
            let tried = relevant.count();
            *fuel = fuel.saturating_sub(1 + tried as u64);
            // While there is one configuration, and one way on, nothing can be met twice.
            let straight_on = tried == 1 && self.stack.is_empty() && self.next.is_empty();
            for slot in relevant.slots() {
                let successors = tools.space.successors(config.state, self.ops.slot(slot).class);
                let mut branch = 0;
                while let Some(state) = tools.space.successor(successors, branch) {
                    branch += 1;
                    let mut placed = config.placed.clone();
                    placed.insert(slot);
                    let ops = &self.ops;
                    let mut absorbed = SmallVec::<[usize; 8]>::new();
                    ops.absorb(tools.space, state, &mut placed, tools.reductions, |slot| {
                        absorbed.push(slot)
                    });
                    let lone = straight_on && tools.space.successor(successors, 1).is_none();
                    if !lone && !self.seen.admit(state, &placed, &lens) {
                        continue;
                    }
                    let mut path = paths.extend(config.path, ops.slot(slot).op);
                    for absorbed in absorbed {
                        path = paths.extend(path, ops.slot(absorbed).op);
                    }
                    let config = Config { state, placed, path };
                    if config.placed.contains(target) {
                        self.next.push(config);
                    } else {
                        self.stack.push(config);
                    }
                }
            }
        }
        Reached::Target
    }

    /// Drops configurations that another one of the new frontier makes superfluous. `false`: a limit was reached.
    ///
    /// **Minimal frontier.** Let `c` be what `c'` becomes by placing one more operation `u` that stays open after this
    /// return and that the order of its thread allows (and by absorbing). Any completion of `c` gives one of `c'`: place `u` first. So `c` can go. The
    /// same holds for whatever `c` dominates. What is dropped is always larger than what makes it superfluous (by
    /// the operations placed that are not pure), so no two configurations drop each other. ∎
    fn keep_minimal(&mut self, target: usize, tools: &mut Tools<'_, '_>) -> bool {
        if self.next.len() < 2 && !planted(Mutant::MinimalAcrossReturn) {
            return true;
        }
        let lens = self.lens(tools.reductions);
        self.next.sort_by_key(|config| lens.rank(&config.placed));
        self.seen.clear();
        let seen = &mut self.seen;
        self.next
            .retain(|config| seen.admit(config.state, &config.placed, &lens));
        if self.next.len() < 2 && !planted(Mutant::MinimalAcrossReturn) {
            return true;
        }
        let mut dropped = vec![false; self.next.len()];
        let ops = &self.ops;
        // Placing what no configuration has placed leads to none of them.
        let placed_somewhere = self
            .next
            .iter()
            .fold(K::default(), |placed, config| placed.or(&config.placed));
        let across = self
            .frontier
            .iter()
            .filter(|_| planted(Mutant::MinimalAcrossReturn));
        for config in self.next.iter().chain(across) {
            let mut later = placed_somewhere.minus(&config.placed).minus(&ops.pure);
            if !planted(Mutant::MinimalAcrossReturn) {
                later.remove(target);
            }
            for slot in later.slots() {
                if !ops.is_due(slot, &config.placed) && !planted(Mutant::MinimalOverTies) {
                    continue;
                }
                if tools
                    .meter
                    .work(|| tools.space.heap_bytes() + self.seen.heap_bytes())
                {
                    return false;
                }
                let successors = tools.space.successors(config.state, ops.slot(slot).class);
                let mut branch = 0;
                while let Some(state) = tools.space.successor(successors, branch) {
                    branch += 1;
                    let mut placed = config.placed.clone();
                    placed.insert(slot);
                    ops.absorb(tools.space, state, &mut placed, tools.reductions, |_| ());
                    self.seen
                        .dominated(state, &placed, &lens, |entry| dropped[entry] = true);
                }
            }
        }
        let mut index = 0;
        self.next.retain(|_| {
            index += 1;
            !dropped[index - 1]
        });
        true
    }

    fn end_return(&mut self, slot: usize, ledger: &mut Ledger, paths: &mut Paths) {
        std::mem::swap(&mut self.frontier, &mut self.next);
        let mut placed_somewhere = false;
        let optional = self.ops.optional.contains(slot);
        for config in &mut self.frontier {
            placed_somewhere |= config.placed.contains(slot);
            config.placed.remove(slot);
        }
        if optional {
            // Configurations that differed only in this operation are equal now.
            let exact = Lens::new(K::default(), K::default());
            self.seen.clear();
            let seen = &mut self.seen;
            self.frontier
                .retain(|config| seen.admit(config.state, &config.placed, &exact));
        }
        if !paths.enabled() || !placed_somewhere {
            ledger.remove(self.ops.slot(slot).op);
        }
        self.ops.vacate(slot);
        self.returning = None;
        self.figures.returns += 1;
        self.figures.frontier_max = self.figures.frontier_max.max(self.frontier.len());
        self.figures.frontier_sum += self.frontier.len() as u64;
    }

    /// Frees the slots of pending operations that every configuration has placed: they are history. What is tied before them has
    /// returned: it ended where they start, and returns after that start have been processed.
    pub fn retire_pending(&mut self, ledger: &mut Ledger, paths: &Paths) {
        let Some((first, rest)) = self.frontier.split_first() else {
            return;
        };
        let common = rest
            .iter()
            .fold(first.placed.clone(), |common, config| common.and(&config.placed));
        for slot in common.slots() {
            let op = self.ops.slot(slot).op;
            if !ledger.get(op).is_pending() {
                continue;
            }
            debug_assert!(self.ops.is_first(slot, &K::default()));
            for config in &mut self.frontier {
                config.placed.remove(slot);
            }
            if !paths.enabled() {
                ledger.remove(op);
            }
            self.ops.vacate(slot);
        }
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber, ledger: &Ledger) {
        for config in self
            .frontier
            .iter_mut()
            .chain(&mut self.stack)
            .chain(&mut self.next)
        {
            numbers.state(&mut config.state);
        }
        self.ops.refresh_classes(ledger);
    }

    /// The returns still to come, as `(end, id, slot)` in time order.
    pub fn pending_returns(&self) -> Vec<(Time, u64, u32)> {
        let mut returns: Vec<_> = self.returns.iter().map(|Reverse(key)| *key).collect();
        returns.sort_unstable();
        returns
    }
}
