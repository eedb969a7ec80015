//! Everything there is to say about one input.

use serde::Serialize;

use crate::confirmation::Confirmation;
use crate::counterexample::{LastWriter, MinimalHistory};
use crate::exploration::Exploration;
use crate::failing_test::TestCoverage;
use crate::figures::Figures;
use crate::findings::{MutationFindings, SpecFindings, VacuityFindings};
use crate::history_window::HistoryWindow;
use crate::inference::InferredLevels;
use crate::lineup_coverage::LineupCoverage;
use crate::log_findings::LogFindings;
use crate::operation::ReportedOperation;
use crate::system_difference::DrivenRun;
use crate::transactions::IsolationFindings;
use crate::unknown::Unknown;
use crate::verdict::Verdict;
use crate::violation::Violation;
use crate::witness::Witness;

/// The version of the JSON form. Fields are only ever added within a version.
pub const VERSION: u32 = 1;

/// Everything there is to say about one input: the verdict, what supports it, and what the check cost.
///
/// `violation` is there if the verdict is [`Verdict::Violation`] (and for a spec that cannot be evaluated), `unknown` if it is
/// [`Verdict::Unknown`], `error` if it is [`Verdict::Error`]; `witness` may be there if it is [`Verdict::Valid`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The version of the form: [`VERSION`].
    #[serde(rename = "evidence")]
    pub version: u32,
    /// The command that checked the input.
    pub command: Command,
    /// What was checked.
    pub subject: Subject,
    /// The input, as the user named it.
    pub input: String,
    /// Which history of the input, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The answer.
    pub verdict: Verdict,
    /// The model with its options, or the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The consistency level, or the file of axioms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistency: Option<String>,
    /// The stronger level that holds, and that the level asked for follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implied_by: Option<String>,
    /// How returns are read at weak levels: `own` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ret: Option<String>,
    /// The configuration of a specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The size of the input and the cost of the check.
    #[serde(flatten)]
    pub figures: Figures,
    /// How much of a specification was explored.
    #[serde(flatten)]
    pub exploration: Option<Exploration>,
    /// How much of a component was covered.
    #[serde(flatten)]
    pub campaign: Option<LineupCoverage>,
    /// How much a test was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<Box<TestCoverage>>,
    /// Why the input cannot be checked, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What explains the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Why nothing explains the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// Whether a second search agrees that there is a violation; `None` if no violation was found, or none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Pairs of operations, by id, of which the first happens before the second: with the order of each thread the rest follows. Of a
    /// history that was checked for a weak level and is not too long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub happens_before: Vec<(u64, u64)>,
    /// The operations around the violation, if evidence was asked for that can be looked at without the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Box<HistoryWindow>>,
    /// The few operations that cause the violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal: Option<Box<MinimalHistory>>,
    /// How far the check got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Box<Unknown>>,
    /// The strongest levels that histories satisfy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inferred: Option<InferredLevels>,
    /// The anomalies of transactions by name, and the levels of isolation that hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Box<IsolationFindings>>,
    /// Which parts of a specification were exercised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Box<SpecFindings>>,
    /// The verdict of each object, if the history is one of many objects; the rest is about the worst of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyVerdict>,
    /// What the unexplained operation read, and which operations wrote it last, in one of the explanations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_writers: Vec<LastWriter>,
    /// How many deliberately wrong recordings the specification rejects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutation: Option<MutationFindings>,
    /// Reasons why `valid` means less than it seems to; `None` if the model is no specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacuity: Option<Vec<VacuityFindings>>,
    /// How far a system was driven through a behaviour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driven: Option<DrivenRun>,
    /// How a log was read and what it exercised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<LogFindings>>,
    /// What else a person should know about the input.
    pub notes: Vec<String>,
}

/// A command that checks inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// `omnilink check`: a history against a model.
    Check,
    /// `omnilink validate`: a history against a specification.
    Validate,
    /// `omnilink mc`: a specification's own states.
    Mc,
    /// `omnilink lineup`: a component against its serial behaviour.
    Lineup,
    /// `omnilink test`: the tests of a project under many schedules.
    Test,
    /// `omnilink drive`: a system that is driven through behaviours of a specification.
    Drive,
}

