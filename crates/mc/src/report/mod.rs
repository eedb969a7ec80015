//! What a check found, for people and for programs.

mod changes;
mod json;
mod text;

use omnilink_value::Value;

pub use changes::changes;

use crate::limits::Limit;
use crate::outcome::Figures;

/// What was found to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// Next leaves a variable open.
    Incomplete,
    /// An expression has no value.
    Evaluation,
}

impl Kind {
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
            Self::Evaluation => "evaluation",
        }
    }

    /// Whether the spec says something that cannot be evaluated, rather than something that is not so.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Incomplete | Self::Evaluation)
    }
}

/// A step by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionTaken {
    /// The definition.
    pub name: String,
    /// Its parameters and the names bound around it.
    pub bindings: Vec<(String, Value)>,
    /// File and line.
    pub place: String,
}

/// A state of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState {
    /// What led to it; none for the first.
    pub action: Option<ActionTaken>,
    /// The variables, or what ALIAS makes of them.
    pub values: Vec<(String, Value)>,
}

/// The part of a formula that is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalsePart {
    /// Its text.
    pub text: String,
    /// File, line and column.
    pub place: String,
    /// What the names in it stood for.
    pub bindings: Vec<(String, String)>,
}

/// What is wrong, and how it comes about.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What it is.
    pub kind: Kind,
    /// What is violated: a name, or a place where there is none.
    pub violated: Option<String>,
    /// The evaluation error, with its source.
    pub error: Option<String>,
    /// The states up to the wrong one.
    pub trace: Vec<TraceState>,
    /// Why the formula is false.
    pub false_part: Option<FalsePart>,
}

/// A property that was not checked, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// How often an action was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCoverage {
    /// Its name.
    pub name: String,
    /// File and line.
    pub place: String,
    /// Steps.
    pub generated: u64,
    /// Steps to a new state.
    pub distinct: u64,
}

/// How often a definition was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionCoverage {
    /// Its name.
    pub name: String,
    /// File and line.
    pub place: String,
    /// Evaluations.
    pub evaluations: u64,
}

/// What there is to say.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Every state was explored and nothing is wrong; with unchecked properties this is not the whole answer.
    Valid,
    /// Something is wrong.
    Wrong(Box<Violation>),
    /// A limit was reached.
    Limit(Limit),
    /// The spec ended the search by itself; what was explored is right.
    Stopped,
}

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is well.
    Valid,
    /// A violation was found.
    Violation,
    /// Nobody knows.
    Unknown,
    /// The spec cannot be evaluated.
    Error,
}

impl Verdict {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Violation => "violation",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}

/// All that a check found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The spec.
    pub input: String,
    /// The configuration.
    pub config: Option<String>,
    /// The answer.
    pub answer: Answer,
    /// How large the explored part is.
    pub figures: Figures,
    /// The behaviours that a simulation finished; none for a search.
    pub behaviours: Option<u64>,
    /// Properties that were not checked.
    pub unchecked: Vec<Unchecked>,
    /// How often each action was taken.
    pub coverage: Vec<ActionCoverage>,
    /// How often each definition was evaluated, where that was asked for.
    pub definitions: Vec<DefinitionCoverage>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// How many workers there were.
    pub workers: usize,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// The verdict. What was not checked cannot make it valid.
    pub fn verdict(&self) -> Verdict {
        match &self.answer {
            Answer::Wrong(violation) if violation.kind.is_error() => Verdict::Error,
            Answer::Wrong(_) => Verdict::Violation,
            Answer::Limit(_) => Verdict::Unknown,
            Answer::Valid | Answer::Stopped if self.unchecked.is_empty() => Verdict::Valid,
            Answer::Valid | Answer::Stopped => Verdict::Unknown,
        }
    }
}
