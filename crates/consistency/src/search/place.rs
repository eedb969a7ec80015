//! Placing an operation: what it may see, and the points that it leads to.

use omnilink_engine::Model;

use super::lookahead::Foresight;
use super::state::{Outlook, Point};
use super::summary::Needs;
use super::{Classes, Reductions, Stuck};
use crate::budget::Budget;
use crate::complete::is_placeable;
use crate::partial_explanation::SoFar;
use crate::op_set::OpSet;
use crate::constraints::{Influence, Plan};
use crate::visibility_candidates::Rows;
use crate::step_table::{DEAD, StateSet, Steps};

/// What is known of a search, and the point that it is at.
pub(super) struct Search<'a, 'm, M: Model> {
    pub plan: &'a Plan,
    pub steps: &'a mut Steps<'m, M>,
    pub classes: &'a Classes,
    pub budget: &'a mut Budget,
    pub reductions: Reductions,
    /// Operations that make a difference to who sees them.
    pub telling: OpSet,
    /// Operations that can help to explain the return of who sees them: those that may change a state.
    pub helpful: OpSet,
    /// With which of the others each operation commutes.
    commuting: Vec<OpSet>,
    pub at: Point,
    /// How many points were reached.
    pub points: u64,
    pub foresight: Foresight,
    /// What is needed, where nobody is affected by what others see.
    needs: Option<Needs>,
    /// The first point at which everything is explained.
    pub found: Option<Point>,
    /// The furthest point at which something could not be placed.
    pub stuck: Option<Stuck>,
}

impl<'a, 'm, M: Model> Search<'a, 'm, M> {
    pub fn new(
        plan: &'a Plan,
        steps: &'a mut Steps<'m, M>,
        classes: &'a Classes,
        reductions: Reductions,
        budget: &'a mut Budget,
    ) -> Self {
        let telling: OpSet = (0..plan.count)
            .filter(|op| !steps.facts(classes.seen[*op]).is_idle)
            .collect();
        let helpful = telling
            .iter()
            .filter(|op| !steps.facts(classes.seen[*op]).is_pure)
            .collect();
        // Where an axiom looks at the linearization itself, order matters also between operations that commute.
        let commuting = (0..plan.count)
            .map(|op| {
                let facts = steps.facts(classes.seen[op]);
                let commutes = |other: &usize| facts.commutes_with(&steps.facts(classes.seen[*other]));
                if plan.looks_at_lin {
                    OpSet::EMPTY
                } else {
                    telling.iter().filter(commutes).collect()
                }
            })
            .collect();
        Self {
            at: Point::new(plan.count, steps.initial()),
            plan,
            steps,
            classes,
            budget,
            reductions,
            telling,
            helpful,
            commuting,
            points: 0,
            foresight: Foresight::default(),
            needs: Needs::of(plan).filter(|_| reductions.minimal),
            found: None,
            stuck: None,
        }
    }
}

impl<M: Model> Search<'_, '_, M> {
    /// The point to begin from.
    pub fn start(&mut self) -> Point {
        self.settled()
    }

    /// Operations that are placed wherever they can be.
    ///
    /// What an operation affects depends on nothing but the plan while it is not placed: what happens after it is not
    /// placed either. Where the linearization does not keep happens-before, it may be; those are left alone.
    pub fn eager(&self) -> OpSet {
        let all = OpSet::first(self.plan.count);
        let silent = all.minus(self.telling);
        match self.reductions.eager {
            false => OpSet::EMPTY,
            true => silent
                .iter()
                .filter(|op| !self.plan.required.has(*op) || self.never_affects_others(*op))
                .collect(),
        }
    }

    /// Places `op` at `from` with each set that it may see, and hands out the points that this leads to.
    pub fn step(&mut self, from: &Point, op: usize, mut reached: impl FnMut(Point)) {
        if self.budget.exhausted().is_some() || !is_placeable(self.plan, from.placed, op) {
            return;
        }
        self.at.follow(from);
        if self.is_hopeless(from) {
            return;
        }
        let branches = !self.reductions.minimal || self.affects_others(op);
        let mut rows = self.rows_of(op);
        let mut is_blocked = true;
        while let Some(row) = self.next_row(&mut rows, op) {
            is_blocked = false;
            self.place(op, row);
            reached(self.settled());
            if !branches || self.budget.exhausted().is_some() {
                break;
            }
            self.at.follow(from);
        }
        if is_blocked && self.plan.required.has(op) && self.budget.exhausted().is_none() {
            note(&mut self.stuck, from, op);
        }
    }

