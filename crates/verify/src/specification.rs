//! A specification with its configuration, as everything that explores its states takes it.

use std::path::PathBuf;

use omnilink_tla::config::Config;
use omnilink_tla::diagnostic::{Diagnostic, Severity};
use omnilink_tla::model::{BuildOptions, CompiledSpec, absent_behaviour, build};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::{Checked, GivenCheck, SpecOptions, check, render_check_json, render_check_text};
use thiserror::Error;

/// Where a specification is, and what is given besides.
#[derive(Clone, Debug, Default)]
pub struct SpecSource {
    /// Its file.
    pub spec: PathBuf,
    /// Its configuration; if not given, the `.cfg` of the same name next to it, if there is one.
    pub config: Option<PathBuf>,
    /// Expressions for constants, which count more than the configuration's.
    pub constants: Vec<(String, String)>,
    /// Where modules are looked for, after the specification's own folder, and how PlusCal is read.
    pub search: SearchPath,
    /// Expressions over its states and steps.
    pub expressions: Vec<String>,
    /// Invariants and the like, besides those of its configuration.
    pub checks: Vec<GivenCheck>,
    /// Integers of 32 bits, as in TLC.
    pub is_32_bit: bool,
    /// Whether warnings are errors.
    pub is_strict: bool,
}

/// A specification that can be explored.
#[derive(Debug)]
pub struct BuiltSpec {
    /// Its initial states, its steps and its properties.
    pub model: CompiledSpec,
    /// What may be wrong with it.
    pub warnings: Vec<String>,
    /// Its configuration.
    pub(crate) config: Config,
}

/// A specification that is wrong, or whose configuration is.
#[derive(Debug, Error)]
#[error("{}", render_check_text(path, checked).trim_end())]
pub struct RefusedSpec {
    path: PathBuf,
    checked: Checked,
}

impl RefusedSpec {
    /// What is wrong, as a text of several lines.
    pub fn text(&self) -> String {
        render_check_text(&self.path, &self.checked)
    }

    /// The same as JSON.
    pub fn to_json(&self) -> String {
        render_check_json(&self.path, &self.checked).to_string()
    }
}

impl SpecSource {
    /// A specification with nothing given besides.
    pub fn new(spec: impl Into<PathBuf>) -> Self {
        Self {
            spec: spec.into(),
            ..Self::default()
        }
    }

    /// Reads it and everything that it uses.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn build(&self) -> Result<BuiltSpec, Box<RefusedSpec>> {
        let beside = self.spec.with_extension("cfg");
        let options = SpecOptions {
            search: self.search.clone(),
            config: self.config.clone().or_else(|| beside.exists().then_some(beside)),
            expressions: self.expressions.clone(),
            constants: self.constants.iter().map(|(name, _)| name.clone()).collect(),
            checks: self.checks.clone(),
        };
        let mut checked = check(&self.spec, &options);
        if self.is_strict {
            let diagnostics = checked.diagnostics.iter_mut();
            diagnostics.for_each(|diagnostic| diagnostic.severity = Severity::Error);
        }
        if !checked.is_ok() {
            return Err(self.refused(checked));
        }
        let warnings = checked.diagnostics.iter();
        let warnings = warnings.map(|warning| placed(warning, &checked.spec)).collect();
        let config = checked.config.unwrap_or_default();
        if let Some(absent) = absent_behaviour(&checked.spec, &config) {
            return Err(self.refused(Checked {
                spec: checked.spec,
                config: Some(config),
                diagnostics: vec![absent],
                given: Vec::new(),
            }));
        }
        let options = BuildOptions {
            is_32_bit: self.is_32_bit,
            constants: self.constants.clone(),
            expressions: self.expressions.clone(),
            ..BuildOptions::default()
        };
        match build(checked.spec, &config, &options) {
            Ok(mut model) => {
                for (name, text) in &checked.given {
                    model.rename(name, text);
                }
                Ok(BuiltSpec {
                    model,
                    warnings,
                    config,
                })
            }
            Err(rejected) => Err(self.refused(Checked {
                spec: rejected.spec,
                config: Some(config),
                diagnostics: rejected.diagnostics,
                given: Vec::new(),
            })),
        }
    }

    fn refused(&self, checked: Checked) -> Box<RefusedSpec> {
        debug_assert!(checked.diagnostics.iter().any(Diagnostic::is_error));
        Box::new(RefusedSpec {
            path: self.spec.clone(),
            checked,
        })
    }
}

/// A warning with its line.
fn placed(warning: &Diagnostic, spec: &Spec) -> String {
    let source = spec.sources.get(warning.source);
    let line = source.line_column(warning.span.start).line;
    format!("{}:{line}: {}", source.path().display(), warning.message)
}
