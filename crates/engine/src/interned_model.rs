//! A model with interned states and operations: the [`ErasedModel`] of every search.

use omnilink_evidence::{Limit, RefusalReason};

use crate::budget::Budget;
use crate::erased_model::{ClassFacts, ErasedModel, TableSizes};
use crate::erased_model::{ReplayId, ReplaySteps};
use crate::footprint::Footprint;
use crate::interner::{IdMap, Interner};
use crate::model::{Model, Outcomes};
use crate::partition::Partitioning;
use crate::state_ids::{ClassId, Renumber, StateId};

/// A model whose states and operations are interned when they first occur.
pub(crate) struct InternedModel<'m, M: Model> {
    model: &'m M,
    states: Interner<M::State>,
    classes: Interner<M::Op>,
    facts: Vec<ClassFacts>,
    partitioning: Partitioning,
    outcomes: Outcomes<M::State>,
    state_heap_bytes: usize,
    /// The states that replays by the definition of the model start from; `None`: those of the model.
    plain_initial: Option<Vec<M::State>>,
    /// The possible states of each replay.
    replays: Vec<Vec<M::State>>,
    idle_replays: Vec<ReplayId>,
}

impl<'m, M: Model> InternedModel<'m, M> {
    pub fn new(model: &'m M, budget: &Budget, partitioning: Partitioning) -> Self {
        Self {
            model,
            partitioning,
            states: Interner::new(),
            classes: Interner::new(),
            facts: Vec::new(),
            outcomes: Outcomes::new(budget.deadline(), budget.interrupt()),
            state_heap_bytes: 0,
            plain_initial: None,
            replays: Vec::new(),
            idle_replays: Vec::new(),
        }
    }

    /// Lets replays by the definition of the model start from these states, because the history does.
    pub fn replay_from(&mut self, initial: Vec<M::State>) {
        self.plain_initial = Some(initial);
    }

    pub fn state_id(&mut self, state: M::State) -> StateId {
        let (id, new) = self.states.intern(state);
        if new {
            self.state_heap_bytes += self.model.state_bytes(&self.states.items[id as usize]);
        }
        id
    }

    #[inline]
    pub fn class_id(&mut self, op: M::Op) -> ClassId {
        let (id, new) = self.classes.intern(op);
        if new {
            self.add_facts(id);
        }
        id
    }

    #[cold]
    fn add_facts(&mut self, new: ClassId) {
        let op = &self.classes.items[new as usize];
        let footprint = self.model.footprint(op);
        let pure = self.model.is_pure(op);
        let writes = if pure { 0 } else { footprint.writes.mask() };
        self.facts.push(ClassFacts {
            pure,
            reads: footprint.reads.mask(),
            writes,
            only_key: footprint.only_key(),
            blind: footprint.is_blind(),
            part_id: self.partitioning.part_of(&footprint),
        });
    }

    pub fn state(&self, id: StateId) -> &M::State {
        &self.states.items[id as usize]
    }

    pub fn op(&self, id: ClassId) -> &M::Op {
        &self.classes.items[id as usize]
    }

    pub fn footprint(&self, id: ClassId) -> Footprint {
        self.model.footprint(self.op(id))
    }

    /// Whether a replay by the definition of the model may continue with an operation.
    pub fn may_replay(&mut self, replay: ReplayId, class: ClassId) -> bool {
        self.outcomes.clear();
        for state in &self.replays[replay as usize] {
            self.model
                .plain_step(state, &self.classes.items[class as usize], &mut self.outcomes);
        }
        !self.outcomes.states().is_empty()
    }

    /// The states that a replay may be in.
    pub fn replayed_states(&self, replay: ReplayId) -> Vec<M::State> {
        self.replays[replay as usize].clone()
    }

    fn add_replay(&mut self, states: Vec<M::State>) -> ReplayId {
        match self.idle_replays.pop() {
            Some(idle) => {
                self.replays[idle as usize] = states;
                idle
            }
            None => {
                self.replays.push(states);
                (self.replays.len() - 1) as ReplayId
            }
        }
    }

    fn start_renumbering(&mut self, classes: bool) -> Renumbering<'_, 'm, M> {
        let states = self.states.take();
        self.state_heap_bytes = 0;
        let classes = classes.then(|| {
            self.facts.clear();
            IdMap::new(self.classes.take())
        });
        Renumbering {
            states: IdMap::new(states),
            classes,
            interned: self,
        }
    }
}

/// The replacement of old ids by new ones.
struct Renumbering<'a, 'm, M: Model> {
    interned: &'a mut InternedModel<'m, M>,
    states: IdMap<M::State>,
    /// `None` if classes keep their ids.
    classes: Option<IdMap<M::Op>>,
}

