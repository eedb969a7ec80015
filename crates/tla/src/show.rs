//! Description of a spec, for people and for harness generators.

use std::fmt::Write as _;

use serde::Serialize;

use crate::actions::{NextAction, actions_of, next_of};
use crate::config::Config;
use crate::deep_stack;
use crate::diagnostic::span_json;
use crate::semantics::entity::{Entity, EntityId, EntityKind, ModuleId};
use crate::semantics::spec::Spec;

/// A declared name.
#[derive(Clone, Debug, Serialize)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// The number of arguments it takes.
    pub arity: u32,
    /// The module that declares it.
    pub module: String,
    /// Its span.
    pub span: serde_json::Value,
}

/// A defined name.
#[derive(Clone, Debug, Serialize)]
pub struct Defined {
    /// The name.
    pub name: String,
    /// `operator`, `function`, `instance` or `statement`.
    pub kind: &'static str,
    /// Its parameters, operators among them with their arity.
    pub parameters: Vec<OperatorParameter>,
    /// `constant`, `state`, `action` or `temporal`.
    pub level: &'static str,
    /// Whether it is LOCAL.
    pub local: bool,
    /// Whether it refers to itself.
    pub recursive: bool,
    /// The module that defines it.
    pub module: String,
    /// Its span.
    pub span: serde_json::Value,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
pub struct OperatorParameter {
    /// The name.
    pub name: String,
    /// The number of arguments it takes itself.
    pub arity: u32,
}

/// The description of a spec.
#[derive(Clone, Debug, Serialize)]
pub struct Show {
    /// The module.
    pub module: String,
    /// Its file.
    pub file: String,
    /// The module and those it extends, directly or not, except built-in ones.
    pub modules: Vec<String>,
    /// Its constants.
    pub constants: Vec<Declared>,
    /// Its variables.
    pub variables: Vec<Declared>,
    /// Its definitions, in order, those of extended modules first.
    pub definitions: Vec<Defined>,
    /// The next-state relation.
    pub next: Option<String>,
    /// Its actions.
    pub actions: Vec<NextAction>,
    /// The number of actions that may combine others but were not decomposed, because there are too many.
    pub actions_left_whole: usize,
}

/// Describes a spec. The next-state relation is the configuration's, that of a definition called `Spec`, or the
/// definition called `Next`. `None` for a spec that could not be loaded.
pub fn show(spec: &Spec, config: Option<&Config>) -> Option<Show> {
    deep_stack::run(|| describe(spec, config))
}

fn describe(spec: &Spec, config: Option<&Config>) -> Option<Show> {
    let root = spec.root()?;
    let mut order = Vec::new();
    collect(spec, spec.root?, &mut order);
    let definitions = order
        .iter()
        .flat_map(|module| &spec.module(*module).definitions)
        .map(|id| defined(spec, *id))
        .collect();
    let next = next_relation(spec, config);
    let actions = next.map(|next| actions_of(spec, next)).unwrap_or_default();
    Some(Show {
        module: spec.names.text(root.name).to_owned(),
        file: spec
            .sources
            .get(spec.tree(root.tree).source)
            .path()
            .display()
            .to_string(),
        modules: order
            .iter()
            .map(|module| spec.names.text(spec.module(*module).name).to_owned())
            .collect(),
        constants: root.constants.iter().map(|id| declared(spec, *id)).collect(),
        variables: root.variables.iter().map(|id| declared(spec, *id)).collect(),
        definitions,
        next: next.map(|next| name(spec, spec.entity(next))),
        actions_left_whole: actions.iter().filter(|action| action.whole).count(),
        actions,
    })
}

/// The extended modules that are not built in, then the module itself.
fn collect(spec: &Spec, module: ModuleId, order: &mut Vec<ModuleId>) {
    let info = spec.module(module);
    let built_in = spec
        .sources
        .get(spec.tree(info.tree).source)
        .path()
        .starts_with("<built-in>");
    if built_in || order.contains(&module) {
        return;
    }
    for extended in &info.extends {
        collect(spec, *extended, order);
    }
    order.push(module);
}

/// The next-state relation: the configuration's, that of `Spec`, or `Next`.
pub fn next_relation(spec: &Spec, config: Option<&Config>) -> Option<EntityId> {
    let find = |name: &str| spec.find(name).map(|binding| binding.entity);
    if let Some(config) = config {
        if let Some(next) = &config.next {
            return find(&next.name);
        }
        if let Some(specification) = &config.specification {
            return find(&specification.name).and_then(|entity| next_of(spec, entity));
        }
    }
    let defined = |entity: &EntityId| matches!(spec.entity(*entity).kind, EntityKind::Operator { .. });
    find("Spec")
        .and_then(|entity| next_of(spec, entity))
        .or_else(|| find("Next").filter(defined))
}

fn name(spec: &Spec, entity: &Entity) -> String {
    spec.names.text(entity.name).to_owned()
}

fn declared(spec: &Spec, id: EntityId) -> Declared {
    let entity = spec.entity(id);
    Declared {
        name: name(spec, entity),
        arity: entity.arity,
        module: spec.names.text(spec.module(entity.module).name).to_owned(),
        span: span_json(&spec.sources, entity.source, entity.span),
    }
}

fn defined(spec: &Spec, id: EntityId) -> Defined {
    let entity = spec.entity(id);
    let (kind, params, recursive): (_, &[EntityId], _) = match &entity.kind {
        EntityKind::Operator {
            params, recursive, ..
        } => ("operator", params, *recursive),
        EntityKind::Function {
            params, recursive, ..
        } => ("function", params, *recursive),
        EntityKind::Instance(instance) => ("instance", &spec.instance(*instance).params, false),
        _ => ("statement", &[], false),
    };
    let parameter = |id: &EntityId| OperatorParameter {
        name: name(spec, spec.entity(*id)),
        arity: spec.entity(*id).arity,
    };
    Defined {
        name: name(spec, entity),
        kind,
        parameters: params.iter().map(parameter).collect(),
        level: entity.level.level.word(),
        local: entity.local,
        recursive,
        module: spec.names.text(spec.module(entity.module).name).to_owned(),
        span: span_json(&spec.sources, entity.source, entity.span),
    }
}

/// A name with its arguments, as it is declared.
fn signature(name: &str, arity: u32) -> String {
    if arity == 0 {
        name.to_owned()
    } else {
        format!("{name}({})", vec!["_"; arity as usize].join(", "))
    }
}

/// The description as text.
pub fn render_text(show: &Show) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "module {} ({})", show.module, show.file);
    let extended: Vec<&str> = show
        .modules
        .iter()
        .map(String::as_str)
        .filter(|m| *m != show.module)
        .collect();
    if !extended.is_empty() {
        let _ = writeln!(out, "extends {}", extended.join(", "));
    }
    for (title, list) in [("constants", &show.constants), ("variables", &show.variables)] {
        if !list.is_empty() {
            let names: Vec<String> = list.iter().map(|d| signature(&d.name, d.arity)).collect();
            let _ = writeln!(out, "\n{title}\n  {}", names.join(", "));
        }
    }
    if !show.definitions.is_empty() {
        let heads: Vec<String> = show.definitions.iter().map(head).collect();
        let width = heads
            .iter()
            .map(|head| head.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        let _ = writeln!(out, "\ndefinitions");
        for (head, definition) in heads.iter().zip(&show.definitions) {
            let mut notes = Vec::new();
            if definition.kind != "operator" {
                notes.push(definition.kind);
            }
            if definition.recursive {
                notes.push("recursive");
            }
            if definition.local {
                notes.push("local");
            }
            let notes = if notes.is_empty() {
                String::new()
            } else {
                format!("  ({})", notes.join(", "))
            };
            let _ = writeln!(out, "  {head:width$}  {}{notes}", definition.level);
        }
    }
    if let Some(next) = &show.next {
        let _ = writeln!(out, "\nactions of {next}");
        for action in &show.actions {
            let _ = writeln!(out, "  {}", action_line(action));
        }
        if show.actions_left_whole > 0 {
            let _ = writeln!(
                out,
                "\n{next} combines too much to be taken apart completely: {} of these {} may be made of several \
                 actions (marked `combined`)",
                show.actions_left_whole,
                show.actions.len()
            );
        }
    }
    out
}

