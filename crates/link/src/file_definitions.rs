//! Definitions for what the link file says about the whole spec.

use crate::algorithm::{Algorithm, AlgorithmLinkError};
use crate::error::LinkError;
use crate::link_file::{HiddenLink, LinkFile};
use crate::module::{Module, entry, name};
use crate::tag::tag_fields;
use omnilink_settings::toml_key;

/// Adds the definitions.
pub(crate) fn define_file(
    file: &LinkFile,
    algorithm: &Algorithm,
    module: &mut Module,
) -> Result<(), LinkError> {
    let none: &[&str] = &[];
    if let Some(view) = &file.view {
        module.operation(&name("view", "all"), none, view, entry("view"));
    }
    if let Some(abstraction) = &file.abstraction {
        module.operation(
            &name("abstraction", "all"),
            none,
            abstraction,
            entry("abstraction"),
        );
    }
    for (number, invariant) in file.invariants.iter().enumerate() {
        module.operation(
            &name("invariant", &number.to_string()),
            none,
            invariant,
            entry("invariants"),
        );
    }
    for (number, hidden) in file.hidden.iter().enumerate() {
        let action = hidden_action(hidden, algorithm).map_err(|problem| LinkError::Algorithm {
            entry: "[[hidden]]".to_owned(),
            problem: Box::new(problem),
        })?;
        module.operation(
            &name("hidden", &number.to_string()),
            none,
            &action,
            entry("[[hidden]]"),
        );
    }
    for (number, (tag, predicate)) in file.tags.iter().enumerate() {
        let takes: Vec<&str> = tag_fields(predicate).map(|(_, name)| name).collect();
        let made_from = entry(&format!("[tags] {}", toml_key(tag)));
        module.operation(&name("tag", &number.to_string()), &takes, predicate, made_from);
    }
    Ok(())
}

/// What happens unseen: an action, or the step of a label by any process.
fn hidden_action(hidden: &HiddenLink, algorithm: &Algorithm) -> Result<String, AlgorithmLinkError> {
    match (&hidden.action, &hidden.label) {
        (Some(action), None) => Ok(action.clone()),
        (None, Some(label)) => algorithm.step_of_any(label),
        _ => Err(AlgorithmLinkError::Entries(
            "give either `action`, a formula, or `label`, a label of a PlusCal algorithm",
        )),
    }
}
