//! Operators of a program with the values of their parameters, and what code they become.

use omnilink_tla_eval::Evaluator;
use omnilink_tla_ir::{Formula, Node, OperatorId, Program};
use omnilink_value::Value;

use super::compiler::{Compiler, NotCompiled, not_compiled};
use super::scope::{Binding, Scope};
use crate::code::{Code, Instruction};
use crate::layout::CellLayout;
use crate::values::ValueStore;

/// Variables, and those that only an ENABLED has, are bits of a word.
const VARIABLES_MAX: usize = 64;

/// An operator of a program, and the values of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct BoundOperator<'a> {
    /// The operator.
    pub operator: OperatorId,
    /// The values.
    pub arguments: &'a [Value],
}

impl From<Formula> for BoundOperator<'_> {
    fn from(formula: Formula) -> Self {
        Self {
            operator: formula.operation(),
            arguments: &[],
        }
    }
}

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An action: it emits the successors of each state.
    Action,
    /// An initial condition, which is lowered as if its variables were primed: it emits the initial states as successors of any state, of
    /// which it reads nothing.
    Initial,
    /// A formula about a state.
    State,
    /// A formula about a state in the graph of all states, where the length of the queue is known.
    StateLabel,
    /// A formula about a step of a search. Where a conjunct is false, others need have no value.
    Step,
    /// A formula about a step, as it is written.
    StepLabel,
    /// An expression about a state: it returns the value.
    Value,
}

/// The code of an action whose parameters have values when it is run, and what of it is left to the evaluator.
pub(crate) fn compile_operation<'p>(
    program: &'p Program,
    operation: OperatorId,
    layout: &CellLayout,
    store: &mut ValueStore,
    evaluator: &mut Evaluator<'p>,
) -> Result<(Code<'p>, Vec<NotCompiled>), NotCompiled> {
    let operator = program.operator(operation.formula());
    let mut compiler = Compiler::new(program, layout, store, evaluator);
    check_variables(program, &operator.body)?;
    let mut scope = Scope::new(operator.slots.len(), false);
    for slot in 0..operation.params() as u32 {
        let register = compiler.register();
        compiler.code.parameters.push(register);
        scope.bind(slot, Binding::Register(register));
    }
    compiler.whole_action(&operator.body, &scope)?;
    compiler.finish_all(&operator.body)
}

fn check_variables(program: &Program, body: &Node) -> Result<(), NotCompiled> {
    if program.variables.len() + program.hidden_variables as usize > VARIABLES_MAX {
        return Err(not_compiled(body, "there are too many variables"));
    }
    Ok(())
}

/// The code of an operator, and what of it is left to the evaluator.
pub fn compile<'p>(
    program: &'p Program,
    bound: BoundOperator<'_>,
    purpose: Purpose,
    layout: &CellLayout,
    store: &mut ValueStore,
    evaluator: &mut Evaluator<'p>,
) -> Result<(Code<'p>, Vec<NotCompiled>), NotCompiled> {
    let operator = program.operator(bound.operator.formula());
    let body = &operator.body;
    let mut compiler = Compiler::new(program, layout, store, evaluator);
    check_variables(program, body)?;
    let mut scope = Scope::new(operator.slots.len(), false);
    for (slot, argument) in (0..bound.operator.params() as u32).zip(bound.arguments) {
        let register = compiler.constant_value(argument);
        scope.bind(slot, Binding::Register(register));
    }
    match purpose {
        Purpose::Action => compiler.whole_action(body, &scope)?,
        Purpose::Initial => {
            let uses = body.uses;
            if uses.state || uses.impure || uses.opaque || uses.unfinished {
                return Err(not_compiled(
                    body,
                    "an initial condition needs more than the initial state",
                ));
            }
            compiler.whole_action(body, &scope)?;
        }
        Purpose::State | Purpose::StateLabel => {
            compiler.knows_queue = purpose == Purpose::StateLabel;
            compiler.whole_formula(body, &scope)?;
        }
        Purpose::Step | Purpose::StepLabel => {
            compiler.refutes = purpose == Purpose::Step;
            compiler.assigned = u64::MAX;
            compiler.code.is_step = true;
            compiler.whole_formula(body, &scope)?;
        }
        Purpose::Value => {
            let from = compiler.expression(body, &scope)?;
            compiler.emit(Instruction::Return { from });
        }
    }
    compiler.finish_all(body)
}
