//! Definitions for what the link file says about the whole spec.

use crate::algorithm::{Algorithm, AlgorithmLinkError};
use crate::error::LinkError;
use crate::link_file::{HiddenLink, LinkFile};
use crate::module::{Module, name};
use crate::tag::tag_fields;

/// Adds the definitions.
pub(crate) fn define_file(
    file: &LinkFile,
    algorithm: &Algorithm,
    module: &mut Module,
) -> Result<(), LinkError> {
    let none: &[&str] = &[];
    if let Some(view) = &file.view {
        module.define(&name("view", "all"), none, view);
    }
    if let Some(abstraction) = &file.abstraction {
        module.define(&name("abstraction", "all"), none, abstraction);
    }
    for (number, invariant) in file.invariants.iter().enumerate() {
        module.define(&name("invariant", &number.to_string()), none, invariant);
    }
    for (number, hidden) in file.hidden.iter().enumerate() {
        let action = hidden_action(hidden, algorithm).map_err(|problem| LinkError::Algorithm {
            entry: "[[hidden]]".to_owned(),
            problem: Box::new(problem),
        })?;
        module.define(&name("hidden", &number.to_string()), none, &action);
    }
    for (number, predicate) in file.tags.values().enumerate() {
        let takes: Vec<&str> = tag_fields(predicate).map(|(_, name)| name).collect();
        module.define(&name("tag", &number.to_string()), &takes, predicate);
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

/// The names of these, in the order in which they are taken up again.
pub(crate) fn file_operations(file: &LinkFile) -> Vec<String> {
    let mut names = Vec::new();
    names.extend(file.view.iter().map(|_| name("view", "all")));
    names.extend(file.abstraction.iter().map(|_| name("abstraction", "all")));
    names.extend((0..file.invariants.len()).map(|number| name("invariant", &number.to_string())));
    names.extend((0..file.hidden.len()).map(|number| name("hidden", &number.to_string())));
    names.extend((0..file.tags.len()).map(|number| name("tag", &number.to_string())));
    names
}
