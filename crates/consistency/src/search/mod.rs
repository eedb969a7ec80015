//! The search for a linearization and a visibility: minimal visibility, remembered, replayed step by step.
//!
//! The linearization is the engine's: its strategies decide which operation is placed next, and remember what led nowhere.
//! What is searched here is what an operation sees when it is placed. That is then fixed, because all relations of a
//! criterion lead forward. Seeing more never allows later operations more (every axiom dynamic_axioms something of who
//! sees, never forbids), so among the sets that explain an operation's return only the minimal ones are tried. Where nobody
//! is affected by what an operation sees, one set is enough.
//!
//! To the engine this is a model like any other: its states are [points](SearchState), its operations are those of the history
//! by position, and a step places one, with each minimal set that it may see.

mod lookahead;
mod place;
mod state;
mod summary;

use std::cell::RefCell;

use omnilink_engine::{Exhausted, Model, Outcomes, Strategy};

use self::place::Search;
use self::state::SearchState;
use crate::budget::Budget;
use crate::check::{WeakError, WeakOptions};
use crate::constraints::Constraints;
use crate::linearize::{Linearized, linearize};
use crate::op_set::OpSet;
use crate::step_table::{Class, StepTable};
use crate::timeline::Timeline;

/// What a search found.
#[derive(Debug)]
pub(crate) enum SearchOutcome {
    /// A linearization, and what each operation sees.
    Explained { order: Vec<usize>, visible: Vec<OpSet> },
    /// There is none; the furthest that was reached.
    Refuted(DeadEnd),
    /// A limit was reached; the furthest that was reached until then.
    Limit(Exhausted, DeadEnd),
}

/// A point from which no operation can be placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnd {
    /// The operations placed, in order.
    pub order: Vec<usize>,
    /// What each of them sees.
    pub visible: Vec<OpSet>,
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
    pub lookahead_after: Option<u64>,
}

impl Reductions {
    /// Everything on.
    pub const ALL: Self = Self {
        strongest_first: true,
        minimal: true,
        eager: true,
        memo: true,
        lookahead_after: Some(256),
    };
    /// Everything off: all linearizations, all visibilities.
    pub const NONE: Self = Self {
        strongest_first: false,
        minimal: false,
        eager: false,
        memo: false,
        lookahead_after: None,
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

/// The points of a search, as the states of a model.
struct StateModel<'a, 'm, M: Model> {
    search: RefCell<Search<'a, 'm, M>>,
    start: SearchState,
    /// Operations that are placed wherever they can be: see [`Search::place_eagerly`].
    eager: OpSet,
}

/// Searches for a linearization and a visibility.
pub(crate) fn search<M: Model>(
    constraints: &Constraints,
    timeline: &Timeline,
    options: &WeakOptions,
    steps: &mut StepTable<'_, M>,
    classes: &Classes,
    budget: &mut Budget,
) -> Result<SearchOutcome, WeakError> {
    let limits = budget.limits_left();
    // A point keeps the order of what is placed, so the sweep's configurations hardly ever meet: it would go through all
    // that depth-first search goes through, and keep it.
    let strategy = options.strategy.unwrap_or(Strategy::DepthFirst);
    let mut search = Search::new(constraints, steps, classes, options.reductions, budget);
    let points = StateModel {
        start: search.start(),
        eager: search.eager(),
        search: RefCell::new(search),
    };
    let (linearized, configurations) = linearize(&points, constraints, timeline, strategy, limits)?;
    let search = points.search.into_inner();
    search.budget.spend(configurations);
    Ok(match (linearized, search.budget.exhausted(), search.found) {
        (Linearized::Found, _, Some(SearchState { order, visible, .. })) => {
            SearchOutcome::Explained { order, visible }
        }
        (Linearized::Found, _, None) => {
            return Err(WeakError::Rejected("no point has all that happened".to_owned()));
        }
        (Linearized::Limit(limit), ..) | (Linearized::None, Some(limit), _) => {
            SearchOutcome::Limit(limit, search.stuck.unwrap_or_default())
        }
        (Linearized::None, None, _) => SearchOutcome::Refuted(search.stuck.unwrap_or_default()),
    })
}

impl<M: Model> Model for StateModel<'_, '_, M> {
    type State = SearchState;
    type Op = usize;

    fn initial(&self) -> Vec<SearchState> {
        vec![self.start.clone()]
    }

    fn step(&self, from: &SearchState, op: &usize, outcomes: &mut Outcomes<SearchState>) {
        if from.placed.has(*op) {
            outcomes.accept(from.clone());
        } else if self.eager.has(*op) {
            self.search.borrow_mut().miss(from, *op);
        } else {
            self.search.borrow_mut().step(from, *op, |to| outcomes.accept(to));
        }
    }

    /// An operation that is placed wherever it can be is either part of a point already or cannot be placed there.
    fn is_pure(&self, op: &usize) -> bool {
        self.eager.has(*op)
    }

    fn describe_state(&self, point: &SearchState) -> String {
        format!("{:?}", point.order)
    }

    fn state_bytes(&self, point: &SearchState) -> usize {
        point.heap_bytes()
    }
}
