//! Evaluation of assignments as edits, where possible, for the memo.

use omnilink_value::Value;

use super::edit::Edit;
use super::read::{Read, Root};
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;
use omnilink_tla_ir::{Kind, Node, PathStep, Two, Update};

impl<'p> Evaluator<'p> {
    /// Evaluates the expression assigned to a variable. Returns the value and an edit that yields it.
    pub(crate) fn eval_edit(&mut self, variable: u32, node: &'p Node) -> Outcome<(Value, Edit)> {
        let edit = match &node.kind {
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.bool(condition)? { yes } else { no };
                return self.eval_edit(variable, branch);
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument)?;
                    self.set_slot(*slot, content);
                }
                return self.eval_edit(variable, body);
            }
            Kind::Memo(_, inner) => return self.eval_edit(variable, inner),
            Kind::Var(source) if *source == variable && !self.primed => Some(Edit::Same),
            Kind::Var(source) if !self.primed => Some(Edit::Copy(*source)),
            Kind::Except(function, updates) => self.except_edit(function, updates)?,
            Kind::Union(operands) => self.set_edit(operands, Edit::Union)?,
            Kind::Difference(operands) => self.set_edit(operands, Edit::Difference)?,
            _ => None,
        };
        if let Some(edit) = edit
            && let Some(value) = edit.apply(variable, &self.state)
        {
            return Ok((value, edit));
        }
        let datum = self.eval(node)?;
        let value = self.canonical(datum)?;
        Ok((value.clone(), Edit::Is(value)))
    }

    /// The edit for `S \cup T` or `S \ T` where `S` is a variable.
    fn set_edit(
        &mut self,
        operands: &'p Two,
        make: impl FnOnce(u32, Value) -> Edit,
    ) -> Outcome<Option<Edit>> {
        let (Kind::Var(source), false) = (&operands.0.kind, self.primed) else {
            return Ok(None);
        };
        let datum = self.eval(&operands.1)?;
        Ok(match self.finite(datum)? {
            Datum::Value(value) => Some(make(*source, value)),
            Datum::Lazy(_) => None,
        })
    }

    /// The edit for `[f EXCEPT …]` where `f` is a variable.
    fn except_edit(&mut self, function: &'p Node, updates: &'p [Update]) -> Outcome<Option<Edit>> {
        let (Kind::Var(source), false) = (&function.kind, self.primed) else {
            return Ok(None);
        };
        let mut changes: Vec<(Vec<Value>, Value)> = Vec::with_capacity(updates.len());
        for update in updates {
            let mut path = Vec::with_capacity(update.path.len());
            for step in &update.path {
                path.push(match step {
                    PathStep::Field(field) => field.name.clone(),
                    PathStep::Index(index) => {
                        let index = self.eval(index)?;
                        self.canonical(index)?
                    }
                });
            }
            if update.uses_old {
                // `@` is the value in the state unless an earlier update is at this path, above it or below it.
                if !changes.iter().all(|(earlier, _)| are_apart(earlier, &path)) {
                    return Ok(None);
                }
                match self.read(Read::new(Root::Variable(*source), path.clone())) {
                    Some(old) => self.bind(update.at_slot, old),
                    None => return Ok(None),
                }
            }
            let datum = self.eval(&update.value)?;
            match self.finite(datum)? {
                Datum::Value(value) => changes.push((path, value)),
                Datum::Lazy(_) => return Ok(None),
            }
        }
        Ok(Some(Edit::Except(*source, changes.into())))
    }
}

/// Whether two paths lead to parts that have nothing in common: neither path is a prefix of the other.
fn are_apart(left: &[Value], right: &[Value]) -> bool {
    left.iter().zip(right).any(|(left, right)| left != right)
}
