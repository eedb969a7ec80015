//! Constants of a spec that the link gives values to.

use omnilink_tla::config::{self, Assigned, Assignment, Config, ConfigValue, Named};
use omnilink_tla::diagnostic::nearest;
use omnilink_tla::semantics::entity::EntityKind;
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::source::{Source, Sources, Span};

use crate::error::LinkError;
use crate::link_options::LinkOptions;
use crate::module::{Module, name};

/// Constants given as expressions; the command line counts more than the link file.
pub(crate) fn constants(options: &LinkOptions) -> impl Iterator<Item = (&String, &String)> {
    let given = |name: &String| options.constants.iter().any(|(other, _)| other == name);
    let of_file = options
        .file
        .constants
        .iter()
        .filter(move |(name, _)| !given(name));
    of_file.chain(
        options
            .constants
            .iter()
            .map(|(name, expression)| (name, expression)),
    )
}

pub(crate) fn check_constant(spec: &Spec, constant: &str, given: &str) -> Result<(), LinkError> {
    let is_known = spec.find(constant).is_some_and(|binding| {
        matches!(
            spec.entity(binding.entity).kind,
            EntityKind::Constant | EntityKind::Operator { .. }
        )
    });
    if is_known {
        return Ok(());
    }
    let known = spec.root().into_iter().flat_map(|root| &root.constants);
    let known = known.map(|entity| spec.names.text(spec.entity(*entity).name));
    Err(LinkError::UnknownConstant {
        given: given.to_owned(),
        name: constant.to_owned(),
        suggestion: nearest(constant, known).map(str::to_owned),
    })
}

/// An expression that is a value as it stands, as a configuration would have it: no module has to be read to know it.
fn literal(expression: &str) -> Option<ConfigValue> {
    match expression {
        "TRUE" | "FALSE" => Some(ConfigValue::Boolean(expression == "TRUE")),
        _ if expression.starts_with('+') => None,
        _ => {
            let number: i64 = expression.parse().ok()?;
            Some(ConfigValue::Number(number.to_string()))
        }
    }
}

/// A value in the syntax of a configuration whose names are model values, as `omnilink mc` reads it: `null`, which is what a recorded null
/// becomes, `{a, b}`, or the name of the constant itself. What the spec defines is no model value, and makes it an expression.
fn model_value(spec: &Spec, constant: &str, expression: &str) -> Option<ConfigValue> {
    let line = format!("CONSTANT {constant} = {expression}");
    let source = Sources::default().add(Source::new("the value of a constant", &*line));
    let mut diagnostics = Vec::new();
    let config = config::parse(source, &line, &mut diagnostics);
    let [
        Assignment {
            value: Assigned::Value { value },
            ..
        },
    ] = &*config.constants
    else {
        return None;
    };
    let mut names = Vec::new();
    add_names(value, &mut names);
    let is_model_value = |name: &&str| *name == constant || spec.find(name).is_none();
    let is_value = diagnostics.is_empty() && !names.is_empty() && names.iter().all(is_model_value);
    is_value.then(|| value.clone())
}

/// The names in a value.
fn add_names<'v>(value: &'v ConfigValue, names: &mut Vec<&'v str>) {
    match value {
        ConfigValue::Model(name) => names.push(name),
        ConfigValue::Set(parts) | ConfigValue::Tuple(parts) => {
            parts.iter().for_each(|part| add_names(part, names));
        }
        ConfigValue::Record(fields) => fields.iter().for_each(|(_, value)| add_names(value, names)),
        ConfigValue::Number(_) | ConfigValue::Text(_) | ConfigValue::Boolean(_) => {}
    }
}

/// Whether this is a declared constant that takes no arguments.
fn is_plain_constant(spec: &Spec, name: &str) -> bool {
    let entity = spec.find(name).map(|binding| spec.entity(binding.entity));
    entity.is_some_and(|entity| matches!(entity.kind, EntityKind::Constant) && entity.arity == 0)
}

/// Gives a constant or an operator another meaning.
pub(crate) fn assign(spec: &Spec, config: &mut Config, module: &mut Module, target: &str, expression: &str) {
    config
        .constants
        .retain(|assignment| assignment.target.name != *target);
    let takes_arguments = spec.find(target).is_some_and(|binding| {
        let entity = spec.entity(binding.entity);
        matches!(entity.kind, EntityKind::Operator { .. }) && entity.arity > 0
    });
    let value = if takes_arguments {
        Assigned::Definition {
            name: named(expression.trim()),
        }
    } else {
        literal(expression)
            .or_else(|| model_value(spec, target, expression))
            .filter(|_| is_plain_constant(spec, target))
            .map(|value| Assigned::Value { value })
            .unwrap_or_else(|| {
                let definition = name("const", target);
                module.define(
                    &definition,
                    &[] as &[&str],
                    expression,
                    format!("the value of {target}"),
                );
                Assigned::Definition {
                    name: named(&definition),
                }
            })
    };
    config.constants.push(Assignment {
        target: named(target),
        arguments: Vec::new(),
        module: None,
        value,
    });
}

pub(crate) fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        span: Span::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_truth_values_stand_for_themselves_and_all_else_is_evaluated() {
        let number = |text: &str| Some(ConfigValue::Number(text.to_owned()));
        assert_eq!(literal("2"), number("2"));
        assert_eq!(literal("-9223372036854775808"), number("-9223372036854775808"));
        assert_eq!(literal("007"), number("7"));
        assert_eq!(literal("FALSE"), Some(ConfigValue::Boolean(false)));
        for other in [
            "",
            "-",
            "+3",
            "1 + 1",
            "9223372036854775808",
            "a",
            "\"a\"",
            "{1}",
            "true",
        ] {
            assert_eq!(literal(other), None, "{other}");
        }
    }
}
