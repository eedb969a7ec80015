//! The search over one partition of a trace: the sweep while it is easy, and depth-first beside it where it is not.

use std::collections::{BTreeSet, VecDeque};

use omnilink_evidence::Decider;
use omnilink_trace::Time;

use crate::depth_first::{DepthFirst, Schedule};
use crate::evidence::{Stuck, Survivor};
use crate::ledger::{Entry, Ledger, OpRef};
use crate::mask::{Mask, WideMask};
use crate::options::{Options, Strategy};
use crate::path::Paths;
use crate::space::{Renumber, StateId};
use crate::sweep::{Reached, Sweep, SweepFigures, Tools};

/// The sweep with as many mask words as it needs.
#[derive(Debug)]
enum AnySweep {
    Word(Sweep<u64>),
    Double(Sweep<u128>),
    Wide(Sweep<WideMask>),
}

#[derive(Debug)]
enum AnyDepthFirst {
    Word(DepthFirst<u64>),
    Double(DepthFirst<u128>),
    Wide(DepthFirst<WideMask>),
}

macro_rules! with {
    ($any:ident, $of:expr, $name:ident => $body:expr) => {
        match $of {
            $any::Word($name) => $body,
            $any::Double($name) => $body,
            $any::Wide($name) => $body,
        }
    };
}

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// All operations given so far are processed as far as their successors' starts allow.
    Caught,
    /// It needs more fuel.
    Behind,
    /// A limit of the whole check was reached.
    Limit,
    /// There is no explanation.
    Violation,
    /// Everything is explained, the last return included.
    Explained,
}

/// All partial explanations at one point of a history.
#[derive(Debug)]
pub(crate) struct Frontier<S> {
    /// The operations that are open there, by position in the input.
    pub open: Vec<u64>,
    /// Each explanation's state, and which of the open operations it has placed.
    pub configurations: Vec<(S, Vec<u64>)>,
}

/// The search over one partition.
#[derive(Debug)]
pub(crate) struct Search {
    pub ledger: Ledger,
    pub paths: Paths,
    sweep: AnySweep,
    backlog: VecDeque<OpRef>,
    /// What the sweep may still spend to work it off; 0 if it does not try.
    catching_up: u64,
    depth_first: Option<Box<AnyDepthFirst>>,
    depth_first_failed: bool,
    /// Operations whose place in the witness is settled, for whoever replays it.
    pub settled: Vec<OpRef>,
    /// Configurations explored by the sweep.
    spent: u64,
    slice: u64,
    patience: u64,
    strategy: Strategy,
    /// Returned operations that a witness must contain.
    pub mandatory: u64,
    standing: Standing,
    pub decider: Decider,
}

impl Search {
    /// This part of the patience again is granted for each operation.
    const PATIENCE_PER_OP: u64 = 256;
    /// This part of it is granted at each call, even when all is spent: one hard spot is no hard history.
    const PATIENCE_PER_CALL: u64 = 64;
    /// What depth-first search may spend for each call and return that it gets past, to go on without a pause.
    const EASY_PER_EVENT: u64 = 8;
    /// How long the backlog of a hard search may get before it is worked off.
    const BACKLOG_MAX: usize = 100_000;
    const RETIRE_EVERY: u64 = 64;
    /// From here on, whenever the backlog has doubled, the sweep may try to catch up: a history that is only a little harder
    /// than easy must not be kept in memory until its end.
    const CATCH_UP_FROM: usize = 1 << 14;
    /// What it may spend on that for each operation of the backlog.
    const CATCH_UP_PER_OP: u64 = 768;
    /// How many operations it works off at a time: in between, what was met on the way can be forgotten.
    const CATCH_UP_CHUNK: usize = 64;

