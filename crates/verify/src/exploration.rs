//! The states of a specification, explored to evidence.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use omnilink_evidence::{Behaviour, Evidence, StateGraph};
use omnilink_mc::report::Answer;
use omnilink_mc::{
    CheckOptions, Disagreement, Dump, DumpFormat, GraphSink, ModelCheckError, SearchMode, SearchProgress,
    SmallGraph, TraceFormat,
};
use omnilink_memory::peak_bytes;
use omnilink_tla::deep_stack;
use omnilink_tla::model::CompiledSpec;
use serde_json::json;
use thiserror::Error;

use crate::algorithm_run::tell_as_algorithm;
use crate::error::VerifyError;
use crate::specification::{BuiltSpec, RefusedSpec, SpecSource};
use crate::trace_spec::{TraceSpec, TracedSpec};

/// What is wanted of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct McRequest<'a> {
    /// How the states are searched, and within which limits.
    pub options: CheckOptions<'a>,
    /// Where the state graph is written while it is explored: for Graphviz if the name ends in `.dot`, otherwise one JSON object a line.
    pub dump: Option<&'a Path>,
    /// Whether the evidence has the state graph, if that is small.
    pub has_graph: bool,
    /// The format in which a counterexample is wanted besides the evidence.
    pub trace: Option<TraceFormat>,
    /// The name of a module that is to have the counterexample as its only behaviour.
    pub trace_spec: Option<&'a str>,
}

/// What an exploration found out.
#[derive(Debug)]
pub struct McAnswer {
    /// The verdict with its counterexample and its figures.
    pub evidence: Evidence,
    /// The counterexample in the format that was asked for, if there is one with states.
    pub trace: Option<String>,
    /// The counterexample as a specification, if that was asked for, and there is one with states.
    pub trace_spec: Option<TraceSpec>,
}

