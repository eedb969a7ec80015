//! Properties, decomposed into checks.

use crate::ir::Formula;
use crate::lower::{Conjunct, ConjunctExpr, Lowering};
use crate::semantics::entity::Binding;
use crate::semantics::spec::Spec;

/// One conjunct of a property.
#[derive(Clone, Debug)]
pub enum Check {
    /// A state predicate, which initial states must satisfy.
    Initial(Formula),
    /// `[]P`: P must hold in every state.
    Invariant(Formula),
    /// `[][A]_v`, which every step must satisfy.
    Step(Formula),
    /// A temporal formula, as text.
    Liveness(String),
}

/// A property and its conjuncts.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its conjuncts.
    pub checks: Vec<Check>,
}

/// Decomposes a property.
///
/// # Errors
/// The text of an action that is a conjunct by itself: TLC rejects it, because it would be about the first step only.
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
