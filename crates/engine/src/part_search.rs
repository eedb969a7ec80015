//! The search over one part of a trace: the sweep while it is cheap, alternating with depth-first search after that.

mod window;

use std::collections::VecDeque;

use omnilink_evidence::Decider;
use omnilink_trace::Time;

use crate::any_search::{AnyDepthFirst, AnySweep, with};
use crate::blocked_return::{BlockedReturn, PartialExplanation};
use crate::depth_first::Schedule;
use crate::mask::Mask;
use crate::op_table::{OpRecord, OpRef, OpTable};
use crate::options::{Options, Strategy};
use crate::path::Paths;
use crate::search_context::{Advance, SearchContext};
use crate::state_ids::{Renumber, StateId};
use crate::sweep::{Sweep, SweepFigures};

/// The status of the search over one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartStatus {
    /// All returns before the start of the last operation are processed.
    CaughtUp,
    /// Some operations wait, because the search ran out of fuel.
    Behind,
    /// A limit of the whole check was reached.
    Limit,
    /// There is no explanation.
    Violation,
    /// Everything is explained, including the last return.
    Explained,
}

/// All partial explanations at one point of a history.
#[derive(Debug)]
pub(crate) struct Frontier<S> {
    /// The operations that are open there, as positions in the input.
    pub open: Vec<u64>,
    /// The state of each explanation, and the open operations that it has placed.
    pub configurations: Vec<(S, Vec<u64>)>,
}

/// The search over one part.
#[derive(Debug)]
pub(crate) struct PartSearch {
    pub op_table: OpTable,
    pub paths: Paths,
    sweep: AnySweep,
    /// Operations that wait until the search has more fuel.
    backlog: VecDeque<OpRef>,
    /// The fuel left for an attempt to process the backlog; 0 if there is no attempt.
    catch_up_fuel: u64,
    depth_first: Option<Box<AnyDepthFirst>>,
    depth_first_failed: bool,
    /// See [`Options::commit_after`]; the length of the backlog from which on the next attempt is made.
    window: Option<usize>,
    /// Whether explanations were dropped in favour of one: see [`window`].
    is_committed: bool,
    /// Operations whose place in the witness is settled and which are to be replayed.
    pub settled: Vec<OpRef>,
    /// The fuel that the sweep has used.
    spent: u64,
    /// The fuel of the next closing round.
    round_fuel: u64,
    /// See [`Options::sweep_budget`].
    sweep_budget: u64,
    strategy: Strategy,
    /// The number of operations that a witness must contain.
    pub mandatory: u64,
    status: PartStatus,
    pub decider: Decider,
}

impl PartSearch {
    /// Each operation adds the sweep budget divided by this.
    const BUDGET_DIVISOR_PER_OP: u64 = 256;
    /// Each call may use at least the sweep budget divided by this: one hard return does not make a hard history.
    const BUDGET_DIVISOR_PER_CALL: u64 = 64;
    /// Depth-first search continues without a pause while it uses at most this much fuel per call and return.
    const CHEAP_PER_EVENT: u64 = 8;
    /// The maximal length of the backlog.
    const BACKLOG_MAX: usize = 100_000;
    const RETIRE_EVERY: u64 = 64;
    /// From this length on, whenever the backlog has doubled, the sweep tries to catch up. A history that is only slightly
    /// hard must not stay in memory until its end.
    const CATCH_UP_FROM: usize = 1 << 14;
    /// The fuel of an attempt to catch up, per operation of the backlog.
    const CATCH_UP_PER_OP: u64 = 768;
    /// After the last operation, the backlog must be at most one in this many operations.
    const LAST_CATCH_UP_SHARE: u64 = 2;
    /// The number of operations that one call of [`catch_up`](Self::catch_up) processes. In between, tables are compacted.
    const CATCH_UP_CHUNK: usize = 64;

    pub fn new(initial: impl Iterator<Item = StateId>, options: &Options) -> Self {
        Self {
            op_table: OpTable::default(),
            paths: Paths::new(options.witness),
            sweep: AnySweep::Word(Sweep::new(initial)),
            backlog: VecDeque::new(),
            catch_up_fuel: 0,
            depth_first: None,
            depth_first_failed: false,
            window: options
                .commit_after
                .filter(|_| options.strategy == Strategy::Portfolio),
            is_committed: false,
            settled: Vec::new(),
            spent: 0,
            round_fuel: options.sweep_budget.max(1),
            sweep_budget: options.sweep_budget,
            strategy: options.strategy,
            mandatory: 0,
            status: PartStatus::CaughtUp,
            decider: Decider::Sweep,
        }
    }

