//! The states of a specification with the steps between them.

use omnilink_mc::State;
use omnilink_mc::report::ActionTaken;
use rustc_hash::FxHashMap;

/// A step of a [`StepGraph`].
#[derive(Clone, Debug)]
pub struct GraphedStep {
    /// The number of the state that it starts from.
    pub from: u32,
    /// The number of the state that it leads to.
    pub to: u32,
    /// Its label, see [`StepGraph::label`].
    pub label: u32,
    /// Its action, as an index into [`StepGraph::actions`].
    pub action: u32,
    /// The branches that it takes, as indices into [`StepGraph::branches`].
    pub branches: Box<[u32]>,
    /// The state itself, if a view takes it for the one of the number [`GraphedStep::to`] though it is another. What follows there does not
    /// follow here, so a behaviour ends with such a step.
    pub beyond: Option<State>,
}

/// A branch of an action's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBranch {
    /// The action, as an index into [`StepGraph::actions`].
    pub action: u32,
    /// File, line and column.
    pub place: String,
    /// Its text, on one line.
    pub text: String,
}

/// The states of a specification, or some of them, with the steps between them. States and steps are in the order of a breadth-first search.
#[derive(Clone, Debug, Default)]
pub struct StepGraph {
    /// The names of the definitions that the next-state relation consists of, in the order of the specification.
    pub actions: Vec<String>,
    /// The branches of those definitions that have several.
    pub branches: Vec<GraphBranch>,
    /// The numbers of the initial states.
    pub initial: Vec<u32>,
    states: Vec<State>,
    steps: Vec<GraphedStep>,
    outgoing: Vec<Vec<u32>>,
    labels: Vec<ActionTaken>,
    numbers: FxHashMap<State, u32>,
}

impl StepGraph {
    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The state of a number.
    pub fn state(&self, number: u32) -> &State {
        &self.states[number as usize]
    }

    /// All steps.
    pub fn steps(&self) -> &[GraphedStep] {
        &self.steps
    }

    /// The step of a number.
    pub fn step(&self, number: u32) -> &GraphedStep {
        &self.steps[number as usize]
    }

    /// The numbers of the steps from a state.
    pub fn steps_from(&self, state: u32) -> &[u32] {
        &self.outgoing[state as usize]
    }

    /// The action of a step with its parameters.
    pub fn label(&self, step: &GraphedStep) -> &ActionTaken {
        &self.labels[step.label as usize]
    }

    /// All actions with their parameters.
    pub fn labels(&self) -> &[ActionTaken] {
        &self.labels
    }

    /// The state that a step leads to.
    pub fn target<'g>(&'g self, step: &'g GraphedStep) -> &'g State {
        step.beyond.as_ref().unwrap_or_else(|| self.state(step.to))
    }

    /// Adds a state that stands for all with the same `class`, unless there is one. Returns its number, and whether it is new.
    pub fn add_state(&mut self, class: State, state: &State) -> (u32, bool) {
        let next = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(class).or_insert(next);
        if number == next {
            self.states.push(state.clone());
            self.outgoing.push(Vec::new());
        }
        (number, number == next)
    }

    /// Adds a label, which the caller keeps from being added twice.
    pub fn add_label(&mut self, taken: ActionTaken) -> u32 {
        self.labels.push(taken);
        u32::try_from(self.labels.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a step.
    pub fn add_step(&mut self, step: GraphedStep) {
        let number = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        self.outgoing[step.from as usize].push(number);
        self.steps.push(step);
    }
}
