//! ENABLED: a search for one next state, in the middle of other code.
//!
//! The code of the action is that of any action, but it ends at the first next state, which may leave variables open. It has no next values
//! of its own at the start, whatever is known around it.
//!
//! In a module that is instantiated with expressions for its variables, ENABLED is about *hidden variables* of its own instead. They have no
//! cells: their next values are registers, which code assigns before it uses them.

use omnilink_tla_ir::Node;

use super::access::at_cell;
use super::action::Rest;
use super::compiler::{Compiled, Compiler, not_compiled};
use super::leading::Fail;
use super::scope::Scope;
use crate::code::{Instruction, Of, RegisterIndex, Target};

impl<'p> Compiler<'_, 'p> {
    /// Jumps if an action is enabled, where `is`, or if it is not.
    pub(super) fn enabled(
        &mut self,
        action: &'p Node,
        node: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        if scope.primed {
            return Err(not_compiled(node, "ENABLED of the next state is not compiled"));
        }
        // What is left as it is is read too.
        self.code.reads = u64::MAX;
        let (found, none, end) = (self.label(), self.label(), self.label());
        let gaps = self.gaps;
        self.emit(Instruction::Search);
        let made = self.in_search(|this| this.step(action, scope, &Rest::Found { found }, Fail::to(none)));
        made?;
        if self.gaps > gaps {
            self.gaps = gaps;
            let reason = "a part of the action of this ENABLED is not compiled";
            return Err(self.reasons.last().cloned().unwrap_or(not_compiled(node, reason)));
        }
        self.place(none);
        self.emit(Instruction::EndSearch);
        self.emit(Instruction::Jump {
            goto: if is { end } else { goto },
        });
        self.place(found);
        self.emit(Instruction::EndSearch);
        if is {
            self.emit(Instruction::Jump { goto });
        }
        self.place(end);
        Ok(())
    }

    /// Runs for an action of its own in the middle of other code: without next values, and without the loops around it, so that nothing of it
    /// leads out of the search but its two ends.
    fn in_search<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let assigned = std::mem::take(&mut self.assigned);
        let hidden = std::mem::take(&mut self.hidden);
        let loops = std::mem::take(&mut self.loops);
        let exits = std::mem::take(&mut self.exits);
        self.searches += 1;
        let result = run(self);
        self.searches -= 1;
        (self.assigned, self.hidden, self.loops, self.exits) = (assigned, hidden, loops, exits);
        result
    }

    /// Whether a variable is one that only an ENABLED has.
    pub(super) fn is_hidden(&self, variable: u32) -> bool {
        variable as usize >= self.layout.variable_count()
    }

    /// Whether all variables have a next value.
    pub(super) fn is_complete(&self) -> bool {
        let hidden = match self.searches {
            0 => 0,
            _ => self.program.hidden_variables as usize,
        };
        self.assigned.count_ones() as usize == self.layout.variable_count() + hidden
    }

    /// The next value of a variable that has one.
    pub(super) fn next_value(&mut self, variable: u32) -> RegisterIndex {
        if let Some(hidden) = self.hidden.get(&variable) {
            return *hidden;
        }
        let (node, cell) = self.layout.variable(variable);
        self.load(node, at_cell(cell), Of::Next)
    }

    /// Jumps if a variable has its value in the next state too, where `is`, or if it has another one.
    pub(super) fn compare_unchanged(&mut self, variable: u32, goto: Target, is: bool) {
        let (node, cell) = self.layout.variable(variable);
        let cells = self.layout.width(node);
        self.emit(Instruction::JumpUnchanged {
            cell,
            cells,
            is,
            goto,
        });
    }
}
