//! The course of a check, whatever the model: parts, turns, limits, replay and verdict.
//!
//! All of this is compiled once. A [`Checker`](crate::Checker) only turns its model's operations into numbers and passes
//! them on with the [space](crate::space) that knows what they mean: instantiated for every model and everything
//! that uses one, this would be most of the code of a program that ships fifteen of them.

use hashbrown::HashMap;
use omnilink_evidence::{AgreedPrefix, Decider, Limit, Linearization, Operation, Placement, Unknown};
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxBuildHasher;

use crate::describe::Describe;
use crate::evidence::{Conclusion, Outcome, SearchFigures};
use crate::ledger::{Entry, Followed};
use crate::meter::Meter;
use crate::mutant::{Mutant, planted};
use crate::options::{Consistency, Options, Strategy};
use crate::progress::{CheckError, Progress};
use crate::replay::Replay;
use crate::search::{Frontier, Search, Standing};
use crate::space::{AnySpace, ClassId, StateId};
use crate::sweep::Tools;
use crate::ties::{Member, Placed, Ties};

/// One part of the history.
#[derive(Debug)]
enum Part {
    Live(Box<LivePart>),
    /// Nothing open, one state left: all that needs remembering.
    Dormant(StateId),
}

#[derive(Debug)]
struct LivePart {
    search: Search,
    replay: Replay,
}

impl Part {
    fn starting_from(initial: &[StateId], options: &Options, space: &mut AnySpace<'_>) -> Self {
        Self::Live(Box::new(LivePart {
            search: Search::new(initial.iter().copied(), options),
            replay: Replay::new(space.source.start_replay(initial)),
        }))
    }
}

/// What became of the explanations that were found.
#[derive(Debug, Default)]
struct Explained {
    /// The explanation itself, if it is wanted.
    order: Option<Vec<(Placed, Member)>>,
    /// How threads link parts that are checked apart.
    ties: Option<Ties>,
    /// Why one does not stand up.
    rejected: Option<String>,
    /// Some paths were given up.
    is_lost: bool,
}

/// A check that is under way.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) options: Options,
    pub(crate) meter: Meter,
    pub(crate) initial: Vec<StateId>,
    parts: HashMap<u64, Part, FxBuildHasher>,
    /// Parts that are not dormant.
    live: usize,
    /// Parts that could not keep up.
    behind: Vec<u64>,
    decided: Option<u64>,
    /// For sequential consistency, which looks at the whole history at once.
    pub(crate) history: Vec<Entry>,
    last_start: Time,
    pub(crate) figures: SearchFigures,
    explained: Explained,
    /// Whether a violation, or where a limit was reached, is described.
    pub(crate) describes: bool,
    state_limit: usize,
    class_limit: usize,
    spanning: Option<u64>,
    /// Whether somebody waits for the answer while operations come in.
    pub(crate) is_eager: bool,
}

impl Course {
    /// Few enough states, with what was remembered of them, to stay in the processor's cache.
    const STATES_KEPT: usize = 1 << 9;
    const CLASSES_KEPT: usize = 1 << 13;
    const STATE_HEAP_KEPT_BYTES: usize = 64 << 20;
    const LIVE_PARTS_MAX: usize = 1 << 12;
    /// What one operation may cost while others wait to come in: some 50 ms at worst.
    const EAGER_FUEL: u64 = 1 << 16;

    pub fn new(options: Options, meter: Meter, initial: Vec<StateId>) -> Self {
        Self {
            options,
            meter,
            initial,
            parts: HashMap::with_hasher(FxBuildHasher),
            live: 0,
            behind: Vec::new(),
            decided: None,
            history: Vec::new(),
            last_start: Time::MIN,
            figures: SearchFigures::default(),
            explained: Explained::default(),
            describes: true,
            state_limit: Self::STATES_KEPT,
            class_limit: Self::CLASSES_KEPT,
            spanning: None,
            is_eager: false,
        }
    }