fn head(definition: &Defined) -> String {
    let params: Vec<String> = definition
        .parameters
        .iter()
        .map(|p| signature(&p.name, p.arity))
        .collect();
    match (definition.kind, params.is_empty()) {
        (_, true) => definition.name.clone(),
        ("function", _) => format!("{}[{}]", definition.name, params.join(", ")),
        _ => format!("{}({})", definition.name, params.join(", ")),
    }
}

fn action_line(action: &NextAction) -> String {
    let arguments: Vec<String> = action
        .arguments
        .iter()
        .map(|argument| match &argument.ranges_over {
            Some(set) => format!("{} \\in {set}", argument.parameter),
            None => format!("{} = {}", argument.parameter, argument.value),
        })
        .collect();
    let mut line = action.name.clone();
    if !action.named {
        line.push_str(" (a part without a name)");
    }
    if action.whole {
        line.push_str(" (combined)");
    }
    if !arguments.is_empty() {
        let _ = write!(line, "({})", arguments.join(", "));
    }
    let used = |ranging: &&crate::actions::Ranging| !action.arguments.iter().any(|a| a.value == ranging.name);
    let others: Vec<String> = action
        .bound
        .iter()
        .filter(used)
        .map(|ranging| match &ranging.set {
            Some(set) => format!("{} \\in {set}", ranging.name),
            None => ranging.name.clone(),
        })
        .collect();
    if !others.is_empty() {
        let _ = write!(line, "  for some {}", others.join(", "));
    }
    if !action.guards.is_empty() {
        let _ = write!(line, "  when {}", action.guards.join(" /\\ "));
    }
    line
}

/// The description as one JSON object.
pub fn render_json(show: &Show) -> serde_json::Value {
    serde_json::to_value(show).unwrap_or(serde_json::Value::Null)
}