    pub fn status(&self) -> PartStatus {
        self.status
    }

    pub fn figures(&self) -> SweepFigures {
        with!(AnySweep, &self.sweep, sweep => sweep.figures)
    }

    /// Whether an explanation may have been missed because of an unexpected tie.
    pub fn is_inconclusive(&self) -> bool {
        with!(AnySweep, &self.sweep, sweep => sweep.ops.is_inconclusive)
            || (self.depth_first.as_deref())
                .is_some_and(|search| with!(AnyDepthFirst, search, search => search.is_inconclusive()))
    }

    /// Gives the sweep fuel to process the backlog if it has doubled or is too long: see [`PartSearch::catch_up`].
    ///
    /// The total cost of failed attempts is linear: each costs a bounded amount per operation of the backlog, and the
    /// backlog doubles in between.
    fn allow_catching_up(&mut self) {
        let backlog = self.backlog.len();
        if backlog > Self::BACKLOG_MAX {
            // Memory must not grow with the trace, so the sweep has to catch up now.
            self.catch_up_fuel = u64::MAX;
        } else if backlog >= Self::CATCH_UP_FROM && backlog.is_power_of_two() {
            self.catch_up_fuel = Self::CATCH_UP_PER_OP * backlog as u64;
        }
    }

    /// The same after the last operation, if the sweep has caught up before: what is left then is a small part of the history, and
    /// starting over would take memory for all of it.
    pub fn allow_last_catch_up(&mut self) {
        // What depth-first search explained so far, it explains to the end.
        if self.is_committed {
            return;
        }
        let backlog = self.backlog.len() as u64;
        if self.mandatory >= Self::LAST_CATCH_UP_SHARE * backlog {
            self.catch_up_fuel = Self::CATCH_UP_PER_OP * backlog;
        }
    }

    /// Whether the sweep is processing the backlog.
    pub fn is_catching_up(&self) -> bool {
        self.catch_up_fuel > 0 && self.status == PartStatus::Behind
    }

    /// Processes some operations of the backlog.
    pub fn catch_up(&mut self, context: &mut SearchContext<'_, '_>) -> PartStatus {
        let mut fuel = std::mem::take(&mut self.catch_up_fuel);
        for _ in 0..Self::CATCH_UP_CHUNK {
            let Some(op) = self.backlog.pop_front() else {
                return self.status;
            };
            if !self.open(op, &mut fuel, context) {
                return self.status;
            }
            self.settle_if_full();
        }
        if !self.backlog.is_empty() {
            // New operations go to the end of the backlog.
            self.status = PartStatus::Behind;
            self.catch_up_fuel = fuel;
        }
        self.status
    }

    /// Takes the next operation, in order of start.
    pub fn push(&mut self, record: OpRecord, context: &mut SearchContext<'_, '_>) {
        self.mandatory += u64::from(!record.optional);
        let op = self.op_table.add(record);
        if self.status != PartStatus::CaughtUp || self.strategy == Strategy::DepthFirst {
            self.backlog.push_back(op);
            if self.status == PartStatus::Behind {
                self.commit_if_due(context);
                self.allow_catching_up();
            }
            return;
        }
        let mut fuel = self.cheap_fuel();
        self.open(op, &mut fuel, context);
        self.settle_if_full();
    }

    /// The fuel that the sweep may use before depth-first search joins in.
    fn cheap_fuel(&self) -> u64 {
        match self.strategy {
            Strategy::Sweep => u64::MAX,
            _ => (self.sweep_budget + self.sweep_budget / Self::BUDGET_DIVISOR_PER_OP * self.mandatory)
                .saturating_sub(self.spent)
                .max(self.sweep_budget / Self::BUDGET_DIVISOR_PER_CALL),
        }
    }

    /// Processes the returns before the start of `op`, then opens `op`. If that fails, puts `op` back into the backlog and
    /// returns `false`.
    fn open(&mut self, op: OpRef, fuel: &mut u64, context: &mut SearchContext<'_, '_>) -> bool {
        let start = self.op_table.get(op).start;
        if self.advance(start, fuel, context) != PartStatus::CaughtUp {
            self.backlog.push_front(op);
            return false;
        }
        self.sweep.make_room();
        let (op_table, paths) = (&self.op_table, &mut self.paths);
        with!(AnySweep, &mut self.sweep, sweep => sweep.call(op, op_table, paths, context));
        true
    }

