//! Evaluating one expression: what `omnilink tla eval` does, without its command line.
//!
//! The expression becomes the body of a definition in a module of its own. That module extends the built-in modules that
//! get along with each other, or the one spec that the expression is about; so an expression means here exactly what it
//! would mean in a spec, with the same checks and the same messages.

use std::path::{Path, PathBuf};

use omnilink_value::Value;
use thiserror::Error;

use crate::config::{self, Config, Named};
use crate::deep_stack;
use crate::diagnostic::{Diagnostic, render};
use crate::eval::error::Failure;
use crate::eval::{Evaluator, Quiet};
use crate::model::{BuildOptions, Model, build};
use crate::semantics::load_text;
use crate::semantics::search_path::{SearchPath, read_text};
use crate::semantics::spec::Spec;
use crate::source::{Source, Sources, Span};

/// The built-in modules that an expression may use without saying so: those of which no two define the same name.
pub const MODULES: &[&str] = &[
    "Integers",
    "Sequences",
    "FiniteSets",
    "TLC",
    "TLCExt",
    "Bags",
    "BagsExt",
    "Functions",
    "Folds",
    "FiniteSetsExt",
    "SequencesExt",
    "Bitwise",
    "Combinatorics",
    "Randomization",
    "Json",
    "CSV",
    "IOUtils",
    "VectorClocks",
    "Relation",
    "Graphs",
    "TransitiveClosure",
    "Statistics",
    "Quorum",
    "SVG",
    "GraphViz",
];

/// The module that is made around an expression, and the definition that is made of it.
const MODULE: &str = "Expression";
const DEFINITION: &str = "OmniLinkExpression";

/// In what surroundings an expression is evaluated.
#[derive(Clone, Debug, Default)]
pub struct EvaluateOptions {
    /// A spec whose definitions may be used, in the place of the built-in modules.
    pub file: Option<PathBuf>,
    /// A configuration that gives the constants of the spec their values.
    pub config: Option<PathBuf>,
    /// Expressions for constants, which count more than the configuration.
    pub constants: Vec<(String, String)>,
    /// Where modules are looked for, after the spec's own folder.
    pub search: SearchPath,
    /// Definitions that come before the expression.
    pub definitions: String,
    /// Integers of 32 bits, as in TLC.
    pub is_32_bit: bool,
    /// Whether the expression may run commands.
    pub may_execute: bool,
    /// Tells when evaluation must end: time is up, or someone interrupts.
    pub is_over: Option<fn() -> bool>,
}

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value as TLC would print it.
    pub text: String,
    /// The value itself; `None` if it is one that is only described, such as `Nat`.
    pub value: Option<Value>,
    /// What was printed on the way.
    pub printed: Vec<String>,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EvaluateError {
    /// The kind of the error, in a word: `parse`, `undefined`, `type`, `domain` …
    pub class: &'static str,
    /// What is wrong, on one line.
    pub message: String,
    /// The same with the line in question, the values of names, and what to do.
    pub rendered: String,
    /// What was printed before it went wrong.
    pub printed: Vec<String>,
}

/// Evaluates a constant expression.
///
/// # Errors
/// When the expression, the spec or the configuration cannot be read or understood, and when evaluation fails.
pub fn evaluate(text: &str, options: &EvaluateOptions) -> Result<Evaluated, EvaluateError> {
    let model = model_of(text, options)?;
    let Some(formula) = model.alias else {
        return Err(plain_error("the expression has no meaning".into()));
    };
    deep_stack::run(|| {
        let mut session = Quiet::default();
        if options.is_32_bit {
            session = session.with_32_bits();
        }
        if options.may_execute {
            session = session.allow_execution();
        }
        if let Some(is_over) = options.is_over {
            session = session.until(is_over);
        }
        let mut evaluator = Evaluator::new(&model.program, &session);
        let shown = evaluator.datum(formula).and_then(|datum| {
            let text = evaluator.text(&datum)?;
            Ok((text, evaluator.canonical(datum).ok()))
        });
        match shown {
            Ok((text, value)) => Ok(Evaluated {
                text,
                value,
                printed: session.printed(),
            }),
            Err(failure) => Err(failed(&failure, &model.program.sources, session.printed())),
        }
    })
}