    /// Whether some part could not keep up.
    pub fn is_hard(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Looks out for threads that link parts.
    pub fn check_apart(&mut self) {
        self.explained.ties = Some(Ties::new());
    }

    /// Also keeps the explanation itself.
    pub fn keep_order(&mut self) {
        self.explained.order = Some(Vec::new());
        self.options.witness = true;
    }

    pub fn keeps_order(&self) -> bool {
        self.explained.order.is_some()
    }

    /// Whether an operation with this timebox may come next.
    pub fn admit(&mut self, timebox: Timebox) -> Result<(), CheckError> {
        let id = self.figures.operations;
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
        Ok(())
    }

    /// Takes the next operation, which was admitted.
    pub fn push(
        &mut self,
        class: ClassId,
        thread: u32,
        timebox: Timebox,
        optional: bool,
        followed: Followed,
        space: &mut AnySpace<'_>,
    ) -> Progress {
        let id = self.figures.operations;
        let pending = timebox.is_pending();
        let entry = Entry {
            id,
            class,
            thread,
            start: timebox.start,
            end: timebox.end.unwrap_or(Entry::NEVER),
            optional: optional || pending,
            in_order: !self.options.async_threads,
            followed: match pending || self.options.async_threads {
                true => Followed::No,
                false => followed,
            },
        };
        let facts = space.source.facts(class);
        let pure = facts.pure;
        let home = match facts.home {
            Some(home) => home,
            None if id == 0 => {
                // Nothing has been checked apart yet: no need to start over.
                space.source.check_together();
                self.explained.ties = None;
                0
            }
            None => {
                self.spanning = Some(id);
                return Progress::Spans;
            }
        };
        self.figures.operations += 1;
        self.figures.pending += u64::from(pending);
        // An operation that may be left out and changes nothing if it is not, may as well be left out.
        if entry.optional && pure {
            return self.progress(space);
        }
        if self.options.consistency == Consistency::Sequential {
            self.history.push(entry);
            return Progress::Going;
        }
        if let Some(ties) = &mut self.explained.ties {
            ties.observe(&entry, home);
        }
        self.push_to(home, entry, space);
        self.compact_if_crowded(space);
        while self.catch_up(home, space) {
            self.compact_if_crowded(space);
        }
        self.progress(space)
    }

    fn progress(&self, space: &AnySpace<'_>) -> Progress {
        let over = self.decided.is_some()
            || self.meter.exhausted().is_some()
            || self.explained.rejected.is_some()
            || space.source.failure().is_some();
        if over { Progress::Decided } else { Progress::Going }
    }

    fn push_to(&mut self, home: u64, entry: Entry, space: &mut AnySpace<'_>) {
        let Self {
            options,
            meter,
            parts,
            initial,
            ..
        } = self;
        let part = parts.entry(home).or_insert_with(|| {
            self.figures.partitions += 1;
            self.live += 1;
            Part::starting_from(initial, options, space)
        });
        if let Part::Dormant(state) = *part {
            self.live += 1;
            *part = Part::starting_from(&[state], options, space);
        }
        let Part::Live(live) = part else { return };
        let mut tools = Tools {
            space,
            meter,
            reductions: &options.reductions,
        };
        let before = live.search.standing();
        live.search.push(entry, &mut tools);
        if self.is_eager && live.search.standing() == Standing::Behind {
            live.search.sweep_turn(Self::EAGER_FUEL, false, &mut tools);
        }
        self.take_note(home, before, space);
        if self.live > Self::LIVE_PARTS_MAX {
            self.put_idle_parts_to_sleep(space);
        }
    }

    /// Takes note of where a part stands after one of its operations was dealt with.
    fn take_note(&mut self, home: u64, before: Standing, space: &mut AnySpace<'_>) {
        let Some(Part::Live(live)) = self.parts.get_mut(&home) else {
            return;
        };
        match live.search.standing() {
            Standing::Violation if space.source.was_interrupted() => self.meter.end_of_time(),
            Standing::Violation => self.decided = Some(home),
            Standing::Behind if before != Standing::Behind => self.behind.push(home),
            Standing::Caught if before == Standing::Behind => self.behind.retain(|behind| *behind != home),
            _ => {}
        }
        if !live.search.settled.is_empty() {
            self.explained.replay(home, live, space);
        }
    }

    /// Works off a part of a backlog, if that is under way. Says whether it was.
    fn catch_up(&mut self, home: u64, space: &mut AnySpace<'_>) -> bool {
        let Some(Part::Live(live)) = self.parts.get_mut(&home) else {
            return false;
        };
        if !live.search.is_catching_up() {
            return false;
        }
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        live.search.catch_up(&mut tools);
        self.take_note(home, Standing::Behind, space);
        true
    }

    /// Forgets states and classes if there are many.
    fn compact_if_crowded(&mut self, space: &mut AnySpace<'_>) {
        let tally = space.source.tally();
        if tally.states > self.state_limit
            || tally.classes > self.class_limit
            || tally.state_heap_bytes > Self::STATE_HEAP_KEPT_BYTES.max(self.state_limit * 16)
        {
            self.compact(space);
        }
    }

    /// Parts that have nothing open and only one state left need no search.
    fn put_idle_parts_to_sleep(&mut self, space: &mut AnySpace<'_>) {
        let mut live = 0;
        for (home, part) in &mut self.parts {
            let Part::Live(search) = part else { continue };
            if let Some(state) = search.search.settled_state() {
                self.explained.conclude(*home, search, space, &mut self.figures);
                self.explained.is_lost |= !search.search.paths.enabled();
                *part = Part::Dormant(state);
            } else {
                live += 1;
            }
        }
        self.live = live;
    }

    /// Forgets states and classes that nothing refers to any more.
    fn compact(&mut self, space: &mut AnySpace<'_>) {
        let ready = self.parts.values().all(|part| match part {
            Part::Live(live) => live.search.can_renumber(),
            Part::Dormant(_) => true,
        });
        let many_classes = space.source.tally().classes > self.class_limit;
        if ready {
            space.forget_steps();
            let (initial, parts) = (&mut self.initial, &mut self.parts);
            space.source.compact(many_classes, &mut |numbers| {
                initial.iter_mut().for_each(|state| numbers.state(state));
                for part in parts.values_mut() {
                    match part {
                        Part::Live(live) => live.search.renumber(numbers),
                        Part::Dormant(state) => numbers.state(state),
                    }
                }
            });
        }
        let tally = space.source.tally();
        self.state_limit = Self::STATES_KEPT.max(tally.states * 4);
        // A limit that followed classes which nobody has looked through would never be reached.
        if many_classes {
            self.class_limit = Self::CLASSES_KEPT.max(tally.classes * 4);
        }
    }

    /// The partial explanations of what was given, once everything that returns before `time` has returned.
    pub fn frontier_at(&mut self, time: Time, space: &mut AnySpace<'_>) -> Option<Frontier<StateId>> {
        let Some(Part::Live(live)) = self.parts.get_mut(&0) else {
            return None;
        };
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        live.search.frontier_at(time, &mut tools)
    }

    /// The answer, after the last operation.
    pub fn finish(mut self, space: &mut AnySpace<'_>) -> Result<Outcome, CheckError> {
        if let Some(id) = self.spanning {
            return Err(CheckError::Spans(id));
        }
        if self.options.consistency == Consistency::Sequential {
            return self.finish_sequential(space);
        }
        let deciders = self.take_turns(space);
        if let Some(failure) = space.source.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        if let Some(reason) = self.explained.rejected.take() {
            return Err(CheckError::WitnessRejected(reason));
        }
        if self.decided.is_none()
            && self.meter.exhausted().is_none()
            && let Some(ties) = &mut self.explained.ties
        {
            let links = ties.entangled(self.options.witness && !self.explained.is_lost);
            if !links.is_empty() && !planted(Mutant::PartsOverTies) {
                return Err(CheckError::Entangled(links));
            }
        }
        self.figures.decider = Some(match self.options.strategy {
            Strategy::DepthFirst => Decider::DepthFirst,
            _ if deciders.contains(&Decider::DepthFirst) => Decider::DepthFirst,
            _ => Decider::Sweep,
        });
        if let Some(home) = self.decided
            && let Some(Part::Live(live)) = self.parts.get(&home)
            && live.search.is_doubtful()
        {
            return Err(CheckError::Tied);
        }
        if self.decided.is_some()
            && let Some(reason) = space.source.exceeded()
        {
            return Err(CheckError::Exceeded(reason.to_owned()));
        }
        let conclusion = match (self.decided, self.meter.exhausted()) {
            (Some(home), _) => self.violation(home, space),
            (None, Some(limit)) => self.unfinished(limit, space),
            (None, None) => self.valid(),
        };
        Ok(Outcome {
            conclusion,
            figures: self.final_figures(space),
        })
    }

    /// Rounds of turns for all parts, until each is explained, one is not, or a limit is reached. Gives which search
    /// explained each.
    fn take_turns(&mut self, space: &mut AnySpace<'_>) -> Vec<Decider> {
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
                let mut tools = Tools {
                    space,
                    meter: &mut self.meter,
                    reductions: &self.options.reductions,
                };
                match live.search.closing_round(&mut tools) {
                    Standing::Violation if space.source.was_interrupted() => self.meter.end_of_time(),
                    Standing::Violation => {
                        self.decided = Some(home);
                        break;
                    }
                    Standing::Explained => {
                        deciders.push(live.search.decider);
                        if self.options.witness {
                            self.explained.is_lost |= !live.search.paths.enabled();
                        }
                        self.explained.conclude(home, live, space, &mut self.figures);
                        self.parts.remove(&home);
                    }
                    Standing::Limit => break,
                    Standing::Caught | Standing::Behind => undecided.push(home),
                }
                if space.source.failure().is_some() {
                    return deciders;
                }
            }
            open = undecided;
        }
        deciders
    }

    pub(crate) fn final_figures(&self, space: &AnySpace<'_>) -> SearchFigures {
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
        figures.model_steps = space.steps;
        figures
    }

    fn valid(&mut self) -> Conclusion {
        let is_lost = self.explained.is_lost;
        let order = self.explained.order.take().filter(|_| !is_lost).map(|mut order| {
            // Each part's points never decrease, so merging by them keeps every part's own order.
            order.sort_by_key(|(placed, _)| placed.at);
            if self.explained.ties.is_some() {
                Ties::put_in_order(&mut order);
            }
            let placement = |(placed, member): (Placed, Member)| Placement {
                op: member.entry.id,
                at: placed.at,
            };
            order.into_iter().map(placement).collect::<Vec<_>>()
        });
        let replayed = match &order {
            Some(order) => order.len() as u64,
            None if is_lost || !self.options.witness => 0,
            None => self.figures.operations - self.figures.pending,
        };
        Conclusion::Valid(Linearization { replayed, order })
    }

    fn violation(&mut self, home: u64, space: &mut AnySpace<'_>) -> Conclusion {
        let Some(Part::Live(live)) = self.parts.get_mut(&home) else {
            unreachable!("a part that violates is live")
        };
        self.figures.decider = Some(live.search.decider);
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        let Some(stuck) = live.search.stuck(&mut tools) else {
            unreachable!("a violation is at a return")
        };
        let describe = Describe {
            space,
            ledger: &live.search.ledger,
            alternatives: self.describes,
        };
        let mut counterexample = describe.counterexample(stuck);
        if self.describes && !self.explained.is_lost {
            counterexample.agreed = agreed(live, space);
        }
        Conclusion::Violation(Box::new(counterexample))
    }

    fn unfinished(&mut self, limit: Limit, space: &mut AnySpace<'_>) -> Conclusion {
        let explained = self.final_figures(space).returns;
        let mut unfinished = Unknown {
            explained,
            ..Unknown::limited(limit)
        };
        let part = self.parts.values().find_map(|part| match part {
            Part::Live(live) if live.search.standing() != Standing::Explained => Some(live),
            _ => None,
        });
        if let Some(live) = part
            && let Some(stuck) = live.search.standing_before()
        {
            let mut describe = Describe {
                space,
                ledger: &live.search.ledger,
                alternatives: self.describes,
            };
            unfinished.at = Some(describe.view(stuck.target));
            unfinished.frontier = stuck.total;
            unfinished.alternatives = describe.alternatives(&stuck);
        }
        Conclusion::Unknown(Box::new(unfinished))
    }
}

