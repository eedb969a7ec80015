//! Operators that the evaluator knows by itself: those of the standard and community modules.
//!
//! One file for each module or family. An operator is found by the module that defines it and its name; a module of the same
//! name that a user brings is evaluated from its own definitions.

mod arguments;
mod registry;
mod sequences;

pub use registry::{Native, lookup};

use super::datum::Datum;
use super::error::Outcome;
use super::evaluator::Evaluator;
use crate::ir::{Argument, Node, Uses};

/// What a native operator is called with.
pub(crate) use arguments::Arguments;

/// How a native operator is computed.
pub(crate) type Compute = for<'a, 'p> fn(&mut Evaluator<'p>, Arguments<'a, 'p>) -> Outcome<Datum<'p>>;

/// Applies a native operator.
pub(crate) fn apply<'p>(
    evaluator: &mut Evaluator<'p>,
    native: Native,
    arguments: &'p [Argument],
    node: &'p Node,
) -> Outcome<Datum<'p>> {
    let mut contents: smallvec::SmallVec<[super::slot::Slot<'p>; 3]> = smallvec::SmallVec::new();
    for argument in arguments {
        contents.push(evaluator.argument(argument)?);
    }
    let entry = native.entry();
    (entry.compute)(evaluator, Arguments::new(entry.name, &contents)).map_err(|failure| failure.at(node.at))
}

impl Native {
    /// What applying it depends on besides its operands.
    pub(crate) fn uses(self) -> Uses {
        let entry = self.entry();
        Uses {
            state: entry.reads_state,
            world: entry.acts,
            heavy: true,
            ..Uses::default()
        }
    }
}
