//! The states of a model one step at a time, for tools that choose their own way through them.
//!
//! A search visits every state once and forgets how it was reached. Tests that are generated from a model, and systems that are followed
//! by one, need the steps: which action with which parameters leads from one given state to which others.

use std::ops::ControlFlow;

use omnilink_evidence::{Bindings, FalsePart};
use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, TakenAction};
use omnilink_tla::ir::{Formula, Loc, OperatorId};
use omnilink_tla::model::CompiledSpec;
use omnilink_value::Value;
use thiserror::Error;

use crate::check::ModelCheckError;
use crate::counterexample::place_of;
use crate::limits::{Deadline, Limit, LimitWatch, SearchLimits};
use crate::progress::SearchProgress;
use crate::report::ActionTaken;
use crate::session::{CheckSession, SessionOptions};
use crate::source_line::file_and_line;
use crate::spec_record::spec_record;
use crate::symmetry::Symmetry;
use crate::tla_system::TlaSystem;
use crate::transition_system::{State, TransitionSystem};

/// Options of an [`Explorer`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ExplorerOptions {
    /// Time and memory limits.
    pub limits: SearchLimits,
    /// Whether the spec may run commands.
    pub may_execute: bool,
    /// Whether integers have 32 bits.
    pub is_32_bit: bool,
    /// Seed of RandomElement and similar operators.
    pub seed: u64,
}

/// Why an [`Explorer`] has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExplorerError {
    /// An expression of the spec cannot be evaluated.
    #[error("{0}")]
    Evaluation(String),
    /// A limit was reached.
    #[error("the {} limit was reached", .0.word())]
    Limit(Limit),
}

/// A step from a state.
#[derive(Clone, Debug)]
pub struct ExploredStep {
    /// The state that it leads to.
    pub to: State,
    /// Index into [`Program::actions`](omnilink_tla::ir::Program::actions); `None` if the step cannot be named.
    pub action: Option<u32>,
    /// The action with its parameters and the names that it chooses. What LET defines follows from these, and is left out.
    pub taken: ActionTaken,
    /// Whether the state and the step satisfy the constraints of the model.
    pub is_within: bool,
}

/// A definition that actions of the next-state relation are parts of.
struct ActionDefinition {
    operator: OperatorId,
    branches: Vec<Loc>,
}

/// The states of a model, one step at a time.
pub struct Explorer<'m> {
    model: &'m CompiledSpec,
    system: &'m TlaSystem<'m>,
    worker: Evaluator<'m>,
    limits: LimitWatch<'m>,
    /// The definition of each action that has branches.
    definitions: Vec<Option<ActionDefinition>>,
}

impl std::fmt::Debug for Explorer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explorer").finish_non_exhaustive()
    }
}

