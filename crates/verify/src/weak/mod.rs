//! Checks for less than linearizability: levels, axioms, levels per method, isolation of transactions.

mod follow;
mod histories;
mod jobs;
mod judge_factory;
#[cfg(feature = "tla")]
mod spec;
mod transaction_history;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use omnilink_consistency::{Guarantee, MethodLevels, RecordedHistory, WeakOptions, infer_recorded, unread};
use omnilink_evidence::{self as evidence, Command, Evidence, Verdict};
use omnilink_isolation::{InitialValues, Isolation};
use omnilink_memory::peak_bytes;
use omnilink_models::AnyModel;

use self::histories::{Histories, Read, Reading, keyed_histories};
use self::jobs::judge_all;
use self::judge_factory::{IsolationJudges, JudgeFactory, ModelJudges, weak_error};
use self::transaction_history::transaction_histories;
use crate::check_run::{nothing_known, nothing_returned};
use crate::error::VerifyError;
use crate::input::Input;
use crate::keyed::Keyed;
use crate::subject::{NamedModel, NativeSubject};

pub use self::follow::Following;
pub(crate) use self::follow::GrowingFile;
pub use self::histories::{holds_histories, holds_transactions, holds_workload, tells_its_own_order};

/// What to find out about histories.
#[derive(Clone, Debug)]
pub enum WeakTask {
    /// Whether each history satisfies this.
    Judge(Guarantee),
    /// The strongest level of each method that all histories of an input satisfy, where some methods have these levels.
    Infer(MethodLevels),
    /// Every level of isolation of each history of transactions.
    InferIsolation,
}

/// What to find out about transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolationTask {
    /// Whether they are isolated at this level.
    Level(Isolation),
    /// At which levels they are isolated.
    AllLevels,
}

impl WeakTask {
    /// The level or criterion, for reports.
    pub fn name(&self) -> String {
        match self {
            Self::Judge(question) => question.name(),
            Self::Infer(_) | Self::InferIsolation => "inferred".to_owned(),
        }
    }

    fn subject(&self) -> evidence::Subject {
        match self {
            Self::Infer(_) => evidence::Subject::Levels,
            Self::InferIsolation | Self::Judge(Guarantee::Isolation(_)) => evidence::Subject::Transactions,
            Self::Judge(_) => evidence::Subject::Visibility,
        }
    }

    /// What to find out about transactions, if the task is about them. They need no model.
    pub fn isolation(&self) -> Option<IsolationTask> {
        match self {
            Self::Judge(Guarantee::Isolation(isolation)) => Some(IsolationTask::Level(*isolation)),
            Self::InferIsolation => Some(IsolationTask::AllLevels),
            _ => None,
        }
    }
}

/// Histories to be checked for less than linearizability.
#[derive(Clone, Debug)]
pub struct WeakCheck<'a> {
    /// The model with its options, or the specification, as the user named it.
    pub model_name: String,
    /// What to find out.
    pub task: WeakTask,
    /// How to search.
    pub options: WeakOptions,
    /// Where the histories are.
    pub inputs: &'a [Input],
    /// What makes an object of each key.
    pub keyed: Keyed,
    /// What keys hold before the first transaction.
    pub initial: InitialValues,
    /// Whether threads are labels, so that their calls may overlap.
    pub is_async: bool,
    /// How many histories to judge at a time.
    pub jobs: NonZeroUsize,
}

/// Takes the evidence of each history, or of an input that could not be read, in order; `Break` ends the check.
pub type Deliver<'d> = dyn FnMut(Evidence) -> ControlFlow<()> + 'd;

