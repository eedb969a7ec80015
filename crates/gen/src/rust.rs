//! Harnesses in Rust.

use std::fmt::Write as _;

use omnilink_value::Value;

use crate::identifier::{identifier, snake_case};
use crate::operation::{HarnessOp, Parameter};
use crate::parameter_type::ParameterType;
use crate::plan::HarnessPlan;
use crate::sections::Section;
use crate::value_source::{Choice, ValueSource, value_sources};

/// What stands before the sections of `src/system.rs`.
pub(crate) fn head(plan: &HarnessPlan) -> String {
    format!(
        "//! The system under test, for the harness of {}. This file is yours: `omnilink gen harness` adds sections for new actions,\n\
         //! and changes nothing else.\n\
         //!\n\
         //!     cargo build --release && omnilink fuzz --spec {} -- target/release/harness\n\
         //!     omnilink gen schedule .   builds harness-schedule, for which a seed decides the schedule\n\n\
         #[allow(unused_imports)]\n\
         use crate::harness::{{Op, Random, settings, unique, value_between}};\n\n",
        plan.module,
        plan.spec.display(),
    )
}

const SYSTEM: &str = "\
/// What all threads share. `new` is the set-up, and `Drop` the tear-down.
pub struct System {}

impl System {
    pub fn new() -> Self {
        Self {}
    }
}

/// What each thread has for itself: a connection, a session, an open transaction.
pub struct Client {}

impl Client {
    pub fn new(_system: &System, _thread: i64) -> Self {
        Self {}
    }
}
";

/// The sections of `src/system.rs`.
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

fn function_of(source: &str) -> String {
    format!("choose_{}", snake_case(source).trim_end_matches('_'))
}

fn value_section(source: &ValueSource) -> Section {
    let kind = source_type(source);
    let mut text = String::new();
    if let ParameterType::Record(fields) = &source.kind {
        text.push_str(&structure(&record_name(&source.name), fields));
    }
    if source.kind == ParameterType::Unknown {
        text.push_str(
            "/// The specification does not show of which kind it is; change the type if these are no integers.\n",
        );
    }
    let body = match &source.choice {
        Choice::Between(low, high) => format!("value_between(random, {low}, {high})"),
        Choice::OneOf(values, all) => {
            let listed: Vec<String> = values
                .iter()
                .map(|value| literal(value, &source.kind, &kind))
                .collect();
            let some = if *all > values.len() {
                format!("// {} of {all}\n    ", values.len())
            } else {
                String::new()
            };
            format!("{some}random.one_of(&[{}])", listed.join(", "))
        }
        Choice::Settings => open_choice(&source.kind, &kind),
    };
    let _ = write!(
        text,
        "pub fn {}(random: &mut Random) -> {kind} {{\n    {body}\n}}\n",
        function_of(&source.name)
    );
    Section {
        name: format!("values {}", source.name),
        signature: source.signature(),
        text,
    }
}

/// An expression for a value where the specification does not say which there are.
fn open_choice(kind: &ParameterType, name: &str) -> String {
    match kind {
        ParameterType::Unknown | ParameterType::Int => "random.between(1, settings().values)".to_owned(),
        ParameterType::Bool => "random.chance(0.5)".to_owned(),
        ParameterType::Str => "format!(\"v{}\", random.between(1, settings().values))".to_owned(),
        ParameterType::Model => "omnilink_record::ModelValue(\"m1\")".to_owned(),
        ParameterType::Seq(element) => format!(
            "vec![{}, {}]",
            open_choice(element, name),
            open_choice(element, name)
        ),
        ParameterType::Set(element) => format!("[{}].into_iter().collect()", open_choice(element, name)),
        ParameterType::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(field, kind)| format!("{}: {}", snake_case(field), open_choice(kind, name)))
                .collect();
            format!("{name} {{ {} }}", fields.join(", "))
        }
    }
}