    fn advance(&mut self, until: Time, fuel: &mut u64, context: &mut SearchContext<'_, '_>) -> PartStatus {
        let before = *fuel;
        let (op_table, paths) = (&mut self.op_table, &mut self.paths);
        let reached = with!(AnySweep, &mut self.sweep, sweep => {
            let returns = sweep.figures.returns / Self::RETIRE_EVERY;
            let reached = sweep.advance(until, fuel, op_table, paths, context);
            if reached == Advance::Done && sweep.figures.returns / Self::RETIRE_EVERY != returns {
                sweep.retire_pending(op_table, paths);
            }
            reached
        });
        self.spent += before - *fuel;
        self.status = match reached {
            Advance::Done => PartStatus::CaughtUp,
            Advance::OutOfFuel => PartStatus::Behind,
            Advance::Limit => PartStatus::Limit,
            Advance::Violation => PartStatus::Violation,
        };
        self.status
    }

    fn settle_if_full(&mut self) {
        if self.paths.is_full() && !self.is_mid_return() && self.depth_first.is_none() {
            self.settle();
        }
    }

    /// Settles what all configurations share, unless a search is in the middle of something.
    pub fn settle_now(&mut self) {
        if self.paths.enabled() && !self.is_mid_return() && self.depth_first.is_none() {
            self.settle();
        }
    }

    /// Whether the place of every operation given so far is settled, and none is open.
    pub fn is_settled(&self) -> bool {
        self.settled_state().is_some() && self.settled.is_empty() && self.paths.is_empty()
    }

    fn is_mid_return(&self) -> bool {
        with!(AnySweep, &self.sweep, sweep => sweep.returning.is_some())
    }

    fn settle(&mut self) {
        let (paths, settled) = (&mut self.paths, &mut self.settled);
        with!(AnySweep, &mut self.sweep, sweep => {
            paths.settle(sweep.frontier.iter_mut().map(|config| &mut config.path), settled);
        });
    }

    /// Lets the sweep process the backlog and, if `closing`, the last returns.
    pub fn run_sweep(&mut self, fuel: u64, closing: bool, context: &mut SearchContext<'_, '_>) -> PartStatus {
        if self.is_decided() {
            return self.status;
        }
        let mut fuel = fuel;
        while let Some(op) = self.backlog.pop_front() {
            if !self.open(op, &mut fuel, context) {
                return self.status;
            }
            self.settle_if_full();
        }
        if closing && self.advance(Time::MAX, &mut fuel, context) == PartStatus::CaughtUp {
            self.status = PartStatus::Explained;
            self.decider = Decider::Sweep;
        }
        self.status
    }

    /// Lets depth-first search continue. Only after the last operation.
    fn run_depth_first(&mut self, fuel: u64, context: &mut SearchContext<'_, '_>) -> PartStatus {
        if self.depth_first_failed {
            return self.status;
        }
        if self.depth_first.is_none() {
            let (op_table, backlog) = (&self.op_table, self.backlog.iter().copied());
            let started = with!(AnySweep, &self.sweep, sweep => {
                AnyDepthFirst::new(Schedule::new(sweep, backlog, op_table), sweep)
            });
            self.op_table.freeze();
            self.depth_first = Some(Box::new(started));
        }
        let Some(search) = &mut self.depth_first else {
            return self.status;
        };
        let op_table = &self.op_table;
        let reached = with!(AnyDepthFirst, &mut **search, search => loop {
            let (mut left, before) = (fuel, search.depth());
            let reached = search.run(&mut left, op_table, context);
            // While it advances as cheaply as an easy sweep, it need not wait for its next round.
            let is_cheap = (search.depth() - before) * Self::CHEAP_PER_EVENT >= fuel;
            if reached != Advance::OutOfFuel || !is_cheap {
                break reached;
            }
        });
        match reached {
            Advance::Done => {
                self.status = PartStatus::Explained;
                self.decider = Decider::DepthFirst;
            }
            Advance::Violation => {
                self.status = PartStatus::Violation;
                self.decider = Decider::DepthFirst;
                self.depth_first_failed = true;
            }
            Advance::Limit => self.status = PartStatus::Limit,
            Advance::OutOfFuel => {}
        }
        self.status
    }

    /// One round of both searches, with twice the fuel of the previous round. Only after the last operation.
    pub fn closing_round(&mut self, context: &mut SearchContext<'_, '_>) -> PartStatus {
        let fuel = self.round_fuel;
        self.round_fuel = self.round_fuel.saturating_mul(2);
        match self.strategy {
            Strategy::Sweep => self.run_sweep(u64::MAX, true, context),
            Strategy::DepthFirst => self.run_depth_first(fuel, context),
            // The caller asked for a monitor, so no search is made.
            Strategy::Portfolio | Strategy::Monitor => {
                // A sweep that has caught up needs only the last returns, so it goes first.
                if self.status == PartStatus::CaughtUp {
                    self.run_sweep(fuel, true, context);
                }
                if !self.is_decided() {
                    self.run_depth_first(fuel, context);
                }
                if !self.is_decided() {
                    self.run_sweep(fuel, true, context);
                }
                self.status
            }
        }
    }

