//! Steps of operations on states that are given as values: what recorded operations are checked with.
//!
//! The first states that are evaluated show how the variables are spread over cells; then each operation is compiled when it is next needed, with
//! its arguments in registers. So one piece of code serves all instances of an operation.
//!
//! Only a search may run it. A step on which it traps has to be evaluated, and a sample of the others is. What the search concludes is checked by the
//! evaluator alone: explanations are replayed with it, and violations confirmed as far as that search gets.

use omnilink_tla_eval::error::ErrorClass;
use omnilink_tla_eval::{Evaluator, Flow, State};
use omnilink_tla_ir::{OperatorId, Program};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::evaluators::Evaluators;
use crate::layout::{CellLayout, Form};
use crate::machine::Machine;
use crate::sample::Sample;
use crate::trap::Trap;
use crate::values::ValueStore;

/// Steps that are evaluated first: a short trace is over before code would pay.
const STEPS_LEARNED: usize = 64;
/// The same where each step is compared with its evaluation: few, so that layouts are often wrong.
const STEPS_LEARNED_TO_COMPARE: usize = 2;
/// Traps after which it is decided whether the code of an operation pays.
const TRIAL: u64 = 64;
/// The memory for values that the code has met, in bytes. When it is full, they are forgotten, so that memory does not grow with the trace.
const STORE_MAX: usize = 1 << 20;
/// How often code is made anew, whatever it costs.
const TIMES_FREE: u32 = 8;
/// Later, instructions that may be made for each step that they run.
const INSTRUCTIONS_PER_STEP: u64 = 4;
/// Steps between two looks at that memory.
const STEPS_BETWEEN: u64 = 1 << 8;

/// The code of a specification's operations.
#[derive(Debug)]
pub struct CompiledSteps<'l> {
    program: &'l Program,
    /// The number of steps from which the layout is learned; `None` if nothing is compiled.
    learned_from: Option<usize>,
    /// What the states so far have in common.
    forms: Option<Vec<Form>>,
    learned: usize,
    machine: Option<Machine<'l>>,
    operations: FxHashMap<OperatorId, CompiledOperation>,
    steps: u64,
    /// How many of them there were when the code was made, and how often it was made.
    started: u64,
    times_made: u32,
    /// Variables that nothing depends on. They stay as they are.
    ignored: Vec<u32>,
    sample: Sample,
    /// How a step differs from its evaluation. Then no code is run any more.
    difference: Option<String>,
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
    /// None is compiled yet.
    pub fn new(program: &'l Program, evaluators: Evaluators) -> Self {
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
            started: 0,
            times_made: 0,
            ignored: Vec::new(),
            sample: Sample::new(evaluators),
            difference: None,
        }
    }

    /// Lets variables stay as they are, because nothing depends on them: see [`Evaluator::ignore_variables`].
    pub fn ignore_variables(&mut self, variables: &[u32]) {
        self.ignored.extend_from_slice(variables);
    }

    /// The successors of a state under an operation with these arguments, duplicates included, as the evaluator enumerates them; `None` if they
    /// have to be evaluated.
    pub fn successors(
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
                if self.sample.takes(std::iter::once(number)) {
                    let program = self.program;
                    let found = self.sample.timed(|| {
                        difference(
                            machine,
                            evaluator,
                            program,
                            (operation, arguments),
                            (from, &self.ignored),
                        )
                    });
                    if found.is_some() {
                        self.difference = found;
                        (self.machine, self.learned_from) = (None, None);
                        return None;
                    }
                }
                let after = |successor| machine.values_after(successor, &self.ignored);
                Some((0..count).map(after).collect())
            }
            Err(trap) => {
                code.traps += 1;
                if code.traps >= TRIAL && code.traps > code.steps {
                    code.number = None;
                }
                if let Trap::Layout(node) = trap {
                    let forms = machine.layout().widened(node);
                    self.start_again(forms);
                }
                None
            }
        }
    }

    /// How a step that was compared differs from its evaluation: a mistake of this program. The steps before it may be wrong, too.
    pub fn difference(&self) -> Option<&str> {
        self.difference.as_deref()
    }

    /// Whether any code was run.
    pub fn is_used(&self) -> bool {
        self.steps > 0
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
        self.sample.start();
        let mut store = ValueStore::default();
        let layout = CellLayout::new(forms, None, &mut store);
        self.started = self.steps;
        self.machine = Some(Machine::new(store, layout, Vec::new(), Vec::new()));
        // What did not pay is not tried again.
        self.operations.retain(|_, code| code.number.is_none());
    }

    /// Forgets the values if they take too much memory. Then all code is made anew, because its constants are among them.
    fn forget_values(&mut self) {
        let Some(machine) = &self.machine else {
            return;
        };
        if machine.heap_bytes() <= STORE_MAX {
            return;
        }
        let forms = machine.layout().forms().to_vec();
        self.start_again(forms);
    }

    /// Makes the code anew, unless it did not pay for being made. The first times, layouts are still being learned.
    fn start_again(&mut self, forms: Vec<Form>) {
        let made = self.machine.as_ref().map_or(0, Machine::instruction_count);
        let steps = self.steps - self.started;
        self.times_made += 1;
        if self.times_made > TIMES_FREE && made as u64 > INSTRUCTIONS_PER_STEP * steps {
            (self.machine, self.learned_from) = (None, None);
        } else {
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

/// How the successors found last differ from those of the evaluator.
fn difference<'l>(
    machine: &mut Machine<'l>,
    evaluator: &mut Evaluator<'l>,
    program: &Program,
    (operation, arguments): (OperatorId, &[Value]),
    (from, ignored): (&State, &[u32]),
) -> Option<String> {
    let mut expected: Vec<(State, u32)> = Vec::new();
    let evaluated = evaluator.successors_of(operation, arguments, from, &mut |_, next, taken| {
        let mut next = next.to_vec();
        for variable in ignored {
            next[*variable as usize] = from[*variable as usize].clone();
        }
        expected.push((next.into(), taken.map_or(u32::MAX, |taken| taken.action)));
        Ok(Flow::Go)
    });
    let actions: Vec<u32> = machine.found().iter().map(|found| found.action).collect();
    let after = |successor| machine.values_after(successor, ignored);
    let found: Vec<(State, u32)> = (0..actions.len()).map(after).zip(actions).collect();
    let evaluated = match evaluated {
        Ok(()) if found == expected => return None,
        Ok(()) => format!("{expected:?}"),
        Err(failure) if failure.class == ErrorClass::Resource => return None,
        Err(failure) => failure.to_string(),
    };
    let name = &program.operator(operation.formula()).name;
    Some(format!(
        "the steps of {name} with {arguments:?} from {from:?}: compiled code says {found:?}, the evaluator {evaluated}"
    ))
}
