//! Complete visibility first: an explanation in which every operation sees everything before it.
//!
//! Such an explanation satisfies every criterion that constrains the linearization no further, whatever it demands of
//! visibility: the relations of the axioms lead forward, so all that they can demand is visible. Most histories of
//! most systems have one, and finding it costs as much as checking linearizability. Only histories without one pay
//! for the search over visibilities.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use omnilink_engine::{Model, Outcomes, Strategy};
use omnilink_history::{Budget, OpSet};

use crate::constraints::Constraints;
use crate::linearize::{Linearized, linearize};
use crate::search::{DeadEnd, SearchOutcome};
use crate::step_table::{Class, DEAD, StateSet, Steps};
use crate::timeline::Timeline;
use crate::weak_error::WeakError;

/// The placed operations and the model's state, as the state of a model of the engine.
#[derive(Clone, Debug)]
struct Placed {
    ops: OpSet,
    /// A set of one state: of a nondeterministic model the engine tries each.
    state: StateSet,
    /// The operations placed, in order. States are not compared by it.
    order: Vec<usize>,
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        (self.ops, self.state) == (other.ops, other.state)
    }
}

impl Eq for Placed {}

impl Hash for Placed {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.ops, self.state).hash(hasher);
    }
}

struct Complete<'a> {
    constraints: &'a Constraints,
    own: &'a [Class],
    /// Required operations that change nothing: placed as soon as they are accepted.
    readers: OpSet,
    inside: RefCell<Inside<'a>>,
}

/// What changes during the search.
struct Inside<'a> {
    steps: &'a mut dyn Steps,
    /// The first order that explains everything.
    found: Option<Vec<usize>>,
    /// The longest order after which an operation was refused, and the operation.
    stuck: Option<(Vec<usize>, usize)>,
}

/// Searches for a linearization that explains every return by all that is before it.
pub(crate) fn search(
    constraints: &Constraints,
    timeline: &Timeline,
    strategy: Strategy,
    steps: &mut dyn Steps,
    own: &[Class],
    budget: &mut Budget,
) -> Result<SearchOutcome, WeakError> {
    let readers = constraints
        .required
        .iter()
        .filter(|op| steps.properties(own[*op]).is_pure)
        .collect();
    let complete = Complete {
        constraints,
        own,
        readers,
        inside: RefCell::new(Inside {
            steps,
            found: None,
            stuck: None,
        }),
    };
    let (linearized, configurations) =
        linearize(&complete, constraints, timeline, strategy, budget.limits_left())?;
    budget.spend(configurations);
    let Inside { found, stuck, .. } = complete.inside.into_inner();
    let stuck = || {
        let (order, op) = stuck.unwrap_or_default();
        DeadEnd {
            visible: everything_before(constraints.count, &order),
            order,
            blocked: OpSet::one(op),
        }
    };
    Ok(match (linearized, found) {
        (Linearized::Found, Some(order)) => SearchOutcome::Explained {
            visible: everything_before(constraints.count, &order),
            order,
        },
        (Linearized::Found, None) => return Err(WeakError::Rejected("there is no order".to_owned())),
        (Linearized::None, _) => SearchOutcome::Refuted(stuck()),
        (Linearized::Limit(limit), _) => SearchOutcome::Limit(limit, stuck()),
    })
}

/// What each operation of an order has before it.
fn everything_before(count: usize, order: &[usize]) -> Vec<OpSet> {
    let mut visible = vec![OpSet::EMPTY; count];
    let mut seen = OpSet::EMPTY;
    for op in order {
        visible[*op] = seen;
        seen = seen.with(*op);
    }
    visible
}

impl Complete<'_> {
    /// Places every reader that is accepted: it does not affect later operations.
    fn settle(&self, placed: &mut Placed, inside: &mut Inside<'_>) {
        while let Some(op) = self.readers.minus(placed.ops).iter().find(|op| {
            is_placeable(self.constraints, placed.ops, *op)
                && inside.steps.step(placed.state, self.own[*op]) == placed.state
        }) {
            placed.ops = placed.ops.with(op);
            placed.order.push(op);
        }
        if inside.found.is_none() && self.constraints.required.is_within(placed.ops) {
            inside.found = Some(placed.order.clone());
        }
    }
}

impl Model for Complete<'_> {
    type State = Placed;
    type Op = usize;

    fn initial(&self) -> Vec<Placed> {
        let inside = &mut *self.inside.borrow_mut();
        let initial = inside.steps.split(inside.steps.initial());
        let start = |state| {
            let mut placed = Placed {
                ops: OpSet::EMPTY,
                state,
                order: Vec::new(),
            };
            self.settle(&mut placed, inside);
            placed
        };
        initial.into_iter().map(start).collect()
    }

    fn step(&self, from: &Placed, op: &usize, outcomes: &mut Outcomes<Placed>) {
        if from.ops.has(*op) {
            return outcomes.accept(from.clone());
        }
        if !is_placeable(self.constraints, from.ops, *op) {
            return;
        }
        let inside = &mut *self.inside.borrow_mut();
        let state = inside.steps.step(from.state, self.own[*op]);
        if state == DEAD {
            let best = inside.stuck.as_ref().map(|(order, _)| order.len());
            if self.constraints.required.has(*op) && best.is_none_or(|best| best < from.order.len()) {
                inside.stuck = Some((from.order.clone(), *op));
            }
            return;
        }
        for state in inside.steps.split(state) {
            let mut placed = Placed {
                ops: from.ops.with(*op),
                state,
                order: Vec::with_capacity(self.constraints.count),
            };
            placed.order.extend_from_slice(&from.order);
            placed.order.push(*op);
            self.settle(&mut placed, inside);
            outcomes.accept(placed);
        }
    }

    /// A reader is either placed already or not accepted yet.
    fn is_pure(&self, op: &usize) -> bool {
        self.readers.has(*op)
    }

    fn state_bytes(&self, placed: &Placed) -> usize {
        placed.order.capacity() * size_of::<usize>()
    }
}

/// Whether `op` may come next: every required operation that must come before it is placed, and no operation that
/// must come after it is.
pub(crate) fn is_placeable(constraints: &Constraints, placed: OpSet, op: usize) -> bool {
    constraints.lin_before[op]
        .and(constraints.required)
        .is_within(placed)
        && (constraints.required.has(op) || !placed.iter().any(|later| constraints.lin_before[later].has(op)))
}
