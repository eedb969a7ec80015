//! Explanation of false formulas: the innermost parts that are false.

use omnilink_tla_ir::{Formula, Kind, Loc, Node, OperatorId};
use omnilink_value::Value;

use super::evaluator::{Evaluator, State};
use super::flow::Flow;

/// A part of a formula that is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalseSubformula {
    /// Its location.
    pub at: Loc,
    /// Its text.
    pub text: String,
    /// The bound names that it uses, with their values.
    pub bindings: Vec<(String, String)>,
    /// For a comparison: its operands as text and value.
    pub values: Vec<(String, String)>,
    /// How many of the conjuncts after it are false, too.
    pub also_false: u32,
    /// Whether it reads the state.
    pub reads_state: bool,
    /// For a part that does not read the state: the condition of the IF around it, which does.
    pub condition: Option<BranchCondition>,
}

/// The condition of an IF in whose branch something is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCondition {
    /// Its text.
    pub text: String,
    /// Whether it is true.
    pub holds: bool,
    /// For a comparison: its operands as text and value.
    pub values: Vec<(String, String)>,
}

/// Maximum number of explained branches of an action.
const REFUSALS_MAX: usize = 8;

impl<'p> Evaluator<'p> {
    /// The innermost conjunct that makes a formula false in the current states; `None` if it is not false. A quantifier is explained
    /// by the first binding for which its body is false.
    pub fn explain_false(&mut self, formula: Formula) -> Option<FalseSubformula> {
        let mut bindings = Vec::new();
        self.enter(formula, |this, body| Ok(this.false_part(body, &mut bindings)))
            .ok()?
    }

    /// Why an action with given arguments is disabled in a state: for each branch the first conjunct that is false, without
    /// duplicates. Empty if every branch has a successor, or if there is no branch.
    pub fn refusals(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        from: &State,
    ) -> Vec<FalseSubformula> {
        self.refusals_given(action, arguments, from, &[])
    }

    /// The same, where the next values of some variables are known.
    pub fn refusals_given(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        from: &State,
        given: &[(u32, Value)],
    ) -> Vec<FalseSubformula> {
        self.refusals = Some(Vec::new());
        // The enumeration of successors reports the same error.
        let _ = self.successors_given(action, arguments, from, given, &mut |_, _, _| Ok(Flow::Go));
        self.refusals.take().unwrap_or_default()
    }

    /// Records that a conjunct of an action is false, if that is collected. `after` are the conjuncts after it.
    pub(crate) fn refused(&mut self, node: &'p Node, after: &'p [Node]) {
        let Some(mut refusals) = self.refusals.take() else {
            return;
        };
        if refusals.len() < REFUSALS_MAX {
            let mut bindings = Vec::new();
            let mut part = self
                .false_part(node, &mut bindings)
                .unwrap_or_else(|| self.part(node, Vec::new()));
            for other in after {
                part.also_false += u32::from(self.is_guard(other) && self.bool(other).ok() == Some(false));
            }
            if !refusals.contains(&part) {
                refusals.push(part);
            }
        }
        self.refusals = Some(refusals);
    }

    /// Notes the condition of an IF for what was refused in its branch without reading the state. `from` is how many refusals there
    /// were before.
    #[cold]
    pub(crate) fn add_condition(&mut self, from: usize, condition: &'p Node, holds: bool) {
        let Some(mut refusals) = self.refusals.take() else {
            return;
        };
        let is_bare = |part: &&mut FalseSubformula| !part.reads_state && part.condition.is_none();
        let mut bare = refusals.iter_mut().skip(from).filter(is_bare).peekable();
        if condition.uses.state && bare.peek().is_some() {
            let found = BranchCondition {
                text: self.program.text(condition.at).to_owned(),
                holds,
                values: self.operands(condition),
            };
            bare.for_each(|part| part.condition = Some(found.clone()));
        }
        self.refusals = Some(refusals);
    }

    /// The operands of a comparison as text and value.
    fn operands(&mut self, node: &'p Node) -> Vec<(String, String)> {
        let mut values = Vec::new();
        if let Kind::Equal(two)
        | Kind::NotEqual(two)
        | Kind::In(two)
        | Kind::NotIn(two)
        | Kind::SubsetEq(two)
        | Kind::Comparison(_, two) = &node.kind
        {
            for operand in [&two.0, &two.1] {
                if matches!(operand.kind, Kind::Const(_)) {
                    continue;
                }
                if let Ok(datum) = self.eval(operand) {
                    values.push((self.program.text(operand.at).to_owned(), self.short(&datum)));
                }
            }
        }
        values
    }

    fn part(&mut self, node: &'p Node, bindings: Vec<(String, String)>) -> FalseSubformula {
        FalseSubformula {
            at: node.at,
            text: self.program.text(node.at).to_owned(),
            bindings,
            values: self.operands(node),
            also_false: 0,
            reads_state: node.uses.state || node.uses.next,
            condition: None,
        }
    }

    fn false_part(
        &mut self,
        node: &'p Node,
        bindings: &mut Vec<(String, String)>,
    ) -> Option<FalseSubformula> {
        match &node.kind {
            Kind::And(conjuncts) => {
                for conjunct in conjuncts {
                    if self.bool(conjunct).ok() == Some(false) {
                        return self.false_part(conjunct, bindings);
                    }
                }
                None
            }
            Kind::Implies(operands) => {
                if self.bool(node).ok()? {
                    return None;
                }
                self.false_part(&operands.1, bindings)
            }
            Kind::PerState(_, inner)
            | Kind::Once(_, inner)
            | Kind::Memo(_, inner)
            | Kind::Action(_, inner) => self.false_part(inner, bindings),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.bool(condition).ok()? { yes } else { no };
                self.false_part(branch, bindings)
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument).ok()?;
                    self.set_slot(*slot, content);
                }
                self.false_part(body, bindings)
            }
            Kind::Call(call) => {
                let program = self.program;
                let operator = &program.operators[call.operator as usize];
                let new = self.fill_frame(call).ok()?;
                let saved = std::mem::replace(&mut self.base, new);
                for slot in 0..operator.params {
                    if let Ok(datum) = self.local(slot) {
                        let shown = self.short(&datum);
                        bindings.push((operator.slots[slot as usize].to_string(), shown));
                    }
                }
                let found = self.false_part(&operator.body, bindings);
                self.slots.truncate(new);
                self.base = saved;
                found
            }
            Kind::ForAll(bounded) => {
                let mut holds = true;
                let _ = self.each_binding(bounded, node, &mut |this| {
                    holds = this.bool(&bounded.body)?;
                    Ok(if holds { Flow::Go } else { Flow::Stop })
                });
                if holds {
                    return None;
                }
                let mut names = super::error::Failure::new(super::error::ErrorClass::Assert, "");
                names = self.in_binding(names, bounded);
                bindings.extend(names.bindings);
                self.false_part(&bounded.body, bindings)
            }
            _ => (!self.bool(node).ok()?).then(|| self.part(node, std::mem::take(bindings))),
        }
    }
}