    /// Whether looking ahead from `from`, where the search is, tells that nothing leads on. Nobody looks twice.
    fn is_hopeless(&mut self, from: &Point) -> bool {
        if from.outlook.get() == Outlook::Open && self.looks_ahead() {
            let blocked = self.hopeless();
            from.outlook.set(match blocked {
                Some(_) => Outlook::Hopeless,
                None => Outlook::Clear,
            });
            if let Some(op) = blocked {
                note(&mut self.stuck, from, op);
            }
        }
        from.outlook.get() == Outlook::Hopeless
    }

    /// Takes note that `op`, which is placed wherever it can be, is not placed at `from`.
    pub fn miss(&mut self, from: &Point, op: usize) {
        if self.plan.required.has(op) && is_placeable(self.plan, from.placed, op) {
            note(&mut self.stuck, from, op);
        }
    }

    /// The point that the search is at, with what can be placed at once.
    fn settled(&mut self) -> Point {
        if self.reductions.eager {
            self.place_eagerly();
        }
        self.points += 1;
        let key = self.key();
        let here = Point {
            key,
            ..self.at.clone()
        };
        if self.found.is_none() && self.plan.required.is_within(here.placed) {
            self.found = Some(here.clone());
        }
        here
    }

    /// Places what makes no difference to anyone else, wherever it is placed, as soon as its return can be explained.
    ///
    /// Whoever sees such an operation sees nothing more by it, unless axioms look at what it saw itself or at its place in
    /// the linearization; those are left alone.
    fn place_eagerly(&mut self) {
        if self.plan.looks_at_lin {
            return;
        }
        loop {
            let candidates = self.plan.required.minus(self.at.placed).minus(self.telling);
            let mut found = None;
            for op in candidates.iter() {
                if is_placeable(self.plan, self.at.placed, op) && !self.affects_others(op) {
                    let mut rows = self.rows_of(op);
                    if let Some(row) = self.next_row(&mut rows, op) {
                        found = Some((op, row));
                        break;
                    }
                }
                if self.budget.exhausted().is_some() {
                    return;
                }
            }
            let Some((op, row)) = found else { return };
            self.place(op, row);
        }
    }

    /// Whether what `op` sees matters to nobody, wherever it is placed.
    fn never_affects_others(&self, op: usize) -> bool {
        let affects = match self.plan.influence {
            Influence::None => false,
            Influence::Successors => self.plan.has_successor.has(op),
            Influence::Seers { direct } => self.plan.has_successor.has(op) || direct && self.telling.has(op),
        };
        !affects && !self.plan.looks_at_lin
    }

    /// Whether what `op` sees may matter to an operation that is still to come.
    fn affects_others(&self, op: usize) -> bool {
        match self.plan.influence {
            Influence::None => false,
            Influence::Successors => {
                let unplaced = OpSet::first(self.plan.count).minus(self.at.placed).without(op);
                unplaced.iter().any(|later| self.plan.hb[later].has(op))
            }
            Influence::Seers { direct } => {
                self.plan.has_successor.has(op) || self.plan.looks_at_lin || direct && self.telling.has(op)
            }
        }
    }

    /// The sets that `op` may see if it comes next.
    fn rows_of(&mut self, op: usize) -> Rows {
        if self.plan.complete.has(op) {
            return Rows::only(self.at.placed);
        }
        let least = self.so_far().least(op);
        if !self.reductions.minimal {
            return Rows::growing(least, self.at.placed.minus(least));
        }
        // Whatever a set of choices demands in addition, it is one of the sets tried here: nothing found, nothing there.
        let Some(row) = self.reachable(op, least) else {
            return Rows::none();
        };
        if self.plan.undemanding.has(op) && !self.affects_others(op) {
            return Rows::only(row);
        }
        if let Some(needs) = self.needs.take() {
            let row = self.any_row(op, least, &needs);
            self.needs = Some(needs);
            return row.map_or_else(Rows::none, Rows::only);
        }
        Rows::growing(least, self.helpful.and(self.at.placed).minus(least))
    }

