//! A state graph that is small enough to be drawn.

use omnilink_value::Value;
use serde::Serialize;

use crate::bindings::Bindings;

/// All states that were found and the steps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateGraph {
    /// The states, in the order in which they were found.
    pub states: Vec<GraphState>,
    /// The steps, in the order in which they were found.
    pub steps: Vec<GraphStep>,
}

impl StateGraph {
    /// A graph with more states than this is not kept.
    pub const STATES_MAX: usize = 120;
    /// A graph with more steps than this is not kept.
    pub const STEPS_MAX: usize = 600;
}

/// A state of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphState {
    /// How many states a shortest behaviour to it has, itself included.
    pub level: u32,
    /// The variables.
    pub values: Bindings<Value>,
}

/// A step of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphStep {
    /// The position of the state that it leads from.
    pub from: usize,
    /// The position of the state that it leads to.
    pub to: usize,
    /// The action.
    pub action: String,
}
