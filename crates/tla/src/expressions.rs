//! Expressions over the states and steps of a spec, given by the user beside it.
//!
//! They become definitions at the end of the spec's module, so they have the same meaning, checks and messages as if they had been
//! written there.

use std::path::Path;

use crate::diagnostic::{Class, Diagnostic};
use crate::semantics::level::Level;
use crate::semantics::search_path::SearchPath;
use crate::semantics::spec::Spec;
use crate::semantics::{Loaded, load_text};

/// The name of the definition for the expression of this number.
pub(crate) fn definition_name(number: usize) -> String {
    format!("OmniLinkExpression{number}")
}

/// Loads a spec again with definitions for these expressions, of which the first ones must have a value in a state. The spec must have been loaded without errors.
pub(crate) fn load_with(
    spec: &Spec,
    path: &Path,
    search: &SearchPath,
    expressions: &[String],
    with_value: usize,
) -> Option<Loaded> {
    let root = spec.root()?;
    let tree = spec.tree(root.tree);
    let module = tree.modules.get(tree.root?.0 as usize)?;
    let text = spec.sources.get(tree.source).text();
    let end = text.get(..module.span.end as usize)?.trim_end_matches('=').len();
    let definitions: String = expressions
        .iter()
        .enumerate()
        .map(|(number, expression)| format!("{} ==\n{expression}\n", definition_name(number)))
        .collect();
    let text = format!("{}\n{definitions}{}", &text[..end], &text[end..]);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let search = search.with_first(folder.unwrap_or(Path::new(".")));
    let mut loaded = load_text(path, text, &search);
    for number in 0..with_value {
        let Some(found) = loaded.spec.find(&definition_name(number)) else {
            continue;
        };
        let entity = loaded.spec.entity(found.entity);
        if entity.level.level == Level::Temporal {
            let message = "this is a formula about whole behaviours, which has no value in a state";
            let error = Diagnostic::error(Class::Level, entity.source, entity.span, message);
            loaded
                .diagnostics
                .push(error.help("give an expression without [], <>, WF and SF"));
        }
    }
    Some(loaded)
}
