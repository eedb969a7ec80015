//! `omnilink.check`: does some behaviour of a model explain a history?

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use omnilink_consistency::{Guarantee, MethodLevels, WeakOptions};
use omnilink_engine::{Interrupt, Options};
use omnilink_evidence::{Command, Evidence};
use omnilink_isolation::{InitialValues, Isolation};
use omnilink_trace::{OpenOptions, Operation};
use omnilink_verify::{
    CheckRequest, Detail, Input, Keyed, ModelCheck, ProgressCounter, WeakCheck, WeakTask, check_input,
    holds_histories, holds_transactions, tells_its_own_order,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Answer;
use crate::error::{Failure, FailureKind};
use crate::history::History;
use crate::job;
use crate::model::{PythonModel, class_name};
use crate::settings::{Settings, interruptible};
use crate::value::value_of;

/// What is asked about a history.
struct Question {
    model: Option<String>,
    consistency: String,
    infer: bool,
    keyed: Keyed,
    initial: InitialValues,
    reading: OpenOptions,
    options: Options,
    minimize: bool,
}

impl Question {
    fn of(settings: &Settings<'_>) -> Result<Self, Failure> {
        Ok(Self {
            model: settings.text("model")?,
            consistency: settings.consistency()?,
            infer: settings.flag("infer")?,
            keyed: match (
                settings.text("key")?,
                settings.get::<bool>("keyed", "True, False or None")?,
            ) {
                (Some(_), Some(_)) => return Err(Failure::usage("give key or keyed, not both")),
                (Some(field), None) => Keyed::ByField(field),
                (None, None) => Keyed::ByContent,
                (None, Some(true)) => Keyed::Yes,
                (None, Some(false)) => Keyed::No,
            },
            initial: initial_values(settings)?,
            reading: settings.reading()?,
            options: settings.engine()?,
            minimize: settings.flag("minimize")?,
        })
    }

    fn answer(self, history: &History, interrupt: Interrupt) -> Result<Vec<Evidence>, Failure> {
        let input = history.input(self.reading.clone(), interrupt)?;
        let options = interruptible(self.options, interrupt);
        if let Some(task) = self.weak_task(&input)? {
            return self.weakly(task, input, options);
        }
        let Some(model) = &self.model else {
            return Err(self.no_model(&input));
        };
        let request = request(Command::Check, model, options, self.minimize);
        let check = ModelCheck::new(model, self.keyed, request)?;
        Ok(vec![check.check(&input, &ProgressCounter::default())])
    }

    fn against(
        self,
        name: &str,
        model: &PythonModel,
        history: &History,
        interrupt: Interrupt,
    ) -> Result<Evidence, Failure> {
        let input = history.input(self.reading, interrupt)?;
        let options = interruptible(self.options, interrupt);
        let request = request(Command::Check, name, options, self.minimize);
        let decode = |operation: &Operation| model.decode(operation);
        Ok(check_input(
            model,
            &decode,
            &input,
            &request,
            &ProgressCounter::default(),
        ))
    }

    /// What is not for the engine, as the command decides it.
    fn weak_task(&self, input: &Input) -> Result<Option<WeakTask>, Failure> {
        let has_transactions = || self.model.is_none() && holds_transactions(input);
        if self.infer {
            return Ok(Some(if has_transactions() {
                WeakTask::InferIsolation
            } else {
                WeakTask::Infer(MethodLevels::default())
            }));
        }
        let mut guarantee = Guarantee::from_name(&self.consistency).map_err(Failure::usage)?;
        if let (Guarantee::Level(_), Ok(isolation)) = (&guarantee, self.consistency.parse::<Isolation>())
            && has_transactions()
        {
            guarantee = Guarantee::Isolation(isolation);
        }
        let is_for_the_engine = matches!(self.consistency.as_str(), "linearizable" | "sequential")
            && !holds_histories(input)
            && !tells_its_own_order(input);
        Ok((!is_for_the_engine).then_some(WeakTask::Judge(guarantee)))
    }

    fn weakly(&self, task: WeakTask, input: Input, options: Options) -> Result<Vec<Evidence>, Failure> {
        let isolation = task.isolation();
        let check = WeakCheck {
            model_name: self.model.clone().unwrap_or_default(),
            task,
            options: WeakOptions {
                limits: options.limits,
                ..WeakOptions::default()
            },
            inputs: &[input],
            keyed: self.keyed.clone(),
            initial: self.initial.clone(),
            is_async: options.async_threads,
            jobs: NonZeroUsize::MIN,
        };
        let mut answers = Vec::new();
        let deliver = &mut |evidence: Evidence| {
            answers.push(evidence);
            ControlFlow::Continue(())
        };
        match (isolation, &self.model) {
            (Some(_), Some(_)) => {
                return Err(Failure::usage(format!(
                    "consistency={:?} is about transactions, which need no model: drop model; or keep it, and ask for a level of \
                     single operations, such as linearizable, sequential or causal",
                    self.consistency
                )));
            }
            (Some(isolation), None) => check.transactions(isolation, deliver)?,
            (None, Some(model)) => check.against_model(model, deliver)?,
            (None, None) => return Err(self.no_model(&check.inputs[0])),
        }
        Ok(answers)
    }

    fn no_model(&self, input: &Input) -> Failure {
        Failure::usage(if holds_transactions(input) {
            "against what? These are transactions: give consistency=\"serializable\", or another level of isolation \
                 (docs/transactions.md lists them), or infer=True"
        } else {
            "against what? Give model=NAME (omnilink check --list-models lists them), or a model of your own"
        })
    }
}

/// What keys hold at first: "first-read", a dict of keys and values, or one value for all keys.
fn initial_values(settings: &Settings<'_>) -> Result<InitialValues, Failure> {
    let given = settings.0.get_item("initial").map_err(Failure::usage)?;
    let Some(given) = given else {
        return Ok(InitialValues::default());
    };
    let value = |of: &Bound<'_, PyAny>| value_of(of, &|| "initial".to_owned());
    if given.extract::<String>().is_ok_and(|text| text == "first-read") {
        return Ok(InitialValues::FirstRead);
    }
    let Ok(each) = given.cast::<PyDict>() else {
        return Ok(InitialValues::All(value(&given)?));
    };
    let each = each.iter().map(|(key, held)| Ok((value(&key)?, value(&held)?)));
    Ok(InitialValues::Each(each.collect::<Result<_, Failure>>()?))
}

/// What is wanted: everything that a person could look at.
pub(crate) fn request(command: Command, model: &str, options: Options, minimize: bool) -> CheckRequest {
    CheckRequest {
        command,
        options,
        minimize,
        detail: Detail::ShortWitness,
        ..CheckRequest::new(model)
    }
}

/// Checks a history against a model in Python.
#[pyfunction]
pub(crate) fn check_python(
    py: Python<'_>,
    history: &Bound<'_, PyAny>,
    model: &Bound<'_, PyAny>,
    settings: Bound<'_, PyDict>,
) -> PyResult<Answer> {
    let history = History::of(history)?;
    let settings = Settings(settings);
    let question = Question::of(&settings)?;
    if question.infer || !matches!(question.consistency.as_str(), "linearizable" | "sequential") {
        return Err(Failure::usage(
            "a model in Python is checked for linearizability or sequential consistency; other levels need a shipped model, or a \
             specification (omnilink check --spec)",
        )
        .into());
    }
    let name = class_name(model);
    let model = PythonModel::new(model, question.options.limits)?;
    let (checked, raised) = job::run(py, &|| (), move |interrupt| {
        let checked = question.against(&name, &model, &history, interrupt);
        (checked, model.take_error())
    })?;
    match raised {
        Some(error) => Err(error),
        None => Ok(Answer::or_fail(checked?, FailureKind::Model)?),
    }
}

/// Checks a history against a shipped model, or transactions.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    history: &Bound<'_, PyAny>,
    settings: Bound<'_, PyDict>,
) -> PyResult<Vec<Answer>> {
    let history = History::of(history)?;
    let question = Question::of(&Settings(settings))?;
    let answers = job::run(py, &|| (), move |interrupt| question.answer(&history, interrupt))??;
    Ok(answers
        .into_iter()
        .map(Answer::new)
        .collect::<Result<_, Failure>>()?)
}
