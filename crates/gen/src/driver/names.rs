//! Names of actions and parameters as identifiers of all languages that drivers are in.

use super::{DriverAction, DriverPlan};
use crate::identifier::identifier as of_harness;

/// Words that Python or Java do not take as names, or that drivers use themselves.
const TAKEN: &[&str] = &[
    "None",
    "True",
    "False",
    "assert",
    "boolean",
    "byte",
    "def",
    "del",
    "elif",
    "except",
    "extends",
    "finally",
    "from",
    "global",
    "implements",
    "import",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "native",
    "nonlocal",
    "null",
    "observe",
    "package",
    "parameters",
    "pass",
    "raise",
    "start",
    "state",
    "synchronized",
    "throws",
    "transient",
    "with",
    "Json",
    "Sut",
    "Map",
    "Object",
];

pub(super) fn identifier(name: &str) -> String {
    let name = of_harness(name);
    if TAKEN.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

/// The identifiers of the parameters of an action.
pub(super) fn parameters(action: &DriverAction) -> Vec<String> {
    let mut names = Vec::new();
    for (name, _) in &action.parameters {
        names.push(distinct(identifier(name), &names));
    }
    names
}

/// The identifiers of the actions.
pub(super) fn unique(plan: &DriverPlan) -> Vec<String> {
    let mut names = Vec::new();
    for action in &plan.actions {
        names.push(distinct(identifier(&action.name), &names));
    }
    names
}

/// A name that is none of the others.
fn distinct(name: String, others: &[String]) -> String {
    let mut found = name.clone();
    let mut number = 2;
    while others.contains(&found) {
        found = format!("{name}{number}");
        number += 1;
    }
    found
}
