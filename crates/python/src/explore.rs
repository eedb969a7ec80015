//! `omnilink.mc`: explores the states of a TLA+ specification.

use std::path::PathBuf;
use std::sync::Arc;

use omnilink_evidence::Evidence;
use omnilink_mc::{CheckOptions, SearchLimits, SearchMode, SearchProgress, SimulationOptions};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_verify::{McRequest, SpecSource};
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
    source: SpecSource,
    workers: u16,
    dfs: bool,
    simulate: Option<u64>,
    depth: Option<u32>,
    seed: u64,
    deadlock: Option<bool>,
    continues: bool,
    limits: SearchLimits,
}

impl Question {
    fn of(spec: PathBuf, settings: &Settings<'_>) -> Result<Self, Failure> {
        Ok(Self {
            source: SpecSource {
                spec,
                config: settings.path("config")?,
                constants: settings.constants()?,
                search: SearchPath::new(settings.paths("library")?),
                is_strict: settings.flag("strict")?,
                ..SpecSource::default()
            },
            workers: settings
                .get("workers", "how many threads")?
                .unwrap_or(1)
                .clamp(1, 1024),
            dfs: settings.flag("dfs")?,
            simulate: settings.count("simulate")?,
            depth: settings.get("depth", "a depth, such as 100")?,
            seed: settings.count("seed")?.unwrap_or_default(),
            deadlock: settings.get("deadlock", "True, False or None")?,
            continues: settings.flag("find_all")?,
            limits: SearchLimits {
                time: settings.time_limit()?,
                memory_bytes: settings
                    .memory_limit()?
                    .unwrap_or_else(|| SearchLimits::default().memory_bytes),
            },
        })
    }

    fn answer(&self, progress: &SearchProgress) -> Result<Evidence, Failure> {
        let request = McRequest {
            options: self.options(),
            ..McRequest::default()
        };
        let explored = omnilink_verify::mc(&self.source, &request, progress, &print)
            .map_err(|error| Failure::new(FailureKind::Spec, error))?;
        Ok(explored.evidence)
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
    let evidence = job::run(py, &|| progress.interrupt(), move |_| question.answer(&seen))??;
    Ok(Answer::or_fail(evidence, FailureKind::Spec)?)
}