fn record_name(source: &str) -> String {
    let mut name = identifier(source);
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{}Record", name.replace('_', ""))
}

fn source_type(source: &ValueSource) -> String {
    match &source.kind {
        ParameterType::Record(_) => record_name(&source.name),
        kind => type_of(kind),
    }
}

fn type_of(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Unknown | ParameterType::Int => "i64".to_owned(),
        ParameterType::Bool => "bool".to_owned(),
        ParameterType::Str => "String".to_owned(),
        ParameterType::Model => "omnilink_record::ModelValue<'static>".to_owned(),
        ParameterType::Seq(element) => format!("Vec<{}>", type_of(element)),
        ParameterType::Set(element) => format!("std::collections::BTreeSet<{}>", type_of(element)),
        // Inside other values: names of fields and integers will do as a start.
        ParameterType::Record(_) => "std::collections::BTreeMap<String, i64>".to_owned(),
    }
}

/// A record type that can be recorded.
fn structure(name: &str, fields: &[(String, ParameterType)]) -> String {
    let mut text = format!("#[derive(Clone, Debug)]\npub struct {name} {{\n");
    for (field, kind) in fields {
        let _ = writeln!(text, "    pub {}: {},", snake_case(field), type_of(kind));
    }
    let _ = writeln!(
        text,
        "}}\n\nimpl omnilink_record::Record for {name} {{\n    fn record(&self, slot: omnilink_record::ValueSlot<'_>) -> \
         omnilink_record::Written {{\n        slot.fields(|fields| {{"
    );
    for (field, _) in fields {
        let _ = writeln!(
            text,
            "            fields.field({field:?}, &self.{});",
            snake_case(field)
        );
    }
    text.push_str("        })\n    }\n}\n\n");
    text
}

fn literal(value: &Value, kind: &ParameterType, name: &str) -> String {
    let listed = |items: &[Value], element: &ParameterType| {
        let items: Vec<String> = items
            .iter()
            .map(|item| literal(item, element, &type_of(element)))
            .collect();
        items.join(", ")
    };
    match kind {
        ParameterType::Str => format!("String::from({:?})", value.as_str().unwrap_or_default()),
        ParameterType::Model => format!(
            "omnilink_record::ModelValue({:?})",
            value.as_model().unwrap_or_default()
        ),
        ParameterType::Bool => value.as_bool().unwrap_or_default().to_string(),
        ParameterType::Seq(element) => {
            format!("vec![{}]", listed(value.as_tuple().unwrap_or_default(), element))
        }
        ParameterType::Set(element) => format!(
            "[{}].into_iter().collect::<{}>()",
            listed(value.as_set().unwrap_or_default(), element),
            type_of(kind)
        ),
        ParameterType::Record(fields) => {
            let written: Vec<String> = fields
                .iter()
                .filter_map(|(field, kind)| {
                    let value = value.field(field)?;
                    Some(format!(
                        "{}: {}",
                        snake_case(field),
                        literal(value, kind, &type_of(kind))
                    ))
                })
                .collect();
            format!("{name} {{ {} }}", written.join(", "))
        }
        ParameterType::Int | ParameterType::Unknown => value.as_int().unwrap_or_default().to_string(),
    }
}

