//! The PlusCal algorithm that a spec is the translation of, as far as a link file names its parts: labels, processes and procedures.

use omnilink_tla::diagnostic::nearest;
use omnilink_tla::semantics::pluscal::{OutlinedProcess, OutlinedStep, has_algorithm, outline};
use omnilink_tla::semantics::spec::Spec;
use thiserror::Error;

use crate::run::{Run, SELF};

/// All processes, in a translation.
const PROCESSES: &str = "ProcSet";
/// Where a process is that has ended.
const DONE: &str = "Done";

/// The steps of an algorithm; none if there is no algorithm.
#[derive(Debug)]
pub(crate) struct Algorithm {
    steps: Vec<OutlinedStep>,
}

/// What is wrong with a label, process or procedure that a link file names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlgorithmLinkError {
    /// There is no algorithm.
    #[error(
        "the spec has no PlusCal algorithm, so it has no labels; give an action instead (action = \"…\")"
    )]
    NoAlgorithm,
    /// Neither a label nor a process nor a procedure.
    #[error(
        "the algorithm has no label, process or procedure `{name}`{}; it has the labels {labels}",
        suggestion.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
    )]
    Unknown {
        /// The name.
        name: String,
        /// The nearest that there is.
        suggestion: Option<String>,
        /// The labels.
        labels: String,
    },
    /// Labels of different processes in one run.
    #[error(
        "label {first} belongs to process {first_process}, and label {second} to process {second_process}; a run is one of one process"
    )]
    TwoProcesses {
        /// A label.
        first: String,
        /// Its process.
        first_process: String,
        /// A label of another process.
        second: String,
        /// Its process.
        second_process: String,
    },
    /// The translation has no action for a label.
    #[error(
        "the translation has no action for label {label}: an algorithm whose processes are each one loop has none; give the action \
         of the process instead (action = \"…\")"
    )]
    NoAction {
        /// The label.
        label: String,
    },
    /// A run through nothing.
    #[error("`run` names no label; name those that the operation passes through, the first one first")]
    NoLabels,
    /// An entry that makes sense with others only.
    #[error("{0}")]
    Entries(&'static str),
}

impl Algorithm {
    /// The algorithm of a spec: that of the first of its files that has one.
    pub(crate) fn of(spec: &Spec) -> Self {
        let texts = spec.sources.iter().map(|(_, source)| source.text());
        let mut outlines = texts.filter(|text| has_algorithm(text)).map(outline);
        Self {
            steps: outlines.find(|steps| !steps.is_empty()).unwrap_or_default(),
        }
    }

    /// The set that the parameter `self` of an action is in, as TLA+: the action of a label, a process or a procedure.
    pub(crate) fn processes_of(&self, action: &str) -> Option<&str> {
        let step = self.steps.iter().find(|step| {
            step.label == action
                || step.procedure.as_deref() == Some(action)
                || step
                    .process
                    .as_ref()
                    .is_some_and(|process| process.name == action)
        })?;
        match (&step.process, &step.procedure) {
            (Some(process), _) => process.is_set.then_some(&process.id),
            (None, Some(_)) if self.has_processes() => Some(PROCESSES),
            (None, _) => None,
        }
    }

    fn has_processes(&self) -> bool {
        self.steps.iter().any(|step| step.process.is_some())
    }

    /// The step of a label as an action that any process may take, as TLA+.
    pub(crate) fn step_of_any(&self, label: &str) -> Result<String, AlgorithmLinkError> {
        let run = self.run(&[label.to_owned()], None)?;
        let action = run.action_of(label);
        Ok(match self.processes_of(label) {
            Some(processes) => format!("\\E {SELF} \\in {processes} : {action}"),
            None => action,
        })
    }

    /// A run of one process through what these names stand for, until it is at a label.
    pub(crate) fn run(&self, names: &[String], until: Option<&str>) -> Result<Run, AlgorithmLinkError> {
        let mut steps: Vec<&OutlinedStep> = Vec::new();
        for name in names {
            for step in self.steps_of(name)? {
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        if steps.is_empty() {
            return Err(AlgorithmLinkError::NoLabels);
        }
        if let Some(until) = until.filter(|until| *until != DONE)
            && !self.steps.iter().any(|step| step.label == until)
        {
            return Err(self.unknown(until));
        }
        let owner = one_process(&steps)?;
        let index = match owner {
            Some(process) if process.is_set => Some(SELF.to_owned()),
            Some(process) => Some(process.id.clone()),
            None => self.has_processes().then(|| SELF.to_owned()),
        };
        let action = |step: &OutlinedStep| {
            let takes_process = match &step.process {
                Some(process) => process.is_set,
                None => step.procedure.is_some(),
            };
            match index.as_ref().filter(|_| takes_process) {
                Some(index) => format!("{}({index})", step.label),
                None => step.label.clone(),
            }
        };
        Ok(Run {
            steps: steps
                .iter()
                .map(|step| (step.label.clone(), action(step)))
                .collect(),
            until: until.map(str::to_owned),
            index,
        })
    }

    /// The steps that a name stands for: that of a label, or all of a process or procedure.
    fn steps_of(&self, name: &str) -> Result<Vec<&OutlinedStep>, AlgorithmLinkError> {
        if self.steps.is_empty() {
            return Err(AlgorithmLinkError::NoAlgorithm);
        }
        if let Some(step) = self.steps.iter().find(|step| step.label == name) {
            return Ok(vec![step]);
        }
        let belongs = |step: &&OutlinedStep| {
            let process = step.process.as_ref().map(|process| process.name.as_str());
            process == Some(name) || step.procedure.as_deref() == Some(name)
        };
        let steps: Vec<&OutlinedStep> = self.steps.iter().filter(belongs).collect();
        if steps.is_empty() {
            Err(self.unknown(name))
        } else {
            Ok(steps)
        }
    }

    fn unknown(&self, name: &str) -> AlgorithmLinkError {
        let labels = self.steps.iter().map(|step| step.label.as_str());
        let processes = self.steps.iter().filter_map(|step| step.process.as_ref());
        let procedures = self.steps.iter().filter_map(|step| step.procedure.as_deref());
        let owners = processes.map(|process| process.name.as_str()).chain(procedures);
        AlgorithmLinkError::Unknown {
            name: name.to_owned(),
            suggestion: nearest(name, labels.clone().chain(owners)).map(str::to_owned),
            labels: labels.collect::<Vec<_>>().join(", "),
        }
    }
}

/// The process that all of these steps belong to; `None` if they are steps of procedures, or there are no processes.
fn one_process<'a>(steps: &[&'a OutlinedStep]) -> Result<Option<&'a OutlinedProcess>, AlgorithmLinkError> {
    let mut owners = steps
        .iter()
        .filter_map(|step| Some((&step.label, step.process.as_ref()?)));
    let Some((first, owner)) = owners.next() else {
        return Ok(None);
    };
    match owners.find(|(_, other)| *other != owner) {
        Some((second, other)) => Err(AlgorithmLinkError::TwoProcesses {
            first: first.clone(),
            first_process: owner.name.clone(),
            second: second.clone(),
            second_process: other.name.clone(),
        }),
        None => Ok(Some(owner)),
    }
}
