//! The specification follows what was observed.
//!
//! What a system shows of its state may be true of several states of the specification, and an action may have several outcomes. All states
//! that agree with everything so far are kept; the system departs from the specification when none is left.

use omnilink_mc::report::ActionTaken;
use omnilink_mc::{ExploredStep, Explorer, ExplorerError, RecordedValue, State};
use omnilink_tla::ir::Formula;
use rustc_hash::FxHashSet;
use thiserror::Error;

/// What was observed of a state: variables, and names of expressions, with their values. What is absent is unknown.
pub type SeenValues = Vec<(String, RecordedValue)>;

/// A state that the system may be in.
#[derive(Clone, Debug)]
pub struct PossibleState {
    /// The state.
    pub state: State,
    /// The action that led to it; `None` for initial states.
    pub taken: Option<ActionTaken>,
    /// Its position among the possible states before.
    before: usize,
}

/// Why the specification cannot follow.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FollowError {
    /// What was asked makes no sense for this specification.
    #[error("{0}")]
    Request(String),
    /// The specification cannot be evaluated, or a limit was reached.
    #[error(transparent)]
    Explorer(#[from] ExplorerError),
    /// Too many states are possible.
    #[error("more than {0} states are possible; observe more, or allow more with --states-max")]
    TooMany(usize),
}

/// An action that was told or seen: its name and what is known of its parameters.
#[derive(Clone, Debug, Default)]
pub struct KnownAction {
    /// Its name; `None` for any.
    pub name: Option<String>,
    /// Its parameters; those that are absent are unknown.
    pub parameters: SeenValues,
}

impl KnownAction {
    fn allows(&self, step: &ExploredStep) -> bool {
        let is_named = self.name.as_ref().is_none_or(|name| *name == step.taken.name);
        is_named
            && self.parameters.iter().all(|(name, wanted)| {
                let value = step.taken.bindings.get(name);
                value.is_none_or(|value| wanted.matches(value))
            })
    }
}

/// The states that a system may be in, now and before.
#[derive(Debug)]
pub struct Follower {
    observables: Vec<(String, Formula)>,
    states_max: usize,
    /// The possible states at each point, from the initial ones on.
    points: Vec<Vec<PossibleState>>,
}

impl Follower {
    /// A follower before the first state. `observables` are expressions over states that observations may name.
    pub fn new(observables: Vec<(String, Formula)>, states_max: usize) -> Self {
        Self {
            observables,
            states_max,
            points: Vec::new(),
        }
    }

    /// The states that are possible now.
    pub fn possible(&self) -> &[PossibleState] {
        self.points.last().map_or(&[], Vec::as_slice)
    }

    /// The number of steps so far.
    pub fn steps(&self) -> usize {
        self.points.len().saturating_sub(1)
    }

    /// The names that observations may have.
    pub fn names(&self, explorer: &Explorer<'_>) -> Vec<String> {
        let variables = explorer.model().program.variables.iter();
        let variables = variables.map(|name| name.to_string());
        variables
            .chain(self.observables.iter().map(|(name, _)| name.clone()))
            .collect()
    }

    /// Starts in the initial states that agree with an observation. If there is none, nothing changes.
    ///
    /// # Errors
    /// When the specification cannot follow.
    pub fn start(&mut self, explorer: &mut Explorer<'_>, seen: &SeenValues) -> Result<bool, FollowError> {
        self.check_names(explorer, seen)?;
        let mut found = Vec::new();
        for state in explorer.initial_states()? {
            if self.agrees(explorer, &state, seen)? {
                self.push(&mut found, state, None, 0)?;
            }
        }
        if found.is_empty() {
            return Ok(false);
        }
        self.points = vec![found];
        Ok(true)
    }

    /// The steps that are possible now, and from which of the possible states.
    ///
    /// # Errors
    /// When the specification cannot follow.
    pub fn enabled(
        &self,
        explorer: &mut Explorer<'_>,
        action: &KnownAction,
    ) -> Result<Vec<(usize, ExploredStep)>, FollowError> {
        check_action(explorer, action)?;
        let level = u32::try_from(self.points.len()).unwrap_or(u32::MAX);
        let mut found = Vec::new();
        for (at, possible) in self.possible().iter().enumerate() {
            explorer.check_limits()?;
            for step in explorer.successors(&possible.state, level)? {
                if action.allows(&step) {
                    found.push((at, step));
                }
            }
        }
        Ok(found)
    }