fn action_section(op: &HarnessOp, types: &[String]) -> Section {
    let function = snake_case(&op.name);
    let names: Vec<String> = op
        .arguments()
        .map(|argument| snake_case(&argument.name))
        .collect();
    let parameters: String = types
        .iter()
        .zip(&names)
        .map(|(kind, name)| match kind.as_str() {
            "i64" | "bool" => format!(", {name}: {kind}"),
            kind => format!(", {name}: &{kind}"),
        })
        .collect();
    let results: Vec<&Parameter> = op.results().collect();
    let mut text = op.heading("///");
    let mut before = String::new();
    let ended = match results.as_slice() {
        [] => "call.end(());".to_owned(),
        [_] => "call.end(result);".to_owned(),
        several => {
            let fields: Vec<(String, ParameterType)> = several
                .iter()
                .map(|result| (result.name.clone(), result.kind.clone()))
                .collect();
            let name = format!("{}Result", record_name(&op.name).trim_end_matches("Record"));
            before = format!("#[allow(dead_code)]\n{}", structure(&name, &fields));
            format!("call.end({name} {{ … }});")
        }
    };
    let called = format!("system.…({})", names.join(", "));
    let example = match results.as_slice() {
        [] => format!("{called};"),
        _ => format!("let result = {called};"),
    };
    let unused: String = ["system", "client"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .map(|name| format!("    let _ = {name};\n"))
        .collect();
    let _ = write!(
        text,
        "pub fn {function}(system: &System, client: &mut Client, op: &mut Op<'_>{parameters}) {{\n{unused}    op.unsupported(); // \
         instead: let call = op.begin(); {example} {ended}\n}}\n"
    );
    Section {
        name: format!("action {}", op.name),
        signature: op.signature().trim_start_matches(op.name.as_str()).to_owned(),
        text: format!("{before}{text}"),
    }
}

/// `actions.rs`: how each operation gets its arguments.
pub(crate) fn actions(plan: &HarnessPlan) -> String {
    let (sources, of_ops) = value_sources(&plan.ops);
    let is_copied = |name: &String| {
        let kind = sources
            .iter()
            .find(|source| source.name == *name)
            .map(source_type);
        matches!(kind.as_deref(), Some("i64" | "bool"))
    };
    let mut text = String::from(
        "//! The operations of the specification. Written by `omnilink gen harness`, and rewritten by it.\n\n\
         use crate::harness::Action;\nuse crate::system::{self, Client, System};\n\n\
         pub fn all() -> Vec<Action<System, Client>> {\n    vec![\n",
    );
    for (op, names) in plan.ops.iter().zip(&of_ops) {
        let _ = writeln!(
            text,
            "        Action {{\n            name: {:?},\n            at: {:?},\n            weight: 1.0,\n            \
             run: |system, client, turn| {{",
            op.name, op.at
        );
        let mut fields = Vec::new();
        let mut passed = String::new();
        for ((i, argument), source) in op.arguments().enumerate().zip(names) {
            let _ = writeln!(
                text,
                "                let a{i} = system::{}(turn.random);",
                function_of(source)
            );
            fields.push(format!("({:?}, &a{i})", argument.name));
            let _ = if is_copied(source) {
                write!(passed, ", a{i}")
            } else {
                write!(passed, ", &a{i}")
            };
        }
        let _ = writeln!(
            text,
            "                let fields: crate::harness::Fields<'_> = &[{}];\n                let mut op = turn.op({:?}, fields);\n                \
             system::{}(system, client, &mut op{passed});\n                op.outcome()\n            }},\n        }},",
            fields.join(", "),
            op.name,
            snake_case(&op.name)
        );
    }
    text.push_str("    ]\n}\n");
    text
}

/// The project's `Cargo.toml`.
pub(crate) const MANIFEST: &str = "\
# cargo build --release. This file is yours.
[package]
name = \"harness\"
version = \"0.1.0\"
edition = \"2021\"

[[bin]]
name = \"harness\"
path = \"omnilink/main.rs\"

[dependencies]
omnilink-record = { path = \"omnilink/record\" }

[profile.release]
debug = \"line-tables-only\"

# A project of its own, wherever it lies.
[workspace]
";

/// The manifest of the recorder that the project carries with it.
pub(crate) const RECORD_MANIFEST: &str = "\
# The recorder, as `omnilink gen harness` knows it. Rewritten by it.
[package]
name = \"omnilink-record\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[target.'cfg(unix)'.dependencies]
libc = \"0.2\"

[lints.rust]
unexpected_cfgs = { level = \"warn\", check-cfg = [\"cfg(omnilink_instrumented)\"] }
";
