//! The conjuncts of temporal formulas, classified: about initial states, all states, steps, or whole behaviours.

use omnilink_tla_semantics::entity::Binding;
use omnilink_tla_semantics::level::Level;
use omnilink_tla_syntax::ast::{ExprKind, Junction, Quantifier};
use omnilink_tla_syntax::operators::Op;

use super::Lowering;
use super::context::ContextId;
use super::scoped::ScopedExpr;

/// One conjunct of a temporal formula.
#[derive(Clone, Debug)]
pub enum Conjunct {
    /// Of the first state.
    State(ScopedExpr),
    /// `[]P` with P about single states: P itself.
    Always(ScopedExpr),
    /// `[][A]_v`: `[A]_v` itself.
    Step(ScopedExpr),
    /// An action without `[]` around it, which is about the first step only.
    Action(ScopedExpr),
    /// Anything else.
    Temporal(ScopedExpr),
}

impl Lowering<'_> {
    /// The conjuncts of a definition.
    pub fn conjuncts(&mut self, binding: Binding) -> Vec<Conjunct> {
        let spec = self.spec;
        let context = self.context_through(ContextId::ROOT, spec.via(binding.via));
        let mut conjuncts = Vec::new();
        if let Some((at, expr)) = self.body_of_entity(binding.entity, context, false) {
            let scope = Vec::new();
            self.split(ScopedExpr { at, expr, scope }, &mut conjuncts);
        }
        conjuncts
    }

    /// The conjuncts of a definition, where `\A x \in S : []P` counts as `[](\A x \in S : P)` for a constant set S.
    pub fn instances(&mut self, binding: Binding) -> Vec<Conjunct> {
        let conjuncts = self.conjuncts(binding);
        conjuncts
            .into_iter()
            .flat_map(|conjunct| self.of_every_instance(conjunct))
            .collect()
    }

    fn of_every_instance(&mut self, conjunct: Conjunct) -> Vec<Conjunct> {
        let Conjunct::Temporal(whole) = &conjunct else {
            return vec![conjunct];
        };
        let quantified = &self.spec.tree(whole.at.tree).expr(whole.expr).kind;
        let ExprKind::Quantified(Quantifier::ForAll, _, body) = quantified else {
            return vec![conjunct];
        };
        if self.bounds_of(whole).is_err() {
            return vec![conjunct];
        }
        let mut inner = Vec::new();
        self.split(whole.bound_by(whole.at, whole.expr, *body), &mut inner);
        let mut conjuncts = Vec::new();
        for part in inner {
            conjuncts.extend(self.of_every_instance(part));
        }
        // What is about whole behaviours is not taken apart: its parts have no meaning without the names.
        let is_temporal = |conjunct: &Conjunct| matches!(conjunct, Conjunct::Temporal(_));
        let has_temporal = conjuncts.iter().any(is_temporal);
        conjuncts.retain(|conjunct| !is_temporal(conjunct));
        conjuncts.extend(has_temporal.then(|| Conjunct::Temporal(whole.clone())));
        conjuncts
    }

    fn split(&mut self, here: ScopedExpr, conjuncts: &mut Vec<Conjunct>) {
        let spec = self.spec;
        let (at, id) = (here.at, here.expr);
        if let Some(argument) = self.argument_at(&here) {
            return self.split(argument, conjuncts);
        }
        match &spec.tree(at.tree).expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                return self.split(here.with(at, *inner), conjuncts);
            }
            ExprKind::Junction(Junction::And, items) => {
                return items
                    .iter()
                    .for_each(|item| self.split(here.with(at, *item), conjuncts));
            }
            ExprKind::Infix(Op::And, _, left, right) => {
                self.split(here.with(at, *left), conjuncts);
                return self.split(here.with(at, *right), conjuncts);
            }
            _ => {}
        }
        // The substitutions of an instance can raise a level only to that of a state.
        match self.level_of(&here) {
            Level::Constant | Level::State => conjuncts.push(Conjunct::State(here)),
            Level::Action => conjuncts.push(Conjunct::Action(here)),
            _ => match &spec.tree(at.tree).expr(id).kind {
                ExprKind::Prefix(Op::Always, operand) => {
                    self.split_always(here.with(at, *operand), here, conjuncts);
                }
                ExprKind::Apply(..) | ExprKind::Path(_) | ExprKind::Infix(..) => match self.inside(&here) {
                    Some(inside) => self.split(inside, conjuncts),
                    None => conjuncts.push(Conjunct::Temporal(here)),
                },
                ExprKind::Let(_, body) if self.level_of(&here.with(at, *body)) <= Level::State => {
                    conjuncts.push(Conjunct::State(here));
                }
                ExprKind::Let(_, body) => self.split(here.with(at, *body), conjuncts),
                _ => conjuncts.push(Conjunct::Temporal(here)),
            },
        }
    }

    fn split_always(&mut self, here: ScopedExpr, whole: ScopedExpr, conjuncts: &mut Vec<Conjunct>) {
        let spec = self.spec;
        let (at, operand) = (here.at, here.expr);
        if let Some(argument) = self.argument_at(&here) {
            return self.split_always(argument, whole, conjuncts);
        }
        match &spec.tree(at.tree).expr(operand).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.split_always(here.with(at, *inner), whole, conjuncts);
            }
            ExprKind::Action(true, ..) => conjuncts.push(Conjunct::Step(here)),
            ExprKind::Junction(Junction::And, items) if self.level_of(&here) > Level::State => {
                for item in items {
                    self.split_always(here.with(at, *item), whole.clone(), conjuncts);
                }
            }
            ExprKind::Infix(Op::And, _, left, right) if self.level_of(&here) > Level::State => {
                self.split_always(here.with(at, *left), whole.clone(), conjuncts);
                self.split_always(here.with(at, *right), whole, conjuncts);
            }
            ExprKind::Prefix(Op::Always, inner) => self.split_always(here.with(at, *inner), whole, conjuncts),
            _ if self.level_of(&here) <= Level::State => conjuncts.push(Conjunct::Always(here)),
            ExprKind::Apply(..) | ExprKind::Path(_) => match self.inside(&here) {
                Some(inside) => self.split_always(inside, whole, conjuncts),
                None => conjuncts.push(Conjunct::Temporal(whole)),
            },
            _ => conjuncts.push(Conjunct::Temporal(whole)),
        }
    }
}
