//! One run of a check, independent of the model: parts, limits, compaction of tables, replay, verdict.
//!
//! This code is compiled once. A [`Checker`](crate::Checker) interns the operations of its model and passes their ids on
//! with the [state space](crate::state_space). Instantiated for every model, it would be most of the code of a program
//! that ships fifteen models.

mod sequential;
mod verdict;
mod witness_builder;

use hashbrown::HashMap;
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxBuildHasher;

use self::witness_builder::WitnessBuilder;
use crate::budget::Budget;
use crate::erased_model::ReplaySteps;
use crate::error::{CheckError, Progress};
use crate::evidence::SearchFigures;
use crate::op_table::{Followed, OpRecord};
use crate::options::{Consistency, Options};
use crate::part_search::{Frontier, PartSearch, PartStatus};
use crate::replay::Replay;
use crate::search_context::SearchContext;
use crate::state_ids::{ClassId, StateId};
use crate::state_space::DynStateSpace;
use crate::ties::Ties;

/// One part of the history.
#[derive(Debug)]
enum Part {
    Active(Box<ActivePart>),
    /// A part without open operations and with a single state left.
    Idle(StateId),
}

#[derive(Debug)]
struct ActivePart {
    search: PartSearch,
    replay: Replay,
    /// The start of its first operation.
    since: Time,
}

impl ActivePart {
    /// The earliest moment of an operation of this part that is not settled; `None` if all are.
    ///
    /// The moments of an explanation never decrease, and none lies before the start of its operation.
    fn unsettled_from(&self) -> Option<Time> {
        (!self.search.is_settled()).then_some(self.replay.now.max(self.since))
    }
}

impl Part {
    fn starting_from(
        initial: &[StateId],
        since: Time,
        options: &Options,
        space: &mut DynStateSpace<'_>,
    ) -> Self {
        Self::Active(Box::new(ActivePart {
            search: PartSearch::new(initial.iter().copied(), options),
            replay: Replay::new(space.model.start_replay(initial), ReplaySteps::OfSearch),
            since,
        }))
    }
}

/// One run of a check.
#[derive(Debug)]
pub(crate) struct CheckRun {
    options: Options,
    pub budget: Budget,
    initial: Vec<StateId>,
    parts: HashMap<u64, Part, FxBuildHasher>,
    active_parts: usize,
    /// The parts with a backlog.
    behind: Vec<u64>,
    /// The part without an explanation, if one was found.
    violating_part: Option<u64>,
    /// The whole history, for sequential consistency.
    history: Vec<OpRecord>,
    last_start: Time,
    pub figures: SearchFigures,
    witness: WitnessBuilder,
    /// Whether evidence contains alternatives.
    pub with_alternatives: bool,
    state_limit: usize,
    class_limit: usize,
    /// The operation that spans parts, if there was one.
    spanning_op: Option<u64>,
    /// Whether a backlog is processed with each operation instead of after the last one.
    pub is_eager: bool,
}

impl CheckRun {
    /// So few states, with their memoized steps, stay in the processor's cache.
    const STATES_KEPT: usize = 1 << 9;
    const CLASSES_KEPT: usize = 1 << 13;
    const STATE_HEAP_KEPT_BYTES: usize = 64 << 20;
    const ACTIVE_PARTS_MAX: usize = 1 << 12;
    /// The extra fuel per operation of an eager run: at most about 50 ms.
    const EAGER_FUEL: u64 = 1 << 16;

    pub fn new(options: Options, budget: Budget, initial: Vec<StateId>) -> Self {
        Self {
            options,
            budget,
            initial,
            parts: HashMap::with_hasher(FxBuildHasher),
            active_parts: 0,
            behind: Vec::new(),
            violating_part: None,
            history: Vec::new(),
            last_start: Time::MIN,
            figures: SearchFigures::default(),
            witness: WitnessBuilder::new(options.witness),
            with_alternatives: true,
            state_limit: Self::STATES_KEPT,
            class_limit: Self::CLASSES_KEPT,
            spanning_op: None,
            is_eager: false,
        }
    }

