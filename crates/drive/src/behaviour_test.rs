//! A behaviour that a system is driven through, as read from a file.

use omnilink_mc::report::ActionTaken;
use omnilink_mc::{Explorer, ExplorerError, RecordedTrace, RecordedValue, State};
use thiserror::Error;

/// A behaviour of a specification.
#[derive(Clone, Debug)]
pub struct BehaviourTest {
    /// The initial state.
    pub initial: State,
    /// The steps, each with the state that it leads to.
    pub steps: Vec<(ActionTaken, State)>,
}

/// Why a trace is no test of a specification.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BehaviourTestError {
    /// A state lacks an action.
    #[error(
        "state {0} has no action that leads to it; give behaviours of `omnilink gen tests`, or an ITF file that names its actions"
    )]
    NoAction(usize),
    /// The first state is no initial state.
    #[error("its first state is no initial state of the specification; generate the tests again")]
    Initial,
    /// A step is none of the specification.
    #[error(
        "step {step}: the specification has no such step of {action}; generate the tests again, with the same constants"
    )]
    Step {
        /// The number of the step.
        step: usize,
        /// Its action.
        action: String,
    },
    /// The specification cannot be evaluated.
    #[error(transparent)]
    Explorer(#[from] ExplorerError),
}

impl BehaviourTest {
    /// The behaviour of a specification that a trace records. A trace may lack variables: then the first behaviour that agrees counts.
    ///
    /// # Errors
    /// When it is none.
    pub fn of_trace(explorer: &mut Explorer<'_>, trace: &RecordedTrace) -> Result<Self, BehaviourTestError> {
        let variables = &explorer.model().program.variables;
        let is_recorded = |state: &State, recorded: &[(String, RecordedValue)]| {
            recorded.iter().all(|(name, wanted)| {
                let at = variables.iter().position(|variable| **variable == **name);
                at.is_none_or(|at| wanted.matches(&state[at]))
            })
        };
        let mut states = trace.states.iter().enumerate();
        let initial = match states.next() {
            Some((_, recorded)) => explorer
                .initial_states()?
                .into_iter()
                .find(|state| is_recorded(state, recorded)),
            None => None,
        };
        let initial = initial.ok_or(BehaviourTestError::Initial)?;
        let mut steps: Vec<(ActionTaken, State)> = Vec::new();
        for (at, recorded) in states {
            let step = trace.steps.get(at).and_then(Option::as_ref);
            let step = step.ok_or(BehaviourTestError::NoAction(at + 1))?;
            let from = steps.last().map_or(&initial, |(_, state)| state).clone();
            let level = u32::try_from(at).unwrap_or(u32::MAX);
            let found = explorer.successors(&from, level)?.into_iter().find(|found| {
                let mut parameters = step.parameters.iter();
                found.taken.name == step.action
                    && parameters
                        .all(|(name, value)| found.taken.bindings.get(name).is_none_or(|own| own == value))
                    && is_recorded(&found.to, recorded)
            });
            let found = found.ok_or_else(|| BehaviourTestError::Step {
                step: at,
                action: step.action.clone(),
            })?;
            steps.push((found.taken, found.to));
        }
        Ok(Self { initial, steps })
    }
}
