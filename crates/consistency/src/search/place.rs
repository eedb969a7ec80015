//! Placing an operation: what it may see, and the states that result.

use omnilink_history::{Budget, OpSet};

use super::lookahead::Lookahead;
use super::state::{Feasibility, SearchState};
use super::summary::Dependencies;
use super::{Classes, DeadEnd};
use crate::complete::is_placeable;
use crate::constraints::{Constraints, Influence};
use crate::options::WeakReductions;
use crate::partial_explanation::PartialExplanation;
use crate::step_table::{DEAD, StateSet, Steps};
use crate::visibility_candidates::VisibilityCandidates;

/// A search, and the state that it is in.
pub(super) struct Search<'a> {
    pub constraints: &'a Constraints,
    pub steps: &'a mut dyn Steps,
    pub classes: &'a Classes,
    pub budget: &'a mut Budget,
    pub reductions: WeakReductions,
    /// Operations that can change the outcome for an operation that sees them.
    pub observable: OpSet,
    /// Operations that may change a state, and so can help to explain a return.
    pub mutators: OpSet,
    /// The operations that each operation commutes with.
    commuting: Vec<OpSet>,
    pub at: SearchState,
    /// The number of states reached.
    pub points: u64,
    pub lookahead: Lookahead,
    /// Which operations must be visible together, where that does not depend on what others see.
    dependencies: Option<Dependencies>,
    /// The first state in which everything is explained.
    pub found: Option<SearchState>,
    /// The state with the longest order in which some operation could not be placed.
    pub stuck: Option<DeadEnd>,
}

impl<'a> Search<'a> {
    pub fn new(
        constraints: &'a Constraints,
        steps: &'a mut dyn Steps,
        classes: &'a Classes,
        reductions: WeakReductions,
        budget: &'a mut Budget,
    ) -> Self {
        let observable: OpSet = (0..constraints.count)
            .filter(|op| !steps.properties(classes.seen[*op]).is_noop)
            .collect();
        let mutators = observable
            .iter()
            .filter(|op| !steps.properties(classes.seen[*op]).is_pure)
            .collect();
        // Where an axiom mentions the linearization, the order of commuting operations matters.
        let commuting = (0..constraints.count)
            .map(|op| {
                let facts = steps.properties(classes.seen[op]);
                let commutes = |other: &usize| facts.commutes_with(&steps.properties(classes.seen[*other]));
                if constraints.mentions_lin {
                    OpSet::EMPTY
                } else {
                    observable.iter().filter(commutes).collect()
                }
            })
            .collect();
        Self {
            at: SearchState::new(constraints.count, steps.initial()),
            constraints,
            steps,
            classes,
            budget,
            reductions,
            observable,
            mutators,
            commuting,
            points: 0,
            lookahead: Lookahead::default(),
            dependencies: Dependencies::of(constraints).filter(|_| reductions.minimal),
            found: None,
            stuck: None,
        }
    }
}

