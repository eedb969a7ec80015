//! A model's states and operations behind their numbers: the [`Source`] of every search.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::meter::Meter;
use crate::model::{Model, Outcomes};
use crate::partition::Partitioning;
use crate::replay::ReplayId;
use crate::space::{ClassFacts, ClassId, Renumber, Source, StateId, Tally};

/// A table that gives equal values equal numbers.
#[derive(Debug)]
struct Numbering<T> {
    items: Vec<T>,
    hashes: Vec<u64>,
    index: HashTable<u32>,
}

impl<T: Eq + Hash> Numbering<T> {
    fn new() -> Self {
        Self {
            items: Vec::new(),
            hashes: Vec::new(),
            index: HashTable::new(),
        }
    }

    /// Hands out all items and starts over; the tables keep their room, which will be needed again.
    fn take(&mut self) -> Vec<T> {
        let room = self.items.len();
        self.hashes.clear();
        self.index.clear();
        std::mem::replace(&mut self.items, Vec::with_capacity(room))
    }

    /// The number of `item` and whether it is new.
    #[inline]
    fn number(&mut self, item: T) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(&item);
        let (items, hashes) = (&mut self.items, &mut self.hashes);
        if let Some(found) = self.index.find(hash, |&id| items[id as usize] == item) {
            return (*found, false);
        }
        let id = items.len() as u32;
        items.push(item);
        hashes.push(hash);
        self.index.insert_unique(hash, id, |&id| hashes[id as usize]);
        (id, true)
    }

    fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.hashes.capacity() * 8 + self.index.capacity() * 8
    }
}

/// A model's states and operations, numbered as they are met.
pub(crate) struct Interned<'m, M: Model> {
    model: &'m M,
    states: Numbering<M::State>,
    classes: Numbering<M::Op>,
    facts: Vec<ClassFacts>,
    partitioning: Partitioning,
    outcomes: Outcomes<M::State>,
    state_heap_bytes: usize,
    /// The states that each replay may be in.
    replays: Vec<Vec<M::State>>,
    idle_replays: Vec<ReplayId>,
}

impl<'m, M: Model> Interned<'m, M> {
    pub fn new(model: &'m M, meter: &Meter, partitioning: Partitioning) -> Self {
        Self {
            model,
            partitioning,
            states: Numbering::new(),
            classes: Numbering::new(),
            facts: Vec::new(),
            outcomes: Outcomes::new(meter.deadline(), meter.interrupt()),
            state_heap_bytes: 0,
            replays: Vec::new(),
            idle_replays: Vec::new(),
        }
    }

    pub fn state_id(&mut self, state: M::State) -> StateId {
        let (id, new) = self.states.number(state);
        if new {
            self.state_heap_bytes += self.model.state_bytes(&self.states.items[id as usize]);
        }
        id
    }

    #[inline]
    pub fn class_id(&mut self, op: M::Op) -> ClassId {
        let (id, new) = self.classes.number(op);
        if new {
            self.learn_facts(id);
        }
        id
    }

    #[cold]
    fn learn_facts(&mut self, new: ClassId) {
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
            home: self.partitioning.home(&footprint),
        });
    }

    pub fn state(&self, id: StateId) -> &M::State {
        &self.states.items[id as usize]
    }

    pub fn op(&self, id: ClassId) -> &M::Op {
        &self.classes.items[id as usize]
    }

    fn start_over(&mut self, classes: bool) -> Renumbering<'_, 'm, M> {
        let states = self.states.take();
        self.state_heap_bytes = 0;
        let classes = classes.then(|| {
            self.facts.clear();
            Exchange::new(self.classes.take())
        });
        Renumbering {
            states: Exchange::new(states),
            classes,
            interned: self,
        }
    }
}

/// Old numbers and the new ones that those still in use get.
struct Exchange<T> {
    items: Vec<Option<T>>,
    map: Vec<u32>,
}

impl<T> Exchange<T> {
    fn new(items: Vec<T>) -> Self {
        Self {
            map: vec![u32::MAX; items.len()],
            items: items.into_iter().map(Some).collect(),
        }
    }

    fn exchange(&mut self, id: &mut u32, number: impl FnOnce(T) -> u32) {
        let old = *id as usize;
        if let Some(item) = self.items[old].take() {
            self.map[old] = number(item);
        }
        *id = self.map[old];
    }
}

/// An exchange of old numbers for new ones.
struct Renumbering<'a, 'm, M: Model> {
    interned: &'a mut Interned<'m, M>,
    states: Exchange<M::State>,
    /// `None`: classes keep their numbers.
    classes: Option<Exchange<M::Op>>,
}

impl<M: Model> Renumber for Renumbering<'_, '_, M> {
    fn state(&mut self, id: &mut StateId) {
        self.states.exchange(id, |state| self.interned.state_id(state));
    }

    fn class(&mut self, id: &mut ClassId) {
        if let Some(classes) = &mut self.classes {
            classes.exchange(id, |class| self.interned.class_id(class));
        }
    }
}

impl<M: Model> Source for Interned<'_, M> {
    fn step(&mut self, state: StateId, class: ClassId, successors: &mut Vec<StateId>) -> bool {
        self.outcomes.clear();
        self.model.step(
            &self.states.items[state as usize],
            &self.classes.items[class as usize],
            &mut self.outcomes,
        );
        // A pure operation leads nowhere else: no need to look its successor up.
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
            return !self.outcomes.was_interrupted();
        }
        let mut found = std::mem::take(self.outcomes.states());
        successors.extend(found.drain(..).map(|next| self.state_id(next)));
        *self.outcomes.states() = found;
        !self.outcomes.was_interrupted()
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

    fn explain(&self, state: StateId, class: ClassId) -> Option<String> {
        let mut outcomes = Outcomes::explaining();
        self.model.step(self.state(state), self.op(class), &mut outcomes);
        outcomes.into_reason()
    }

    fn failure(&self) -> Option<&str> {
        self.outcomes.failure()
    }

    fn exceeded(&self) -> Option<&str> {
        self.outcomes.exceeded()
    }

    fn was_interrupted(&self) -> bool {
        self.outcomes.was_interrupted()
    }

    fn tally(&self) -> Tally {
        Tally {
            states: self.states.items.len(),
            classes: self.classes.items.len(),
            state_heap_bytes: self.state_heap_bytes,
        }
    }

    fn heap_bytes(&self) -> usize {
        self.states.bytes() + self.classes.bytes() + self.state_heap_bytes
    }

    fn check_together(&mut self) {
        self.partitioning = Partitioning::Whole;
        for facts in &mut self.facts {
            facts.home = Some(0);
        }
    }

    fn compact(&mut self, classes: bool, exchange: &mut dyn FnMut(&mut dyn Renumber)) {
        exchange(&mut self.start_over(classes));
    }

    fn start_replay(&mut self, from: &[StateId]) -> ReplayId {
        let states = from.iter().map(|state| self.state(*state).clone()).collect();
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

    fn replay(&mut self, replay: ReplayId, class: ClassId) -> bool {
        let states = &mut self.replays[replay as usize];
        let op = &self.classes.items[class as usize];
        self.outcomes.clear();
        for state in states.drain(..) {
            self.model.step_from(state, op, &mut self.outcomes);
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
