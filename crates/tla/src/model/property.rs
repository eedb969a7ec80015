//! Properties taken apart into what can be checked.

use crate::ir::Formula;
use crate::lower::{Lowering, Piece, Position};
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

/// Takes a property apart.
///
/// # Errors
/// The text of an action that is a conjunct by itself: TLC refuses it, because it would speak of the first step only.
pub(super) fn classify(
    spec: &Spec,
    lowering: &mut Lowering<'_>,
    name: &str,
    binding: Binding,
) -> Result<Property, String> {
    let text = |place: &Position| {
        let tree = spec.tree(place.tree());
        let span = tree.expr(place.expr()).span;
        spec.sources.get(tree.source).slice(span).to_owned()
    };
    let mut checks = Vec::new();
    for piece in lowering.pieces(binding) {
        checks.push(match piece {
            Piece::State(place) => Check::Initial(lowering.plain_of(&place, name)),
            Piece::Always(place) => Check::Invariant(lowering.plain_of(&place, name)),
            Piece::Step(place) => Check::Step(lowering.plain_of(&place, name)),
            Piece::Action(place) => return Err(text(&place)),
            Piece::Temporal(place) => Check::Liveness(text(&place)),
        });
    }
    Ok(Property {
        name: name.to_owned(),
        checks,
    })
}
