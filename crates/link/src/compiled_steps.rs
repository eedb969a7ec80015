//! Steps of instances by compiled code.
//!
//! The first states that are evaluated show how the variables are spread over cells; then each operation is compiled when it is next needed, with
//! its arguments in registers. So one piece of code serves all instances of an operation.
//!
//! Only the search runs it. A step on which it traps is evaluated. Explanations are replayed and violations are confirmed by the plain evaluator
//! ([`PlainSpec`](crate::plain_spec)), so compiled code that were wrong could neither accept a trace nor reject one.

use omnilink_tla::eval::{Evaluator, State};
use omnilink_tla::ir::{OperatorId, Program};
use omnilink_tla_compile::{CellLayout, Evaluators, Form, Machine, Trap, ValueStore};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

/// Steps that are evaluated first: a short trace is over before code would pay.
const STEPS_LEARNED: usize = 200;
/// The same where each step is compared with its evaluation: few, so that layouts are often wrong.
const STEPS_LEARNED_TO_COMPARE: usize = 2;
/// Traps after which it is decided whether the code of an operation pays.
const TRIAL: u64 = 64;
/// Memory of the values that the code has met, in bytes. Then it forgets them, so a longer trace takes no more.
const STORE_MAX: usize = 4 << 20;
/// Steps between two looks at that memory.
const STEPS_BETWEEN: u64 = 1 << 8;

/// The code of a specification's operations.
#[derive(Debug)]
pub(crate) struct CompiledSteps<'l> {
    program: &'l Program,
    /// The number of steps from which the layout is learned; `None` if nothing is compiled.
    learned_from: Option<usize>,
    /// What the states so far have in common.
    forms: Option<Vec<Form>>,
    learned: usize,
    machine: Option<Machine<'l>>,
    operations: FxHashMap<OperatorId, CompiledOperation>,
    steps: u64,
}

/// The code of one operation.
#[derive(Clone, Copy, Debug)]
struct CompiledOperation {
    /// Its number in the machine; `None` if it is left to the evaluator.
    number: Option<usize>,
    steps: u64,
    traps: u64,
}

impl<'l> CompiledSteps<'l> {
    pub(crate) fn new(program: &'l Program, evaluators: Evaluators) -> Self {
        Self {
            program,
            learned_from: match evaluators {
                Evaluators::Interpreter => None,
                Evaluators::Compiled => Some(STEPS_LEARNED),
                Evaluators::Both => Some(STEPS_LEARNED_TO_COMPARE),
            },
            forms: None,
            learned: 0,
            machine: None,
            operations: FxHashMap::default(),
            steps: 0,
        }
    }

    /// The successors of a state under an operation with these arguments, duplicates included; `None` if it has to be evaluated.
    pub(crate) fn successors(
        &mut self,
        evaluator: &mut Evaluator<'l>,
        operation: OperatorId,
        arguments: &[Value],
        from: &State,
    ) -> Option<Vec<State>> {
        if self.machine.is_none() {
            self.learn(from);
            return None;
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN) {
            self.forget_values();
        }
        let number = self.code_of(operation, evaluator)?;
        let machine = self.machine.as_mut()?;
        let run = match machine.set_state(from) {
            Ok(()) => machine
                .successors_with(number, arguments, evaluator)
                .map(<[_]>::len),
            Err(trap) => Err(trap),
        };
        let code = self.operations.get_mut(&operation)?;
        match run {
            Ok(count) => {
                code.steps += 1;
                Some(
                    (0..count)
                        .map(|successor| machine.values_after(successor))
                        .collect(),
                )
            }
            Err(trap) => {
                code.traps += 1;
                if code.traps >= TRIAL && code.traps > code.steps {
                    code.number = None;
                }
                if let Trap::Layout(node) = trap {
                    let forms = machine.layout().widened(node);
                    self.start(forms);
                }
                None
            }
        }
    }

    /// Learns from a state that is about to be evaluated.
    fn learn(&mut self, state: &State) {
        let Some(enough) = self.learned_from else {
            return;
        };
        let forms = state.iter().map(Form::of);
        let forms: Vec<Form> = match self.forms.take() {
            None => forms.collect(),
            Some(known) => known
                .iter()
                .zip(forms)
                .map(|(known, form)| known.meet(&form))
                .collect(),
        };
        self.learned += 1;
        if self.learned >= enough {
            self.start(forms);
        } else {
            self.forms = Some(forms);
        }
    }

    /// Begins with no code and no values.
    fn start(&mut self, forms: Vec<Form>) {
        let mut store = ValueStore::default();
        let layout = CellLayout::new(forms, None, &mut store);
        self.machine = Some(Machine::new(store, layout, Vec::new(), Vec::new()));
        // What did not pay is not tried again.
        self.operations.retain(|_, code| code.number.is_none());
    }

    fn forget_values(&mut self) {
        if let Some(machine) = &self.machine
            && machine.heap_bytes() > STORE_MAX
        {
            let forms = machine.layout().forms().to_vec();
            self.start(forms);
        }
    }

    /// The number of the code of an operation, which is made when it is first needed.
    fn code_of(&mut self, operation: OperatorId, evaluator: &mut Evaluator<'l>) -> Option<usize> {
        if let Some(code) = self.operations.get(&operation) {
            return code.number;
        }
        let made = self
            .machine
            .as_mut()?
            .add_operation(self.program, operation, evaluator);
        let code = CompiledOperation {
            number: made.ok(),
            steps: 0,
            traps: 0,
        };
        self.operations.insert(operation, code);
        code.number
    }
}
