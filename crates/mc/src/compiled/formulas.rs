//! The formulas that are compiled, and their answers.

use std::sync::Mutex;

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::ir::Formula;
use omnilink_tla_compile::Machine;

use super::{CompilationLog, CompiledSystem, Layouts};
use crate::session::CheckSession;
use crate::symmetry::Symmetry;

/// States from which the layout is learned: enough that most of what varies has varied.
const STATES_LEARNED: usize = 200;
/// The same where compiled code is compared with the evaluator: few, so that small specs are compiled, and layouts are often wrong.
const STATES_LEARNED_TO_COMPARE: usize = 2;

/// What is compiled.
#[derive(Clone, Debug)]
pub(super) struct CompiledFormulas<'s> {
    pub(super) init: Formula,
    pub(super) next: Formula,
    pub(super) constraints: Vec<Formula>,
    pub(super) invariants: Vec<Formula>,
    pub(super) action_constraints: Vec<Formula>,
    /// Properties of steps.
    pub(super) steps: Vec<Formula>,
    /// The variables that states are told apart by; `None` for all.
    pub(super) viewed: Option<&'s [u32]>,
    /// The VIEW, where it is no tuple of variables.
    pub(super) view: Option<Formula>,
    pub(super) symmetry: &'s Symmetry,
    /// Memory for values, in bytes.
    pub(super) memory_bytes: usize,
    /// Whether every expansion is compared with that of the evaluator.
    pub(super) compares: bool,
    pub(super) layouts: Layouts,
    /// Whether initial states are enumerated by compiled code: not where that has effects, which happen once.
    pub(super) compiles_initial: bool,
    pub(super) session: &'s CheckSession<'s>,
    /// What all workers have done.
    pub(super) log: &'s Mutex<CompilationLog>,
}

impl CompiledFormulas<'_> {
    /// How many states the layout is learned from.
    pub(super) fn states_learned(&self) -> usize {
        self.layouts.states_learned(match self.compares {
            true => STATES_LEARNED_TO_COMPARE,
            false => STATES_LEARNED,
        })
    }

    /// All formulas in the order of their codes, and whether each is about a step.
    pub(super) fn numbered(&self) -> Vec<(Formula, bool)> {
        let states = self
            .constraints
            .iter()
            .chain(&self.invariants)
            .map(|formula| (*formula, false));
        let steps = self
            .action_constraints
            .iter()
            .chain(&self.steps)
            .map(|formula| (*formula, true));
        states.chain(steps).collect()
    }
}

impl<'m> CompiledSystem<'_, 'm> {
    /// Whether a formula that must hold does. A violation is not reported before the evaluator has confirmed it.
    pub(super) fn is_satisfied(
        &mut self,
        worker: &mut Evaluator<'m>,
        formula: (usize, Formula, bool),
        successor: usize,
    ) -> Result<bool, Box<Failure>> {
        self.answer(worker, formula, successor, true)
    }

    /// Whether a formula holds in a successor.
    pub(super) fn holds(
        &mut self,
        worker: &mut Evaluator<'m>,
        formula: (usize, Formula, bool),
        successor: usize,
    ) -> Result<bool, Box<Failure>> {
        self.answer(worker, formula, successor, false)
    }

    /// The answer of compiled code, or that of the evaluator where there is none, or where it is false and has to be confirmed.
    fn answer(
        &mut self,
        worker: &mut Evaluator<'m>,
        formula: (usize, Formula, bool),
        successor: usize,
        confirms_false: bool,
    ) -> Result<bool, Box<Failure>> {
        let Some(machine) = &mut self.machine else {
            return Ok(true);
        };
        let decided = machine.holds(formula.0, successor, worker);
        if let Ok(holds) = decided
            && !self.formulas.compares
            && (holds || !confirms_false)
        {
            return Ok(holds);
        }
        self.log.formulas_given_up += u64::from(decided.is_err());
        let expected = interpreted(machine, worker, formula, successor);
        self.compare_formula(formula.0, successor, decided, &expected);
        self.log.disagreements += u64::from(decided == Ok(false) && matches!(expected, Ok(true)));
        expected
    }
}

/// Whether a formula holds in a successor, or for the step to it, as the evaluator decides.
fn interpreted<'m>(
    machine: &mut Machine<'m>,
    worker: &mut Evaluator<'m>,
    (_, formula, is_step): (usize, Formula, bool),
    successor: usize,
) -> Result<bool, Box<Failure>> {
    let state = machine.values(successor);
    match is_step {
        false => worker.holds(formula, &state),
        true => worker.holds_step(formula, &machine.values_before(), &state),
    }
}