    /// Whether some part has a backlog.
    pub fn has_backlog(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Tracks threads that link parts.
    pub fn track_ties(&mut self) {
        self.witness.ties = Some(Ties::new());
    }

    /// Keeps the order of the witness.
    pub fn keep_order(&mut self) {
        let ties = self.witness.ties.take();
        self.witness = WitnessBuilder::new(true);
        self.witness.order = Some(Vec::new());
        self.witness.ties = ties;
        self.options.witness = true;
    }

    /// Checks that an operation with this timebox may come next.
    pub fn check_timebox(&mut self, timebox: Timebox) -> Result<(), CheckError> {
        let id = self.figures.operations;
        if timebox.start < self.last_start {
            return Err(CheckError::OutOfOrder {
                id,
                start: timebox.start,
                previous: self.last_start,
            });
        }
        if timebox.end == Some(OpRecord::NEVER) {
            return Err(CheckError::EndOfTime(id));
        }
        self.last_start = timebox.start;
        Ok(())
    }

    /// Takes the next operation, whose timebox was checked.
    pub fn push(
        &mut self,
        class: ClassId,
        thread: u32,
        timebox: Timebox,
        optional: bool,
        followed: Followed,
        space: &mut DynStateSpace<'_>,
    ) -> Progress {
        let id = self.figures.operations;
        let pending = timebox.is_pending();
        let record = OpRecord {
            id,
            class,
            thread,
            start: timebox.start,
            end: timebox.end.unwrap_or(OpRecord::NEVER),
            optional: optional || pending,
            in_order: !self.options.async_threads,
            followed: if pending || self.options.async_threads {
                Followed::No
            } else {
                followed
            },
        };
        let facts = space.model.facts(class);
        let pure = facts.pure;
        let part_id = match facts.part_id {
            Some(part_id) => part_id,
            None if id == 0 => {
                // No operation was assigned to a part yet, so one part can take all.
                space.model.use_single_part();
                self.witness.ties = None;
                0
            }
            None => {
                self.spanning_op = Some(id);
                return Progress::Spans;
            }
        };
        self.figures.operations += 1;
        self.figures.pending += u64::from(pending);
        // An optional operation that changes nothing can be left out of every explanation.
        if record.optional && pure {
            return self.progress(space);
        }
        if self.options.consistency == Consistency::Sequential {
            self.history.push(record);
            return Progress::Going;
        }
        if let Some(ties) = &mut self.witness.ties {
            ties.observe(&record, part_id);
        }
        self.push_to(part_id, record, space);
        self.compact_if_full(space);
        while self.catch_up(part_id, space) {
            self.compact_if_full(space);
        }
        if self.witness.is_whole_due() {
            self.replay_whole(space);
        }
        self.progress(space)
    }

    /// Settles what can be, and replays the explanations of all parts as one, up to the first moment that is not settled.
    fn replay_whole(&mut self, space: &mut DynStateSpace<'_>) {
        let mut horizon = self.last_start;
        for (part_id, part) in &mut self.parts {
            let Part::Active(part) = part else { continue };
            part.search.settle_now();
            self.witness.replay(*part_id, part, space);
            horizon = horizon.min(part.unsettled_from().unwrap_or(horizon));
        }
        self.witness.replay_whole(horizon, space);
    }

    fn progress(&self, space: &DynStateSpace<'_>) -> Progress {
        let is_over = self.violating_part.is_some()
            || self.budget.exhausted().is_some()
            || self.witness.rejected.is_some()
            || space.model.failure().is_some();
        if is_over {
            Progress::Decided
        } else {
            Progress::Going
        }
    }

    fn push_to(&mut self, part_id: u64, record: OpRecord, space: &mut DynStateSpace<'_>) {
        let Self {
            options,
            budget,
            parts,
            initial,
            ..
        } = self;
        let part = parts.entry(part_id).or_insert_with(|| {
            self.figures.partitions += 1;
            self.active_parts += 1;
            Part::starting_from(initial, record.start, options, space)
        });
        if let Part::Idle(state) = *part {
            self.active_parts += 1;
            *part = Part::starting_from(&[state], record.start, options, space);
        }
        let Part::Active(part) = part else { return };
        let mut context = SearchContext::new(space, budget, options);
        let before = part.search.status();
        part.search.push(record, &mut context);
        if self.is_eager && part.search.status() == PartStatus::Behind {
            part.search.run_sweep(Self::EAGER_FUEL, false, &mut context);
        }
        self.update_status(part_id, before, space);
        if self.active_parts > Self::ACTIVE_PARTS_MAX {
            self.retire_idle_parts(space);
        }
    }

    /// Records the status of a part after its search advanced, and replays its settled operations.
    fn update_status(&mut self, part_id: u64, before: PartStatus, space: &mut DynStateSpace<'_>) {
        let Some(Part::Active(part)) = self.parts.get_mut(&part_id) else {
            return;
        };
        match part.search.status() {
            PartStatus::Violation => match space.model.interrupted_by() {
                Some(limit) => self.budget.stop(limit),
                None => self.violating_part = Some(part_id),
            },
            PartStatus::Behind if before != PartStatus::Behind => self.behind.push(part_id),
            PartStatus::CaughtUp if before == PartStatus::Behind => {
                self.behind.retain(|behind| *behind != part_id)
            }
            _ => {}
        }
        if !part.search.settled.is_empty() {
            self.witness.replay(part_id, part, space);
        }
    }

    /// Processes some of the backlog of a part, if its search is catching up. Returns whether it is.
    fn catch_up(&mut self, part_id: u64, space: &mut DynStateSpace<'_>) -> bool {
        let Some(Part::Active(part)) = self.parts.get_mut(&part_id) else {
            return false;
        };
        if !part.search.is_catching_up() {
            return false;
        }
        let mut context = SearchContext::new(space, &mut self.budget, &self.options);
        part.search.catch_up(&mut context);
        self.update_status(part_id, PartStatus::Behind, space);
        true
    }

    /// After the last operation: lets the sweep process what waits, where that is a small part of the history. Returns whether nothing
    /// waits any more.
    pub fn catch_up_at_end(&mut self, space: &mut DynStateSpace<'_>) -> bool {
        for part_id in self.behind.clone() {
            if let Some(Part::Active(part)) = self.parts.get_mut(&part_id) {
                part.search.allow_last_catch_up();
            }
            while self.catch_up(part_id, space) {
                self.compact_if_full(space);
            }
        }
        let is_settled = |part_id: &u64| match self.parts.get(part_id) {
            Some(Part::Active(part)) => part.search.is_committed(),
            _ => true,
        };
        self.behind.iter().all(is_settled) || self.violating_part.is_some()
    }

    /// Compacts the tables of states and classes if they are full.
    fn compact_if_full(&mut self, space: &mut DynStateSpace<'_>) {
        let sizes = space.model.table_sizes();
        if sizes.states > self.state_limit
            || sizes.classes > self.class_limit
            || sizes.state_heap_bytes > Self::STATE_HEAP_KEPT_BYTES.max(self.state_limit * 16)
        {
            self.compact(space);
        }
    }

    /// Replaces each part without open operations and with a single state left by that state.
    fn retire_idle_parts(&mut self, space: &mut DynStateSpace<'_>) {
        let mut active_parts = 0;
        for (part_id, part) in &mut self.parts {
            let Part::Active(active) = part else { continue };
            if let Some(state) = active.search.settled_state() {
                self.witness.conclude(*part_id, active, space, &mut self.figures);
                self.witness.is_incomplete |= !active.search.paths.enabled();
                *part = Part::Idle(state);
            } else {
                active_parts += 1;
            }
        }
        self.active_parts = active_parts;
    }

    /// Drops the states and classes that are not in use.
    fn compact(&mut self, space: &mut DynStateSpace<'_>) {
        let can_renumber = self.parts.values().all(|part| match part {
            Part::Active(part) => part.search.can_renumber(),
            Part::Idle(_) => true,
        });
        let many_classes = space.model.table_sizes().classes > self.class_limit;
        if can_renumber {
            space.clear_memo();
            let (initial, parts, witness) = (&mut self.initial, &mut self.parts, &mut self.witness);
            space.model.compact(many_classes, &mut |numbers| {
                initial.iter_mut().for_each(|state| numbers.state(state));
                witness.renumber(numbers);
                for part in parts.values_mut() {
                    match part {
                        Part::Active(part) => part.search.renumber(numbers),
                        Part::Idle(state) => numbers.state(state),
                    }
                }
            });
        }
        let sizes = space.model.table_sizes();
        self.state_limit = Self::STATES_KEPT.max(sizes.states * 4);
        // The class limit must not follow classes that were not compacted, or it would never be reached.
        if many_classes {
            self.class_limit = Self::CLASSES_KEPT.max(sizes.classes * 4);
        }
    }

    /// The partial explanations of the operations given, after all returns before `time`.
    pub fn frontier_at(&mut self, time: Time, space: &mut DynStateSpace<'_>) -> Option<Frontier<StateId>> {
        let Some(Part::Active(part)) = self.parts.get_mut(&0) else {
            return None;
        };
        let mut context = SearchContext::new(space, &mut self.budget, &self.options);
        part.search.frontier_at(time, &mut context)
    }
}
