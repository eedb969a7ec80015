//! What the configuration puts in for constants and definitions.

use std::collections::BTreeSet;

use omnilink_value::Value;

use super::BuildOptions;
use crate::config::{Assigned, Assignment, Config, ConfigValue};
use crate::diagnostic::{Class, Diagnostic};
use crate::lower::{Replacement, Replacements};
use crate::semantics::entity::{Binding, Via};
use crate::semantics::spec::Spec;
use crate::source::{Source, SourceId, Span};

/// Replacements, and the model values that the configuration brings in.
pub(super) fn replacements(
    spec: &mut Spec,
    config: &Config,
    options: &BuildOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Replacements, Vec<Value>) {
    let mut replacements = Replacements::default();
    let mut models = BTreeSet::new();
    for assignment in &config.constants {
        let source = config.source;
        let mut error = |span: Span, message: String| {
            if let Some(source) = source {
                diagnostics.push(Diagnostic::error(Class::Config, source, span, message));
            }
        };
        let targets = targets(spec, assignment);
        let replacement = match &assignment.value {
            Assigned::Definition { name } => match spec.find(&name.name) {
                Some(binding) => Replacement::Definition(binding),
                None => {
                    error(name.span, format!("`{}` is not defined", name.name));
                    continue;
                }
            },
            Assigned::Value { value } => match value_of(value, &mut models) {
                Ok(value) if assignment.arguments.is_empty() => Replacement::Value(value),
                Ok(value) => {
                    let row = assignment
                        .arguments
                        .iter()
                        .map(|argument| value_of(argument, &mut models))
                        .collect::<Result<Vec<_>, _>>();
                    match row {
                        Ok(row) => Replacement::Table(vec![(row, value)]),
                        Err(message) => {
                            error(assignment.target.span, message);
                            continue;
                        }
                    }
                }
                Err(message) => {
                    error(assignment.target.span, message);
                    continue;
                }
            },
        };
        for target in targets {
            replacements.merge(spec, target, replacement.clone());
        }
    }
    let _ = options;
    let models = models.iter().map(|name| Value::model(name)).collect();
    (replacements, models)
}

/// What an assignment is about: a name of the root module, or of the module that it names.
fn targets(spec: &Spec, assignment: &Assignment) -> Vec<Binding> {
    let name = &assignment.target.name;
    let Some(module) = &assignment.module else {
        return spec.find(name).into_iter().collect();
    };
    let Some(name) = spec.names.find(name) else { return Vec::new() };
    spec.modules
        .iter()
        .filter(|m| spec.names.text(m.name) == module.name)
        .filter_map(|m| m.scope.get(&name))
        .map(|binding| Binding {
            entity: binding.entity,
            via: Via::NONE,
        })
        .collect()
}

fn value_of(value: &ConfigValue, models: &mut BTreeSet<String>) -> Result<Value, String> {
    Ok(match value {
        ConfigValue::Number(text) => Value::int(
            text.parse()
                .map_err(|_| format!("{text} is too large an integer"))?,
        ),
        ConfigValue::Text(text) => Value::str(text),
        ConfigValue::Boolean(value) => Value::bool(*value),
        ConfigValue::Model(name) => {
            models.insert(name.clone());
            Value::model(name)
        }
        ConfigValue::Set(elements) => {
            let elements = elements
                .iter()
                .map(|element| value_of(element, models))
                .collect::<Result<Vec<_>, _>>()?;
            Value::set(elements)
        }
        ConfigValue::Tuple(parts) => {
            let parts = parts
                .iter()
                .map(|part| value_of(part, models))
                .collect::<Result<Vec<_>, _>>()?;
            Value::tuple(parts)
        }
        ConfigValue::Record(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Ok((name.as_str(), value_of(value, models)?)))
                .collect::<Result<Vec<_>, String>>()?;
            Value::record(fields)
        }
    })
}

/// A text that was given on the command line, as a source for messages.
pub(super) fn command_line_source(spec: &mut Spec, text: &str) -> SourceId {
    spec.sources.add(Source::new("<command line>", text))
}