    pub fn new(initial: impl Iterator<Item = StateId>, options: &Options) -> Self {
        Self {
            ledger: Ledger::default(),
            paths: Paths::new(options.witness),
            sweep: AnySweep::Word(Sweep::new(initial)),
            backlog: VecDeque::new(),
            catching_up: 0,
            depth_first: None,
            depth_first_failed: false,
            settled: Vec::new(),
            spent: 0,
            slice: options.patience.max(1),
            patience: options.patience,
            strategy: options.strategy,
            mandatory: 0,
            standing: Standing::Caught,
            decider: Decider::Sweep,
        }
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    pub fn figures(&self) -> SweepFigures {
        with!(AnySweep, &self.sweep, sweep => sweep.figures)
    }

    /// Whether an explanation may have been missed because of a tie that was not expected.
    pub fn is_doubtful(&self) -> bool {
        with!(AnySweep, &self.sweep, sweep => sweep.ops.is_doubtful)
            || (self.depth_first.as_deref())
                .is_some_and(|search| with!(AnyDepthFirst, search, search => search.is_doubtful()))
    }

    /// Lets the sweep try to work off the backlog, if it is time for that: see [`Search::catch_up`].
    ///
    /// Attempts that fail cost a bounded amount for each operation of the backlog, and the backlog doubles in between.
    fn allow_catching_up(&mut self) {
        let backlog = self.backlog.len();
        if backlog > Self::BACKLOG_MAX {
            // Memory must not grow with the trace: the sweep has to catch up now, however long it takes.
            self.catching_up = u64::MAX;
        } else if backlog >= Self::CATCH_UP_FROM && backlog.is_power_of_two() {
            self.catching_up = Self::CATCH_UP_PER_OP * backlog as u64;
        }
    }

    /// Whether the sweep is working off the backlog.
    pub fn is_catching_up(&self) -> bool {
        self.catching_up > 0 && self.standing == Standing::Behind
    }

    /// Works off a part of the backlog.
    pub fn catch_up(&mut self, tools: &mut Tools<'_, '_>) -> Standing {
        let mut fuel = std::mem::take(&mut self.catching_up);
        for _ in 0..Self::CATCH_UP_CHUNK {
            let Some(op) = self.backlog.pop_front() else {
                return self.standing;
            };
            if !self.open(op, &mut fuel, tools) {
                return self.standing;
            }
            self.settle_if_crowded();
        }
        if !self.backlog.is_empty() {
            // What comes next has to wait its turn.
            self.standing = Standing::Behind;
            self.catching_up = fuel;
        }
        self.standing
    }

    /// Takes the next operation, in order of start.
    pub fn push(&mut self, entry: Entry, tools: &mut Tools<'_, '_>) {
        self.mandatory += u64::from(!entry.optional);
        let op = self.ledger.add(entry);
        if self.standing != Standing::Caught || self.strategy == Strategy::DepthFirst {
            self.backlog.push_back(op);
            if self.standing == Standing::Behind {
                self.allow_catching_up();
            }
            return;
        }
        let mut fuel = self.easy_fuel();
        self.open(op, &mut fuel, tools);
        self.settle_if_crowded();
    }

    /// What the sweep may spend before the history counts as hard.
    fn easy_fuel(&self) -> u64 {
        match self.strategy {
            Strategy::Sweep => u64::MAX,
            _ => (self.patience + self.patience / Self::PATIENCE_PER_OP * self.mandatory)
                .saturating_sub(self.spent)
                .max(self.patience / Self::PATIENCE_PER_CALL),
        }
    }

    /// Processes what returns before `op` starts, then opens `op`; or puts it in the backlog.
    fn open(&mut self, op: OpRef, fuel: &mut u64, tools: &mut Tools<'_, '_>) -> bool {
        let start = self.ledger.get(op).start;
        if self.advance(start, fuel, tools) != Standing::Caught {
            self.backlog.push_front(op);
            return false;
        }
        self.make_room();
        let (ledger, paths) = (&self.ledger, &mut self.paths);
        with!(AnySweep, &mut self.sweep, sweep => sweep.call(op, ledger, paths, tools));
        true
    }

    fn advance(&mut self, until: Time, fuel: &mut u64, tools: &mut Tools<'_, '_>) -> Standing {
        let before = *fuel;
        let (ledger, paths) = (&mut self.ledger, &mut self.paths);
        let reached = with!(AnySweep, &mut self.sweep, sweep => {
            let returns = sweep.figures.returns / Self::RETIRE_EVERY;
            let reached = sweep.advance(until, fuel, ledger, paths, tools);
            if reached == Reached::Target && sweep.figures.returns / Self::RETIRE_EVERY != returns {
                sweep.retire_pending(ledger, paths);
            }
            reached
        });
        self.spent += before - *fuel;
        self.standing = match reached {
            Reached::Target => Standing::Caught,
            Reached::NoFuel => Standing::Behind,
            Reached::Limit => Standing::Limit,
            Reached::Violation => Standing::Violation,
        };
        self.standing
    }

    fn make_room(&mut self) {
        let full = with!(AnySweep, &self.sweep, sweep => !sweep.has_room());
        if full {
            let sweep = std::mem::replace(&mut self.sweep, AnySweep::Word(Sweep::new(std::iter::empty())));
            self.sweep = match sweep {
                AnySweep::Word(sweep) => AnySweep::Double(sweep.widen()),
                AnySweep::Double(sweep) => AnySweep::Wide(sweep.widen()),
                wide => wide,
            };
        }
    }

    fn settle_if_crowded(&mut self) {
        if self.paths.is_crowded() && !self.is_mid_return() && self.depth_first.is_none() {
            self.settle();
        }
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

    /// The sweep's turn: works off the backlog and, when `closing`, the last returns.
    pub fn sweep_turn(&mut self, fuel: u64, closing: bool, tools: &mut Tools<'_, '_>) -> Standing {
        if self.is_decided() {
            return self.standing;
        }
        let mut fuel = fuel;
        while let Some(op) = self.backlog.pop_front() {
            if !self.open(op, &mut fuel, tools) {
                return self.standing;
            }
            self.settle_if_crowded();
        }
        if closing && self.advance(Time::MAX, &mut fuel, tools) == Standing::Caught {
            self.standing = Standing::Explained;
            self.decider = Decider::Sweep;
        }
        self.standing
    }

    /// Depth-first's turn: only when no more operations will come.
    fn depth_first_turn(&mut self, fuel: u64, tools: &mut Tools<'_, '_>) -> Standing {
        if self.depth_first_failed {
            return self.standing;
        }
        if self.depth_first.is_none() {
            let (ledger, backlog) = (&self.ledger, self.backlog.iter().copied());
            let started = with!(AnySweep, &self.sweep, sweep => {
                let schedule = Schedule::new(sweep, backlog, ledger);
                match schedule.width {
                    0..=64 => AnyDepthFirst::Word(DepthFirst::new(schedule, sweep)),
                    65..=128 => AnyDepthFirst::Double(DepthFirst::new(schedule, sweep)),
                    _ => AnyDepthFirst::Wide(DepthFirst::new(schedule, sweep)),
                }
            });
            self.ledger.freeze();
            self.depth_first = Some(Box::new(started));
        }
        let Some(search) = &mut self.depth_first else {
            return self.standing;
        };
        let ledger = &self.ledger;
        let reached = with!(AnyDepthFirst, &mut **search, search => loop {
            let (mut left, before) = (fuel, search.depth());
            let reached = search.run(&mut left, ledger, tools);
            // While it gets on at the pace that counts as easy for the sweep, it need not wait for its next turn.
            let easy = (search.depth() - before) * Self::EASY_PER_EVENT >= fuel;
            if reached != Reached::NoFuel || !easy {
                break reached;
            }
        });
        match reached {
            Reached::Target => {
                self.standing = Standing::Explained;
                self.decider = Decider::DepthFirst;
            }
            Reached::Violation => {
                self.standing = Standing::Violation;
                self.decider = Decider::DepthFirst;
                self.depth_first_failed = true;
            }
            Reached::Limit => self.standing = Standing::Limit,
            Reached::NoFuel => {}
        }
        self.standing
    }

    /// One round of turns, with twice the fuel of the round before. No more operations will come.
    pub fn closing_round(&mut self, tools: &mut Tools<'_, '_>) -> Standing {
        let fuel = self.slice;
        self.slice = self.slice.saturating_mul(2);
        match self.strategy {
            Strategy::Sweep => self.sweep_turn(u64::MAX, true, tools),
            Strategy::DepthFirst => self.depth_first_turn(fuel, tools),
            Strategy::Portfolio => {
                // A sweep that kept up has only the last returns left; one that fell behind, the whole backlog.
                if self.standing == Standing::Caught {
                    self.sweep_turn(fuel, true, tools);
                }
                if !self.is_decided() {
                    self.depth_first_turn(fuel, tools);
                }
                if !self.is_decided() {
                    self.sweep_turn(fuel, true, tools);
                }
                self.standing
            }
        }
    }

    fn is_decided(&self) -> bool {
        !matches!(self.standing, Standing::Caught | Standing::Behind)
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

    /// After `Violation`: what the search could not get past.
    pub fn stuck(&mut self, tools: &mut Tools<'_, '_>) -> Option<Stuck> {
        if self.decider == Decider::DepthFirst {
            let ledger = &self.ledger;
            let search = self.depth_first.as_mut()?;
            return with!(AnyDepthFirst, &mut **search, search => search.stuck(ledger, tools));
        }
        self.standing_before()
    }

    /// The return being processed, with the configurations that explained everything before it.
    pub fn standing_before(&self) -> Option<Stuck> {
        let paths = &self.paths;
        with!(AnySweep, &self.sweep, sweep => {
            let slot = sweep.returning.or_else(|| sweep.ops.open.first())?;
            Some(Stuck {
                target: sweep.ops.slot(slot).op,
                survivors: sweep
                    .frontier
                    .iter()
                    .take(Stuck::KEPT)
                    .map(|config| Survivor::new(config, &sweep.ops, paths.tail(config.path, Stuck::TAIL)))
                    .collect(),
                total: sweep.frontier.len() as u64,
            })
        })
    }

    /// After `Violation` by the sweep: the operations that all configurations have placed first, in the same order, since the
    /// settled beginning; and those that any of them has placed since.
    pub fn shared(&self) -> Option<(Vec<OpRef>, BTreeSet<OpRef>)> {
        if self.decider == Decider::DepthFirst || !self.paths.enabled() {
            return None;
        }
        let paths = &self.paths;
        with!(AnySweep, &self.sweep, sweep => {
            let ends = sweep.frontier.iter().map(|config| config.path);
            let shared = paths.tail(paths.fork(ends.clone()), usize::MAX);
            let mut since: BTreeSet<OpRef> = BTreeSet::new();
            for end in ends.take(Stuck::KEPT) {
                since.extend(paths.tail(end, usize::MAX).split_off(shared.len()));
            }
            Some((shared, since))
        })
    }

    /// What is open, and the configurations, once everything that returns before `time` has returned.
    pub fn frontier_at(&mut self, time: Time, tools: &mut Tools<'_, '_>) -> Option<Frontier<StateId>> {
        let mut fuel = u64::MAX;
        if self.standing != Standing::Caught || self.advance(time, &mut fuel, tools) != Standing::Caught {
            return None;
        }
        let ledger = &self.ledger;
        with!(AnySweep, &self.sweep, sweep => {
            let ids = |slots: &mut dyn Iterator<Item = usize>| {
                slots.map(|slot| ledger.get(sweep.ops.slot(slot).op).id).collect::<Vec<_>>()
            };
            let configurations = sweep
                .frontier
                .iter()
                .map(|config| (config.state, ids(&mut config.placed.slots())))
                .collect();
            Some(Frontier { open: ids(&mut sweep.ops.open.slots()), configurations })
        })
    }

    /// The one state left when nothing is open and nothing waits.
    pub fn settled_state(&self) -> Option<StateId> {
        if self.standing != Standing::Caught || !self.backlog.is_empty() {
            return None;
        }
        with!(AnySweep, &self.sweep, sweep => sweep.settled_state())
    }

    /// Whether states and classes may be renumbered now.
    pub fn can_renumber(&self) -> bool {
        self.depth_first.is_none() && !self.is_mid_return()
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber) {
        self.ledger.renumber(numbers);
        let ledger = &self.ledger;
        with!(AnySweep, &mut self.sweep, sweep => sweep.renumber(numbers, ledger));
    }
}
