//! What a check found.

mod evidence;

use omnilink_value::Value;

pub use omnilink_evidence::{
    ActionSteps as ActionCoverage, ActionTaken, DefinitionUse as DefinitionCoverage, FalsePart, LassoReason,
    PropertyKind as Kind, UncheckedProperty as Unchecked, Verdict,
};

use crate::limits::Limit;
use crate::outcome::SearchStatistics;

/// A state of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState {
    /// The action that led to it; none for the first.
    pub action: Option<ActionTaken>,
    /// The variables, or what ALIAS makes of them.
    pub values: Vec<(String, Value)>,
}

/// The property that does not hold, or the expression that cannot be evaluated, and the behaviour that leads there.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The kind of property.
    pub kind: Kind,
    /// The property: its name, or its place if it has none.
    pub violated: Option<String>,
    /// The evaluation error, with its source.
    pub error: Option<String>,
    /// The states of the behaviour.
    pub trace: Vec<TraceState>,
    /// The part of the property that is false.
    pub false_part: Option<FalsePart>,
    /// For an infinite behaviour, how it goes on.
    pub cycle: Option<Cycle>,
    /// Why a temporal property is violated.
    pub reasons: Vec<LassoReason>,
    /// How each fairness condition is satisfied.
    pub fairness: Vec<LassoReason>,
}

impl Violation {
    pub(crate) fn new(kind: Kind, violated: Option<String>, trace: Vec<TraceState>) -> Self {
        Self {
            kind,
            violated,
            error: None,
            trace,
            false_part: None,
            cycle: None,
            reasons: Vec::new(),
            fairness: Vec::new(),
        }
    }
}

/// The end of an infinite behaviour, which repeats for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The state to which the last one leads back, counted from 1; the last one itself if the behaviour stutters in it.
    pub back_to: usize,
    /// The action that leads back; `None` if the behaviour stutters.
    pub action: Option<ActionTaken>,
}

/// How a check ended.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Every state was explored and nothing is wrong. With unchecked properties the verdict is not valid.
    Valid,
    /// Something is wrong.
    Wrong(Box<Violation>),
    /// A limit was reached.
    Limit(Limit),
    /// The spec ended the search by itself; nothing is wrong in the states explored.
    Stopped,
}

/// All that a check found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The spec.
    pub input: String,
    /// The configuration.
    pub config: Option<String>,
    /// How the check ended.
    pub answer: Answer,
    /// How large the explored part is.
    pub figures: SearchStatistics,
    /// The behaviours that a simulation finished; none for a search.
    pub behaviours: Option<u64>,
    /// Properties that were not checked.
    pub unchecked: Vec<Unchecked>,
    /// Temporal properties that hold.
    pub held: Vec<String>,
    /// How often each action was taken.
    pub coverage: Vec<ActionCoverage>,
    /// How often each definition was evaluated, if that was counted.
    pub definitions: Vec<DefinitionCoverage>,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// The number of workers.
    pub workers: usize,
    /// Wall-clock time.
    pub seconds: f64,
}
