//! A behaviour of a specification that violates a property.

use omnilink_value::Value;
use serde::Serialize;

use crate::algorithm_run::AlgorithmRun;
use crate::bindings::Bindings;
use crate::system_difference::SystemDifference;

/// A behaviour of a specification that violates a property, or at whose end an expression cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Behaviour {
    /// What kind of property is violated.
    pub kind: PropertyKind,
    /// The property: its name, or its place if it has none.
    pub violated: Option<String>,
    /// The evaluation error at its end, with its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The states from an initial one to the one that violates the property.
    #[serde(rename = "trace")]
    pub states: Vec<BehaviourState>,
    /// The number of the state to which the last one leads back, if the behaviour is infinite.
    /// If it is the last state itself, the behaviour stutters there for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasso: Option<usize>,
    /// The action that leads back, unless the behaviour stutters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<ActionTaken>,
    /// Why the behaviour violates a temporal property: which parts of it hold and fail where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<LassoReason>,
    /// How the behaviour satisfies each fairness condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<LassoReason>,
    /// The part of the property that is false.
    pub false_part: Option<FalsePart>,
    /// How a system that was driven through the behaviour differs from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Box<SystemDifference>>,
    /// The same as a run of the PlusCal algorithm that the specification is translated from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Box<AlgorithmRun>>,
}

impl Behaviour {
    /// A behaviour through these states, each with the action that led to it.
    pub fn new(
        kind: PropertyKind,
        violated: Option<String>,
        states: impl IntoIterator<Item = (Option<ActionTaken>, Bindings<Value>)>,
    ) -> Self {
        let mut behaviour = Self {
            kind,
            violated,
            error: None,
            states: Vec::new(),
            lasso: None,
            back: None,
            reasons: Vec::new(),
            fairness: Vec::new(),
            false_part: None,
            difference: None,
            algorithm: None,
        };
        for (action, values) in states {
            behaviour.push(action, values);
        }
        behaviour
    }

    /// Adds a state and the action that led to it.
    pub fn push(&mut self, action: Option<ActionTaken>, values: Bindings<Value>) {
        let before = self.states.last().map(|state| &state.values);
        let is_changed =
            |(name, value): &&(String, Value)| before.and_then(|before| before.get(name)) != Some(value);
        let changed = values.iter().filter(is_changed).map(|(name, _)| name.clone());
        self.states.push(BehaviourState {
            number: self.states.len() + 1,
            action,
            changed: changed.collect(),
            values,
        });
    }
}

/// A kind of property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyKind {
    /// An INVARIANT, or a PROPERTY of all states.
    Invariant,
    /// A PROPERTY of initial states or steps.
    Property,
    /// A state without successors.
    Deadlock,
    /// An Assert of the spec.
    Assert,
    /// An ASSUME.
    Assumption,
    /// A POSTCONDITION.
    Postcondition,
    /// Next leaves a variable without a value.
    #[serde(rename = "incomplete-next")]
    Incomplete,
    /// A recorded trace is no behaviour of the spec: no step leads to the last state shown.
    Replay,
    /// A system that was driven through a behaviour did what the spec does not allow.
    Driven,
    /// An expression has no value.
    Evaluation,
}

impl PropertyKind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Property => "property",
            Self::Deadlock => "deadlock",
            Self::Assert => "assert",
            Self::Assumption => "assumption",
            Self::Postcondition => "postcondition",
            Self::Incomplete => "incomplete-next",
            Self::Replay => "replay",
            Self::Driven => "driven",
            Self::Evaluation => "evaluation",
        }
    }

    /// Whether the spec cannot be evaluated, rather than a property being false.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Incomplete | Self::Evaluation)
    }
}

/// A state of a behaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BehaviourState {
    /// Its position, counted from 1.
    pub number: usize,
    /// The action that led to it; `None` for the first state.
    pub action: Option<ActionTaken>,
    /// The variables, or what ALIAS makes of them.
    pub values: Bindings<Value>,
    /// The variables whose values differ from those of the state before.
    pub changed: Vec<String>,
}

/// An action with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionTaken {
    /// The definition.
    pub name: String,
    /// Its parameters and the names bound around it.
    pub bindings: Bindings<Value>,
    /// File and line.
    pub place: String,
}

/// The part of a formula that is false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FalsePart {
    /// Its text.
    pub text: String,
    /// File, line and column.
    pub place: String,
    /// The values of the names in it.
    pub bindings: Bindings<String>,
}

/// Why a formula holds or fails for an infinite behaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LassoReason {
    /// The formula.
    pub formula: String,
    /// The values of the names bound around it.
    pub bindings: Bindings<Value>,
    /// Whether it holds.
    pub holds: bool,
    /// Where and why.
    pub reason: String,
}
