//! The search for a linearization and a visibility.
//!
//! The engine's strategies decide which operation is placed next, and remember states without a solution. This module
//! searches over what an operation sees when it is placed. That is fixed from then on, because all relations of a
//! criterion lead forward. Seeing more never allows later operations more (an axiom demands that something is
//! visible, never that it is not), so among the sets that explain an operation's return only the minimal ones are
//! tried. Where no other operation depends on what an operation sees, one set is enough.
//!
//! To the engine this is a model: its states are [`SearchState`]s, its operations are those of the history by
//! position, and a step places one of them, with each minimal set that it may see.

mod lookahead;
mod place;
mod state;
mod summary;

use std::cell::RefCell;

use omnilink_engine::{Limit, Model, Outcomes, Strategy};
use omnilink_history::{Budget, OpSet};

use self::place::Search;
use self::state::SearchState;
use crate::constraints::Constraints;
use crate::linearize::{Linearized, linearize};
use crate::options::WeakOptions;
use crate::step_table::{Class, Steps};
use crate::timeline::Timeline;
use crate::weak_error::WeakError;

/// The result of a search.
#[derive(Debug)]
pub(crate) enum SearchOutcome {
    /// A linearization, and what each operation sees.
    Explained { order: Vec<usize>, visible: Vec<OpSet> },
    /// There is none; the longest order that was explained.
    Refuted(DeadEnd),
    /// A limit was reached; the longest order that was explained until then.
    Limit(Limit, DeadEnd),
}

/// A state from which no required operation can be placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnd {
    /// The operations placed, in order.
    pub order: Vec<usize>,
    /// What each of them sees.
    pub visible: Vec<OpSet>,
    /// Required operations that could come next and have no admissible visibility.
    pub blocked: OpSet,
}

/// The classes of a history's operations.
#[derive(Debug)]
pub(crate) struct Classes {
    /// With the result that the caller received.
    pub own: Vec<Class>,
    /// As others see them.
    pub seen: Vec<Class>,
}

/// The search as a model of the engine.
struct StateModel<'a> {
    search: RefCell<Search<'a>>,
    start: SearchState,
    /// Operations that are placed as soon as possible: see [`Search::place_eagerly`].
    eager: OpSet,
}

/// Searches for a linearization and a visibility.
pub(crate) fn search(
    constraints: &Constraints,
    timeline: &Timeline,
    options: &WeakOptions,
    steps: &mut dyn Steps,
    classes: &Classes,
    budget: &mut Budget,
) -> Result<SearchOutcome, WeakError> {
    let limits = budget.limits_left();
    // A state keeps the order of the placed operations, so configurations of the sweep rarely coincide: the sweep
    // would explore what depth-first search explores, and keep all of it.
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

impl Model for StateModel<'_> {
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

    /// An eager operation is either part of a state already or cannot be placed there.
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
