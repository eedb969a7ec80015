//! `omnilink.mc`: explores the states of a TLA+ specification.

use std::path::PathBuf;
use std::sync::Arc;

use omnilink_evidence::Evidence;
use omnilink_mc::{CheckOptions, SearchLimits, SearchMode, SearchProgress, SimulationOptions};
use omnilink_memory::peak_bytes;
use omnilink_tla::diagnostic::Severity;
use omnilink_tla::model::{BuildOptions, absent_behaviour, build};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::{Checked, SpecOptions, check as read, deep_stack, render_check_text};
use omnilink_verify::tell_as_algorithm;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Answer;
use crate::error::{Failure, FailureKind};
use crate::file_path::FilePath;
use crate::job;
use crate::settings::Settings;

/// The length of simulated behaviours, as with the command.
const BEHAVIOUR_LENGTH: u32 = 100;

/// A specification, and how to explore it.
struct Question {
    spec: PathBuf,
    config: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    constants: Vec<(String, String)>,
    workers: u16,
    dfs: bool,
    simulate: Option<u64>,
    depth: Option<u32>,
    seed: u64,
    deadlock: Option<bool>,
    strict: bool,
    continues: bool,
    limits: SearchLimits,
}

impl Question {
    fn of(spec: PathBuf, settings: &Settings<'_>) -> Result<Self, Failure> {
        Ok(Self {
            spec,
            config: settings.path("config")?,
            libraries: settings.paths("library")?,
            constants: settings.constants()?,
            workers: settings
                .get("workers", "how many threads")?
                .unwrap_or(1)
                .clamp(1, 1024),
            dfs: settings.flag("dfs")?,
            simulate: settings.count("simulate")?,
            depth: settings.get("depth", "a depth, such as 100")?,
            seed: settings.count("seed")?.unwrap_or_default(),
            deadlock: settings.get("deadlock", "True, False or None")?,
            strict: settings.flag("strict")?,
            continues: settings.flag("find_all")?,
            limits: SearchLimits {
                time: settings.time_limit()?,
                memory_bytes: settings
                    .memory_limit()?
                    .unwrap_or_else(|| SearchLimits::default().memory_bytes),
            },
        })
    }

    fn refused(&self, checked: &Checked) -> Failure {
        Failure::new(
            FailureKind::Spec,
            render_check_text(&self.spec, checked).trim_end(),
        )
    }

    fn read(&self) -> Result<Checked, Failure> {
        let beside = self.spec.with_extension("cfg");
        let options = SpecOptions {
            search: SearchPath::new(self.libraries.iter().cloned()),
            config: self.config.clone().or_else(|| beside.exists().then_some(beside)),
            expressions: Vec::new(),
        };
        let mut checked = read(&self.spec, &options);
        if self.strict {
            let diagnostics = checked.diagnostics.iter_mut();
            diagnostics.for_each(|diagnostic| diagnostic.severity = Severity::Error);
        }
        match checked.is_ok() {
            true => Ok(checked),
            false => Err(self.refused(&checked)),
        }
    }

    fn answer(&self, progress: &SearchProgress) -> Result<Evidence, Failure> {
        let checked = self.read()?;
        let warnings: Vec<String> = checked
            .diagnostics
            .iter()
            .map(|warning| {
                let source = checked.spec.sources.get(warning.source);
                let line = source.line_column(warning.span.start).line;
                format!("{}:{line}: {}", source.path().display(), warning.message)
            })
            .collect();
        let (spec, config) = (checked.spec, checked.config.unwrap_or_default());
        if let Some(absent) = absent_behaviour(&spec, &config) {
            return Err(self.refused(&Checked {
                spec,
                config: Some(config),
                diagnostics: vec![absent],
            }));
        }
        let options = BuildOptions {
            constants: self.constants.clone(),
            ..BuildOptions::default()
        };
        let model = build(spec, &config, &options).map_err(|rejected| {
            self.refused(&Checked {
                spec: rejected.spec,
                config: Some(config.clone()),
                diagnostics: rejected.diagnostics,
            })
        })?;
        let input = self.spec.display().to_string();
        let report = omnilink_mc::check(&model, &input, &self.options(), progress, &print, None)
            .map_err(|error| Failure::new(FailureKind::Spec, error))?;
        let mut evidence = report.into_evidence(peak_bytes());
        evidence.config = self.config.as_ref().map(|config| config.display().to_string());
        evidence.notes.splice(0..0, warnings);
        tell_as_algorithm(&mut evidence);
        Ok(evidence)
    }

    fn options(&self) -> CheckOptions<'_> {
        CheckOptions {
            mode: match (self.dfs, self.simulate) {
                (true, _) => SearchMode::DepthFirst,
                (false, None) => SearchMode::BreadthFirst,
                (false, Some(behaviours)) => SearchMode::Simulate(SimulationOptions {
                    behaviours: (behaviours > 0).then_some(behaviours),
                    depth_max: self.depth.unwrap_or(BEHAVIOUR_LENGTH),
                    seed: self.seed,
                    is_generated: false,
                }),
            },
            workers: usize::from(self.workers),
            limits: self.limits,
            deadlock: self.deadlock,
            depth_max: self.depth,
            seed: self.seed,
            continues: self.continues,
            ..CheckOptions::default()
        }
    }
}

/// Prints what the specification prints where Python prints.
fn print(text: &str) {
    Python::attach(|py| {
        let printed = py
            .import("builtins")
            .and_then(|builtins| builtins.call_method1("print", (text,)));
        if let Err(error) = printed {
            error.write_unraisable(py, None);
        }
    });
}

/// Explores a specification.
#[pyfunction]
pub(crate) fn mc(py: Python<'_>, spec: FilePath, settings: Bound<'_, PyDict>) -> PyResult<Answer> {
    let question = Question::of(spec.0, &Settings(settings))?;
    let progress = Arc::new(SearchProgress::default());
    let seen = Arc::clone(&progress);
    let evidence = job::run(py, &|| progress.interrupt(), move |_| {
        deep_stack::run(|| question.answer(&seen))
    })??;
    Ok(Answer::or_fail(evidence, FailureKind::Spec)?)
}