    /// Takes a step of an action to a state that agrees with an observation. If there is none, nothing changes.
    ///
    /// # Errors
    /// When the specification cannot follow.
    pub fn take(
        &mut self,
        explorer: &mut Explorer<'_>,
        action: &KnownAction,
        seen: &SeenValues,
    ) -> Result<bool, FollowError> {
        self.check_names(explorer, seen)?;
        let mut found = Vec::new();
        for (before, step) in self.enabled(explorer, action)? {
            if self.agrees(explorer, &step.to, seen)? {
                self.push(&mut found, step.to, Some(step.taken), before)?;
            }
        }
        if found.is_empty() {
            return Ok(false);
        }
        self.points.push(found);
        Ok(true)
    }

    /// Keeps those of the possible states that agree with an observation. If there is none, nothing changes.
    ///
    /// # Errors
    /// When the specification cannot follow.
    pub fn restrict(&mut self, explorer: &mut Explorer<'_>, seen: &SeenValues) -> Result<bool, FollowError> {
        self.check_names(explorer, seen)?;
        let mut kept = Vec::new();
        for possible in self.possible() {
            if self.agrees(explorer, &possible.state, seen)? {
                kept.push(possible.clone());
            }
        }
        let is_possible = !kept.is_empty();
        if let Some(last) = self.points.last_mut().filter(|_| is_possible) {
            *last = kept;
        }
        Ok(is_possible)
    }

    /// Goes back before the last step. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let has_step = self.points.len() > 1;
        if has_step {
            self.points.pop();
        }
        has_step
    }

    /// One of the ways to a possible state, from an initial one.
    pub fn path_to(&self, position: usize) -> Vec<(Option<ActionTaken>, State)> {
        let (mut path, mut position) = (Vec::new(), position);
        for point in self.points.iter().rev() {
            let Some(possible) = point.get(position) else {
                break;
            };
            path.push((possible.taken.clone(), possible.state.clone()));
            position = possible.before;
        }
        path.reverse();
        path
    }

    /// Whether a state agrees with an observation.
    ///
    /// # Errors
    /// When an observed expression cannot be evaluated.
    pub fn agrees(
        &self,
        explorer: &mut Explorer<'_>,
        state: &State,
        seen: &SeenValues,
    ) -> Result<bool, FollowError> {
        for (name, wanted) in seen {
            if !wanted.matches(&self.value(explorer, state, name)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a variable or of an observed expression in a state.
    ///
    /// # Errors
    /// When there is none of that name, or it cannot be evaluated.
    pub fn value(
        &self,
        explorer: &mut Explorer<'_>,
        state: &State,
        name: &str,
    ) -> Result<omnilink_value::Value, FollowError> {
        let variables = &explorer.model().program.variables;
        if let Some(at) = variables.iter().position(|variable| **variable == *name) {
            return Ok(state[at].clone());
        }
        match self.observables.iter().find(|(own, _)| own == name) {
            Some((_, formula)) => Ok(explorer.value(*formula, state)?),
            None => Err(FollowError::Request(format!(
                "{name} is no variable of the specification; there are {}. Name an expression with --observe {name}=EXPR",
                self.names(explorer).join(", ")
            ))),
        }
    }

    fn check_names(&self, explorer: &Explorer<'_>, seen: &SeenValues) -> Result<(), FollowError> {
        let names = self.names(explorer);
        match seen.iter().find(|(name, _)| !names.contains(name)) {
            None => Ok(()),
            Some((name, _)) => Err(FollowError::Request(format!(
                "{name} is no variable of the specification; there are {}. Name an expression with --observe {name}=EXPR",
                names.join(", ")
            ))),
        }
    }

    fn push(
        &self,
        found: &mut Vec<PossibleState>,
        state: State,
        taken: Option<ActionTaken>,
        before: usize,
    ) -> Result<(), FollowError> {
        if found.iter().any(|known| known.state == state) {
            return Ok(());
        }
        if found.len() == self.states_max {
            return Err(FollowError::TooMany(self.states_max));
        }
        found.push(PossibleState { state, taken, before });
        Ok(())
    }
}

/// Fails if a specification has no such action, or the action no such parameter.
pub(crate) fn check_action(explorer: &Explorer<'_>, action: &KnownAction) -> Result<(), FollowError> {
    let Some(name) = &action.name else { return Ok(()) };
    let actions = &explorer.model().program.actions;
    let own: Vec<_> = actions.iter().filter(|info| *info.name == **name).collect();
    if own.is_empty() {
        let names: FxHashSet<&str> = actions.iter().map(|info| &*info.name).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        return Err(FollowError::Request(format!(
            "there is no action {name}; there are {}",
            names.join(", ")
        )));
    }
    let known = |name: &str| {
        own.iter()
            .any(|info| info.bindings.iter().any(|(own, _)| **own == *name))
    };
    match action.parameters.iter().find(|(name, _)| !known(name)) {
        None => Ok(()),
        Some((parameter, _)) => Err(FollowError::Request(format!(
            "{name} has no parameter {parameter}"
        ))),
    }
}