/// Why the states of a specification could not be explored.
#[derive(Debug, Error)]
pub enum McError {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] Box<RefusedSpec>),
    /// The search cannot be carried out.
    #[error(transparent)]
    Explore(#[from] ModelCheckError),
    /// The state graph cannot be written.
    #[error(transparent)]
    Dump(#[from] VerifyError),
}

/// Explores the states of a specification. `live` counts them meanwhile, and `print` gets what the specification prints.
///
/// ```
/// use omnilink_evidence::Verdict;
/// use omnilink_verify::{McRequest, SpecSource, mc};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("Clock.tla");
/// # std::fs::write(&path, "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE hour\n\
/// #   Init == hour = 0\nNext == hour' = (hour + 1) % 24\nSmall == hour < 12\n====\n")?;
/// # std::fs::write(path.with_extension("cfg"), "INIT Init\nNEXT Next\nINVARIANT Small\n")?;
/// let explored = mc(&SpecSource::new(path), &McRequest::default(), &Default::default(), &|_| {})?;
/// assert_eq!(explored.evidence.verdict, Verdict::Violation);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the specification is wrong, or the search cannot be carried out. Violations and limits are part of the evidence.
pub fn mc(
    source: &SpecSource,
    request: &McRequest<'_>,
    live: &SearchProgress,
    print: &(dyn Fn(&str) + Sync),
) -> Result<McAnswer, McError> {
    deep_stack::run(|| source.build()?.explore(source, request, live, print))
}

impl BuiltSpec {
    /// Explores its states. `live` counts them meanwhile, and `print` gets what the specification prints.
    ///
    /// # Errors
    /// If the search cannot be carried out.
    pub fn explore(
        &self,
        source: &SpecSource,
        request: &McRequest<'_>,
        live: &SearchProgress,
        print: &(dyn Fn(&str) + Sync),
    ) -> Result<McAnswer, McError> {
        let (model, options) = (&self.model, &request.options);
        let input = source.spec.display().to_string();
        let unwritable = |path: &Path, error| VerifyError::Write {
            path: path.to_owned(),
            error,
        };
        let mut dump = match request.dump {
            Some(path) => {
                let dump = dump_to(path, model).map_err(|error| unwritable(path, error))?;
                Some((path, dump))
            }
            None => None,
        };
        let sink = dump.as_mut().map(|(_, dump)| dump as &mut dyn GraphSink);
        let mut report = omnilink_mc::check(model, &input, options, live, print, sink)?;
        report.config = source.config.as_ref().map(|config| config.display().to_string());
        if let Some((path, dump)) = dump {
            dump.finish().map_err(|error| unwritable(path, error))?;
        }
        let is_search = matches!(options.mode, SearchMode::BreadthFirst | SearchMode::DepthFirst);
        let graph = if is_search && request.has_graph {
            small_graph(model, &input, options, report.figures.distinct)
        } else {
            None
        };
        let trace = match (&report.answer, request.trace) {
            (Answer::Wrong(violation), Some(format)) => format.text(violation, &variable_names(model)),
            _ => None,
        };
        let trace_spec = match (&report.answer, request.trace_spec) {
            (Answer::Wrong(violation), Some(name)) => self.trace_spec(source, name, violation),
            _ => None,
        };
        if let Some(disagreement) = &report.disagreement {
            let note = self.disagreement_note(source, disagreement);
            report.notes.insert(0, note);
        }
        let mut evidence = report.into_evidence(peak_bytes());
        evidence.notes.splice(0..0, self.warnings.iter().cloned());
        tell_as_algorithm(&mut evidence);
        if let Some(exploration) = &mut evidence.exploration {
            exploration.graph = graph;
        }
        Ok(McAnswer {
            evidence,
            trace,
            trace_spec,
        })
    }
}

impl BuiltSpec {
    /// A counterexample as a specification of this name.
    fn trace_spec(&self, source: &SpecSource, name: &str, violation: &Behaviour) -> Option<TraceSpec> {
        let operators = &self.model.program.operators;
        let traced = TracedSpec {
            module: source.spec.file_stem()?.to_str()?,
            variables: &variable_names(&self.model),
            config: &self.config,
            constants: &source.constants,
            defines: &|name| {
                let mut definitions = operators.iter().filter(|operator| operator.is_definition);
                definitions.any(|operator| &*operator.name == name)
            },
        };
        traced.of(name, violation)
    }

    /// That compiled code was wrong, where, and the file with all that reproduces it.
    fn disagreement_note(&self, source: &SpecSource, disagreement: &Disagreement) -> String {
        let path = source.spec.with_extension("disagreement.json");
        let named = variable_names(&self.model).into_iter().zip(&disagreement.state);
        let state: serde_json::Map<String, serde_json::Value> = named
            .map(|(name, value)| (name, value.to_string().into()))
            .collect();
        let sources = self.model.program.sources.iter();
        let sources: serde_json::Map<String, serde_json::Value> = sources
            .map(|(_, text)| (text.path().display().to_string(), text.text().into()))
            .collect();
        let config = source.config.as_ref().map(|config| config.display().to_string());
        let file = json!({
            "omnilink": env!("CARGO_PKG_VERSION"),
            "spec": source.spec.display().to_string(),
            "config": config,
            "what": disagreement.what,
            "level": disagreement.level,
            "state": state,
            "compiled": disagreement.compiled,
            "evaluated": disagreement.evaluated,
            "sources": sources,
        });
        let written = std::fs::write(&path, format!("{file:#}\n"));
        let place = match written {
            Ok(()) => format!("please report {}", path.display()),
            Err(error) => format!("{} cannot be written: {error}", path.display()),
        };
        format!(
            "warning: compiled code and the evaluator differ in {} of a state at level {}; this is a mistake of omnilink. The evaluator alone has given this answer ({place})",
            disagreement.what, disagreement.level
        )
    }
}

fn dump_to(path: &Path, model: &CompiledSpec) -> std::io::Result<Dump<BufWriter<File>>> {
    let is_dot = path.extension().is_some_and(|extension| extension == "dot");
    let format = if is_dot {
        DumpFormat::Dot
    } else {
        DumpFormat::Ndjson
    };
    let file = BufWriter::new(File::create(path)?);
    Dump::new(file, format, variable_names(model), action_names(model))
}

/// The graph of a specification whose search found this many states; `None` if that is too many to be drawn, or the graph is not known.
///
/// The search is made again, which takes no time for so few states: so searches of large specifications need not keep their steps. A
/// specification that may run commands is not explored twice.
fn small_graph(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions<'_>,
    distinct: u64,
) -> Option<StateGraph> {
    if distinct > StateGraph::STATES_MAX as u64 || options.may_execute {
        return None;
    }
    let options = CheckOptions {
        mode: SearchMode::BreadthFirst,
        workers: 1,
        checkpoints: None,
        ..*options
    };
    let mut graph = SmallGraph::new(variable_names(model), action_names(model));
    let live = SearchProgress::default();
    omnilink_mc::check(model, input, &options, &live, &|_| {}, Some(&mut graph)).ok()?;
    graph.finish().filter(|graph| !graph.states.is_empty())
}

/// The names of the variables of a specification.
pub fn variable_names(model: &CompiledSpec) -> Vec<String> {
    let variables = model.program.variables.iter();
    variables.map(|name| name.to_string()).collect()
}

fn action_names(model: &CompiledSpec) -> Vec<String> {
    let actions = model.program.actions.iter();
    actions.map(|action| action.name.to_string()).collect()
}
