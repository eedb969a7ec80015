//! Drivers in Java.

use std::path::Path;

use super::{DriverAction, DriverPlan, drive, names};
use crate::parameter_type::ParameterType;
use crate::sections::Section;

pub(super) const MAKEFILE: &str = "\
classes/omnilink/Driver.class: omnilink/Driver.java omnilink/Json.java sut/Sut.java
\tjavac --release 17 -d classes $^

clean:
\trm -rf classes
.PHONY: clean
";

pub(super) const IMPORTS: &str = "\
package sut;

import java.util.List;
import java.util.Map;
import omnilink.Driver.Unimplemented;

@SuppressWarnings(\"unused\")
public class Sut {
";

pub(super) const SYSTEM: &str = "\
    /** A new system, in this initial state of the specification. */
    public Sut(Map<?, ?> state) {
        throw new Unimplemented(\"Sut\");
    }

    /**
     * What can be seen of the system: variables of the specification, and names of --observe, with their values. What is absent, or
     * null, is unknown. Sets and sequences are lists, records and functions maps.
     */
    public Map<String, ?> observe() {
        return Map.of();
    }
";

fn type_name(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => "long",
        ParameterType::Bool => "boolean",
        ParameterType::Str | ParameterType::Model => "String",
        ParameterType::Seq(_) | ParameterType::Set(_) => "List<?>",
        ParameterType::Record(_) => "Map<?, ?>",
        ParameterType::Unknown => "Object",
    }
}

fn cast(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => "(Long) ",
        ParameterType::Bool => "(Boolean) ",
        ParameterType::Str | ParameterType::Model => "(String) ",
        ParameterType::Seq(_) | ParameterType::Set(_) => "(List<?>) ",
        ParameterType::Record(_) => "(Map<?, ?>) ",
        ParameterType::Unknown => "",
    }
}

pub(super) fn section(action: &DriverAction, name: &str) -> Section {
    let parameters = action.parameters.iter().zip(names::parameters(action));
    let parameters: Vec<String> = parameters
        .map(|((_, kind), name)| format!("{} {name}", type_name(kind)))
        .collect();
    Section {
        name: format!("action {}", action.name),
        signature: action.signature(type_name),
        text: format!(
            "    /** {}. Returns the parameters that the system chose by itself, or null. */\n    \
             public Map<String, ?> {name}({}) throws Exception {{\n        throw new Unimplemented(\"{name}\");\n    }}\n",
            action.place,
            parameters.join(", ")
        ),
    }
}

pub(super) fn driver(plan: &DriverPlan) -> String {
    let actions = plan.actions.iter().zip(names::unique(plan));
    let actions: String = actions
        .map(|(action, name)| {
            let parameters = action.parameters.iter();
            let parameters: Vec<String> = parameters
                .map(|(name, kind)| format!("{}parameters.get({name:?})", cast(kind)))
                .collect();
            format!(
                "            case {:?} -> system.{name}({});\n",
                action.name,
                parameters.join(", ")
            )
        })
        .collect();
    let mut text = include_str!("../templates/driver/Driver.java.in").replace("@ACTIONS@", &actions);
    if actions.contains("(List<?>)") {
        text = text.replace(
            "import java.util.Map;",
            "import java.util.List;\nimport java.util.Map;",
        );
    }
    text
}

pub(super) fn run(plan: &DriverPlan, folder: &Path) -> String {
    let classes = folder.join("classes");
    format!(
        "make -C {} && {}",
        folder.display(),
        drive(plan, &format!("java -cp {} omnilink.Driver", classes.display()))
    )
}
