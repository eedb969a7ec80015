//! The behaviours: INIT and NEXT, or the conjuncts of a SPECIFICATION formula.

use super::Names;
use crate::ir::Formula;
use crate::ir::temporal::Temporal;
use crate::lower::{Conjunct, Lowering, Mode};

/// The initial condition, the next-state relation, and the fairness conditions, with all else that behaviours are assumed to satisfy.
pub(super) fn behaviour(
    of: &mut Names<'_>,
    lowering: &mut Lowering<'_>,
) -> (Option<Formula>, Option<Formula>, Vec<Temporal>) {
    let config = of.config;
    if let Some(specification) = &config.specification {
        let Some(binding) = of.find(specification) else {
            return (None, None, Vec::new());
        };
        let mut inits = Vec::new();
        let mut nexts = Vec::new();
        let mut fairness = Vec::new();
        for conjunct in lowering.conjuncts(binding) {
            match conjunct {
                Conjunct::State(place) => inits.push(place),
                Conjunct::Step(place) => nexts.push(place),
                Conjunct::Temporal(place) => match lowering.temporal_of(&place) {
                    Ok(formula) => fairness.push(formula),
                    Err(refusal) => of.refused(specification, &refusal),
                },
                Conjunct::Action(ref place) | Conjunct::Always(ref place) => {
                    let tree = of.spec.tree(place.tree());
                    let text = of
                        .spec
                        .sources
                        .get(tree.source)
                        .slice(tree.expr(place.expr()).span);
                    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let help = match conjunct {
                        Conjunct::Action(_) => format!("write `[][{text}]_vars`, or take it out"),
                        _ => format!("state `[]({text})` as an INVARIANT, or make it a part of the actions"),
                    };
                    let message = format!(
                        "`{}` has the conjunct `{text}`, which is neither an initial condition, `[][Next]_vars` nor fairness",
                        specification.name
                    );
                    of.error_with(specification.span, message, help);
                }
            }
        }
        let next = match nexts.as_slice() {
            [] => None,
            [next] => Some(lowering.next_of(next)),
            _ => {
                of.error(
                    specification.span,
                    format!("`{}` has more than one next-state relation", specification.name),
                );
                None
            }
        };
        if nexts.is_empty() {
            of.error(
                specification.span,
                format!(
                    "`{}` has no next-state relation of the form [][Next]_vars",
                    specification.name
                ),
            );
        }
        return (lowering.init_of(&inits), next, fairness);
    }
    let mut given = |named: &Option<crate::config::Named>, fallback: &str, mode: Mode| {
        let binding = match named {
            Some(named) => of.find(named)?,
            None if config.init.is_none() && config.next.is_none() && config.source.is_none() => {
                of.spec.find(fallback)?
            }
            None => return None,
        };
        Some(lowering.definition(binding, mode))
    };
    let init = given(&config.init, "Init", Mode::Init);
    let next = given(&config.next, "Next", Mode::Next);
    (init, next, Vec::new())
}
