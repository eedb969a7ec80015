//! Properties taken apart into what can be checked.

use crate::ir::Formula;
use crate::lower::{Conjunct, ConjunctExpr, Lowering};
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
    let text = |place: &ConjunctExpr| {
        let tree = spec.tree(place.tree());
        let span = tree.expr(place.expr()).span;
        spec.sources.get(tree.source).slice(span).to_owned()
    };
    let mut checks = Vec::new();
    for conjunct in lowering.conjuncts(binding) {
        checks.push(match conjunct {
            Conjunct::State(place) => Check::Initial(lowering.plain_of(&place, name)),
            Conjunct::Always(place) => Check::Invariant(lowering.plain_of(&place, name)),
            Conjunct::Step(place) => Check::Step(lowering.plain_of(&place, name)),
            Conjunct::Action(place) => return Err(text(&place)),
            Conjunct::Temporal(place) => Check::Liveness(text(&place)),
        });
    }
    Ok(Property {
        name: name.to_owned(),
        checks,
    })
}
