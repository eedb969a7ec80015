//! Expressions that are left to the evaluator, with the values of the names in them.

use omnilink_tla_ir::{Argument, Kind, Node, Program};
use rustc_hash::FxHashSet;

use super::compiler::{Compiled, Compiler, NotCompiled};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, MemoKey, RegisterIndex, Site};

impl<'p> Compiler<'_, 'p> {
    /// Leaves an expression about the current state to the evaluator.
    pub(crate) fn interpret(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        reason: NotCompiled,
    ) -> Compiled<RegisterIndex> {
        let uses = node.uses;
        // Slots from 63 on share the last bit.
        if scope.primed || uses.next || uses.impure || uses.opaque || uses.unfinished || uses.slots >> 63 == 1
        {
            return Err(reason);
        }
        // The evaluator gets values. Within ENABLED a prime may apply to what a name stands for, and the value of that is no help.
        let asks_enabled = uses.state && asks_enabled(self.program, node, &mut FxHashSet::default());
        let mut slots = Vec::new();
        for slot in (0..63).filter(|slot| uses.slots >> slot & 1 == 1) {
            match scope.get(slot) {
                Binding::Operator { .. } | Binding::Empty => return Err(reason),
                Binding::Lazy { .. } | Binding::ByName(_) | Binding::Alias(_) if asks_enabled => {
                    return Err(reason);
                }
                _ => {}
            }
            slots.push((slot, self.local(slot, scope, node)?));
        }
        let mut memo = None;
        if !uses.state && slots.len() <= MemoKey::WORDS_MAX {
            let registers = slots.iter().map(|(_, register)| *register).collect();
            self.code.memos.push(MemoKey {
                registers,
                ..MemoKey::default()
            });
            memo = Some(self.code.memos.len() as u32 - 1);
        }
        self.reasons.push(reason);
        Ok(self.interpreted_with(node, scope.size(), slots, memo))
    }

    /// Leaves an expression to the evaluator, with the registers of the slots that it uses.
    pub(crate) fn interpreted_with(
        &mut self,
        node: &'p Node,
        frame: usize,
        slots: Vec<(u32, RegisterIndex)>,
        memo: Option<u32>,
    ) -> RegisterIndex {
        if node.uses.state {
            // What it reads is not known, so it may be everything.
            self.code.reads = u64::MAX;
        }
        self.code.sites.push(Site {
            node,
            frame,
            slots,
            memo,
        });
        let to = self.register();
        let site = self.code.sites.len() as u32 - 1;
        self.emit(Instruction::Interpret { to, site });
        to
    }
}

/// Whether an expression, or an operator that it applies, asks whether an action is enabled.
fn asks_enabled(program: &Program, node: &Node, seen: &mut FxHashSet<u32>) -> bool {
    let mut asks = match &node.kind {
        Kind::Enabled(_) => true,
        Kind::Call(call) => {
            let body = &program.operators[call.operator as usize].body;
            seen.insert(call.operator) && asks_enabled(program, body, seen)
        }
        _ => false,
    };
    node.kind.for_each_argument(|argument| {
        if let Argument::Operator(operator, _) = argument {
            let body = &program.operators[*operator as usize].body;
            asks = asks || seen.insert(*operator) && asks_enabled(program, body, seen);
        }
    });
    node.kind
        .for_each_child(|child| asks = asks || asks_enabled(program, child, seen));
    asks
}
