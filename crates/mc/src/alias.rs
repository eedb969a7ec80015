//! ALIAS: what is shown instead of the variables of a state.

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::ir::{Formula, Kind, Node, Program};
use omnilink_value::Value;

/// What is shown instead of the variables of a state.
pub(crate) struct Alias {
    formula: Formula,
    /// The fields of the record in the order of the source, if the alias is a record there.
    fields: Vec<Value>,
}

impl Alias {
    pub(crate) fn new(program: &Program, formula: Formula) -> Self {
        let fields = match record(program, &program.operator(formula).body, 0) {
            Some((names, values)) => {
                let mut fields: Vec<_> = names.iter().zip(values).collect();
                fields.sort_by_key(|(_, value)| value.at.span.start);
                fields.into_iter().map(|(name, _)| name.clone()).collect()
            }
            None => Vec::new(),
        };
        Self { formula, fields }
    }

    /// The fields for the current state, in the order of the source.
    ///
    /// # Errors
    /// If a field cannot be evaluated.
    pub(crate) fn shown(
        &self,
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Option<Vec<(String, Value)>>, Box<Failure>> {
        let alias = evaluator.value(self.formula)?;
        let Some(record) = alias.as_record() else {
            return Ok(None);
        };
        let mut shown: Vec<(String, Value)> = record
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        shown.sort_by_key(|(name, _)| {
            let at = self.fields.iter().position(|field| field.as_str() == Some(name));
            at.unwrap_or(usize::MAX)
        });
        Ok(Some(shown))
    }
}

/// How many definitions lead to a record.
const DEPTH_MAX: u32 = 32;

/// The names and values of a record, if an expression is one or a name for one.
fn record<'p>(program: &'p Program, node: &'p Node, depth: u32) -> Option<(&'p [Value], &'p [Node])> {
    match &node.kind {
        Kind::Record(shape, values) => Some((shape.names(), values)),
        Kind::Once(_, inner) | Kind::PerState(_, inner) | Kind::Memo(_, inner) | Kind::Let(_, inner) => {
            record(program, inner, depth)
        }
        Kind::Call(call) if depth < DEPTH_MAX => {
            let operator = program.operators.get(call.operator as usize)?;
            record(program, &operator.body, depth + 1)
        }
        _ => None,
    }
}
