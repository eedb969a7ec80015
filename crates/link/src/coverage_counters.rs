//! Counters of what a search exercises: see [`Coverage`](crate::Coverage).

use std::cell::{Cell, RefCell};

use omnilink_tla::eval::error::Outcome;
use omnilink_tla::eval::{Evaluator, State};
use omnilink_tla::ir::{Loc, OperatorId};
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::linked::Linked;

/// Counts while a search runs.
#[derive(Debug, Default)]
pub(crate) struct CoverageCounters {
    /// For each binding.
    pub(crate) steps: Vec<StepCounters>,
    pub(crate) invariants: Vec<InvariantCounters>,
    /// How often each branch was taken, if branches are counted.
    pub(crate) branches: Option<RefCell<FxHashMap<Loc, u64>>>,
    /// The operations that have branches.
    branching: FxHashSet<OperatorId>,
    /// Whether the steps that are being evaluated are counted.
    is_counting: Cell<bool>,
    /// How often each abstract state was reached.
    pub(crate) abstract_states: RefCell<FxHashMap<Value, u64>>,
}

/// Abstract states that are counted: more are no help to anyone.
const ABSTRACT_STATES_MAX: usize = 1_000;

/// The counters of a binding.
#[derive(Debug, Default)]
pub(crate) struct StepCounters {
    pub(crate) placed: Cell<u64>,
    pub(crate) pending: Cell<u64>,
    pub(crate) tried: Cell<u64>,
    pub(crate) refused: Cell<u64>,
}

/// The counters of an invariant.
#[derive(Debug, Default)]
pub(crate) struct InvariantCounters {
    pub(crate) evaluated: Cell<u64>,
    pub(crate) broken: Cell<u64>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

impl CoverageCounters {
    pub(crate) fn new(linked: &Linked) -> Self {
        Self {
            steps: linked.bindings.iter().map(|_| StepCounters::default()).collect(),
            invariants: linked
                .invariants
                .iter()
                .map(|_| InvariantCounters::default())
                .collect(),
            branches: linked.counts_branches.then(RefCell::default),
            branching: if linked.counts_branches {
                let formulations = linked.bindings.iter().flat_map(|binding| binding.formulations());
                let operations = formulations.map(|formulation| formulation.operation);
                operations
                    .filter(|operation| !linked.program.branches(*operation).is_empty())
                    .collect()
            } else {
                FxHashSet::default()
            },
            is_counting: Cell::default(),
            abstract_states: RefCell::default(),
        }
    }

    /// Whether an operation has branches to count.
    pub(crate) fn has_branches(&self, operation: OperatorId) -> bool {
        self.branching.contains(&operation)
    }

    /// Whether the branches of evaluated steps are counted.
    #[inline]
    pub(crate) fn counts_steps(&self) -> bool {
        self.is_counting.get()
    }

    /// Counts the branches of the steps that are evaluated meanwhile.
    pub(crate) fn counting(&self, evaluate: impl FnOnce()) {
        self.is_counting.set(true);
        evaluate();
        self.is_counting.set(false);
    }

    /// Counts an abstract state that was reached.
    pub(crate) fn abstract_state(&self, state: &Value) {
        let mut reached = self.abstract_states.borrow_mut();
        if let Some(times) = reached.get_mut(state) {
            *times += 1;
        } else if reached.len() < ABSTRACT_STATES_MAX {
            reached.insert(state.clone(), 1);
        }
    }

    /// Starts counting operations.
    pub(crate) fn begin(&self) {
        for steps in &self.steps {
            steps.placed.set(0);
            steps.pending.set(0);
        }
    }

    #[inline]
    pub(crate) fn operation(&self, binding: u32, is_pending: bool) {
        if let Some(steps) = self.steps.get(binding as usize) {
            count(if is_pending { &steps.pending } else { &steps.placed });
        }
    }

    #[inline]
    pub(crate) fn step(&self, binding: u32, is_refused: bool) {
        if let Some(steps) = self.steps.get(binding as usize) {
            count(&steps.tried);
            if is_refused {
                count(&steps.refused);
            }
        }
    }

    pub(crate) fn invariant(&self, number: usize, holds: bool) {
        if let Some(invariant) = self.invariants.get(number) {
            count(&invariant.evaluated);
            if !holds {
                count(&invariant.broken);
            }
        }
    }

    /// Counts the branches that a step takes, if branches are counted.
    #[inline]
    pub(crate) fn branches(
        &self,
        evaluator: &mut Evaluator<'_>,
        operation: OperatorId,
        arguments: &[Value],
        from: &State,
        to: &[Value],
    ) -> Outcome<()> {
        let Some(branches) = &self.branches else {
            return Ok(());
        };
        let mut branches = branches.borrow_mut();
        evaluator.branches_taken(operation, arguments, from, to, &mut |branch| {
            *branches.entry(branch).or_default() += 1;
        })
    }
}
