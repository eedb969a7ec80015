//! The parameters that an action uses.

use crate::{Argument, Kind, Node, OperatorId, Program, slot_bit};

/// Definitions nested deeper are assumed to use everything.
const DEPTH_MAX: u32 = 32;

impl Program {
    /// Whether an operation uses a parameter. A parameter that is only passed to definitions that do not use it is unused.
    pub fn uses_param(&self, operation: OperatorId, param: usize) -> bool {
        let Ok(param) = u32::try_from(param) else {
            return false;
        };
        self.uses_slot(&self.operator(operation.formula()).body, param, 0)
    }

    fn uses_slot(&self, node: &Node, slot: u32, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return true;
        }
        if node.uses.slots & slot_bit(slot) == 0 {
            return false;
        }
        match &node.kind {
            Kind::Local(local) => *local == slot,
            Kind::Call(call) => {
                let Some(operator) = self.operators.get(call.operator as usize) else {
                    return true;
                };
                call.arguments.iter().any(|(target, argument)| {
                    self.argument_uses(argument, slot, depth)
                        && self.uses_slot(&operator.body, *target, depth + 1)
                })
            }
            // The called operator may use what it captures.
            Kind::CallSlot(called, _) if *called == slot => true,
            kind => {
                let mut used = false;
                kind.for_each_argument(|argument| used = used || self.argument_uses(argument, slot, depth));
                kind.for_each_child(|child| used = used || self.uses_slot(child, slot, depth));
                used
            }
        }
    }

    fn argument_uses(&self, argument: &Argument, slot: u32, depth: u32) -> bool {
        match argument {
            Argument::Slot(passed) => *passed == slot,
            Argument::Operator(_, captures) => captures
                .iter()
                .any(|(_, capture)| self.argument_uses(capture, slot, depth)),
            other => other.node().is_some_and(|node| self.uses_slot(node, slot, depth)),
        }
    }
}
