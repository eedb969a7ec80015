//! Checks a history as it comes in.

use hashbrown::HashMap;
use omnilink_trace::Time;
use rustc_hash::FxBuildHasher;
use thiserror::Error;

use crate::evidence::{
    Alternative, Candidate, Counterexample, Fate, Figures, OpView, Outcome, Placement, Stuck, Unfinished,
    Verdict, Witness,
};
use crate::ledger::{Entry, Ledger, OpRef};
use crate::meter::{Exhausted, Meter};
use crate::model::Model;
use crate::operation::Operation;
use crate::options::{Consistency, Options, Strategy};
use crate::partition::{Components, Partitioning};
use crate::program_order;
use crate::replay::Replay;
use crate::search::{Decider, Frontier, Search, Standing};
use crate::space::{AnySpace, Interned, Renumber, Source, Space, StateId};
use crate::sweep::Tools;

/// Why a check ended without a verdict.
#[derive(Debug, Error)]
pub enum CheckError {
    /// Operations must be given in order of start.
    #[error(
        "operation {id} starts at {start}, before the one given before it ({previous}): give operations in order of start"
    )]
    OutOfOrder {
        /// The operation's position in the input.
        id: u64,
        /// Its start.
        start: Time,
        /// The start of the one before.
        previous: Time,
    },
    /// The largest time there is stands for "never": an operation cannot end there.
    #[error(
        "operation {0} ends at the largest time there is: leave the end out if it never returned, and shift the clock if it did"
    )]
    EndOfTime(u64),
    /// An operation touches several parts of the state that were checked apart. See [`Progress::Spans`].
    #[error(
        "operation {0} spans parts of the state that were being checked apart: start over with other parts"
    )]
    Spans(u64),
    /// The model itself failed.
    #[error("the model failed: {0}")]
    Model(String),
    /// The search found an explanation that does not stand up. This is a bug in OmniLink.
    #[error("internal error, please report it: the explanation found does not replay: {0}")]
    WitnessRejected(String),
}

/// What became of an operation that was given to a [`Checker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So far so good.
    Going,
    /// The answer is known: no need to go on, [`Checker::finish`] has it.
    Decided,
    /// The operation spans parts that were being checked apart. Start over with
    /// [`Checker::with_partitioning`] and the parts of the whole history, from [`Components`].
    Spans,
}

/// One part of the history.
#[derive(Debug)]
enum Part<S> {
    Live(Box<LivePart<S>>),
    /// Nothing open, one state left: all that needs remembering.
    Dormant(StateId),
}

#[derive(Debug)]
struct LivePart<S> {
    search: Search,
    replay: Replay<S>,
}

/// Checks a history as it comes in: operations in order of start, each with its end and its result.
///
/// Memory is what is undecided, not what has been seen. For a live system, [`Monitor`](crate::Monitor) turns calls
/// and returns into such operations.
pub struct Checker<'m, M: Model> {
    space: Space<Interned<'m, M>>,
    options: Options,
    meter: Meter,
    initial: Vec<StateId>,
    parts: HashMap<u64, Part<M::State>, FxBuildHasher>,
    /// Parts that are not dormant.
    live: usize,
    /// Parts that could not keep up.
    behind: Vec<u64>,
    decided: Option<u64>,
    /// For sequential consistency, which looks at the whole history at once.
    history: Vec<Entry>,
    last_start: Time,
    figures: Figures,
    order: Option<Vec<Placement>>,
    witness_lost: bool,
    state_limit: usize,
    class_limit: usize,
    rejected: Option<String>,
    spanning: Option<u64>,
}