    pub fn so_far(&self) -> SoFar<'_> {
        SoFar {
            plan: self.plan,
            placed: self.at.placed,
            order: &self.at.order,
            rows: &self.at.rows,
        }
    }

    /// A small set of operations that explains the return of `op`, among those that contain `least`, whatever else is
    /// demanded.
    fn reachable(&mut self, op: usize, least: OpSet) -> Option<OpSet> {
        let mut ends: Vec<(StateSet, OpSet)> = vec![(self.at.base, least)];
        for &seen in &self.at.sequence {
            let class = self.classes.seen[seen];
            if least.has(seen) {
                for end in &mut ends {
                    end.0 = self.steps.step(end.0, class);
                }
                ends.retain(|end| end.0 != DEAD);
            } else if self.helpful.has(seen) {
                for at in 0..ends.len() {
                    let (state, row) = ends[at];
                    let next = self.steps.step(state, class);
                    if next != DEAD && ends.iter().all(|end| end.0 != next) {
                        ends.push((next, row.with(seen)));
                    }
                }
            }
        }
        let own = self.classes.own[op];
        ends.iter()
            .filter(|end| self.steps.step(end.0, own) != DEAD)
            .map(|end| end.1)
            .min_by_key(|row| row.len())
    }

    fn next_row(&mut self, rows: &mut Rows, op: usize) -> Option<OpSet> {
        loop {
            let row = rows.candidate()?;
            if self.budget.visibility() {
                return None;
            }
            let is_found = self.explains(op, row);
            if is_found && self.reductions.minimal {
                rows.accept(row);
            } else {
                for choice in rows.choices().minus(row).iter() {
                    let larger = self.so_far().demanded(op, row.with(choice));
                    rows.add(larger);
                }
            }
            if is_found {
                return Some(row);
            }
        }
    }

    /// Whether the return of `op` follows from the operations of `row`.
    fn explains(&mut self, op: usize, row: OpSet) -> bool {
        let mut state = self.at.base;
        for &seen in &self.at.sequence {
            if row.has(seen) {
                state = self.steps.step(state, self.classes.seen[seen]);
            }
        }
        self.steps.step(state, self.classes.own[op]) != DEAD
    }

    fn place(&mut self, op: usize, row: OpSet) {
        self.at.rows[op] = row;
        self.at.placed = self.at.placed.with(op);
        self.at.order.push(op);
        if !self.telling.has(op) {
            return;
        }
        let mut at = self.at.sequence.len();
        while at > 0 && self.at.sequence[at - 1] > op && self.commuting[op].has(self.at.sequence[at - 1]) {
            at -= 1;
        }
        self.at.sequence.insert(at, op);
        let unplaced = OpSet::first(self.plan.count).minus(self.at.placed);
        let shared = self
            .at
            .sequence
            .iter()
            .take_while(|&&first| {
                unplaced
                    .iter()
                    .all(|op| self.plan.complete.has(op) || self.plan.must_see[op].has(first))
            })
            .count();
        for first in self.at.sequence.drain(..shared) {
            self.at.base = self.steps.step(self.at.base, self.classes.seen[first]);
        }
    }

    /// What tells this point from others: points with one key have the same continuations.
    ///
    /// It is: what is placed; the order of what makes a difference to who sees it, operations that commute in a fixed
    /// order, a beginning that all must see folded into the state it leads to (or, where nobody is affected by what
    /// others see, what that order [offers](super::summary)); and what the choices so far demand of those to come.
    fn key(&mut self) -> Box<[u128]> {
        let mut key = Vec::with_capacity(4 + self.at.sequence.len());
        if !self.reductions.memo {
            key.extend(self.at.order.iter().map(|op| *op as u128));
            key.extend(self.at.rows.iter().map(|row| row.bits()));
            return key.into_boxed_slice();
        }
        key.push(self.at.placed.bits());
        if let Some(needs) = self.needs.take() {
            key.extend(self.summary(&needs));
            self.needs = Some(needs);
            return key.into_boxed_slice();
        }
        key.push(u128::from(self.at.base));
        // Positions below 128 and a mark: no sequence is the beginning of another.
        key.extend(self.at.sequence.iter().map(|op| *op as u128));
        key.push(u128::MAX);
        if self.plan.looks_at_lin {
            key.extend(self.at.order.iter().map(|op| *op as u128));
        }
        match self.plan.influence {
            Influence::None => {}
            Influence::Successors => {
                let unplaced = OpSet::first(self.plan.count).minus(self.at.placed);
                let so_far = self.so_far();
                let demanded = |op| so_far.demanded(op, so_far.seen_anyway(op)).bits();
                key.extend(unplaced.iter().map(demanded));
            }
            Influence::Seers { .. } => {
                let affecting = self.at.placed.iter().filter(|op| self.affects_others(*op));
                key.extend(affecting.map(|op| self.at.rows[op].bits()));
            }
        }
        key.into_boxed_slice()
    }
}

/// Keeps the point at which `op` could not be placed, if none was further.
fn note(stuck: &mut Option<Stuck>, at: &Point, op: usize) {
    if stuck
        .as_ref()
        .is_none_or(|best| best.order.len() < at.order.len())
    {
        *stuck = Some(Stuck {
            order: at.order.clone(),
            rows: at.rows.clone(),
            blocked: OpSet::one(op),
        });
    }
}
