//! Evaluation of one expression, the library side of `omnilink tla eval`.
//!
//! The expression becomes the body of a definition in a module of its own. That module extends the built-in modules that are compatible
//! with each other, or the given spec. So the expression has the same meaning, checks and messages as in a spec.

use std::path::{Path, PathBuf};

use omnilink_value::Value;
use thiserror::Error;

use crate::config::{self, Config, Named};
use crate::deep_stack;
use crate::diagnostic::{Diagnostic, render};
use crate::eval::error::Failure;
use crate::eval::{Evaluator, SilentSession};
use crate::model::{BuildOptions, CompiledSpec, build};
use crate::semantics::load_text;
use crate::semantics::search_path::{SearchPath, read_text};
use crate::semantics::spec::Spec;
use crate::source::{Source, Sources, Span};

/// The built-in modules that an expression may use. No two of them define the same name.
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

/// The names of the module around an expression and of its definition.
const MODULE: &str = "Expression";
const DEFINITION: &str = "OmniLinkExpression";

/// Options of [`evaluate`].
#[derive(Clone, Debug, Default)]
pub struct EvaluateOptions {
    /// A spec whose definitions may be used, instead of the built-in modules.
    pub file: Option<PathBuf>,
    /// A configuration with values for the constants of the spec.
    pub config: Option<PathBuf>,
    /// Expressions for constants, which override the configuration.
    pub constants: Vec<(String, String)>,
    /// The folders searched for modules, after the spec's own.
    pub search: SearchPath,
    /// Definitions that come before the expression.
    pub definitions: String,
    /// Integers of 32 bits, as in TLC.
    pub is_32_bit: bool,
    /// Whether the expression may run commands.
    pub may_execute: bool,
    /// Whether evaluation must stop, because of a time limit or an interrupt.
    pub is_over: Option<fn() -> bool>,
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value as TLC would print it.
    pub text: String,
    /// The value; `None` if it cannot be enumerated, such as `Nat`.
    pub value: Option<Value>,
    /// The lines printed during evaluation.
    pub printed: Vec<String>,
}

/// An error in an expression or its evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EvaluateError {
    /// The kind of the error, in a word: `parse`, `undefined`, `type`, `domain` …
    pub class: &'static str,
    /// What is wrong, on one line.
    pub message: String,
    /// The same with the source line, the values of names, and advice.
    pub rendered: String,
    /// The lines printed before the error.
    pub printed: Vec<String>,
}

/// Evaluates a constant expression.
///
/// # Errors
/// Errors in the expression, the spec or the configuration, and evaluation errors.
pub fn evaluate(text: &str, options: &EvaluateOptions) -> Result<Evaluated, EvaluateError> {
    let model = model_of(text, options)?;
    let Some(formula) = model.alias else {
        return Err(plain_error("the expression has no meaning".into()));
    };
    deep_stack::run(|| {
        let mut session = SilentSession::default();
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

/// The text of the module around the expression. The user's text begins on a line of its own, so that its columns, which matter to
/// junction lists, stay the same.
fn module_text(text: &str, extends: &str, definitions: &str) -> String {
    format!("---- MODULE {MODULE} ---- EXTENDS {extends}\n{definitions}\n{DEFINITION} ==\n{text}\n====\n")
}

fn model_of(text: &str, options: &EvaluateOptions) -> Result<CompiledSpec, EvaluateError> {
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

/// A configuration with the values of constants and nothing to check but the expression.
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
        given.check(spec, &[], &mut diagnostics);
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
    // The artificial definition is not the user's.
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
