//! Layouts that tests give to compiled code: answers must not depend on them.

use omnilink_tla::eval::Evaluator;
use omnilink_tla_compile::{Form, LayoutNodeId, Trap};
use omnilink_value::Value;

use super::CompiledSystem;
use crate::codec;

/// Where the layouts of compiled code come from. Changes the speed, not the result. Those for tests need no states to learn from, so compiled
/// code runs from the first state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layouts {
    /// The first states.
    #[default]
    Learned,
    /// The first state alone: for tests.
    First,
    /// Each variable is one cell: for tests.
    Cells,
    /// Code is disturbed all the time: for tests. It traps in the middle of an action, parts of its layout are widened, its values are
    /// forgotten, and it gets the layout of a single state, which most others do not fit.
    Disturbed,
    /// The first state alone, and nothing is compared with the evaluator or confirmed by it: for tests that compare answers.
    Alone,
    /// Code that is wrong: it loses the last step from each state. For tests of the comparison with the evaluator.
    LosesSteps,
}

impl Layouts {
    /// The form that is expected where a state had this value.
    pub(crate) fn form(self, value: &Value) -> Form {
        match self {
            Layouts::Cells => Form::Cell,
            _ => Form::of(value),
        }
    }

    /// How many states a layout is learned from, if that many are there to be learned from.
    pub(crate) fn states_learned(self, states: usize) -> usize {
        match self {
            Layouts::Learned => states,
            _ => 1,
        }
    }
}

impl<'m> CompiledSystem<'_, 'm> {
    /// Makes the code before it expands the first state, unless the layout is to be learned.
    pub(super) fn start_at_once(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8]) {
        if self.machine.is_some() || self.formulas.layouts == Layouts::Learned {
            return;
        }
        let variables = worker.program().variables.len();
        if let Ok(state) = codec::Decoder::new(encoded).state(variables) {
            let layouts = self.formulas.layouts;
            let forms = state.iter().map(|value| layouts.form(value)).collect();
            self.compile(worker, forms, None);
        }
    }

    /// Under [`Layouts::Disturbed`], disturbs the code before it expands a state, each time in another way.
    pub(super) fn disturb(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8]) {
        let (Layouts::Disturbed, Some(machine)) = (self.formulas.layouts, &mut self.machine) else {
            return;
        };
        self.disturbances += 1;
        let round = self.disturbances / 8;
        machine.limit_elements(None);
        match self.disturbances % 8 {
            0 | 3 => machine.limit_elements(Some(round % 7)),
            1 => {
                let nodes = machine.layout().node_count() as u64;
                let node = (round * 5 % nodes.max(1)) as LayoutNodeId;
                self.adapt(worker, Some(Trap::Layout(node)));
            }
            5 => self.adapt(worker, None),
            6 => {
                let variables = worker.program().variables.len();
                if let Ok(state) = codec::Decoder::new(encoded).state(variables) {
                    let forms = state.iter().map(Form::of).collect();
                    self.compile(worker, forms, None);
                }
            }
            _ => {}
        }
    }
}
