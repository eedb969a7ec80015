//! `omnilink.validate`: does some behaviour of a TLA+ specification explain a trace?

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use omnilink_engine::{Interrupt, Options};
use omnilink_evidence::{Command, Evidence};
use omnilink_link::{CollectedConstants, LinkError, LinkFile, LinkOptions, LogLink};
use omnilink_log_extract::ExtractionRules;
use omnilink_tla::deep_stack;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_trace::OpenOptions;
use omnilink_verify::{LogValidation, Mutation, ProgressCounter, Scrutiny, Validation, VerifyError, is_log};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tempfile::NamedTempFile;

use crate::answer::Answer;
use crate::check::request;
use crate::error::Failure;
use crate::file_path::FilePath;
use crate::history::{History, NAME};
use crate::job;
use crate::settings::{Settings, interruptible};

/// A specification, and what is asked of it about a trace.
struct Question {
    spec: PathBuf,
    config: Option<PathBuf>,
    constants: Vec<(String, String)>,
    collect: Vec<(String, Vec<String>)>,
    link: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    reading: OpenOptions,
    options: Options,
    minimize: bool,
    scrutiny: Scrutiny,
    log: Option<bool>,
    extract: Option<PathBuf>,
    skew: Option<Duration>,
}

impl Question {
    fn of(spec: PathBuf, settings: &Settings<'_>) -> Result<Self, Failure> {
        let consistency = settings.consistency()?;
        if !matches!(consistency.as_str(), "linearizable" | "sequential") {
            return Err(Failure::usage(format!(
                "consistency={consistency:?}: it is linearizable or sequential here; for the others: omnilink check TRACE --spec {} \
                 --consistency {consistency}",
                spec.display()
            )));
        }
        let collect: Option<std::collections::BTreeMap<String, Vec<String>>> = settings.get(
            "collect",
            "a dict of constants and lists of fields, such as {\"Keys\": [\"key\"]}",
        )?;
        let mutate: Option<u32> = settings.get("mutate", "how many results to change")?;
        Ok(Self {
            spec,
            config: settings.path("config")?,
            constants: settings.constants()?,
            collect: collect.unwrap_or_default().into_iter().collect(),
            link: settings.path("link")?,
            libraries: settings.paths("library")?,
            reading: settings.reading()?,
            options: settings.engine()?,
            minimize: settings.flag("minimize")?,
            scrutiny: Scrutiny {
                is_strict: settings.flag("strict")?,
                mutation: mutate
                    .filter(|results| *results > 0)
                    .map(|results| Mutation { results, seed: 1 }),
            },
            log: settings.get("log", "True, False or None")?,
            extract: settings.path("extract")?,
            skew: settings.duration("skew")?,
        })
    }

    /// What belongs to the specification, and the constants to collect from the trace.
    fn linking(&self) -> Result<(LinkOptions, CollectedConstants), LinkError> {
        let file = match &self.link {
            Some(path) => LinkFile::read(path)?,
            None => LinkFile::beside(&self.spec)?,
        };
        let mut collection = CollectedConstants::default();
        for (constant, fields) in &file.collect {
            collection.add_fields(constant, fields);
        }
        for (constant, fields) in &self.collect {
            collection.add_fields(constant, fields);
        }
        collection.add_asked_for_by(&self.spec);
        let beside = self.spec.with_extension("cfg");
        let options = LinkOptions {
            config: self.config.clone().or_else(|| beside.is_file().then_some(beside)),
            search: SearchPath::new(self.libraries.iter().cloned()),
            constants: self.constants.clone(),
            file,
            ..LinkOptions::default()
        };
        Ok((options, collection))
    }

    fn answer(self, trace: &History, interrupt: Interrupt) -> Result<Evidence, Failure> {
        let (options, collection) = self.linking().map_err(VerifyError::from)?;
        let engine = interruptible(self.options, interrupt);
        let says_log =
            self.extract.is_some() || self.skew.is_some() || options.file.log != LogLink::default();
        if let Some(log) = log_file(trace, self.log, says_log)? {
            return self.answer_log(&log, options, engine);
        }
        let reading = self
            .reading
            .clone()
            .with_thread_ends(options.file.keeps_thread_ends(&self.spec));
        let mut input = trace.input(reading, interrupt)?;
        input.end = LinkFile::end_of_trace(&self.spec);
        let name = self.spec.display().to_string();
        let request = request(Command::Validate, &name, engine, self.minimize);
        let validation =
            Validation::new(&self.spec, options, collection, request)?.with_scrutiny(self.scrutiny);
        Ok(validation.check(&input, &ProgressCounter::default()))
    }

    fn answer_log(&self, log: &LogFile, options: LinkOptions, engine: Options) -> Result<Evidence, Failure> {
        let mut options = options;
        if let Some(skew) = self.skew {
            options.file.log.allow_skew(skew).map_err(Failure::usage)?;
        }
        let rules = self.extract.as_deref().map(ExtractionRules::read).transpose();
        let rules = rules.map_err(Failure::input)?;
        let validation = LogValidation::new(&self.spec, options, None, engine.limits)?
            .with_extraction(rules)
            .with_strictness(self.scrutiny.is_strict)
            .with_naive_search(engine.naive);
        let mut evidence = validation.check(&[log.path()], &ProgressCounter::default());
        if matches!(log, LogFile::Written(_)) {
            evidence.input = NAME.to_owned();
        }
        Ok(evidence)
    }
}

/// A log of events and variables, which is read from a file.
enum LogFile {
    Given(PathBuf),
    /// Lines in memory, written to a file.
    Written(NamedTempFile),
}

impl LogFile {
    fn path(&self) -> PathBuf {
        match self {
            Self::Given(path) => path.clone(),
            Self::Written(file) => file.path().to_owned(),
        }
    }
}

/// The trace as a file, if it is a log.
fn log_file(trace: &History, told: Option<bool>, says_log: bool) -> Result<Option<LogFile>, Failure> {
    if told == Some(false) {
        return Ok(None);
    }
    let file = match trace {
        History::Path(path) => LogFile::Given(path.clone()),
        History::Bytes(bytes) => {
            let written = tempfile::Builder::new().suffix(".ndjson").tempfile();
            let written = written.and_then(|mut file| file.write_all(bytes).map(|()| file));
            LogFile::Written(written.map_err(|error| Failure::input(VerifyError::Spool(error)))?)
        }
    };
    let is_log = told == Some(true) || says_log || is_log(&file.path());
    Ok(is_log.then_some(file))
}

/// Checks a trace against a specification.
#[pyfunction]
pub(crate) fn validate(
    py: Python<'_>,
    spec: FilePath,
    trace: &Bound<'_, PyAny>,
    settings: Bound<'_, PyDict>,
) -> PyResult<Answer> {
    let trace = History::of(trace)?;
    let question = Question::of(spec.0, &Settings(settings))?;
    let evidence = job::run(py, &|| (), move |interrupt| {
        deep_stack::run(|| question.answer(&trace, interrupt))
    })??;
    Ok(Answer::new(evidence)?)
}
