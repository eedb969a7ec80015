//! What a refusal depends on.

use omnilink_tla_ir::OperatorId;
use omnilink_value::Value;

use crate::analysis::Cell;
use crate::evaluator::{Evaluator, State};
use crate::flow::Flow;

impl<'p> Evaluator<'p> {
    /// The cells that the evaluation of an action reads in a state that refuses it. It is refused in every state that agrees on
    /// these cells, because evaluation is deterministic and takes the same path there. `None` if it is not refused, fails, or reads
    /// something that is not logged.
    pub fn reads_of_refusal(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        state: &State,
    ) -> Option<Vec<Cell>> {
        self.memo.as_ref()?;
        // Registers and random values are not logged.
        if self.program.operator(action.formula()).body.uses.impure {
            return None;
        }
        let scope = self.begin_log();
        let mut is_refused = true;
        let evaluated = self.successors_of(action, arguments, state, &mut |_, _, _| {
            is_refused = false;
            Ok(Flow::Stop)
        });
        let cells = self.memo.as_ref().and_then(|memo| {
            let mut cells: Vec<Cell> = Vec::new();
            for cell in memo.log.reads(scope.start)?.filter_map(|read| read.cell()) {
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
            Some(cells)
        });
        self.end_log(scope);
        cells.filter(|_| is_refused && evaluated.is_ok())
    }
}