impl<M: Model> Renumber for Renumbering<'_, '_, M> {
    fn state(&mut self, id: &mut StateId) {
        self.states.replace(id, |state| self.interned.state_id(state));
    }

    fn class(&mut self, id: &mut ClassId) {
        if let Some(classes) = &mut self.classes {
            classes.replace(id, |class| self.interned.class_id(class));
        }
    }
}

impl<M: Model> ErasedModel for InternedModel<'_, M> {
    fn step(&mut self, state: StateId, class: ClassId, successors: &mut Vec<StateId>) -> bool {
        self.outcomes.clear();
        self.model.step(
            &self.states.items[state as usize],
            &self.classes.items[class as usize],
            &mut self.outcomes,
        );
        // The only successor of a pure operation is the state itself: it needs no lookup.
        if self.facts[class as usize].pure {
            let states = self.outcomes.states();
            debug_assert!(
                states
                    .iter()
                    .all(|next| *next == self.states.items[state as usize])
            );
            if !states.is_empty() {
                successors.push(state);
                states.clear();
            }
            return self.outcomes.interrupted_by().is_none();
        }
        let mut found = std::mem::take(self.outcomes.states());
        successors.extend(found.drain(..).map(|next| self.state_id(next)));
        *self.outcomes.states() = found;
        self.outcomes.interrupted_by().is_none()
    }

    fn may_enable(&self, state: StateId, refused: ClassId, helper: ClassId) -> bool {
        self.model
            .may_enable(self.state(state), self.op(refused), self.op(helper))
    }

    fn facts(&self, class: ClassId) -> &ClassFacts {
        &self.facts[class as usize]
    }

    fn describe_state(&self, state: StateId) -> String {
        self.model.describe_state(self.state(state))
    }

    fn describe_op(&self, class: ClassId) -> String {
        self.model.describe_op(self.op(class))
    }

    fn explain(&self, state: StateId, class: ClassId) -> Option<RefusalReason> {
        let mut outcomes = Outcomes::explaining();
        self.model.step(self.state(state), self.op(class), &mut outcomes);
        outcomes.into_refusal()
    }

    fn failure(&self) -> Option<&str> {
        self.outcomes.failure()
    }

    fn exceeded(&self) -> Option<&str> {
        self.outcomes.exceeded()
    }

    fn interrupted_by(&self) -> Option<Limit> {
        self.outcomes.interrupted_by()
    }

    fn table_sizes(&self) -> TableSizes {
        TableSizes {
            states: self.states.items.len(),
            classes: self.classes.items.len(),
            state_heap_bytes: self.state_heap_bytes,
        }
    }

    fn heap_bytes(&self) -> usize {
        self.states.heap_bytes() + self.classes.heap_bytes() + self.state_heap_bytes
    }

    fn use_single_part(&mut self) {
        self.partitioning = Partitioning::Whole;
        for facts in &mut self.facts {
            facts.part_id = Some(0);
        }
    }

    fn compact(&mut self, classes: bool, renumber_all: &mut dyn FnMut(&mut dyn Renumber)) {
        renumber_all(&mut self.start_renumbering(classes));
    }

    fn start_replay(&mut self, from: &[StateId]) -> ReplayId {
        let states = from.iter().map(|state| self.state(*state).clone()).collect();
        self.add_replay(states)
    }

    fn start_plain_replay(&mut self) -> ReplayId {
        let states = self
            .plain_initial
            .clone()
            .unwrap_or_else(|| self.model.plain_initial());
        self.add_replay(states)
    }

    fn fork_replay(&mut self, replay: ReplayId) -> ReplayId {
        let states = self.replays[replay as usize].clone();
        self.add_replay(states)
    }

    fn replay(&mut self, replay: ReplayId, class: ClassId, steps: ReplaySteps) -> bool {
        let states = &mut self.replays[replay as usize];
        let op = &self.classes.items[class as usize];
        self.outcomes.clear();
        for state in states.drain(..) {
            match steps {
                ReplaySteps::OfSearch => self.model.step_from(state, op, &mut self.outcomes),
                ReplaySteps::Plain => self.model.plain_step(&state, op, &mut self.outcomes),
            }
        }
        for next in self.outcomes.states().drain(..) {
            if !states.contains(&next) {
                states.push(next);
            }
        }
        !states.is_empty()
    }

    fn describe_replay(&self, replay: ReplayId) -> Vec<String> {
        let states = self.replays[replay as usize].iter();
        states.map(|state| self.model.describe_state(state)).collect()
    }

    fn end_replay(&mut self, replay: ReplayId) {
        self.replays[replay as usize].clear();
        self.idle_replays.push(replay);
    }
}
