//! Drivers in Python.

use std::path::Path;

use super::{DriverAction, DriverPlan, drive, names};
use crate::parameter_type::ParameterType;
use crate::sections::Section;

pub(super) const SYSTEM: &str = "\
def start(state):
    \"\"\"Returns a new system, in this initial state of the specification.\"\"\"
    raise NotImplementedError(\"start\")


def observe(system):
    \"\"\"What can be seen of the system: variables of the specification, and names of --observe, with their values.

    What is absent, or None, is unknown. Sets and sequences are lists, records and functions dictionaries.
    \"\"\"
    return {}
";

fn type_name(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => "int",
        ParameterType::Bool => "bool",
        ParameterType::Str | ParameterType::Model => "str",
        ParameterType::Seq(_) | ParameterType::Set(_) => "list",
        ParameterType::Record(_) => "dict",
        ParameterType::Unknown => "object",
    }
}

pub(super) fn section(action: &DriverAction, name: &str) -> Section {
    let parameters = action.parameters.iter().zip(names::parameters(action));
    let parameters = parameters.map(|((_, kind), name)| format!("{name}: {}", type_name(kind)));
    let parameters: Vec<String> = std::iter::once("system".to_owned()).chain(parameters).collect();
    Section {
        name: format!("action {}", action.name),
        signature: action.signature(type_name),
        text: format!(
            "def {name}({}):\n    \"\"\"{}\"\"\"\n    raise NotImplementedError(\"{name}\")\n",
            parameters.join(", "),
            action.place
        ),
    }
}

pub(super) fn driver(plan: &DriverPlan) -> String {
    let actions = plan.actions.iter().zip(names::unique(plan));
    let actions: String = actions
        .map(|(action, name)| {
            let parameters: Vec<String> = action
                .parameters
                .iter()
                .map(|(name, _)| format!("{name:?}"))
                .collect();
            format!(
                "    {:?}: ({name:?}, [{}]),\n",
                action.name,
                parameters.join(", ")
            )
        })
        .collect();
    include_str!("../templates/driver/driver.py.in").replace("@ACTIONS@", &actions)
}

pub(super) fn run(plan: &DriverPlan, folder: &Path) -> String {
    let driver = folder.join("omnilink/driver.py");
    drive(plan, &format!("python3 {}", driver.display()))
}
