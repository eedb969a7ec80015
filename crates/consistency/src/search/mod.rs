//! The search for a linearization and a visibility: minimal visibility, remembered, replayed step by step.
//!
//! Operations are placed one after the other; what an operation sees is decided when it is placed and is then fixed,
//! because all relations of a criterion lead forward. Seeing more never allows later operations more (every axiom
//! demands something of who sees, never forbids), so among the sets that explain an operation's return only the minimal
//! ones are tried. Where nobody is affected by what an operation sees, one set is enough.
//!
//! What is remembered about a point that led nowhere: which operations are placed, the order of those that can make a
//! difference to who sees them (operations that commute in a fixed order, a beginning that all must see folded into the
//! state it leads to), and what the choices so far demand of the operations to come.

mod foresight;
mod summary;

use hashbrown::HashMap;
use omnilink_engine::{Exhausted, Model};
use rustc_hash::FxBuildHasher;

use self::foresight::Foresight;
use self::summary::Needs;
use crate::budget::Budget;
use crate::complete::is_placeable;
use crate::demand::SoFar;
use crate::op_set::OpSet;
use crate::plan::{Influence, Plan};
use crate::rows::Rows;
use crate::steps::{Class, DEAD, StateSet, Steps};

/// What a search found.
#[derive(Debug)]
pub(crate) enum Found {
    /// A linearization, and what each operation sees.
    Explained { order: Vec<usize>, rows: Vec<OpSet> },
    /// There is none; the furthest that was reached.
    Stuck(Stuck),
    /// A limit was reached; the furthest that was reached until then.
    Limit(Exhausted, Stuck),
}

/// A point from which no operation can be placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stuck {
    /// The operations placed, in order.
    pub order: Vec<usize>,
    /// What each of them sees.
    pub rows: Vec<OpSet>,
    /// Operations that surely happened, could come next, and have nothing that they could have seen.
    pub blocked: OpSet,
}

/// The reductions of the search, each of which can be switched off. All are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Look for an explanation in which everyone sees everything first.
    pub strongest_first: bool,
    /// Try minimal visibilities only.
    pub minimal: bool,
    /// Place at once what affects nobody.
    pub eager: bool,
    /// Remember what led nowhere.
    pub memo: bool,
    /// Give up where an operation that is still to come cannot be explained any more. Looking ahead costs more than a
    /// step of the search, so this is after how many configurations it begins; `None` for never.
    pub foresight_after: Option<u64>,
}

impl Reductions {
    /// Everything on.
    pub const ALL: Self = Self {
        strongest_first: true,
        minimal: true,
        eager: true,
        memo: true,
        foresight_after: Some(256),
    };
    /// Everything off: all linearizations, all visibilities.
    pub const NONE: Self = Self {
        strongest_first: false,
        minimal: false,
        eager: false,
        memo: false,
        foresight_after: None,
    };
}

impl Default for Reductions {
    fn default() -> Self {
        Self::ALL
    }
}

/// The classes of a history's operations.
#[derive(Debug)]
pub(crate) struct Classes {
    /// With the result that the caller got.
    pub own: Vec<Class>,
    /// As others see them.
    pub seen: Vec<Class>,
}

/// Which operations are placed, and in which order as far as that matters.
type Point = Box<[u128]>;
/// What is demanded of the operations to come.
type Demands = Box<[OpSet]>;

pub(crate) struct Search<'a, 'm, M: Model> {
    plan: &'a Plan,
    steps: &'a mut Steps<'m, M>,
    classes: &'a Classes,
    budget: &'a mut Budget,
    reductions: Reductions,
    /// Operations that make a difference to who sees them.
    telling: OpSet,
    /// Operations that can help to explain the return of who sees them: those that may change a state.
    helpful: OpSet,
    /// With which of the others each operation commutes.
    commuting: Vec<OpSet>,
    placed: OpSet,
    order: Vec<usize>,
    rows: Vec<OpSet>,
    /// The telling operations placed, in the linearization's order up to commutation, without the beginning that is
    /// part of `base`.
    sequence: Vec<usize>,
    /// Where the operations that all must see lead.
    base: StateSet,
    /// Points that led nowhere: where, and what the choices until there demanded.
    failed: HashMap<Point, Vec<Demands>, FxBuildHasher>,
    foresight: Foresight,
    /// What is needed, where nobody is affected by what others see.
    needs: Option<Needs>,
    stuck: Option<Stuck>,
}