impl<M: Model> std::fmt::Debug for Checker<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("figures", &self.figures)
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> Checker<'m, M> {
    const STATES_KEPT: usize = 1 << 13;
    const STATE_HEAP_KEPT_BYTES: usize = 64 << 20;
    const LIVE_PARTS_MAX: usize = 1 << 12;

    /// A checker that takes each key of the model for a part of its own, until told otherwise.
    pub fn new(model: &'m M, options: Options) -> Self {
        Self::with_partitioning(model, options, Partitioning::PerKey)
    }

    /// A checker with given parts.
    pub fn with_partitioning(model: &'m M, options: Options, partitioning: Partitioning) -> Self {
        // Sequential consistency is not compositional: two parts may each have an order while the whole has none.
        let apart = options.reductions.partitions && options.consistency == Consistency::Linearizable;
        let partitioning = if apart { partitioning } else { Partitioning::Whole };
        let meter = Meter::new(options.limits);
        let mut interned = Interned::new(model, meter.deadline(), partitioning);
        let initial = model
            .initial()
            .into_iter()
            .map(|state| interned.state_id(state))
            .collect();
        Self {
            space: Space::new(interned),
            options,
            meter,
            initial,
            parts: HashMap::with_hasher(FxBuildHasher),
            live: 0,
            behind: Vec::new(),
            decided: None,
            history: Vec::new(),
            last_start: Time::MIN,
            figures: Figures::default(),
            order: None,
            witness_lost: false,
            state_limit: Self::STATES_KEPT,
            class_limit: Self::STATES_KEPT,
            rejected: None,
            spanning: None,
        }
    }

    /// A checker that keeps everything in one part and never puts operations off, so that its frontier can be asked for.
    pub(crate) fn whole_sweep(model: &'m M, options: Options) -> Self {
        let options = Options {
            strategy: Strategy::Sweep,
            ..options
        };
        Self::with_partitioning(model, options, Partitioning::Whole)
    }

    /// The partial explanations of what was given, once everything that returns before `time` has returned.
    pub(crate) fn frontier_at(&mut self, time: Time) -> Option<Frontier<M::State>> {
        let Some(Part::Live(live)) = self.parts.get_mut(&0) else {
            return None;
        };
        let space: &mut AnySpace<'_> = &mut self.space;
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        let Frontier { open, configurations } = live.search.frontier_at(time, &mut tools)?;
        let configurations = configurations
            .into_iter()
            .map(|(state, placed)| (self.space.source.state(state).clone(), placed))
            .collect();
        Some(Frontier { open, configurations })
    }

    /// Also keeps the explanation itself, to be read from the verdict. Its size is that of the history.
    pub fn keep_order(mut self) -> Self {
        self.order = Some(Vec::new());
        self.options.witness = true;
        self
    }

    /// Takes the next operation, in order of start.
    ///
    /// # Errors
    /// If it starts before the one given last.
    pub fn push(&mut self, operation: Operation<M::Op>) -> Result<Progress, CheckError> {
        let id = self.figures.operations;
        let Operation {
            op,
            thread,
            timebox,
            optional,
        } = operation;
        if timebox.start < self.last_start {
            return Err(CheckError::OutOfOrder {
                id,
                start: timebox.start,
                previous: self.last_start,
            });
        }
        if timebox.end == Some(Entry::NEVER) {
            return Err(CheckError::EndOfTime(id));
        }
        self.last_start = timebox.start;
        let class = self.space.source.class_id(op);
        let pending = timebox.is_pending();
        let entry = Entry {
            id,
            class,
            thread,
            start: timebox.start,
            end: timebox.end.unwrap_or(Entry::NEVER),
            optional: optional || pending,
        };
        if self.space.source.home(class).is_none() && self.figures.operations == 0 {
            // Nothing has been checked apart yet: no need to start over.
            self.space.source.check_together();
        }
        let Some(home) = self.space.source.home(class) else {
            self.spanning = Some(id);
            return Ok(Progress::Spans);
        };
        self.figures.operations += 1;
        self.figures.pending += u64::from(pending);
        // An operation that may be left out and changes nothing if it is not, may as well be left out.
        if entry.optional && self.space.source.facts(class).pure {
            return Ok(self.progress());
        }
        if self.options.consistency == Consistency::Sequential {
            self.history.push(entry);
            return Ok(Progress::Going);
        }
        self.push_to(home, entry);
        if self.space.source.state_count() > self.state_limit
            || self.space.source.class_count() > self.class_limit
            || self.space.source.state_heap_bytes() > Self::STATE_HEAP_KEPT_BYTES.max(self.state_limit * 16)
        {
            self.compact();
        }
        Ok(self.progress())
    }

    fn progress(&self) -> Progress {
        let over = self.decided.is_some()
            || self.meter.exhausted().is_some()
            || self.rejected.is_some()
            || self.space.source.failure().is_some();
        if over { Progress::Decided } else { Progress::Going }
    }

    fn push_to(&mut self, home: u64, entry: Entry) {
        let Self {
            space,
            options,
            meter,
            parts,
            initial,
            ..
        } = self;
        let part = parts.entry(home).or_insert_with(|| {
            self.figures.partitions += 1;
            self.live += 1;
            let states = initial
                .iter()
                .map(|state| space.source.state(*state).clone())
                .collect();
            Part::Live(Box::new(LivePart {
                search: Search::new(initial.iter().copied(), options),
                replay: Replay::new(states),
            }))
        });
        if let Part::Dormant(state) = *part {
            self.live += 1;
            *part = Part::Live(Box::new(LivePart {
                search: Search::new(std::iter::once(state), options),
                replay: Replay::new(vec![space.source.state(state).clone()]),
            }));
        }
        let Part::Live(live) = part else { return };
        let space: &mut AnySpace<'_> = space;
        let mut tools = Tools {
            space,
            meter,
            reductions: &options.reductions,
        };
        let before = live.search.standing();
        live.search.push(entry, &mut tools);
        if before == Standing::Behind && live.search.backlog_len() > Search::BACKLOG_MAX {
            // Memory must not grow with the trace: the sweep has to catch up now, however long it takes.
            live.search.sweep_turn(u64::MAX, false, &mut tools);
        }
        match live.search.standing() {
            Standing::Violation => self.decided = Some(home),
            Standing::Behind if before != Standing::Behind => self.behind.push(home),
            Standing::Caught if before == Standing::Behind => self.behind.retain(|behind| *behind != home),
            _ => {}
        }
        if !live.search.settled.is_empty() {
            Self::replay(live, &mut self.space, &mut self.order, &mut self.rejected);
        }
        if self.live > Self::LIVE_PARTS_MAX {
            self.put_idle_parts_to_sleep();
        }
    }

    fn replay(
        live: &mut LivePart<M::State>,
        space: &mut Space<Interned<'m, M>>,
        order: &mut Option<Vec<Placement>>,
        rejected: &mut Option<String>,
    ) {
        for op in live.search.settled.drain(..) {
            let entry = *live.search.ledger.get(op);
            match live.replay.place(&entry, &mut space.source) {
                Ok(placement) => {
                    if let Some(order) = order {
                        order.push(placement);
                    }
                }
                Err(reason) => {
                    rejected.get_or_insert(reason);
                }
            }
            live.search.ledger.remove(op);
        }
    }

    /// Parts that have nothing open and only one state left need no search.
    fn put_idle_parts_to_sleep(&mut self) {
        let mut live = 0;
        for part in self.parts.values_mut() {
            let Part::Live(search) = part else { continue };
            if let Some(state) = search.search.settled_state() {
                Self::conclude(
                    search,
                    &mut self.space,
                    &mut self.order,
                    &mut self.rejected,
                    &mut self.figures,
                );
                self.witness_lost |= !search.search.paths.enabled();
                *part = Part::Dormant(state);
            } else {
                live += 1;
            }
        }
        self.live = live;
    }

    /// Replays what is left of a part's explanation.
    fn conclude(
        live: &mut LivePart<M::State>,
        space: &mut Space<Interned<'m, M>>,
        order: &mut Option<Vec<Placement>>,
        rejected: &mut Option<String>,
        figures: &mut Figures,
    ) {
        let sweep = live.search.figures();
        figures.frontier_max = figures.frontier_max.max(sweep.frontier_max as u64);
        figures.frontier_sum += sweep.frontier_sum;
        figures.returns += sweep.returns;
        if !live.search.paths.enabled() {
            return;
        }
        live.search.settle_all();
        Self::replay(live, space, order, rejected);
        if live.replay.mandatory != live.search.mandatory {
            let (placed, expected) = (live.replay.mandatory, live.search.mandatory);
            rejected.get_or_insert(format!("{placed} operations placed, {expected} expected"));
        }
    }

    /// Forgets states and classes that nothing refers to any more.
    fn compact(&mut self) {
        let ready = self.parts.values().all(|part| match part {
            Part::Live(live) => live.search.can_renumber(),
            Part::Dormant(_) => true,
        });
        if ready {
            self.space.forget_steps();
            let many_classes = self.space.source.class_count() > self.class_limit;
            let mut numbers = self.space.source.compact(many_classes);
            self.initial.iter_mut().for_each(|state| numbers.state(state));
            for part in self.parts.values_mut() {
                match part {
                    Part::Live(live) => live.search.renumber(&mut numbers),
                    Part::Dormant(state) => numbers.state(state),
                }
            }
        }
        self.state_limit = Self::STATES_KEPT.max(self.space.source.state_count() * 4);
        self.class_limit = Self::STATES_KEPT.max(self.space.source.class_count() * 4);
    }

    /// The answer, after the last operation.
    ///
    /// # Errors
    /// If the model failed, or if an explanation was found that does not replay.
    pub fn finish(mut self) -> Result<Outcome, CheckError> {
        if let Some(id) = self.spanning {
            return Err(CheckError::Spans(id));
        }
        if self.options.consistency == Consistency::Sequential {
            return self.finish_sequential();
        }
        let mut open: Vec<u64> = self
            .parts
            .iter()
            .filter(|(_, part)| matches!(part, Part::Live(_)))
            .map(|(home, _)| *home)
            .collect();
        // Parts that were easy so far first: a violation there is found before the hard ones get their turns.
        open.sort_unstable_by_key(|home| (self.behind.contains(home), *home));
        let mut deciders = Vec::new();
        while self.decided.is_none() && !open.is_empty() && self.meter.exhausted().is_none() {
            let mut undecided = Vec::new();
            for home in open {
                let Some(Part::Live(live)) = self.parts.get_mut(&home) else {
                    continue;
                };
                let space: &mut AnySpace<'_> = &mut self.space;
                let mut tools = Tools {
                    space,
                    meter: &mut self.meter,
                    reductions: &self.options.reductions,
                };
                match live.search.closing_round(&mut tools) {
                    Standing::Violation => {
                        self.decided = Some(home);
                        break;
                    }
                    Standing::Explained => {
                        deciders.push(live.search.decider);
                        if self.options.witness {
                            self.witness_lost |= !live.search.paths.enabled();
                        }
                        Self::conclude(
                            live,
                            &mut self.space,
                            &mut self.order,
                            &mut self.rejected,
                            &mut self.figures,
                        );
                        self.parts.remove(&home);
                    }
                    Standing::Limit => break,
                    Standing::Caught | Standing::Behind => undecided.push(home),
                }
                if self.space.source.failure().is_some() {
                    break;
                }
            }
            open = undecided;
            if self.space.source.failure().is_some() {
                break;
            }
        }
        if let Some(failure) = self.space.source.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        if let Some(reason) = self.rejected.take() {
            return Err(CheckError::WitnessRejected(reason));
        }
        self.figures.decider = Some(match self.options.strategy {
            Strategy::DepthFirst => Decider::DepthFirst,
            _ if deciders.contains(&Decider::DepthFirst) => Decider::DepthFirst,
            _ => Decider::Sweep,
        });
        let verdict = match (self.decided, self.meter.exhausted()) {
            (Some(home), _) => self.violation(home),
            (None, Some(limit)) => self.unfinished(limit),
            (None, None) => self.valid(),
        };
        Ok(Outcome {
            verdict,
            figures: self.final_figures(),
        })
    }

    fn final_figures(&self) -> Figures {
        let mut figures = self.figures;
        for part in self.parts.values() {
            if let Part::Live(live) = part {
                let sweep = live.search.figures();
                figures.frontier_max = figures.frontier_max.max(sweep.frontier_max as u64);
                figures.frontier_sum += sweep.frontier_sum;
                figures.returns += sweep.returns;
            }
        }
        figures.configurations = self.meter.configurations;
        figures.model_steps = self.space.steps;
        figures
    }

    fn valid(&mut self) -> Verdict {
        let mut order = self.order.take().filter(|_| !self.witness_lost);
        let replayed = match &mut order {
            Some(order) => {
                // Each part's points never decrease, so merging by them keeps every part's own order.
                order.sort_by_key(|placement| placement.at);
                order.len() as u64
            }
            None if self.witness_lost || !self.options.witness => 0,
            None => self.figures.operations - self.figures.pending,
        };
        Verdict::Valid(Witness { replayed, order })
    }

    fn violation(&mut self, home: u64) -> Verdict {
        let Some(Part::Live(live)) = self.parts.get_mut(&home) else {
            unreachable!("a part that violates is live")
        };
        self.figures.decider = Some(live.search.decider);
        let space: &mut AnySpace<'_> = &mut self.space;
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        let Some(stuck) = live.search.stuck(&mut tools) else {
            unreachable!("a violation is at a return")
        };
        let describe = Describe {
            space: &mut self.space,
            ledger: &live.search.ledger,
        };
        Verdict::Violation(Box::new(describe.counterexample(stuck)))
    }

    fn unfinished(&mut self, limit: Exhausted) -> Verdict {
        let explained = self.final_figures().returns;
        let mut unfinished = Unfinished {
            limit,
            explained,
            at: None,
            frontier: 0,
            alternatives: Vec::new(),
        };
        let part = self.parts.values().find_map(|part| match part {
            Part::Live(live) if live.search.standing() != Standing::Explained => Some(live),
            _ => None,
        });
        if let Some(live) = part
            && let Some(stuck) = live.search.standing_before()
        {
            let mut describe = Describe {
                space: &mut self.space,
                ledger: &live.search.ledger,
            };
            unfinished.at = Some(describe.view(stuck.target));
            unfinished.frontier = stuck.total;
            unfinished.alternatives = describe.alternatives(&stuck);
        }
        Verdict::Unknown(Box::new(unfinished))
    }

    fn finish_sequential(mut self) -> Result<Outcome, CheckError> {
        let space: &mut AnySpace<'_> = &mut self.space;
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        let history = std::mem::take(&mut self.history);
        let answer = program_order::search(&history, &self.initial, &mut tools);
        if let Some(failure) = self.space.source.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        self.figures.partitions = 1;
        self.figures.decider = Some(Decider::ProgramOrder);
        let verdict = match answer {
            program_order::Answer::Explained(order) => self.replay_sequential(&history, &order)?,
            program_order::Answer::Stuck(stuck, ledger) => {
                let describe = Describe {
                    space: &mut self.space,
                    ledger: &ledger,
                };
                Verdict::Violation(Box::new(describe.counterexample(stuck)))
            }
            program_order::Answer::Limit(stuck, ledger) => {
                let limit = self.meter.exhausted().unwrap_or(Exhausted::Time);
                let mut describe = Describe {
                    space: &mut self.space,
                    ledger: &ledger,
                };
                let at = Some(describe.view(stuck.target));
                let alternatives = describe.alternatives(&stuck);
                let explained = stuck.total;
                Verdict::Unknown(Box::new(Unfinished {
                    limit,
                    explained,
                    at,
                    frontier: 1,
                    alternatives,
                }))
            }
        };
        Ok(Outcome {
            verdict,
            figures: self.final_figures(),
        })
    }

    /// Sequential consistency has no timeboxes to respect, only each thread's order.
    fn replay_sequential(&mut self, history: &[Entry], order: &[u32]) -> Result<Verdict, CheckError> {
        let states = self
            .initial
            .iter()
            .map(|state| self.space.source.state(*state).clone())
            .collect();
        let mut replay = Replay::new(states);
        let mut last_of_thread: HashMap<u32, u32> = HashMap::new();
        let mut placements = Vec::new();
        for &position in order {
            let entry = history[position as usize];
            if let Some(last) = last_of_thread.insert(entry.thread, position)
                && last >= position
            {
                let (a, b) = (entry.id, history[last as usize].id);
                return Err(CheckError::WitnessRejected(format!(
                    "operation {a} comes after {b}"
                )));
            }
            let timeless = Entry {
                start: Time::MIN,
                end: Time::MAX,
                ..entry
            };
            let placed = replay.place(&timeless, &mut self.space.source);
            placements.push(placed.map_err(CheckError::WitnessRejected)?);
        }
        let expected = history.iter().filter(|entry| !entry.optional).count() as u64;
        if replay.mandatory != expected {
            let placed = replay.mandatory;
            return Err(CheckError::WitnessRejected(format!(
                "{placed} operations placed, {expected} expected"
            )));
        }
        let order = self.order.is_some().then_some(placements);
        Ok(Verdict::Valid(Witness {
            replayed: replay.placed,
            order,
        }))
    }
}

