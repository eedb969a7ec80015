//! What can be wrong with a link.

use omnilink_trace::Location;
use thiserror::Error;

use crate::algorithm::AlgorithmLinkError;
use omnilink_settings::toml_key;

/// Why a spec cannot be linked.
#[derive(Debug, Error)]
pub enum LinkError {
    /// The spec, its configuration or an expression of the link has mistakes: all of them, as text.
    #[error("{0}")]
    Spec(String),
    /// The spec has no initial condition.
    #[error(
        "{spec}: there is no initial condition; define `Init` or `Spec == Init /\\ [][Next]_vars`, or name one in the \
         configuration (INIT or SPECIFICATION)"
    )]
    NoInit {
        /// The spec.
        spec: String,
    },
    /// The initial condition has no solution.
    #[error(
        "{spec}: no state satisfies the initial condition, so nothing can be explained; check `Init` and the constants"
    )]
    NoInitialState {
        /// The spec.
        spec: String,
    },
    /// More initial states than can be followed.
    #[error(
        "{spec}: the initial condition allows more than {most} states, and an explanation may begin in any of them. Make it \
         narrower: give its constants fewer values (--const, --collect), or write a definition that fixes what the trace \
         does not tell, and name it in the configuration (INIT)"
    )]
    ManyInitialStates {
        /// The spec.
        spec: String,
        /// How many can be followed.
        most: usize,
    },
    /// Something given for a constant that is none.
    #[error("{given}: the spec has no constant `{name}`{}", suggestion.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownConstant {
        /// Where it was given.
        given: String,
        /// The name.
        name: String,
        /// The nearest that there is.
        suggestion: Option<String>,
    },
    /// Evaluating failed.
    #[error("{0}")]
    Evaluation(String),
    /// The link file cannot be read.
    #[error("{path}: {message}")]
    File {
        /// Which.
        path: String,
        /// What is wrong, and where in it.
        message: String,
    },
    /// The link file names a part of a PlusCal algorithm that cannot be meant.
    #[error("link file, {entry}: {problem}")]
    Algorithm {
        /// Where in the link file.
        entry: String,
        /// What is wrong.
        problem: Box<AlgorithmLinkError>,
    },
    /// An option or entry that makes no sense.
    #[error("{0}")]
    Usage(String),
}

/// An operation of a trace that the spec cannot make sense of.
#[derive(Debug, Error)]
#[error("{place}: {problem}")]
pub struct BindError {
    /// Where the operation was read.
    pub place: Location,
    /// What is wrong with it.
    pub problem: Box<BindProblem>,
}

/// What is wrong with an operation. Every message points into the spec, too.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindProblem {
    /// There is no such action.
    #[error(
        "the spec {spec} has no action `{op}`{}; it has {known}. Rename it{}, or say in the link file what it is, or leave it \
         out (ignore = true):\n  [ops.{}]\n  action = \"…\"",
        suggestion.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default(),
        if is_code(op) { format!(" on the command line (--ops {op}=NAME,…)") } else { " in the trace".to_owned() },
        toml_key(op)
    )]
    UnknownOp {
        /// The spec.
        spec: String,
        /// The operation.
        op: String,
        /// The nearest action that there is.
        suggestion: Option<String>,
        /// The actions that there are.
        known: String,
    },
    /// A parameter gets no value.
    #[error(
        "{op} has no field \"{param}\", which the action {action} ({at}) takes; it has {fields}. In the link file, [ops.{}]: \
         {advice}",
        toml_key(op)
    )]
    Missing {
        /// The operation.
        op: String,
        /// The parameter.
        param: String,
        /// The action with its parameters.
        action: String,
        /// Where the action is defined.
        at: String,
        /// What the operation has.
        fields: String,
        /// What to write into the link file.
        advice: String,
    },
    /// What is taken for a process is none.
    #[error(
        "{op} is of {value}, and that is no process: the action {action} ({at}) is of a process in {processes}, which is {members}. \
         In the link file, [ops.{}]: fields = {{ self = \"…\" }} says which field is the process, and codes.self = {{ '{code}' = \
         \"…\" }} which process this is",
        toml_key(op)
    )]
    NoProcess {
        /// The operation.
        op: String,
        /// What is taken for a process.
        value: String,
        /// The same as a trace has it.
        code: String,
        /// The action with its parameters.
        action: String,
        /// Where the action is defined.
        at: String,
        /// The set of processes, as it is written.
        processes: String,
        /// Its members.
        members: String,
    },
    /// Something was recorded that nothing reads.
    #[error(
        "the {field} of {op} was recorded, but nothing reads it: the action {action} ({at}) {why}. Give it to a parameter \
         (link file, [ops.{}]: fields = {{ … = \"{name}\" }}) or say that it does not matter (ignore_fields = [\"{name}\"])",
        toml_key(op)
    )]
    Unread {
        /// The operation.
        op: String,
        /// What was recorded.
        field: String,
        /// What the link file calls it.
        name: String,
        /// Why nothing reads it.
        why: String,
        /// The action with its parameters.
        action: String,
        /// Where the action is defined.
        at: String,
    },
    /// A result that may be anything, and nothing says what that is.
    #[error(
        "nothing says what the result `{param}` of {op} may be, so it cannot be forgotten: let the next-state relation say it \
         (`\\E {param} \\in Results : {action}`; the action is at {at}) or the link file:\n  [ops.{}]\n  unknown = {{ {param} = \
         \"Results\" }}",
        toml_key(op)
    )]
    Unforgettable {
        /// The operation.
        op: String,
        /// The parameter.
        param: String,
        /// The action with its parameters.
        action: String,
        /// Where the action is defined.
        at: String,
    },
    /// More or fewer arguments than parameters.
    #[error("{op} has {found} arguments, but the action {action} ({at}) takes {expected}{advice}")]
    Arity {
        /// The operation.
        op: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// The action with its parameters.
        action: String,
        /// Where the action is defined.
        at: String,
        /// What to do about a result that no parameter takes.
        advice: String,
    },
    /// A result code that the link file does not list.
    #[error(
        "{op}: the field \"{field}\" holds {value}, which the link file does not translate ([ops.{}.codes.{}])",
        toml_key(op),
        toml_key(field)
    )]
    UnknownCode {
        /// The operation.
        op: String,
        /// The field.
        field: String,
        /// What it holds.
        value: String,
    },
    /// Evaluating something for this operation failed.
    #[error("{op}: {message}")]
    Evaluation {
        /// The operation.
        op: String,
        /// What went wrong.
        message: String,
    },
}

/// Whether the name of an operation is a number or a Boolean, as in traces that number their operations.
fn is_code(name: &str) -> bool {
    name.parse::<i64>().is_ok() || matches!(name, "true" | "false")
}