/// Searches for a linearization and a visibility.
pub(crate) fn search<M: Model>(
    plan: &Plan,
    steps: &mut Steps<'_, M>,
    classes: &Classes,
    reductions: Reductions,
    budget: &mut Budget,
) -> Found {
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
    let base = steps.initial();
    let mut search = Search {
        plan,
        steps,
        classes,
        budget,
        reductions,
        telling,
        helpful,
        commuting,
        placed: OpSet::EMPTY,
        order: Vec::with_capacity(plan.count),
        rows: vec![OpSet::EMPTY; plan.count],
        sequence: Vec::new(),
        base,
        failed: HashMap::default(),
        foresight: Foresight::default(),
        needs: Needs::of(plan).filter(|_| reductions.minimal),
        stuck: None,
    };
    if search.extend() {
        return Found::Explained {
            order: search.order,
            rows: search.rows,
        };
    }
    match search.budget.exhausted() {
        Some(limit) => Found::Limit(limit, search.stuck.unwrap_or_default()),
        None => Found::Stuck(search.stuck.unwrap_or_default()),
    }
}

/// What placing an operation changes, to take it back.
struct Undo {
    placed: OpSet,
    order: usize,
    sequence: Vec<usize>,
    base: StateSet,
}

impl<M: Model> Search<'_, '_, M> {
    fn extend(&mut self) -> bool {
        let entered = self.mark();
        if self.reductions.eager {
            self.place_eagerly();
        }
        if self.plan.required.is_within(self.placed) {
            return true;
        }
        if self.budget.configuration() || !self.is_new() {
            self.take_back(entered);
            return false;
        }
        let mut blocked = OpSet::EMPTY;
        if self.looks_ahead()
            && let Some(op) = self.hopeless()
        {
            self.note_stuck(OpSet::one(op));
            self.take_back(entered);
            return false;
        }
        for op in OpSet::first(self.plan.count).minus(self.placed).iter() {
            if !is_placeable(self.plan, self.placed, op) || self.is_pointless(op) {
                continue;
            }
            let mut rows = self.rows_of(op);
            let branches = !self.reductions.minimal || self.affects_others(op);
            let mut is_blocked = true;
            while let Some(row) = self.next_row(&mut rows, op) {
                is_blocked = false;
                let before = self.mark();
                self.place(op, row);
                if self.extend() {
                    return true;
                }
                self.take_back(before);
                if !branches || self.budget.exhausted().is_some() {
                    break;
                }
            }
            if is_blocked && self.plan.required.has(op) {
                blocked = blocked.with(op);
            }
            if self.budget.exhausted().is_some() {
                break;
            }
        }
        if !blocked.is_empty() {
            self.note_stuck(blocked);
        }
        self.take_back(entered);
        false
    }

    /// Keeps the point that was reached if none was further.
    fn note_stuck(&mut self, blocked: OpSet) {
        let best = self.stuck.as_ref().map(|best| best.order.len());
        if best.is_none_or(|best| best < self.order.len()) {
            self.stuck = Some(Stuck {
                order: self.order.clone(),
                rows: self.rows.clone(),
                blocked,
            });
        }
    }