/// Turns numbers back into words.
struct Describe<'a, 's> {
    space: &'a mut AnySpace<'s>,
    ledger: &'a Ledger,
}

impl Describe<'_, '_> {
    fn view(&self, op: OpRef) -> OpView {
        let entry = self.ledger.get(op);
        OpView {
            id: entry.id,
            thread: entry.thread,
            text: self.space.source.describe_op(entry.class),
            timebox: entry.timebox(),
        }
    }

    fn views(&self, ops: &[OpRef]) -> Vec<OpView> {
        ops.iter().map(|op| self.view(*op)).collect()
    }

    fn counterexample(mut self, stuck: Stuck) -> Counterexample {
        Counterexample {
            op: self.view(stuck.target),
            alternatives: self.alternatives(&stuck),
            alternatives_total: stuck.total,
        }
    }

    fn alternatives(&mut self, stuck: &Stuck) -> Vec<Alternative> {
        let mut alternatives = Vec::new();
        for survivor in &stuck.survivors {
            let mut unplaced = survivor.unplaced.clone();
            unplaced.sort_by_key(|op| (*op != stuck.target, self.ledger.get(*op).deadline()));
            let candidates = unplaced
                .into_iter()
                .map(|op| Candidate {
                    op: self.view(op),
                    fate: self.fate(survivor.state, op),
                })
                .collect();
            alternatives.push(Alternative {
                state: self.space.source.describe_state(survivor.state),
                recent: self.views(&survivor.tail),
                placed: self.views(&survivor.placed),
                candidates,
            });
        }
        alternatives
    }

    fn fate(&mut self, state: StateId, op: OpRef) -> Fate {
        let class = self.ledger.get(op).class;
        let successors = self.space.successors(state, class);
        if successors.is_refused() {
            return Fate::Refused(self.space.source.explain(state, class));
        }
        let states = (0..).map_while(|branch| self.space.successor(successors, branch));
        Fate::LeadsTo(
            states
                .map(|next| self.space.source.describe_state(next))
                .collect(),
        )
    }
}

/// Checks a history that is in memory, in any order.
///
/// # Errors
/// If the model fails.
pub fn check<M: Model>(
    model: &M,
    history: impl IntoIterator<Item = Operation<M::Op>>,
    options: Options,
) -> Result<Outcome, CheckError> {
    let mut history: Vec<Operation<M::Op>> = history.into_iter().collect();
    history.sort_by_key(|operation| operation.timebox.start);
    let mut components = Components::default();
    for operation in &history {
        components.observe(&model.footprint(&operation.op));
        if components.is_settled() {
            break;
        }
    }
    let mut checker = Checker::with_partitioning(model, options, components.into_partitioning());
    for operation in history {
        if checker.push(operation)? != Progress::Going {
            break;
        }
    }
    checker.finish()
}
