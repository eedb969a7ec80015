//! Harnesses in C++.

use std::fmt::Write as _;

use omnilink_value::Value;

use crate::identifier::identifier;
use crate::operation::{HarnessOp, Parameter};
use crate::parameter_type::ParameterType;
use crate::plan::HarnessPlan;
use crate::sections::Section;
use crate::value_source::{Choice, ValueSource, value_sources};

/// What stands before the sections of `system.hpp`.
pub(crate) fn head(plan: &HarnessPlan) -> String {
    format!(
        "// system.hpp: the system under test, for the harness of {}. This file is yours: `omnilink gen harness` adds sections for new\n\
         // actions, and changes nothing else.\n\
         //\n\
         //   make && omnilink fuzz --spec {} -- ./harness\n\
         #pragma once\n\n\
         #include \"harness.hpp\"\n\n\
         using omnilink::Call;\nusing omnilink::Op;\nusing omnilink::Random;\n\n",
        plan.module,
        plan.spec.display(),
    )
}

const SYSTEM: &str = "\
// What all threads share. Its constructor is the set-up and its destructor the tear-down.
struct System {
};

// What each thread has for itself: a connection, a session, an open transaction.
struct Client {
  Client(System &system, int thread) {
    (void)system;
    (void)thread;
  }
};
";

/// The sections of `system.hpp`.
pub(crate) fn sections(plan: &HarnessPlan) -> Vec<Section> {
    let (sources, of_ops) = value_sources(&plan.ops);
    let mut sections = vec![Section {
        name: "system".to_owned(),
        signature: String::new(),
        text: SYSTEM.to_owned(),
    }];
    sections.extend(sources.iter().map(value_section));
    let of = |name: &String| sources.iter().find(|source| source.name == *name);
    for (op, names) in plan.ops.iter().zip(&of_ops) {
        let types: Vec<String> = names
            .iter()
            .map(|name| of(name).map_or_else(String::new, source_type))
            .collect();
        sections.push(action_section(op, &types));
    }
    sections
}

fn value_section(source: &ValueSource) -> Section {
    let kind = source_type(source);
    let mut text = String::new();
    if let ParameterType::Unknown = source.kind {
        text.push_str("// The specification does not show of which kind it is; change the type if these are no integers.\n");
    }
    text.push_str("namespace values {\n");
    if let ParameterType::Record(fields) = &source.kind {
        text.push_str(&structure(&record_name(&source.name), fields));
    }
    let body = match &source.choice {
        Choice::Between(low, high) => format!("return omnilink::value_between(random, {low}, {high});"),
        Choice::OneOf(values, all) => {
            let listed: Vec<String> = values.iter().map(literal).collect();
            let some = if *all > values.len() {
                format!("  // {} of {all}\n", values.len())
            } else {
                String::new()
            };
            format!("{some}  return random.one_of<{kind}>({{{}}});", listed.join(", "))
                .trim_start()
                .to_owned()
        }
        Choice::Settings => format!("return {};", open_choice(&source.kind)),
    };
    let _ = write!(
        text,
        "inline {kind} {}(Random &random) {{\n  {body}\n}}\n}}  // namespace values\n",
        source.name
    );
    Section {
        name: format!("values {}", source.name),
        signature: source.signature(),
        text,
    }
}

/// An expression for a value where the specification does not say which there are.
fn open_choice(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Unknown | ParameterType::Int => {
            "random.between(1, omnilink::settings().values)".to_owned()
        }
        ParameterType::Bool => "random.chance(0.5)".to_owned(),
        ParameterType::Str => {
            "\"v\" + std::to_string(random.between(1, omnilink::settings().values))".to_owned()
        }
        ParameterType::Model => "omnilink::ModelValue{\"m1\"}".to_owned(),
        ParameterType::Seq(element) | ParameterType::Set(element) => {
            let element = open_choice(element);
            format!("{{{element}, {element}}}")
        }
        ParameterType::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(_, kind)| open_choice(kind)).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn record_name(source: &str) -> String {
    format!("{source}_record")
}

fn source_type(source: &ValueSource) -> String {
    match &source.kind {
        ParameterType::Record(_) => format!("values::{}", record_name(&source.name)),
        kind => type_of(kind),
    }
}

fn type_of(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Unknown | ParameterType::Int => "std::int64_t".to_owned(),
        ParameterType::Bool => "bool".to_owned(),
        ParameterType::Str => "std::string".to_owned(),
        ParameterType::Model => "omnilink::ModelValue".to_owned(),
        ParameterType::Seq(element) => format!("std::vector<{}>", type_of(element)),
        ParameterType::Set(element) => format!("std::set<{}>", type_of(element)),
        // Inside other values: names of fields and integers will do as a start.
        ParameterType::Record(_) => "std::map<std::string, std::int64_t>".to_owned(),
    }
}

/// A record type that can be recorded.
fn structure(name: &str, fields: &[(String, ParameterType)]) -> String {
    let mut text = format!("struct {name} {{\n");
    for (field, kind) in fields {
        let _ = writeln!(text, "  {} {};", type_of(kind), identifier(field));
    }
    let written: Vec<String> = fields
        .iter()
        .map(|(field, _)| format!("{{\"{field}\", value.{}}}", identifier(field)))
        .collect();
    let _ = write!(
        text,
        "}};\ninline void omnilink_write(omnilink::Slot slot, const {name} &value) {{ slot.record({{{}}}); }}\n",
        written.join(", ")
    );
    text
}