/// Where all explanations of a part agree. The settled beginning was replayed already; this goes on from there.
fn agreed(live: &mut LivePart, space: &mut AnySpace<'_>) -> Option<AgreedPrefix> {
    let (shared, since) = live.search.shared()?;
    for op in &shared {
        let entry = *live.search.ledger.get(*op);
        live.replay.place(&entry, &mut space.source).ok()?;
    }
    let describe = Describe {
        space,
        ledger: &live.search.ledger,
        alternatives: false,
    };
    let last = shared.last().map(|op| describe.view(*op));
    let mut since: Vec<Operation> = since.into_iter().map(|op| describe.view(op)).collect();
    since.sort_by_key(|op| op.id);
    Some(AgreedPrefix {
        states: space.source.describe_replay(live.replay.id),
        placed: live.replay.placed,
        last,
        since,
    })
}

impl Explained {
    fn replay(&mut self, home: u64, live: &mut LivePart, space: &mut AnySpace<'_>) {
        for op in live.search.settled.drain(..) {
            let entry = *live.search.ledger.get(op);
            match live.replay.place(&entry, &mut space.source) {
                Ok(Placement { at, .. }) => {
                    let is_pure = space.source.facts(entry.class).pure;
                    let placed = match &mut self.ties {
                        Some(ties) => ties.placed(&entry, home, at, is_pure),
                        None => Placed { at, layer: 0 },
                    };
                    if let Some(order) = &mut self.order {
                        order.push((placed, Member { entry, home }));
                    }
                }
                Err(reason) => {
                    self.rejected.get_or_insert(reason);
                }
            }
            live.search.ledger.remove(op);
        }
    }

    /// Replays what is left of a part's explanation.
    fn conclude(
        &mut self,
        home: u64,
        live: &mut LivePart,
        space: &mut AnySpace<'_>,
        figures: &mut SearchFigures,
    ) {
        let sweep = live.search.figures();
        figures.frontier_max = figures.frontier_max.max(sweep.frontier_max as u64);
        figures.frontier_sum += sweep.frontier_sum;
        figures.returns += sweep.returns;
        if live.search.paths.enabled() {
            live.search.settle_all();
            self.replay(home, live, space);
            if live.replay.mandatory != live.search.mandatory {
                let (placed, expected) = (live.replay.mandatory, live.search.mandatory);
                self.rejected
                    .get_or_insert(format!("{placed} operations placed, {expected} expected"));
            }
        }
        space.source.end_replay(live.replay.id);
    }
}