/// Gives `run` the states of a model. `print` receives what the spec prints.
///
/// # Errors
/// When the model has no behaviours.
pub fn explore<R: Send>(
    model: &CompiledSpec,
    options: &ExplorerOptions,
    progress: &SearchProgress,
    print: &(dyn Fn(&str) + Sync),
    run: impl FnOnce(&mut Explorer<'_>) -> R + Send,
) -> Result<R, ModelCheckError> {
    deep_stack::run(|| explore_here(model, options, progress, print, run))
}

fn explore_here<R>(
    model: &CompiledSpec,
    options: &ExplorerOptions,
    progress: &SearchProgress,
    print: &(dyn Fn(&str) + Sync),
    run: impl FnOnce(&mut Explorer<'_>) -> R,
) -> Result<R, ModelCheckError> {
    let init = model.init.ok_or(ModelCheckError::NoInit)?;
    let session = CheckSession::new(SessionOptions {
        progress,
        print,
        simulation: None,
        workers: 1,
        checks_deadlock: false,
        may_execute: options.may_execute,
        is_32_bit: options.is_32_bit,
        deadline: Deadline::new(&options.limits),
        seed: options.seed,
        spec: spec_record(model),
    });
    let system = TlaSystem::new(model, init, &session, Symmetry::default(), false);
    let program = &model.program;
    let next = model.next.map(Formula::operation);
    let definitions = (0..program.actions.len()).map(|action| {
        let operator = program.definition_of(u32::try_from(action).ok()?)?;
        // Branches of the next-state relation itself are other actions.
        if next == Some(operator) {
            return None;
        }
        let branches = program.branches(operator);
        (branches.len() > 1).then_some(ActionDefinition { operator, branches })
    });
    let mut explorer = Explorer {
        model,
        system: &system,
        worker: system.worker(0),
        limits: LimitWatch::new(&options.limits, progress),
        definitions: definitions.collect(),
    };
    Ok(run(&mut explorer))
}

impl<'m> Explorer<'m> {
    /// The model.
    pub fn model(&self) -> &'m CompiledSpec {
        self.model
    }

    /// The names of the parameters of an action, and of what it chooses.
    pub fn parameters_of(&self, action: u32) -> Vec<&'m str> {
        let info = self.model.program.actions.get(action as usize);
        let bindings = info.into_iter().flat_map(|info| {
            let chosen = info.bindings.iter();
            chosen.filter(|(_, slot)| !info.defined.contains(slot))
        });
        bindings.map(|(name, _)| &**name).collect()
    }

    /// Fails if a limit is reached.
    ///
    /// # Errors
    /// The limit.
    pub fn check_limits(&self) -> Result<(), ExplorerError> {
        match self.limits.time_limit() {
            Some(limit) => Err(ExplorerError::Limit(limit)),
            None if self.limits.is_memory_full(0) => Err(ExplorerError::Limit(Limit::Memory)),
            None => Ok(()),
        }
    }

    /// The initial states, in the order of the initial condition and without duplicates.
    ///
    /// # Errors
    /// When the initial condition cannot be evaluated.
    pub fn initial_states(&mut self) -> Result<Vec<State>, ExplorerError> {
        let mut found: Vec<State> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        let (system, worker) = (self.system, &mut self.worker);
        let enumerated = system.initial_states(worker, &mut |_, state| {
            let state = State::from(state);
            if known.insert(state.clone()) {
                found.push(state);
            }
            ControlFlow::Continue(())
        });
        enumerated.map_err(|failure| self.error(&failure))?;
        Ok(found)
    }

    /// Whether a state of this level satisfies the constraints of the model.
    ///
    /// # Errors
    /// When a constraint cannot be evaluated.
    pub fn is_within(&mut self, state: &State, level: u32) -> Result<bool, ExplorerError> {
        let within = self.system.satisfies_constraints(&mut self.worker, state, level);
        within.map_err(|failure| self.error(&failure))
    }

    /// The steps from a state of this level, in the order of the next-state relation. Steps that differ in nothing are given once.
    ///
    /// # Errors
    /// When the next-state relation or a constraint cannot be evaluated.
    pub fn successors(&mut self, from: &State, level: u32) -> Result<Vec<ExploredStep>, ExplorerError> {
        let mut found: Vec<ExploredStep> = Vec::new();
        let system = self.system;
        let enumerated = system.successors(&mut self.worker, from, level, &mut |worker: &mut Evaluator<
            'm,
        >,
                                                                                state: &[Value],
                                                                                label: &Option<
            TakenAction,
        >| {
            let action = label.map(|taken| taken.action);
            let mut taken = system.describe(worker, label);
            let info = action.and_then(|action| system.model.program.actions.get(action as usize));
            if let Some(info) = info {
                let is_defined = |name: &str| {
                    let mut slots = info.bindings.iter().filter(|(own, _)| **own == *name);
                    slots.any(|(_, slot)| info.defined.contains(slot))
                };
                taken.bindings.0.retain(|(name, _)| !is_defined(name));
            }
            let is_same =
                |known: &ExploredStep| known.action == action && known.taken == taken && *known.to == *state;
            if !found.iter().any(is_same) {
                found.push(ExploredStep {
                    to: state.into(),
                    action,
                    taken,
                    is_within: true,
                });
            }
            ControlFlow::Continue(())
        });
        enumerated.map_err(|failure| self.error(&failure))?;
        if system.has_constraints() {
            for step in &mut found {
                let is_within = system
                    .satisfies_action_constraints(&mut self.worker, from, &step.to, level)
                    .and_then(|is_step| {
                        Ok(is_step && system.satisfies_constraints(&mut self.worker, &step.to, level + 1)?)
                    });
                step.is_within = is_within.map_err(|failure| self.error(&failure))?;
            }
        }
        Ok(found)
    }

    /// The branches of an action's definition: its disjuncts, the sides of IF and the arms of CASE that mention the next state. None if
    /// there is no choice in it.
    pub fn branches_of(&self, action: u32) -> &[Loc] {
        let definition = self.definitions.get(action as usize).and_then(Option::as_ref);
        definition.map_or(&[], |definition| &definition.branches)
    }

    /// The branches that a step takes. A branch that cannot be evaluated outside of the step is left out.
    pub fn branches_taken(&mut self, from: &State, step: &ExploredStep) -> Vec<Loc> {
        let mut found = Vec::new();
        let Some(action) = step.action else { return found };
        let Some(Some(definition)) = self.definitions.get(action as usize) else {
            return found;
        };
        let info = &self.model.program.actions[action as usize];
        let argument = |slot: u32| {
            let (name, _) = info.bindings.iter().find(|(_, own)| *own == slot)?;
            step.taken.bindings.get(name).cloned()
        };
        let params = u32::try_from(definition.operator.params()).unwrap_or(u32::MAX);
        let arguments: Option<Vec<Value>> = (0..params).map(argument).collect();
        if let Some(arguments) = arguments {
            let mut taken = |at: Loc| {
                if !found.contains(&at) {
                    found.push(at);
                }
            };
            let followed =
                self.worker
                    .branches_taken(definition.operator, &arguments, from, &step.to, &mut taken);
            self.worker.clear_next();
            if followed.is_err() {
                found.clear();
            }
        }
        found
    }

    /// The value of a formula in a state.
    ///
    /// # Errors
    /// When it has none.
    pub fn value(&mut self, formula: Formula, state: &State) -> Result<Value, ExplorerError> {
        self.worker.set_state(state);
        self.worker.clear_next();
        let value = self.worker.value(formula);
        value.map_err(|failure| self.error(&failure))
    }

    /// Why no step of the definition of an action leads from a state to one in which these variables have these values; the innermost
    /// false parts. None if that cannot be said.
    pub fn refusals(&mut self, taken: &ActionTaken, from: &State, given: &[(u32, Value)]) -> Vec<FalsePart> {
        let program = &self.model.program;
        let is_action = |(_, info): &(u32, &omnilink_tla::ir::ActionInfo)| {
            *info.name == *taken.name
                && (taken.place.is_empty() || file_and_line(program, info.at) == taken.place)
        };
        let Some((action, info)) = (0..).zip(&program.actions).find(is_action) else {
            return Vec::new();
        };
        let Some(operator) = program.definition_of(action) else {
            return Vec::new();
        };
        let params = u32::try_from(operator.params()).unwrap_or(u32::MAX);
        let argument = |slot: u32| {
            let (name, _) = info.bindings.iter().find(|(_, own)| *own == slot)?;
            taken.bindings.get(name).cloned()
        };
        let Some(arguments) = (0..params).map(argument).collect::<Option<Vec<Value>>>() else {
            return Vec::new();
        };
        let refusals = self.worker.refusals_given(operator, &arguments, from, given);
        let parts = refusals.into_iter().map(|part| FalsePart {
            place: place_of(self.model, part.at),
            text: part.text,
            bindings: Bindings(part.bindings.into_iter().chain(part.values).collect()),
        });
        parts.collect()
    }

    /// The text of the definition of an action, and its place.
    pub fn formula(&self, name: &str) -> Option<(String, String)> {
        let program = &self.model.program;
        let action = program.actions.iter().position(|info| *info.name == *name)?;
        let operator = program.definition_of(u32::try_from(action).ok()?)?;
        let at = program.operator(operator.formula()).body.at;
        Some((program.text(at).to_owned(), file_and_line(program, at)))
    }

    fn error(&self, failure: &Failure) -> ExplorerError {
        match self.limits.time_limit() {
            Some(limit) if failure.class == ErrorClass::Resource => ExplorerError::Limit(limit),
            _ => ExplorerError::Evaluation(failure.render(&self.model.program.sources)),
        }
    }
}
