//! The variables that a formula mentions.

use std::collections::BTreeSet;

use crate::{Argument, Formula, Kind, Node, Program};

impl Program {
    /// The variables that a formula mentions, itself or through definitions, primed or not.
    pub fn variables_of(&self, formula: Formula) -> BTreeSet<u32> {
        let mut scan = Scan {
            program: self,
            operators: BTreeSet::new(),
            found: BTreeSet::new(),
        };
        scan.node(&self.operator(formula).body);
        scan.found
    }
}

struct Scan<'p> {
    program: &'p Program,
    /// The operators seen so far.
    operators: BTreeSet<u32>,
    found: BTreeSet<u32>,
}

impl<'p> Scan<'p> {
    fn node(&mut self, node: &'p Node) {
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => {
                self.found.insert(*variable);
            }
            Kind::Unchanged(variables) => self.found.extend(variables.iter().copied()),
            Kind::Call(call) => self.operator(call.operator),
            _ => {}
        }
        node.kind.for_each_argument(|argument| {
            if let Argument::Operator(operator, _) = argument {
                self.operator(*operator);
            }
        });
        node.kind.for_each_child(|child| self.node(child));
    }

    fn operator(&mut self, operator: u32) {
        if self.operators.insert(operator)
            && let Some(operator) = self.program.operators.get(operator as usize)
        {
            self.node(&operator.body);
        }
    }
}