impl Search<'_> {
    /// The initial state.
    pub fn start(&mut self) -> SearchState {
        self.settled()
    }

    /// Operations that are placed as soon as possible.
    ///
    /// Whether an unplaced operation affects others depends on the constraints only, as its successors are not placed
    /// either. Where the linearization does not keep happens-before, a successor may be placed; such operations are
    /// excluded.
    pub fn eager(&self) -> OpSet {
        let all = OpSet::first(self.constraints.count);
        let silent = all.minus(self.observable);
        if self.reductions.eager {
            silent
                .iter()
                .filter(|op| !self.constraints.required.has(*op) || self.never_affects_others(*op))
                .collect()
        } else {
            OpSet::EMPTY
        }
    }

    /// Places `op` in the state `from` with each set that it may see, and passes the resulting states to `reached`.
    pub fn step(&mut self, from: &SearchState, op: usize, mut reached: impl FnMut(SearchState)) {
        if self.budget.exhausted().is_some() || !is_placeable(self.constraints, from.placed, op) {
            return;
        }
        self.at.follow(from);
        if self.is_infeasible(from) {
            return;
        }
        let branches = !self.reductions.minimal || self.affects_others(op);
        let mut visible = self.candidates_for(op);
        let mut is_blocked = true;
        while let Some(visibility) = self.next_visibility(&mut visible, op) {
            is_blocked = false;
            self.place(op, visibility);
            reached(self.settled());
            if !branches || self.budget.exhausted().is_some() {
                break;
            }
            self.at.follow(from);
        }
        if is_blocked && self.constraints.required.has(op) && self.budget.exhausted().is_none() {
            note(&mut self.stuck, from, op);
        }
    }

    /// Whether the lookahead rules out `from`, the current state. Each state is looked at once.
    fn is_infeasible(&mut self, from: &SearchState) -> bool {
        if from.feasibility.get() == Feasibility::Unknown && self.is_lookahead_due() {
            let blocked = self.infeasible_op();
            from.feasibility.set(match blocked {
                Some(_) => Feasibility::Impossible,
                None => Feasibility::Possible,
            });
            if let Some(op) = blocked {
                note(&mut self.stuck, from, op);
            }
        }
        from.feasibility.get() == Feasibility::Impossible
    }

    /// Records that `op`, an eager operation, could not be placed in `from`.
    pub fn miss(&mut self, from: &SearchState, op: usize) {
        if self.constraints.required.has(op) && is_placeable(self.constraints, from.placed, op) {
            note(&mut self.stuck, from, op);
        }
    }

    /// The current state, after placing eager operations.
    fn settled(&mut self) -> SearchState {
        if self.reductions.eager {
            self.place_eagerly();
        }
        self.points += 1;
        let key = self.key();
        let here = SearchState {
            key,
            ..self.at.clone()
        };
        if self.found.is_none() && self.constraints.required.is_within(here.placed) {
            self.found = Some(here.clone());
        }
        here
    }

    /// Places operations that no other operation depends on, as soon as their return can be explained.
    ///
    /// An operation that sees such an operation gains nothing by it, unless axioms mention what it saw itself or its
    /// position in the linearization; those are excluded.
    fn place_eagerly(&mut self) {
        if self.constraints.mentions_lin {
            return;
        }
        loop {
            let candidates = self
                .constraints
                .required
                .minus(self.at.placed)
                .minus(self.observable);
            let mut found = None;
            for op in candidates.iter() {
                if is_placeable(self.constraints, self.at.placed, op) && !self.affects_others(op) {
                    let mut visible = self.candidates_for(op);
                    if let Some(visibility) = self.next_visibility(&mut visible, op) {
                        found = Some((op, visibility));
                        break;
                    }
                }
                if self.budget.exhausted().is_some() {
                    return;
                }
            }
            let Some((op, visibility)) = found else { return };
            self.place(op, visibility);
        }
    }

    /// Whether no other operation depends on what `op` sees, wherever it is placed.
    fn never_affects_others(&self, op: usize) -> bool {
        let affects = match self.constraints.influence {
            Influence::None => false,
            Influence::Successors => self.constraints.has_successor.has(op),
            Influence::Observers { direct } => {
                self.constraints.has_successor.has(op) || direct && self.observable.has(op)
            }
        };
        !affects && !self.constraints.mentions_lin
    }

    /// Whether an unplaced operation may depend on what `op` sees.
    fn affects_others(&self, op: usize) -> bool {
        match self.constraints.influence {
            Influence::None => false,
            Influence::Successors => {
                let unplaced = OpSet::first(self.constraints.count)
                    .minus(self.at.placed)
                    .without(op);
                unplaced.iter().any(|later| self.constraints.hb[later].has(op))
            }
            Influence::Observers { direct } => {
                self.constraints.has_successor.has(op)
                    || self.constraints.mentions_lin
                    || direct && self.observable.has(op)
            }
        }
    }

    /// The sets that `op` may see if it is placed next.
    fn candidates_for(&mut self, op: usize) -> VisibilityCandidates {
        if self.constraints.complete.has(op) {
            return VisibilityCandidates::only(self.at.placed);
        }
        let least = self.partial().least_visible(op);
        if !self.reductions.minimal {
            return VisibilityCandidates::growing(least, self.at.placed.minus(least));
        }
        // The sets tried here include those that the axioms demand in addition: if none explains the return, no
        // visibility does.
        let Some(visibility) = self.reachable(op, least) else {
            return VisibilityCandidates::none();
        };
        if self.constraints.unconstrained.has(op) && !self.affects_others(op) {
            return VisibilityCandidates::only(visibility);
        }
        if let Some(dependencies) = self.dependencies.take() {
            let visibility = self.any_visibility(op, least, &dependencies);
            self.dependencies = Some(dependencies);
            return visibility.map_or_else(VisibilityCandidates::none, VisibilityCandidates::only);
        }
        VisibilityCandidates::growing(least, self.mutators.and(self.at.placed).minus(least))
    }

    pub fn partial(&self) -> PartialExplanation<'_> {
        PartialExplanation {
            constraints: self.constraints,
            placed: self.at.placed,
            order: &self.at.order,
            visible: &self.at.visible,
        }
    }

    /// A small set of operations that contains `least` and explains the return of `op`, ignoring further demands of
    /// the axioms.
    fn reachable(&mut self, op: usize, least: OpSet) -> Option<OpSet> {
        let mut ends: Vec<(StateSet, OpSet)> = vec![(self.at.base, least)];
        for &seen in &self.at.sequence {
            let class = self.classes.seen[seen];
            if least.has(seen) {
                for end in &mut ends {
                    end.0 = self.steps.step(end.0, class);
                }
                ends.retain(|end| end.0 != DEAD);
            } else if self.mutators.has(seen) {
                for at in 0..ends.len() {
                    let (state, visibility) = ends[at];
                    let next = self.steps.step(state, class);
                    if next != DEAD && ends.iter().all(|end| end.0 != next) {
                        ends.push((next, visibility.with(seen)));
                    }
                }
            }
        }
        let own = self.classes.own[op];
        ends.iter()
            .filter(|end| self.steps.step(end.0, own) != DEAD)
            .map(|end| end.1)
            .min_by_key(|visibility| visibility.len())
    }

    fn next_visibility(&mut self, visible: &mut VisibilityCandidates, op: usize) -> Option<OpSet> {
        loop {
            let visibility = visible.candidate()?;
            if self.budget.visibility() {
                return None;
            }
            let is_found = self.explains(op, visibility);
            if is_found && self.reductions.minimal {
                visible.accept(visibility);
            } else {
                for choice in visible.choices().minus(visibility).iter() {
                    let larger = self.partial().closed_under_axioms(op, visibility.with(choice));
                    visible.add(larger);
                }
            }
            if is_found {
                return Some(visibility);
            }
        }
    }

    /// Whether the return of `op` follows from the operations of `visibility`.
    fn explains(&mut self, op: usize, visibility: OpSet) -> bool {
        let mut state = self.at.base;
        for &seen in &self.at.sequence {
            if visibility.has(seen) {
                state = self.steps.step(state, self.classes.seen[seen]);
            }
        }
        self.steps.step(state, self.classes.own[op]) != DEAD
    }

    fn place(&mut self, op: usize, visibility: OpSet) {
        self.at.visible[op] = visibility;
        self.at.placed = self.at.placed.with(op);
        self.at.order.push(op);
        if !self.observable.has(op) {
            return;
        }
        let mut at = self.at.sequence.len();
        while at > 0 && self.at.sequence[at - 1] > op && self.commuting[op].has(self.at.sequence[at - 1]) {
            at -= 1;
        }
        self.at.sequence.insert(at, op);
        let unplaced = OpSet::first(self.constraints.count).minus(self.at.placed);
        let shared = self
            .at
            .sequence
            .iter()
            .take_while(|&&first| {
                unplaced
                    .iter()
                    .all(|op| self.constraints.complete.has(op) || self.constraints.must_see[op].has(first))
            })
            .count();
        for first in self.at.sequence.drain(..shared) {
            self.at.base = self.steps.step(self.at.base, self.classes.seen[first]);
        }
    }

    /// The key of the state: states with equal keys have the same continuations.
    ///
    /// It consists of the placed operations; the order of the observable ones, with commuting operations in a fixed
    /// order and a prefix that all unplaced operations must see replaced by the state that it leads to (or, where no
    /// operation depends on what others see, the [summary](super::summary) of that order); and what the visibilities
    /// so far demand of unplaced operations.
    fn key(&mut self) -> Box<[u128]> {
        let mut key = Vec::with_capacity(4 + self.at.sequence.len());
        if !self.reductions.memo {
            key.extend(self.at.order.iter().map(|op| *op as u128));
            key.extend(self.at.visible.iter().map(|visibility| visibility.bits()));
            return key.into_boxed_slice();
        }
        key.push(self.at.placed.bits());
        if let Some(dependencies) = self.dependencies.take() {
            key.extend(self.summary(&dependencies));
            self.dependencies = Some(dependencies);
            return key.into_boxed_slice();
        }
        key.push(u128::from(self.at.base));
        // Positions are below 128: the mark ends the sequence.
        key.extend(self.at.sequence.iter().map(|op| *op as u128));
        key.push(u128::MAX);
        if self.constraints.mentions_lin {
            key.extend(self.at.order.iter().map(|op| *op as u128));
        }
        match self.constraints.influence {
            Influence::None => {}
            Influence::Successors => {
                let unplaced = OpSet::first(self.constraints.count).minus(self.at.placed);
                let partial = self.partial();
                let closed_under_axioms =
                    |op| partial.closed_under_axioms(op, partial.always_visible(op)).bits();
                key.extend(unplaced.iter().map(closed_under_axioms));
            }
            Influence::Observers { .. } => {
                let affecting = self.at.placed.iter().filter(|op| self.affects_others(*op));
                key.extend(affecting.map(|op| self.at.visible[op].bits()));
            }
        }
        key.into_boxed_slice()
    }
}

/// Records a state in which `op` could not be placed, if its order is the longest so far.
fn note(stuck: &mut Option<DeadEnd>, at: &SearchState, op: usize) {
    if stuck
        .as_ref()
        .is_none_or(|best| best.order.len() < at.order.len())
    {
        *stuck = Some(DeadEnd {
            order: at.order.clone(),
            visible: at.visible.clone(),
            blocked: OpSet::one(op),
        });
    }
}
