//! How much of a specification's state space was explored.

use serde::Serialize;

use crate::behaviour::Behaviour;
use crate::state_graph::StateGraph;

/// How much of a specification's state space was explored.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exploration {
    /// The property that is violated: its name, or its place if it has none.
    pub violated: Option<String>,
    /// Distinct states; `None` for simulations.
    pub distinct: Option<u64>,
    /// States generated, including those that were found before.
    pub generated: u64,
    /// The depth of the deepest state.
    pub depth: u32,
    /// States that were found and not explored.
    pub waiting: u64,
    /// Behaviours that a simulation finished; `None` for a search.
    pub behaviours: Option<u64>,
    /// How long those behaviours are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<BehaviourLengths>,
    /// Violations of other properties than the first, if the search went on after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Behaviour>,
    /// Whether the spec itself ended the search.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Properties that were not checked.
    pub unchecked: Vec<UncheckedProperty>,
    /// Temporal properties that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// How often each action was taken.
    pub coverage: Vec<ActionSteps>,
    /// How often each definition was evaluated, if that was counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<DefinitionUse>,
    /// How many of the states for which compiled code was run were compared with the evaluator, if any was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// The state graph, if it was asked for and is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<StateGraph>,
}

/// A sample of the states for which compiled code was run: expanded by the evaluator, too, with the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The states that were compared.
    pub states: u64,
    /// All of them.
    pub of: u64,
}

/// The lengths of the behaviours of a simulation, in states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BehaviourLengths {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The shortest.
    pub min: u32,
    /// The longest.
    pub max: u32,
}

/// A property that was not checked, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UncheckedProperty {
    /// Its name.
    pub name: String,
    /// Why it was not checked.
    pub reason: String,
}

/// How often an action was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionSteps {
    /// Its name.
    #[serde(rename = "action")]
    pub name: String,
    /// File and line.
    pub place: String,
    /// Steps.
    pub generated: u64,
    /// Steps to a new state.
    pub distinct: u64,
}

/// How often a definition was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinitionUse {
    /// Its name.
    pub name: String,
    /// File and line.
    pub place: String,
    /// Evaluations.
    pub evaluations: u64,
}