/// The module that says what the expression is. Its first line ends where the text of the user begins, so that columns, which
/// junction lists depend on, are those that the user sees.
fn module_text(text: &str, extends: &str, definitions: &str) -> String {
    format!("---- MODULE {MODULE} ---- EXTENDS {extends}\n{definitions}\n{DEFINITION} ==\n{text}\n====\n")
}

fn model_of(text: &str, options: &EvaluateOptions) -> Result<Model, EvaluateError> {
    let (extends, search) = match &options.file {
        None => (MODULES.join(", "), options.search.clone()),
        Some(file) => {
            let Some(module) = file.file_stem().and_then(|stem| stem.to_str()) else {
                return Err(plain_error(format!(
                    "{}: give the path of a `.tla` file",
                    file.display()
                )));
            };
            if let Err(error) = std::fs::metadata(file) {
                return Err(plain_error(format!(
                    "{}: {error}; give the path of a `.tla` file",
                    file.display()
                )));
            }
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            (module.to_owned(), options.search.with_first(folder))
        }
    };
    let path = PathBuf::from(format!("{MODULE}.tla"));
    let loaded = load_text(&path, module_text(text, &extends, &options.definitions), &search);
    refuse(&loaded.diagnostics, &loaded.spec.sources)?;
    let mut spec = loaded.spec;
    let config = constants_of(&mut spec, options)?;
    let build_options = BuildOptions {
        is_32_bit: options.is_32_bit,
        constants: options.constants.clone(),
        ..BuildOptions::default()
    };
    build(spec, &config, &build_options).map_err(|rejected| {
        refuse(&rejected.diagnostics, &rejected.spec.sources)
            .err()
            .unwrap_or_else(|| plain_error("the constants do not fit the spec".into()))
    })
}

/// A configuration that gives constants their values and asks for nothing but the expression.
fn constants_of(spec: &mut Spec, options: &EvaluateOptions) -> Result<Config, EvaluateError> {
    let mut config = Config {
        alias: Some(Named {
            name: DEFINITION.into(),
            span: Span::default(),
        }),
        ..Config::default()
    };
    let Some(path) = &options.config else {
        return Ok(config);
    };
    let text = read_text(path).map_err(|error| {
        plain_error(format!(
            "{}: {error}; give the path of a `.cfg` file",
            path.display()
        ))
    })?;
    let source = spec.sources.add(Source::new(path, text));
    let mut diagnostics = Vec::new();
    let given = config::parse(source, spec.sources.get(source).text(), &mut diagnostics);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        given.check(spec, &mut diagnostics);
    }
    refuse(&diagnostics, &spec.sources)?;
    config.source = Some(source);
    config.constants = given.constants;
    Ok(config)
}

/// The errors among some diagnostics, as one error.
fn refuse(diagnostics: &[Diagnostic], sources: &Sources) -> Result<(), EvaluateError> {
    let errors: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let rendered: Vec<String> = errors.iter().map(|error| render(error, sources)).collect();
    Err(EvaluateError {
        class: first.class.word(),
        message: first.message.clone(),
        rendered: rendered.join("\n"),
        printed: Vec::new(),
    })
}

fn failed(failure: &Failure, sources: &Sources, printed: Vec<String>) -> EvaluateError {
    let mut shown = failure.clone();
    // The definition that was made of the expression is not the user's.
    shown.calls.retain(|call| call.name != DEFINITION);
    EvaluateError {
        class: failure.class.word(),
        message: failure.message.clone(),
        rendered: shown.render(sources),
        printed,
    }
}

fn plain_error(message: String) -> EvaluateError {
    EvaluateError {
        class: "io",
        rendered: format!("error: {message}\n"),
        message,
        printed: Vec::new(),
    }
}
