//! Constants of a spec that the link gives values to.

use omnilink_tla::config::ConfigValue;
use omnilink_tla::diagnostic::nearest;
use omnilink_tla::semantics::entity::EntityKind;
use omnilink_tla::semantics::spec::Spec;

use crate::error::LinkError;
use crate::link_options::LinkOptions;

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
pub(crate) fn literal(expression: &str) -> Option<ConfigValue> {
    match expression {
        "TRUE" | "FALSE" => Some(ConfigValue::Boolean(expression == "TRUE")),
        _ if expression.starts_with('+') => None,
        _ => {
            let number: i64 = expression.parse().ok()?;
            Some(ConfigValue::Number(number.to_string()))
        }
    }
}

/// A constant that is given its own name is a model value, as in a configuration; so is `null`, which is what a recorded null becomes,
/// unless the spec has something else of that name.
pub(crate) fn model_value(spec: &Spec, constant: &str, expression: &str) -> Option<ConfigValue> {
    let name = expression.trim();
    let is_null = name == "null" && spec.find(name).is_none();
    (name == constant || is_null).then(|| ConfigValue::Model(name.to_owned()))
}

/// Whether this is a declared constant that takes no arguments.
pub(crate) fn is_plain_constant(spec: &Spec, name: &str) -> bool {
    let entity = spec.find(name).map(|binding| spec.entity(binding.entity));
    entity.is_some_and(|entity| matches!(entity.kind, EntityKind::Constant) && entity.arity == 0)
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
