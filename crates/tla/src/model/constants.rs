//! Values and definitions that the configuration gives for constants.

use std::collections::BTreeSet;

use omnilink_value::Value;

use super::BuildOptions;
use crate::config::{self, Assigned, Assignment, Config, ConfigValue};
use crate::diagnostic::{Class, Diagnostic, nearest};
use crate::evaluate::{EvaluateOptions, Evaluated, evaluate};
use crate::lower::{Replacement, Replacements};
use crate::semantics::entity::{Binding, EntityKind, Via};
use crate::semantics::spec::Spec;
use crate::source::{Source, SourceId, Sources, Span};

/// The replacements and the model values of the configuration.
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
            if assignment.module.is_some() {
                replacements.mark_in_module(target.entity);
            }
            replacements.merge(spec, target, replacement.clone());
        }
    }
    for (name, text) in &options.constants {
        given(
            spec,
            name,
            text,
            options,
            &mut replacements,
            &mut models,
            diagnostics,
        );
    }
    let default = spec.find(PLUSCAL_DEFAULT).filter(|target| {
        let is_given = config
            .constants
            .iter()
            .any(|given| given.target.name == PLUSCAL_DEFAULT)
            || options.constants.iter().any(|(name, _)| name == PLUSCAL_DEFAULT)
            || options.values.iter().any(|(name, _)| name == PLUSCAL_DEFAULT);
        !is_given && matches!(spec.entity(target.entity).kind, EntityKind::Constant)
    });
    if let Some(target) = default {
        models.insert(PLUSCAL_DEFAULT.to_owned());
        replacements.add(spec, target, Replacement::Value(Value::model(PLUSCAL_DEFAULT)));
    }
    let models = models.iter().map(|name| Value::model(name)).collect();
    (replacements, models)
}

/// The constant that translations of PlusCal declare for variables without an initial value. It is a model value, as in the configurations
/// that the Toolbox writes.
pub(crate) const PLUSCAL_DEFAULT: &str = "defaultInitValue";

/// The targets of an assignment: a name of the root module, or of the module that it names.
fn targets(spec: &Spec, assignment: &Assignment) -> Vec<Binding> {
    let name = &assignment.target.name;
    let Some(module) = &assignment.module else {
        return spec.find(name).into_iter().collect();
    };
    let Some(name) = spec.names.find(name) else {
        return Vec::new();
    };
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

/// A constant with a value from the command line: in the syntax of a configuration, where names are model values, or else an expression
/// over the built-in modules.
fn given(
    spec: &mut Spec,
    name: &str,
    text: &str,
    options: &BuildOptions,
    replacements: &mut Replacements,
    models: &mut BTreeSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let whole = format!("{name}={text}");
    let source = spec.sources.add(Source::new("<command line>", &*whole));
    let value_span = Span::new(name.len() as u32 + 1, whole.len() as u32);
    let name_span = Span::new(0, name.len() as u32);
    let found = spec.find(name);
    let Some(target) = found.filter(|target| matches!(spec.entity(target.entity).kind, EntityKind::Constant))
    else {
        diagnostics.push(unknown_constant(spec, name, source, name_span));
        return;
    };
    if spec.entity(target.entity).arity > 0 {
        let message = format!("the constant `{name}` takes arguments, so it cannot be given a value here");
        let help = "replace it by a definition in a configuration: `CONSTANT Op <- Definition`";
        diagnostics.push(Diagnostic::error(Class::Config, source, name_span, message).help(help));
        return;
    }
    match written(name, text, models).unwrap_or_else(|| evaluated(text, options)) {
        Ok(value) => replacements.add(spec, target, Replacement::Value(value)),
        Err(message) => {
            let message = format!("this is not a value for `{name}`: {message}");
            diagnostics.push(Diagnostic::error(Class::Config, source, value_span, message));
        }
    }
}

fn unknown_constant(spec: &Spec, name: &str, source: SourceId, span: Span) -> Diagnostic {
    let constants: Vec<&str> = spec
        .root()
        .map(|root| {
            root.constants
                .iter()
                .map(|id| spec.names.text(spec.entity(*id).name))
                .collect()
        })
        .unwrap_or_default();
    let help = match nearest(name, constants.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if constants.is_empty() => "the spec has no constants".into(),
        None => format!("its constants are {}", constants.join(", ")),
    };
    Diagnostic::error(
        Class::Config,
        source,
        span,
        format!("`{name}` is not a constant of the spec"),
    )
    .help(help)
}

/// The value, if the text is one in the syntax of a configuration.
fn written(name: &str, text: &str, models: &mut BTreeSet<String>) -> Option<Result<Value, String>> {
    let line = format!("CONSTANT {name} = {text}");
    let mut diagnostics = Vec::new();
    let config = config::parse(
        Sources::default().add(Source::new("<command line>", &*line)),
        &line,
        &mut diagnostics,
    );
    match &*config.constants {
        [
            Assignment {
                value: Assigned::Value { value },
                ..
            },
        ] if diagnostics.is_empty() => Some(value_of(value, models)),
        _ => None,
    }
}

fn evaluated(text: &str, options: &BuildOptions) -> Result<Value, String> {
    let surroundings = EvaluateOptions {
        is_32_bit: options.is_32_bit,
        ..EvaluateOptions::default()
    };
    match evaluate(text, &surroundings) {
        Ok(Evaluated {
            value: Some(value), ..
        }) => Ok(value),
        Ok(Evaluated { text, .. }) => Err(format!(
            "{text} is infinite; replace the constant by a definition in a configuration"
        )),
        Err(error) => Err(error.message),
    }
}
