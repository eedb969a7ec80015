//! Drivers in Rust.

use std::path::Path;

use super::{DriverAction, DriverPlan, drive, names};
use crate::identifier::snake_case;
use crate::parameter_type::ParameterType;
use crate::sections::Section;

pub(super) const MANIFEST: &str = "\
[package]
name = \"driver\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[[bin]]
name = \"driver\"
path = \"omnilink/main.rs\"

[dependencies]

# A package of its own, wherever its folder is.
[workspace]
";

pub(super) const IMPORTS: &str = "\
#[allow(unused_imports)]
use crate::json::Json;
#[allow(unused_imports)]
use crate::{Chosen, Fault};

";

pub(super) const SYSTEM: &str = include_str!("../templates/driver/system.rs.in");

fn type_name(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => "i64",
        ParameterType::Bool => "bool",
        ParameterType::Str | ParameterType::Model => "String",
        _ => "Json",
    }
}

pub(super) fn section(action: &DriverAction, name: &str) -> Section {
    let parameters = action.parameters.iter().zip(names::parameters(action));
    let parameters: String = parameters
        .map(|((_, kind), name)| format!(", _{}: {}", snake_case(&name), type_name(kind)))
        .collect();
    let name = snake_case(name);
    Section {
        name: format!("action {}", action.name),
        signature: action.signature(type_name),
        text: format!(
            "/// {}\npub fn {name}(_system: &mut System{parameters}) -> Result<Chosen, Fault> {{\n    \
             Err(Fault::Unimplemented(\"{name}\"))\n}}\n",
            action.place
        ),
    }
}

pub(super) fn actions(plan: &DriverPlan) -> String {
    let mut text = String::from(
        "//! Which function does which action. This file is rewritten at each generation.\n\n\
         use crate::json::Json;\nuse crate::system::{self, System};\nuse crate::{Chosen, Fault, parameter};\n\n\
         /// Does the action that a line names.\n\
         pub fn act(system: &mut System, told: &Json) -> Result<Chosen, Fault> {\n    \
         match told.get(\"action\").and_then(Json::as_str).unwrap_or_default() {\n",
    );
    for (action, name) in plan.actions.iter().zip(names::unique(plan)) {
        let parameters = action.parameters.iter();
        let parameters: String = parameters
            .map(|(name, _)| format!(", parameter(told, {name:?})?"))
            .collect();
        text.push_str(&format!(
            "        {:?} => system::{}(system{parameters}),\n",
            action.name,
            snake_case(&name)
        ));
    }
    text.push_str(
        "        _ => Err(Fault::Unimplemented(\"there is no such action in src/system.rs; run omnilink gen driver again\")),\n    }\n}\n",
    );
    // Without parameters in any action, the helper is not used.
    if plan.actions.iter().all(|action| action.parameters.is_empty()) {
        text.replace(
            "use crate::{Chosen, Fault, parameter};",
            "use crate::{Chosen, Fault};",
        )
    } else {
        text
    }
}

pub(super) fn run(plan: &DriverPlan, folder: &Path) -> String {
    let manifest = folder.join("Cargo.toml");
    let driver = folder.join("target/debug/driver");
    format!(
        "cargo build --manifest-path {} && {}",
        manifest.display(),
        drive(plan, &driver.display().to_string())
    )
}