    fn is_decided(&self) -> bool {
        !matches!(self.status, PartStatus::CaughtUp | PartStatus::Behind)
    }

    /// After `Explained`: settles the rest of one explanation.
    pub fn settle_all(&mut self) {
        match (&self.depth_first, self.decider) {
            (Some(search), Decider::DepthFirst) => {
                let (root, trail) = with!(AnyDepthFirst, &**search, search => search.explanation());
                if self.paths.enabled() {
                    self.settled.extend(self.paths.tail(root, usize::MAX));
                    self.settled.extend_from_slice(trail);
                }
            }
            _ => {
                with!(AnySweep, &mut self.sweep, sweep => sweep.frontier.truncate(1));
                self.settle();
            }
        }
    }

    /// After `Violation`: the return that the search could not get past.
    pub fn blocked_return(&mut self, context: &mut SearchContext<'_, '_>) -> Option<BlockedReturn> {
        if self.decider == Decider::DepthFirst {
            let op_table = &self.op_table;
            let search = self.depth_first.as_mut()?;
            return with!(AnyDepthFirst, &mut **search, search => search.blocked_return(op_table, context));
        }
        self.current_return()
    }

    /// The return being processed, with the configurations that explained everything before it.
    pub fn current_return(&self) -> Option<BlockedReturn> {
        let paths = &self.paths;
        with!(AnySweep, &self.sweep, sweep => {
            let slot = sweep.returning.or_else(|| sweep.ops.open.first())?;
            Some(BlockedReturn {
                target: sweep.ops.slot(slot).op,
                configurations: sweep
                    .frontier
                    .iter()
                    .take(BlockedReturn::KEPT)
                    .map(|config| PartialExplanation::new(config, &sweep.ops, paths.tail(config.path, BlockedReturn::RECENT)))
                    .collect(),
                total: sweep.frontier.len() as u64,
            })
        })
    }

    /// After `Violation` by the sweep: the operations after the settled prefix that all configurations have placed first,
    /// in the same order; and for each configuration that evidence shows, the operations that it has placed after those.
    pub fn shared_prefix(&self) -> Option<(Vec<OpRef>, Vec<Vec<OpRef>>)> {
        if self.decider == Decider::DepthFirst || !self.paths.enabled() {
            return None;
        }
        let paths = &self.paths;
        with!(AnySweep, &self.sweep, sweep => {
            let ends = sweep.frontier.iter().map(|config| config.path);
            let shared = paths.tail(paths.common_ancestor(ends.clone()), usize::MAX);
            let since = ends
                .take(BlockedReturn::KEPT)
                .map(|end| paths.tail(end, usize::MAX).split_off(shared.len()))
                .collect();
            Some((shared, since))
        })
    }

    /// The open operations and the configurations after all returns before `time`.
    pub fn frontier_at(
        &mut self,
        time: Time,
        context: &mut SearchContext<'_, '_>,
    ) -> Option<Frontier<StateId>> {
        let mut fuel = u64::MAX;
        if self.status != PartStatus::CaughtUp
            || self.advance(time, &mut fuel, context) != PartStatus::CaughtUp
        {
            return None;
        }
        let op_table = &self.op_table;
        with!(AnySweep, &self.sweep, sweep => {
            let ids = |slots: &mut dyn Iterator<Item = usize>| {
                slots.map(|slot| op_table.get(sweep.ops.slot(slot).op).id).collect::<Vec<_>>()
            };
            let configurations = sweep
                .frontier
                .iter()
                .map(|config| (config.state, ids(&mut config.placed.slots())))
                .collect();
            Some(Frontier { open: ids(&mut sweep.ops.open.slots()), configurations })
        })
    }

    /// The only state left, if no operation is open or waiting.
    pub fn settled_state(&self) -> Option<StateId> {
        if self.status != PartStatus::CaughtUp || !self.backlog.is_empty() {
            return None;
        }
        with!(AnySweep, &self.sweep, sweep => sweep.settled_state())
    }

    /// Whether states and classes can be renumbered now.
    pub fn can_renumber(&self) -> bool {
        self.depth_first.is_none() && !self.is_mid_return()
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber) {
        self.op_table.renumber(numbers);
        let op_table = &self.op_table;
        with!(AnySweep, &mut self.sweep, sweep => sweep.renumber(numbers, op_table));
    }
}