impl WeakCheck<'_> {
    /// Checks transactions, which need no model.
    ///
    /// # Errors
    /// If a worker fails. An input that cannot be judged is an answer, and the others are judged nevertheless.
    pub fn transactions(&self, task: IsolationTask, deliver: &mut Deliver<'_>) -> Result<(), VerifyError> {
        let judges = IsolationJudges {
            task,
            limits: self.options.limits,
            initial: self.initial.clone(),
        };
        let reading = self.reading();
        self.judge_inputs(
            self.all(),
            &judges,
            |input| transaction_histories(input, reading, &self.initial),
            deliver,
        )
    }

    /// Checks every input against a shipped model, named with its options.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn against_model(&self, model: &str, deliver: &mut Deliver<'_>) -> Result<(), VerifyError> {
        let model = AnyModel::from_spec(model)?;
        let (keyed, reading, by_key) = (&self.keyed, self.reading(), model.clone());
        let read: &Read<'_> = &|input| keyed_histories(&by_key, keyed, input, reading);
        let subject = NativeSubject { model };
        let options = self.options;
        match self.task.clone() {
            WeakTask::Judge(question) => {
                let judges = ModelJudges {
                    subject,
                    question,
                    options,
                };
                self.judge_inputs(self.all(), &judges, read, deliver)
            }
            WeakTask::InferIsolation => self.transactions(IsolationTask::AllLevels, deliver),
            WeakTask::Infer(given) => {
                let infer = |histories: &[RecordedHistory]| {
                    let known = subject.methods();
                    infer_recorded(subject.model(), histories, &subject, &known, &given, &options)
                        .map_err(weak_error)
                };
                self.infer_inputs(self.all(), read, &infer, deliver)
            }
        }
    }

    fn all(&self) -> Range<usize> {
        0..self.inputs.len()
    }

    fn reading(&self) -> Reading {
        Reading {
            is_async: self.is_async,
            limits: self.options.limits,
        }
    }

    /// Has every history of some inputs judged by itself.
    fn judge_inputs<'s, H: Send>(
        &'s self,
        inputs: Range<usize>,
        judges: &dyn JudgeFactory<H>,
        read: impl Fn(&'s Input) -> Result<Histories<'s, H>, VerifyError>,
        deliver: &mut Deliver<'_>,
    ) -> Result<(), VerifyError> {
        let notes: RefCell<BTreeMap<usize, (Vec<String>, bool)>> = RefCell::default();
        let each = inputs.flat_map(|index| {
            let each: Box<dyn Iterator<Item = _>> = match read(&self.inputs[index]) {
                Ok(histories) => {
                    let about = (histories.notes, histories.is_silent);
                    notes.borrow_mut().insert(index, about);
                    histories.each
                }
                Err(error) => Box::new(std::iter::once(Err(error))),
            };
            each.map(move |recorded| (index, recorded))
        });
        let mut failed = None;
        judge_all(judges, self.jobs, each, |index, judgement, took| {
            // After a history that makes no sense, the rest of its input is skipped.
            if failed == Some(index) {
                return ControlFlow::Continue(());
            }
            if judgement.is_err() {
                failed = Some(index);
            }
            let notes = notes.borrow().get(&index).cloned().unwrap_or_default();
            deliver(self.evidence(index, judgement, notes, took))
        })
    }

    /// Has the histories of each input judged together.
    fn infer_inputs(
        &self,
        inputs: Range<usize>,
        read: &Read<'_>,
        infer: &dyn Fn(&[RecordedHistory]) -> Result<Evidence, VerifyError>,
        deliver: &mut Deliver<'_>,
    ) -> Result<(), VerifyError> {
        for index in inputs {
            let started = Instant::now();
            let judged = read(&self.inputs[index]).and_then(
                |Histories {
                     notes,
                     is_silent,
                     each,
                 }| {
                    let histories: Vec<RecordedHistory> = each.collect::<Result<_, _>>()?;
                    Ok((infer(&histories)?, (notes, is_silent)))
                },
            );
            let (judgement, notes) = match judged {
                Ok((judgement, notes)) => (Ok(judgement), notes),
                Err(error) => (Err(error), (Vec::new(), false)),
            };
            if deliver(self.evidence(index, judgement, notes, started.elapsed())).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The evidence of a history. An input whose reading reached a limit is unknown.
    fn evidence(
        &self,
        input: usize,
        judged: Result<Evidence, VerifyError>,
        (mut notes, is_silent): (Vec<String>, bool),
        took: Duration,
    ) -> Evidence {
        let name = &self.inputs[input].name;
        let mut evidence = match judged {
            Ok(evidence) => evidence,
            Err(VerifyError::Limit { limit, operations }) => {
                unread(name.clone(), self.task.name(), operations, limit)
            }
            Err(error) => {
                let mut failed = Evidence::new(Command::Check, self.task.subject(), String::new());
                failed.consistency = Some(self.task.name());
                failed.fail(error.to_string());
                failed
            }
        };
        evidence.input.clone_from(name);
        evidence.model = Some(self.model_name.clone()).filter(|name| !name.is_empty());
        evidence.figures.seconds = took.as_secs_f64();
        evidence.figures.peak_bytes = peak_bytes();
        notes.append(&mut evidence.notes);
        evidence.notes = notes;
        // Each history of a file of histories is a run of its own; of a trace, the objects of all keys are one run.
        let figures = &evidence.figures;
        let is_own_run =
            figures.ops > 0 && figures.ops == figures.pending && holds_histories(&self.inputs[input]);
        let is_silent = is_silent || is_own_run;
        if is_silent && evidence.verdict == Verdict::Valid && evidence.subject != evidence::Subject::Levels {
            evidence.witness = None;
            evidence.give_up(nothing_known(nothing_returned(name)));
        }
        evidence
    }
}
