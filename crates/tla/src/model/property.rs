//! Properties, decomposed into checks.

use crate::ir::Formula;
use crate::ir::temporal::{Refusal, Temporal};
use crate::lower::{Conjunct, Lowering, ScopedExpr};
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
    /// Any other temporal formula, about whole behaviours.
    Temporal(Temporal),
}

/// A property and its conjuncts.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its conjuncts.
    pub checks: Vec<Check>,
}

/// Why a property cannot be checked.
pub(super) enum Unchecked {
    /// The text of an action that is a conjunct by itself: TLC rejects it, because it would be about the first step only.
    Action(String),
    /// A temporal formula of another form than those that can be checked.
    Form(Refusal),
}

/// Decomposes a property.
///
/// # Errors
/// A conjunct that cannot be checked.
pub(super) fn classify(
    spec: &Spec,
    lowering: &mut Lowering<'_>,
    name: &str,
    binding: Binding,
) -> Result<Property, Unchecked> {
    let text = |place: &ScopedExpr| {
        let tree = spec.tree(place.tree());
        let span = tree.expr(place.expr()).span;
        spec.sources.get(tree.source).slice(span).to_owned()
    };
    let mut checks = Vec::new();
    for conjunct in lowering.instances(binding) {
        checks.push(match conjunct {
            Conjunct::State(place) => Check::Initial(lowering.plain_of(&place, name)),
            Conjunct::Always(place) => Check::Invariant(lowering.plain_of(&place, name)),
            Conjunct::Step(place) => Check::Step(lowering.plain_of(&place, name)),
            Conjunct::Action(place) => return Err(Unchecked::Action(text(&place))),
            Conjunct::Temporal(place) => {
                Check::Temporal(lowering.temporal_of(&place).map_err(Unchecked::Form)?)
            }
        });
    }
    Ok(Property {
        name: name.to_owned(),
        checks,
    })
}
