//! What a system did that was driven through a behaviour of a specification.

use omnilink_value::Value;
use serde::Serialize;

use crate::behaviour::ActionTaken;
use crate::bindings::Bindings;

/// Where a system departs from the behaviour that it was driven through, and from all that the specification allows instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SystemDifference {
    /// The number of the step, counted from 1; 0 for the initial state.
    pub step: usize,
    /// What the system was told to do; `None` for the initial state.
    pub action: Option<ActionTaken>,
    /// The definition of the action, as the specification writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// What the behaviour expects of what was observed.
    pub expected: Bindings<Value>,
    /// What was observed. Variables that are not here are unknown.
    pub got: Bindings<Value>,
    /// The names of what is not as expected.
    pub differs: Vec<String>,
    /// What else the specification would have allowed, of what was observed; at most a few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Bindings<Value>>,
    /// What the system said, if it did not do the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// How far a system was driven through a behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DrivenRun {
    /// The steps of the behaviour.
    pub steps: usize,
    /// The steps that the system did, the one that differs included.
    pub done: usize,
    /// What was observed at least once: variables, and names of `--observe`.
    pub observed: Vec<String>,
    /// Variables that were never observed.
    pub unobserved: Vec<String>,
    /// The number of the step at which the system chose otherwise, as the specification allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_at: Option<usize>,
}
