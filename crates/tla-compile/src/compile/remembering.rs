//! Which expressions are remembered, and what their values depend on.

use omnilink_tla_ir::{Kind, Node};

use super::compiler::{Compiled, Compiler};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, MemoKey, NO_OFFSET, Of, RegisterIndex};

/// Shorter code without a loop is run again.
const INSTRUCTIONS_MIN: usize = 40;

impl<'p> Compiler<'_, 'p> {
    /// Whether an expression may be worth remembering.
    pub(crate) fn may_remember(&self, node: &Node, scope: &Scope<'p>) -> bool {
        let is_loop = match &node.kind {
            Kind::Map(_) | Kind::Filter(_) | Kind::Function(_) | Kind::Choose(_) => true,
            Kind::Exists(bounded) | Kind::ForAll(bounded) => bounded.body.uses.heavy,
            _ => false,
        };
        let is_of_one_state = !node.uses.next || self.is_worth_remembering_by_next(node);
        is_loop && is_of_one_state && !scope.primed && self.key_registers(node, scope).is_some()
    }

    /// Whether an expression about the next state, which mostly is another one each time, takes so long that it is worth remembering: a loop over
    /// subsets or functions. Hidden variables have no cells, so there is no key for them.
    fn is_worth_remembering_by_next(&self, node: &Node) -> bool {
        let sets = node.kind.bounded().map_or(&[][..], |bounded| &bounded.sets);
        let is_large = |set: &Node| matches!(set.bare().kind, Kind::Powerset(_) | Kind::FunctionSet(_));
        self.program.hidden_variables == 0 && sets.iter().any(is_large)
    }

    /// The registers of the names that an expression uses, without constants; `None` if one is not evaluated yet, or there are too many.
    pub(crate) fn key_registers(&self, node: &Node, scope: &Scope<'p>) -> Option<Vec<RegisterIndex>> {
        if node.uses.slots >> 63 == 1 || node.uses.impure || node.uses.opaque || node.uses.unfinished {
            return None;
        }
        let mut registers = Vec::new();
        for slot in (0..63).filter(|slot| node.uses.slots >> slot & 1 == 1) {
            let register = match scope.get(slot) {
                Binding::Register(register) | Binding::Parameter { register, .. } => *register,
                Binding::Lazy { register, number, .. } if self.known.contains(number) => *register,
                // A variable or a constant: what is read of it is in the code.
                Binding::Alias(_) => continue,
                _ => return None,
            };
            if self.constant_in(register).is_none() && !registers.contains(&register) {
                registers.push(register);
            }
        }
        (registers.len() <= MemoKey::WORDS_MAX).then_some(registers)
    }

    /// Makes code for an expression, and remembers its values where that saves work.
    pub(crate) fn remembered(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        run: impl FnOnce(&mut Self) -> Compiled<RegisterIndex>,
    ) -> Compiled<RegisterIndex> {
        let Some(registers) = self.key_registers(node, scope) else {
            return run(self);
        };
        let (start, end) = (self.label(), self.label());
        let to = self.register();
        let known = self.known.len();
        let at = self.code.instructions.len();
        let state_reads = self.state_reads;
        self.emit(Instruction::Jump { goto: start });
        self.place(start);
        let value = self.with_nothing_available(run)?;
        let Some((cells, next)) = self.cells_read(at + 1, node) else {
            return Ok(value);
        };
        // An expression that is evaluated once for each state may depend on all of it.
        let words = registers.len() + cells.len() + next.len();
        if state_reads != self.state_reads || words > MemoKey::WORDS_MAX {
            return Ok(value);
        }
        self.code.memos.push(MemoKey {
            registers,
            cells,
            next,
        });
        let memo = self.code.memos.len() as u32 - 1;
        self.code.instructions[at] = Instruction::Recall { to, memo, goto: end };
        self.emit(Instruction::Remember { from: value, memo });
        self.emit(Instruction::Move { to, from: value });
        self.place(end);
        // What became known on the way is not known where the value was remembered.
        self.forget_beyond(known);
        Ok(to)
    }

    /// The cells of the current and of the next state that the code from a place on reads; `None` if it reads anything else, or is too short to be
    /// remembered.
    fn cells_read(&self, from: usize, node: &Node) -> Option<(Vec<u32>, Vec<u32>)> {
        let code = &self.code.instructions[from..];
        let (mut cells, mut next) = (Vec::new(), Vec::new());
        let mut is_worth = code.len() >= INSTRUCTIONS_MIN;
        let mut own = Vec::new();
        for instruction in code {
            match instruction {
                Instruction::Load { address, of, .. } => {
                    if address.offset != NO_OFFSET {
                        return None;
                    }
                    match of {
                        Of::Now => cells.push(address.cell),
                        Of::Next => next.push(address.cell),
                    }
                }
                Instruction::LoadJumpEqual { address, .. } => {
                    if address.offset != NO_OFFSET {
                        return None;
                    }
                    cells.push(address.cell);
                }
                // A search reads any part of the state.
                Instruction::Gather { .. }
                | Instruction::Index { .. }
                | Instruction::JumpUnchanged { .. }
                | Instruction::Search => return None,
                Instruction::Interpret { site, .. } => {
                    self.code.sites[*site as usize].memo?;
                    is_worth = true;
                }
                // What a procedure reads is not in the code here.
                Instruction::Call { .. } if node.uses.state || node.uses.next => return None,
                Instruction::Call { .. } | Instruction::Native { .. } => is_worth = true,
                Instruction::Forget { register } => own.push(*register),
                // A lazy expression from outside may or may not be evaluated yet.
                Instruction::JumpKnown { register, .. } if !own.contains(register) => return None,
                Instruction::Each { .. } | Instruction::EachInt { .. } => is_worth = true,
                _ => {}
            }
        }
        for cells in [&mut cells, &mut next] {
            cells.sort_unstable();
            cells.dedup();
        }
        is_worth.then_some((cells, next))
    }
}
