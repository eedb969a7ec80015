//! From which expressions an application of an event can be reached.

use omnilink_tla::ir::{Argument, Kind, Node, Operator, Program};

/// For each operator of a program: whether an application of an event can be reached from it, over any expression in it: also where no step
/// goes, and over operators that are given as arguments. So where nothing is reached, no step goes through the event.
#[derive(Debug)]
pub(crate) struct EventReach {
    reaches: Vec<bool>,
}

/// Whether an operator is the event of this name and number of parameters.
pub(crate) fn is_event(operator: &Operator, name: &str, params: usize) -> bool {
    operator.is_definition && *operator.name == *name && operator.params as usize == params
}

impl EventReach {
    /// The operators from which an event can be reached, itself included.
    pub fn of(program: &Program, name: &str, params: usize) -> Self {
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.operators.len()];
        let mut open = Vec::new();
        for (number, operator) in (0u32..).zip(&program.operators) {
            each_operator(&operator.body, &mut |called| {
                callers[called as usize].push(number)
            });
            if is_event(operator, name, params) {
                open.push(number);
            }
        }
        let mut reaches = vec![false; program.operators.len()];
        while let Some(operator) = open.pop() {
            if !std::mem::replace(&mut reaches[operator as usize], true) {
                open.extend(&callers[operator as usize]);
            }
        }
        Self { reaches }
    }

    /// Whether an application of the event can be reached from an operator. An operator that was added since is not known.
    pub fn in_operator(&self, operator: u32) -> bool {
        self.reaches.get(operator as usize).copied().unwrap_or(true)
    }

    /// Whether an application of the event can be reached from an expression.
    pub fn in_node(&self, node: &Node) -> bool {
        let mut is_found = false;
        each_operator(node, &mut |called| is_found |= self.in_operator(called));
        is_found
    }

    /// Whether an argument is, or contains, something from which an application of the event can be reached.
    pub fn in_argument(&self, argument: &Argument) -> bool {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => self.in_node(node),
            // What the slot holds was an argument elsewhere.
            Argument::Slot(_) => false,
            Argument::Operator(operator, captures) => {
                self.in_operator(*operator) || captures.iter().any(|(_, capture)| self.in_argument(capture))
            }
        }
    }
}

/// Visits every operator that an expression names: applied, or given as an argument.
pub(crate) fn each_operator(node: &Node, visit: &mut dyn FnMut(u32)) {
    if let Kind::Call(call) = &node.kind {
        visit(call.operator);
    }
    node.kind.for_each_argument(|argument| {
        if let Argument::Operator(operator, _) = argument {
            visit(*operator);
        }
    });
    node.kind.for_each_child(|child| each_operator(child, visit));
}
