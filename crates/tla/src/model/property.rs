//! Properties taken apart into what can be checked.

use crate::ir::Formula;
use crate::lower::{Lowering, Piece};
use crate::semantics::entity::Binding;
use crate::semantics::spec::Spec;

/// One thing that a property asks for.
#[derive(Clone, Debug)]
pub enum Check {
    /// A state predicate: of initial states.
    Initial(Formula),
    /// `[]P`: of every state.
    Invariant(Formula),
    /// `[][A]_v`: of every step.
    Step(Formula),
    /// What speaks of whole behaviours, as text: not checked.
    Liveness(String),
}

/// A property and what it asks for.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub checks: Vec<Check>,
}

pub(super) fn classify(spec: &Spec, lowering: &mut Lowering<'_>, name: &str, binding: Binding) -> Property {
    let checks = lowering
        .pieces(binding)
        .into_iter()
        .map(|piece| match piece {
            Piece::State(place) => Check::Initial(lowering.plain_of(place, name)),
            Piece::Always(place) => Check::Invariant(lowering.plain_of(place, name)),
            Piece::Step(place) => Check::Step(lowering.plain_of(place, name)),
            Piece::Temporal(place) => {
                let tree = spec.tree(place.tree());
                let span = tree.expr(place.expr()).span;
                Check::Liveness(spec.sources.get(tree.source).slice(span).to_owned())
            }
        })
        .collect();
    Property {
        name: name.to_owned(),
        checks,
    }
}
