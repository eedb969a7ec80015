//! A behaviour as a run of the PlusCal algorithm that its specification is translated from.

use serde::Serialize;

/// Who took each step of a behaviour, and which statements these are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlgorithmRun {
    /// For each state the process that took the step to it; `None` for initial states, and where there are no processes.
    pub processes: Vec<Option<String>>,
    /// The process that takes the step back to an earlier state, if the behaviour is infinite and there are processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<String>,
    /// The steps that were taken or are waited at, each once.
    pub steps: Vec<AlgorithmStep>,
    /// Of a deadlock, where each process waits that has not ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingProcess>,
}

/// A process that cannot take its next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingProcess {
    /// The process; `None` where there are no processes.
    pub process: Option<String>,
    /// The label of the step.
    pub label: String,
}

/// A step of an algorithm: what stands between two labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlgorithmStep {
    /// Its label, which is the name of its action.
    pub label: String,
    /// Its statements, on one line.
    pub statement: String,
    /// Where they begin: file and line.
    pub place: String,
    /// Where its action begins in the translation: file and line, if the translation is in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translation: Option<String>,
    /// Its action in TLA+.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tla: String,
}

impl AlgorithmRun {
    /// The step with a label.
    pub fn step(&self, label: &str) -> Option<&AlgorithmStep> {
        self.steps.iter().find(|step| step.label == label)
    }
}
