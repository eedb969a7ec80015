//! Reading specs and configurations, with their mistakes rendered.

use std::path::Path;

use omnilink_tla::config::{self, Config};
use omnilink_tla::diagnostic::{Diagnostic, render};
use omnilink_tla::semantics::Loaded;
use omnilink_tla::semantics::search_path::read_text;
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::source::Source;

use crate::error::LinkError;

pub(crate) fn sound(loaded: Loaded) -> Result<Spec, LinkError> {
    if loaded.is_ok() {
        return Ok(loaded.spec);
    }
    Err(LinkError::Spec(rendered(&loaded.diagnostics, &loaded.spec)))
}

pub(crate) fn rendered(diagnostics: &[Diagnostic], spec: &Spec) -> String {
    let errors: Vec<String> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| render(diagnostic, &spec.sources))
        .collect();
    errors.join("\n")
}

pub(crate) fn read_config(spec: &mut Spec, path: Option<&Path>) -> Result<Config, LinkError> {
    let Some(path) = path else {
        return Ok(Config::default());
    };
    let text = read_text(path).map_err(|error| LinkError::File {
        path: path.display().to_string(),
        message: format!("{error}; give the path of a `.cfg` file"),
    })?;
    let source = spec.sources.add(Source::new(path, text));
    let mut diagnostics = Vec::new();
    let config = config::parse(source, spec.sources.get(source).text(), &mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(LinkError::Spec(rendered(&diagnostics, spec)));
    }
    Ok(config)
}

/// Drops the settings that only concern a model checker, with a note.
pub(crate) fn ignore_search_settings(config: &mut Config, notes: &mut Vec<String>) {
    let mut left = Vec::new();
    let mut leave = |what: &'static str, there: bool| {
        if there {
            left.push(what);
        }
    };
    leave("CONSTRAINT", !config.constraints.is_empty());
    leave("ACTION_CONSTRAINT", !config.action_constraints.is_empty());
    leave("PROPERTY", !config.properties.is_empty());
    leave("SYMMETRY", config.symmetry.is_some());
    config.constraints.clear();
    config.action_constraints.clear();
    config.properties.clear();
    config.postconditions.clear();
    config.periodic.clear();
    config.symmetry = None;
    config.alias = None;
    if !left.is_empty() {
        notes.push(format!(
            "{} of the configuration is for model checking and plays no part here",
            left.join(", ")
        ));
    }
}