/// What was checked: it decides which fields there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The operations of a history, for linearizability or sequential consistency.
    Operations,
    /// The lines of a log.
    Log,
    /// The operations of a history, for a weaker level.
    Visibility,
    /// The transactions of a history.
    Transactions,
    /// Many histories, for the strongest levels that they satisfy.
    Levels,
    /// The states of a specification.
    States,
    /// The runs of a component.
    Runs,
    /// A test of a program.
    Test,
    /// A system that is driven through a behaviour of a specification.
    System,
}

/// The verdict of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyVerdict {
    /// The key of the object.
    pub key: String,
    /// The answer.
    pub verdict: Verdict,
    /// How many operations there are on it.
    pub ops: u64,
}

impl Evidence {
    /// A valid input, about which nothing else is known yet.
    pub fn new(command: Command, subject: Subject, input: impl Into<String>) -> Self {
        Self {
            version: VERSION,
            command,
            subject,
            input: input.into(),
            id: None,
            verdict: Verdict::Valid,
            model: None,
            consistency: None,
            implied_by: None,
            ret: None,
            config: None,
            figures: Figures::default(),
            exploration: None,
            campaign: None,
            test: None,
            error: None,
            witness: None,
            happens_before: Vec::new(),
            violation: None,
            confirmation: None,
            context: None,
            minimal: None,
            unknown: None,
            inferred: None,
            isolation: None,
            spec: None,
            keys: Vec::new(),
            last_writers: Vec::new(),
            mutation: None,
            vacuity: None,
            driven: None,
            log: None,
            notes: Vec::new(),
        }
    }

    /// Makes this the evidence of a violation.
    pub fn violate(&mut self, violation: Violation) {
        self.verdict = Verdict::Violation;
        self.violation = Some(violation);
    }

    /// Makes this the evidence of a check that ended before there was an answer.
    pub fn give_up(&mut self, unknown: Unknown) {
        self.verdict = Verdict::Unknown;
        self.unknown = Some(Box::new(unknown));
    }

    /// Makes this the evidence of an input that cannot be checked.
    pub fn fail(&mut self, message: String) {
        self.verdict = Verdict::Error;
        self.error = Some(message);
        self.witness = None;
        self.violation = None;
        self.confirmation = None;
        self.context = None;
        self.minimal = None;
        self.unknown = None;
    }

    /// Visits every operation, to name its thread, to locate it or to give it another number.
    pub fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        if let Some(witness) = &mut self.witness {
            witness.visit_operations(visit);
        }
        if let Some(violation) = &mut self.violation {
            violation.visit_operations(visit);
        }
        if let Some(context) = &mut self.context {
            context.operations.iter_mut().for_each(&mut *visit);
        }
        if let Some(minimal) = &mut self.minimal {
            minimal.visit_operations(visit);
        }
        if let Some(unknown) = &mut self.unknown {
            unknown.visit_operations(visit);
        }
        for writer in &mut self.last_writers {
            writer.by.iter_mut().for_each(&mut *visit);
        }
        if let Some(log) = &mut self.log {
            log.suspects.iter_mut().for_each(&mut *visit);
        }
        let transactions = self
            .isolation
            .iter_mut()
            .flat_map(|isolation| &mut isolation.transactions);
        for transaction in transactions {
            transaction.ops.iter_mut().for_each(&mut *visit);
        }
    }

    /// The evidence as one line of JSON, without a newline at its end.
    pub fn to_json(&self) -> String {
        // Strings, numbers, lists and maps with string keys all have a JSON form, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Why evidence cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// It is not evidence.
    #[error(
        "this is not evidence of omnilink: {problem} at line {line} column {column}; write it with --evidence FILE or --json"
    )]
    Malformed {
        /// What is wrong.
        problem: String,
        /// In which line of the text.
        line: usize,
        /// At which character of the line.
        column: usize,
    },
    /// It is of another version.
    #[error(
        "this is evidence of version {0}, and this omnilink reads version {VERSION}; use the omnilink that wrote it"
    )]
    Version(u32),
}
