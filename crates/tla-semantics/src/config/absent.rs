//! Specs without behaviours: neither the configuration nor the module says what they are.

use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::Span;

use crate::config::Config;
use crate::entity::EntityKind;
use crate::level::Level;
use crate::spec::Spec;

/// The error that a module with variables has no behaviours under a configuration; `None` if it has some, or no variables.
pub fn absent_behaviour(spec: &Spec, config: &Config) -> Option<Diagnostic> {
    let root = spec.root()?;
    let is_given = config.specification.is_some() || config.init.is_some() || config.next.is_some();
    let is_found = ["Init", "Next"].iter().all(|name| spec.find(name).is_some());
    if is_given || (config.source.is_none() && is_found) {
        return None;
    }
    // The variables of an algorithm are declared by its translation.
    if root.variables.is_empty() && !has_untranslated_algorithm(spec) {
        return None;
    }
    let module = spec.names.text(root.name);
    let source = config.source.unwrap_or(spec.tree(root.tree).source);
    if has_untranslated_algorithm(spec) {
        let message = format!(
            "the PlusCal algorithm of module {module} is not translated, so there is nothing to explore"
        );
        return Some(Diagnostic::error(Class::Config, source, Span::default(), message).help(TRANSLATE));
    }
    let message = match config.source {
        Some(_) => {
            "the configuration says neither SPECIFICATION nor INIT and NEXT, so there is nothing to explore"
                .to_owned()
        }
        None => format!(
            "there is no configuration, and module {module} does not define Init and Next, so there is nothing to explore"
        ),
    };
    let candidates = candidates(spec);
    let help = match (&*candidates, config.source) {
        ([], Some(_)) => "add `INIT` and `NEXT`, each with the name of a definition".to_owned(),
        ([], None) => {
            format!("write {module}.cfg with `INIT` and `NEXT`, each with the name of a definition")
        }
        (names, Some(_)) => format!("add `SPECIFICATION {}`", names.join("` or `SPECIFICATION ")),
        (names, None) => format!(
            "write {module}.cfg with `SPECIFICATION {}`",
            names.join("` or `SPECIFICATION ")
        ),
    };
    Some(Diagnostic::error(Class::Config, source, Span::default(), message).help(help))
}

/// Advice about an algorithm that is not translated.
pub(super) const TRANSLATE: &str = "`omnilink tla translate` says what is wrong with it; with `--pluscal=use`, only a translation in the file counts";

/// Whether the root module has a PlusCal algorithm and no translation of it.
pub(super) fn has_untranslated_algorithm(spec: &Spec) -> bool {
    let Some(root) = spec.root() else { return false };
    let text = spec.sources.get(spec.tree(root.tree).source).text();
    let has_algorithm = ["--algorithm", "--fair algorithm"]
        .iter()
        .any(|word| text.contains(word));
    has_algorithm && spec.find("Init").is_none()
}

/// Definitions that read like a specification: temporal, without parameters.
fn candidates(spec: &Spec) -> Vec<&str> {
    const SHOWN_MAX: usize = 3;
    let Some(root) = spec.root() else {
        return Vec::new();
    };
    root.definitions
        .iter()
        .map(|definition| spec.entity(*definition))
        .filter(|entity| {
            matches!(entity.kind, EntityKind::Operator { .. })
                && entity.arity == 0
                && entity.level.level == Level::Temporal
        })
        .map(|entity| spec.names.text(entity.name))
        .take(SHOWN_MAX)
        .collect()
}
