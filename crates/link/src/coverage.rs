//! Coverage: which parts of a spec a trace exercises.

use omnilink_tla::ir::{Loc, OperatorId};
use omnilink_value::Value;

use crate::coverage_counters::{InvariantCounters, StepCounters};
use crate::instance::Instance;
use crate::model::TlaModel;

/// The parts of a spec that a trace exercised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// For each action that operations can be.
    pub actions: Vec<ActionCoverage>,
    /// For each invariant.
    pub invariants: Vec<InvariantCoverage>,
    /// The abstract states that the explanation reached, and how often.
    pub abstract_states: Vec<(String, u64)>,
}

/// How often an action was exercised. A step is an operation tried in a state, whether or not it is part of the final explanation;
/// the same operation in the same state is tried once or a few times, not once for each explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCoverage {
    /// The operation, as the trace calls it.
    pub op: String,
    /// The action with its parameters.
    pub action: String,
    /// Where it is defined.
    pub at: String,
    /// Whether the next-state relation names it.
    pub in_next: bool,
    /// Operations of the trace that are this action.
    pub placed: u64,
    /// Besides, pending ones, which may have happened or not.
    pub pending: u64,
    /// Steps that were tried.
    pub tried: u64,
    /// Of these, those that the action does not allow.
    pub refused: u64,
    /// Its branches, if they were counted.
    pub branches: Vec<BranchCoverage>,
}

/// How often a disjunct, an arm of a CASE or a side of an IF was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Its text, on one line.
    pub text: String,
    /// Where it is.
    pub at: String,
    /// How many steps took it.
    pub taken: u64,
}

/// How often an invariant was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantCoverage {
    /// Its name, or its text.
    pub name: String,
    /// In how many states it was evaluated.
    pub evaluated: u64,
    /// In how many it was false; these are no part of any explanation.
    pub broken: u64,
}

/// Longer texts of branches are cut.
const TEXT_MAX: usize = 80;

impl TlaModel<'_> {
    /// Resets the operation counts: the trace is read from its beginning.
    pub fn begin(&self) {
        self.counters.begin();
    }

    /// Counts an operation that is to be explained.
    #[inline]
    pub fn took(&self, instance: &Instance, is_pending: bool) {
        // Of an operation in steps, the last one stands for all.
        if instance.0.part.is_none_or(|part| part.is_last) {
            self.counters.operation(instance.0.binding, is_pending);
        }
    }

    /// The coverage so far.
    pub fn coverage(&self) -> Coverage {
        let linked = self.linked;
        let action = |(binding, steps): (&crate::binding::OpBinding, &StepCounters)| {
            let action = &linked.actions[binding.action as usize];
            ActionCoverage {
                op: binding.op.clone(),
                action: action.signature(),
                at: action.at.clone(),
                in_next: action.in_next,
                placed: steps.placed.get(),
                pending: steps.pending.get(),
                tried: steps.tried.get(),
                refused: steps.refused.get(),
                branches: self.branch_coverage(binding.happened.operation),
            }
        };
        let invariant = |(invariant, counters): (&omnilink_tla::model::NamedFormula, &InvariantCounters)| {
            InvariantCoverage {
                name: shortened(&invariant.name),
                evaluated: counters.evaluated.get(),
                broken: counters.broken.get(),
            }
        };
        Coverage {
            actions: linked
                .bindings
                .iter()
                .zip(&self.counters.steps)
                .map(action)
                .collect(),
            invariants: linked
                .invariants
                .iter()
                .zip(&self.counters.invariants)
                .map(invariant)
                .collect(),
            abstract_states: self.abstract_states(),
        }
    }

    fn abstract_states(&self) -> Vec<(String, u64)> {
        let reached = self.counters.abstract_states.borrow();
        let mut reached: Vec<(&Value, u64)> = reached.iter().map(|(state, times)| (state, *times)).collect();
        reached.sort_unstable();
        let named = |(state, times): (&Value, u64)| {
            let text = state.to_string();
            // Long ones are told apart by what follows.
            let name = if text.chars().count() > TEXT_MAX {
                format!("{} #{:016x}", shortened(&text), state.hash64())
            } else {
                text
            };
            (name, times)
        };
        reached.into_iter().map(named).collect()
    }

    fn branch_coverage(&self, operation: OperatorId) -> Vec<BranchCoverage> {
        let Some(branches) = &self.counters.branches else {
            return Vec::new();
        };
        let branches = branches.borrow();
        let program = &self.linked.program;
        let coverage = |at: Loc| BranchCoverage {
            text: shortened(program.text(at)),
            at: program.sources.get(at.source).place(at.span.start),
            taken: branches.get(&at).copied().unwrap_or(0),
        };
        program.branches(operation).into_iter().map(coverage).collect()
    }
}

fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
