//! The record that `TLCGet("spec")` returns.

use omnilink_tla::ir::Formula;
use omnilink_tla::model::{Check, CompiledSpec, NamedFormula};
use omnilink_value::Value;

/// Names and locations of the parts of a model, with the fields of TLC's record.
pub(crate) fn spec_record(model: &CompiledSpec) -> Value {
    let program = &model.program;
    let record = |name: &str, at| program.described(name, at);
    let named = |formulas: &[NamedFormula]| -> Value {
        Value::set(formulas.iter().map(|named| record(&named.name, named.at)))
    };
    let place = |formula: Formula| Some(program.operator(formula).body.at);
    let properties = |is_wanted: fn(&Check) -> bool| -> Value {
        let wanted = model
            .properties
            .iter()
            .filter(|property| property.checks.iter().any(is_wanted));
        Value::set(wanted.map(|property| record(&property.name, None)))
    };
    Value::record([
        (
            "inits",
            Value::set(model.init.map(|init| record("Init", place(init)))),
        ),
        (
            "actions",
            Value::set(
                program
                    .actions
                    .iter()
                    .map(|action| record(&action.name, Some(action.at))),
            ),
        ),
        ("invariants", named(&model.invariants)),
        ("constraints", named(&model.constraints)),
        ("actionconstraints", named(&model.action_constraints)),
        (
            "variables",
            Value::set(program.variables.iter().map(|name| record(name, None))),
        ),
        (
            "impliedinits",
            properties(|check| matches!(check, Check::Initial(_))),
        ),
        (
            "impliedactions",
            properties(|check| matches!(check, Check::Step(_))),
        ),
        (
            "impliedtemporals",
            properties(|check| matches!(check, Check::Temporal(_))),
        ),
        ("temporals", Value::set([])),
    ])
}