    /// An operation that nobody can tell from one that did not happen need not happen.
    fn is_pointless(&self, op: usize) -> bool {
        self.reductions.eager && !self.plan.required.has(op) && !self.telling.has(op)
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
            let candidates = self.plan.required.minus(self.placed).minus(self.telling);
            let mut found = None;
            for op in candidates.iter() {
                if is_placeable(self.plan, self.placed, op) && !self.affects_others(op) {
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

    /// Whether what `op` sees may matter to an operation that is still to come.
    fn affects_others(&self, op: usize) -> bool {
        match self.plan.influence {
            Influence::None => false,
            Influence::Successors => {
                let unplaced = OpSet::first(self.plan.count).minus(self.placed).without(op);
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
            return Rows::only(self.placed);
        }
        let least = self.so_far().least(op);
        if !self.reductions.minimal {
            return Rows::growing(least, self.placed.minus(least));
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
        Rows::growing(least, self.helpful.and(self.placed).minus(least))
    }

    fn so_far(&self) -> SoFar<'_> {
        SoFar {
            plan: self.plan,
            placed: self.placed,
            order: &self.order,
            rows: &self.rows,
        }
    }

    /// A small set of operations that explains the return of `op`, among those that contain `least`, whatever else is
    /// demanded.
    fn reachable(&mut self, op: usize, least: OpSet) -> Option<OpSet> {
        let mut ends: Vec<(StateSet, OpSet)> = vec![(self.base, least)];
        for &seen in &self.sequence {
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
        let mut state = self.base;
        for &seen in &self.sequence {
            if row.has(seen) {
                state = self.steps.step(state, self.classes.seen[seen]);
            }
        }
        self.steps.step(state, self.classes.own[op]) != DEAD
    }

    fn place(&mut self, op: usize, row: OpSet) {
        self.rows[op] = row;
        self.placed = self.placed.with(op);
        self.order.push(op);
        if !self.telling.has(op) {
            return;
        }
        let mut at = self.sequence.len();
        while at > 0 && self.sequence[at - 1] > op && self.commuting[op].has(self.sequence[at - 1]) {
            at -= 1;
        }
        self.sequence.insert(at, op);
        let unplaced = OpSet::first(self.plan.count).minus(self.placed);
        let shared = self
            .sequence
            .iter()
            .take_while(|&&first| {
                unplaced
                    .iter()
                    .all(|op| self.plan.complete.has(op) || self.plan.must_see[op].has(first))
            })
            .count();
        for first in self.sequence.drain(..shared) {
            self.base = self.steps.step(self.base, self.classes.seen[first]);
        }
    }

    fn mark(&self) -> Undo {
        Undo {
            placed: self.placed,
            order: self.order.len(),
            sequence: self.sequence.clone(),
            base: self.base,
        }
    }

    fn take_back(&mut self, undo: Undo) {
        for op in self.order.drain(undo.order..) {
            self.rows[op] = OpSet::EMPTY;
        }
        self.placed = undo.placed;
        self.sequence = undo.sequence;
        self.base = undo.base;
    }

    /// Whether nothing equivalent to this point was tried before, nor anything that demands less of the operations to
    /// come: what failed there fails here.
    fn is_new(&mut self) -> bool {
        if !self.reductions.memo {
            return true;
        }
        let mut point = Vec::with_capacity(4 + self.sequence.len());
        point.push(self.placed.bits());
        if let Some(needs) = self.needs.take() {
            point.extend(self.summary(&needs));
            self.needs = Some(needs);
            return self.failed.insert(point.into_boxed_slice(), Vec::new()).is_none();
        }
        point.push(u128::from(self.base));
        // Positions below 128 and a mark: no sequence is the beginning of another.
        point.extend(self.sequence.iter().map(|op| *op as u128));
        point.push(u128::MAX);
        if self.plan.looks_at_lin {
            point.extend(self.order.iter().map(|op| *op as u128));
        }
        let demands: Demands = match self.plan.influence {
            Influence::None => Box::default(),
            Influence::Successors => {
                let unplaced = OpSet::first(self.plan.count).minus(self.placed);
                let so_far = self.so_far();
                unplaced
                    .iter()
                    .map(|op| so_far.demanded(op, so_far.seen_anyway(op)))
                    .collect()
            }
            Influence::Seers { .. } => {
                let affecting = self.placed.iter().filter(|op| self.affects_others(*op));
                affecting.map(|op| self.rows[op]).collect()
            }
        };
        let failed = self.failed.entry(point.into_boxed_slice()).or_default();
        let is_within = |less: &[OpSet]| {
            less.iter()
                .zip(&demands)
                .all(|(less, more)| less.is_within(*more))
        };
        if failed.iter().any(|less| is_within(less)) {
            return false;
        }
        failed.push(demands);
        true
    }
}