fn literal(value: &Value) -> String {
    if let Some(number) = value.as_int() {
        return number.to_string();
    }
    if let Some(flag) = value.as_bool() {
        return flag.to_string();
    }
    if let Some(text) = value.as_str() {
        return quoted(text);
    }
    if let Some(name) = value.as_model() {
        return format!("omnilink::ModelValue{{{}}}", quoted(name));
    }
    let listed = |items: &[Value]| {
        let items: Vec<String> = items.iter().map(literal).collect();
        items.join(", ")
    };
    if let Some(items) = value.as_tuple().or_else(|| value.as_set()) {
        return format!("{{{}}}", listed(items));
    }
    let fields: Vec<Value> = value
        .as_record()
        .iter()
        .flat_map(|fields| fields.iter())
        .map(|(_, value)| value.clone())
        .collect();
    format!("{{{}}}", listed(&fields))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn action_section(op: &HarnessOp, types: &[String]) -> Section {
    let function = identifier(&op.name);
    let names: Vec<String> = op
        .arguments()
        .map(|argument| identifier(&argument.name))
        .collect();
    let parameters: String = types
        .iter()
        .zip(&names)
        .map(|(kind, name)| match kind.as_str() {
            "std::int64_t" | "bool" => format!(", {kind} {name}"),
            kind => format!(", const {kind} &{name}"),
        })
        .collect();
    let results: Vec<&Parameter> = op.results().collect();
    let mut text = op.heading("//");
    text.push_str("namespace actions {\n");
    let ended = match results.as_slice() {
        [] => "call.end();".to_owned(),
        [_] => "call.end(result);".to_owned(),
        several => {
            let fields: Vec<(String, ParameterType)> = several
                .iter()
                .map(|result| (result.name.clone(), result.kind.clone()))
                .collect();
            text.push_str(&structure(&format!("{function}_result"), &fields));
            format!("call.end({function}_result{{…}});")
        }
    };
    let shown: Vec<&str> = names.iter().map(String::as_str).collect();
    let called = format!("system.…({})", shown.join(", "));
    let example = match results.as_slice() {
        [] => format!("{called};"),
        _ => format!("auto result = {called};"),
    };
    let unused: String = names.iter().map(|name| format!("  (void){name};\n")).collect();
    let _ = write!(
        text,
        "inline void {function}(System &system, Client &client, Op &op{parameters}) {{\n  (void)system;\n  (void)client;\n{unused}  \
         op.unsupported();  // instead: Call call = op.begin(); {example} {ended}\n}}\n}}  // namespace actions\n"
    );
    Section {
        name: format!("action {}", op.name),
        signature: op.signature().trim_start_matches(op.name.as_str()).to_owned(),
        text,
    }
}

/// `actions.hpp`: how each operation gets its arguments.
pub(crate) fn actions(plan: &HarnessPlan) -> String {
    let (_, of_ops) = value_sources(&plan.ops);
    let mut text = String::from(
        "// actions.hpp: the operations of the specification. Written by `omnilink gen harness`, and rewritten by it.\n\
         #include \"system.hpp\"\n\n\
         inline std::vector<omnilink::Action<System, Client>> all_actions() {\n  return {\n",
    );
    for (op, sources) in plan.ops.iter().zip(&of_ops) {
        let _ = writeln!(
            text,
            "      {{{}, {}, 1, [](System &system, Client &client, Op &op) {{",
            quoted(&op.name),
            quoted(&op.at)
        );
        let arguments: Vec<String> = (0..sources.len()).map(|i| format!("a{i}")).collect();
        for (name, source) in arguments.iter().zip(sources) {
            let _ = writeln!(
                text,
                "         const auto {name} = values::{source}(op.random());"
            );
        }
        let fields: Vec<String> = op
            .arguments()
            .zip(&arguments)
            .map(|(argument, name)| format!("{{{}, {name}}}", quoted(&argument.name)))
            .collect();
        if fields.is_empty() {
            let _ = writeln!(text, "         op.prepare({}, nullptr, 0);", quoted(&op.name));
        } else {
            let _ = writeln!(
                text,
                "         const omnilink::Field fields[] = {{{}}};\n         op.prepare({}, fields, {});",
                fields.join(", "),
                quoted(&op.name),
                fields.len()
            );
        }
        let passed: String = arguments.iter().map(|name| format!(", {name}")).collect();
        let _ = writeln!(
            text,
            "         actions::{}(system, client, op{passed});\n       }}}},",
            identifier(&op.name)
        );
    }
    text.push_str("  };\n}\n");
    text
}

/// The project's `Makefile`.
pub(crate) const MAKEFILE: &str = "\
# make, make harness-schedule, make harness-asan. This file is yours.
CXXFLAGS ?= -O2 -g
STANDARD ?= c++17
# More files to compile, and libraries: -lfoo
SOURCES ?=
LDLIBS ?=
include omnilink/build.mk
";
