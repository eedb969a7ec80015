//! What a check found.

mod evidence;

pub use omnilink_evidence::{
    ActionSteps, ActionTaken, Behaviour, Compared, DefinitionUse, FalsePart, LassoReason, PropertyKind,
    UncheckedProperty, Verdict,
};

use crate::compiled::Disagreement;
use crate::limits::Limit;
use crate::simulation::Lengths;
use crate::statistics::SearchStatistics;

/// How a check ended.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Every state was explored and nothing is wrong. With unchecked properties the verdict is not valid.
    Valid,
    /// A property does not hold, or an expression cannot be evaluated: the behaviour that leads there.
    Wrong(Box<Behaviour>),
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
    /// Violations of other properties than that of the answer, if the check went on after it.
    pub further: Vec<Behaviour>,
    /// The lengths of the behaviours that a simulation finished; none for a search.
    pub behaviours: Option<Lengths>,
    /// Properties that were not checked.
    pub unchecked: Vec<UncheckedProperty>,
    /// Temporal properties that hold.
    pub held: Vec<String>,
    /// How often each action was taken.
    pub coverage: Vec<ActionSteps>,
    /// How often each definition was evaluated, if that was counted.
    pub definitions: Vec<DefinitionUse>,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// How many of the states for which compiled code was run were compared with the evaluator.
    pub compared: Option<Compared>,
    /// Where the two differ: then the evaluator has answered alone.
    pub disagreement: Option<Box<Disagreement>>,
    /// The number of workers.
    pub workers: usize,
    /// Wall-clock time.
    pub seconds: f64,
}

impl Report {
    /// Adds a violation: the first one is the answer. An expression that has no value ends a check, so it comes last.
    pub(crate) fn add_violation(&mut self, violation: Behaviour) {
        match &self.answer {
            Answer::Wrong(_) => {
                self.further.push(violation);
            }
            Answer::Valid | Answer::Limit(_) | Answer::Stopped => {
                self.answer = Answer::Wrong(Box::new(violation));
            }
        }
    }
}
