//! Drivers in C++.

use std::path::Path;

use super::{DriverAction, DriverPlan, drive, names};
use crate::parameter_type::ParameterType;
use crate::sections::Section;

pub(super) const MAKEFILE: &str = "\
CXXFLAGS ?= -O1 -g -Wall -Wextra

driver: omnilink/main.cpp omnilink/json.hpp system.hpp
\t$(CXX) -std=c++17 $(CXXFLAGS) -o $@ omnilink/main.cpp $(LDFLAGS) $(LDLIBS)

clean:
\trm -f driver
.PHONY: clean
";

pub(super) const INCLUDES: &str = "\
#pragma once

#include <string>

#include \"omnilink/json.hpp\"

";

pub(super) const SYSTEM: &str = "\
struct System {
    // A new system, in this initial state of the specification.
    explicit System(const omnilink::Json& state) {
        (void)state;
        throw omnilink::Unimplemented(\"System\");
    }

    // What can be seen of the system: variables of the specification, and names of --observe, with their values. What is absent, or
    // null, is unknown. Sets and sequences are lists, records and functions objects.
    omnilink::Json observe() { return omnilink::Json::object(); }
};
";

fn type_name(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => "long long",
        ParameterType::Bool => "bool",
        ParameterType::Str | ParameterType::Model => "const std::string&",
        _ => "const omnilink::Json&",
    }
}

fn reader(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Int => ".as_int()",
        ParameterType::Bool => ".as_bool()",
        ParameterType::Str | ParameterType::Model => ".as_str()",
        _ => "",
    }
}

pub(super) fn section(action: &DriverAction, name: &str) -> Section {
    let parameters = action.parameters.iter().zip(names::parameters(action));
    let parameters: String = parameters
        .map(|((_, kind), name)| format!(", {} {name}", type_name(kind)))
        .collect();
    let used: String = names::parameters(action)
        .iter()
        .map(|name| format!("    (void){name};\n"))
        .collect();
    Section {
        name: format!("action {}", action.name),
        signature: action.signature(type_name),
        text: format!(
            "// {}. Returns the parameters that the system chose by itself, if it chooses any.\n\
             inline omnilink::Json {name}(System& system{parameters}) {{\n    (void)system;\n{used}    \
             throw omnilink::Unimplemented(\"{name}\");\n}}\n",
            action.place
        ),
    }
}

pub(super) fn main(plan: &DriverPlan) -> String {
    let actions = plan.actions.iter().zip(names::unique(plan));
    let actions: String = actions
        .map(|(action, name)| {
            let parameters = action.parameters.iter();
            let parameters: String = parameters
                .map(|(name, kind)| format!(", parameters[{name:?}]{}", reader(kind)))
                .collect();
            format!(
                "    if (action == {:?}) return ::{name}(system{parameters});\n",
                action.name
            )
        })
        .collect();
    include_str!("../templates/driver/main.cpp.in").replace("@ACTIONS@", &actions)
}

pub(super) fn run(plan: &DriverPlan, folder: &Path) -> String {
    let driver = folder.join("driver");
    let driver = match driver.components().count() {
        1 => format!("./{}", driver.display()),
        _ => driver.display().to_string(),
    };
    format!("make -C {} && {}", folder.display(), drive(plan, &driver))
}
