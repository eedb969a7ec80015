//! Lowering of temporal formulas.

use omnilink_tla_semantics::level::Level;
use omnilink_tla_syntax::ast::{ExprId, ExprKind, Junction, Quantifier};
use omnilink_tla_syntax::operators::Op;

use super::context::ContextId;
use super::enabled::enabled_node;
use super::operand::Operand;
use super::scoped::ScopedExpr;
use super::{At, Lowering};
use crate::temporal::{Refusal, Temporal, TemporalBound, TemporalBounded, TemporalKind};
use crate::{Kind, Node};

type Lowered = Result<Temporal, Refusal>;

impl Lowering<'_> {
    /// Lowers a temporal formula.
    ///
    /// # Errors
    /// If a part has a form that cannot be checked.
    pub fn temporal_of(&mut self, here: &ScopedExpr) -> Lowered {
        let (at, id) = (here.at, here.expr);
        if let Some(argument) = self.argument_at(here) {
            return self.temporal_of(&argument);
        }
        let spec = self.spec;
        let kind = &spec.tree(at.tree).expr(id).kind;
        let loc = self.loc(at.tree, id);
        let done = |kind| Ok(Temporal { kind, at: loc });
        let refused = |reason| Err(Refusal { at: loc, reason });
        if let ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) = kind {
            return self.temporal_of(&here.with(at, *inner));
        }
        match self.level_of(here) {
            Level::Constant | Level::State => {
                let formula = self.operation_of(here, "property", |this, at, expr| this.expr(at, expr));
                return done(TemporalKind::State(formula));
            }
            Level::Action => return refused(BARE_ACTION),
            Level::Temporal => {}
        }
        match kind {
            ExprKind::Junction(junction, items) => {
                let parts = self.all_of(here, items)?;
                done(match junction {
                    Junction::And => TemporalKind::And(parts),
                    Junction::Or => TemporalKind::Or(parts),
                })
            }
            ExprKind::Infix(Op::And, _, left, right) => {
                done(TemporalKind::And(self.all_of(here, &[*left, *right])?))
            }
            ExprKind::Infix(Op::Or, _, left, right) => {
                done(TemporalKind::Or(self.all_of(here, &[*left, *right])?))
            }
            ExprKind::Infix(Op::Implies, _, left, right) => {
                done(TemporalKind::Implies(self.both_of(here, *left, *right)?))
            }
            ExprKind::Infix(Op::Equiv, _, left, right) => {
                done(TemporalKind::Equiv(self.both_of(here, *left, *right)?))
            }
            ExprKind::Infix(Op::LeadsTo, _, left, right) => {
                done(TemporalKind::LeadsTo(self.both_of(here, *left, *right)?))
            }
            ExprKind::Infix(Op::PlusArrow, ..) => refused("`-+->` cannot be checked"),
            ExprKind::Prefix(op @ (Op::Not | Op::Always | Op::Eventually), operand) => {
                let operand = here.with(at, *operand);
                let operand = Box::new(match (op, self.level_of(&operand)) {
                    (Op::Always | Op::Eventually, Level::Action) => {
                        self.step_of(&operand, *op == Op::Always)?
                    }
                    _ => self.temporal_of(&operand)?,
                });
                done(match op {
                    Op::Not => TemporalKind::Not(operand),
                    Op::Always => TemporalKind::Always(operand),
                    _ => TemporalKind::Eventually(operand),
                })
            }
            ExprKind::If(condition, yes, no) => {
                let parts = [condition, yes, no].map(|part| self.temporal_of(&here.with(at, *part)));
                let [condition, yes, no] = parts;
                done(TemporalKind::If(Box::new((condition?, yes?, no?))))
            }
            ExprKind::Let(_, body) => self.temporal_of(&here.with(at, *body)),
            ExprKind::Quantified(quantifier, _, body) => {
                let bounds = self.bounds_of(here)?;
                let body = self.temporal_of(&here.bound_by(at, id, *body))?;
                let bounded = Box::new(TemporalBounded { bounds, body });
                done(match quantifier {
                    Quantifier::ForAll => TemporalKind::ForAll(bounded),
                    Quantifier::Exists => TemporalKind::Exists(bounded),
                })
            }
            ExprKind::Fairness(is_strong, subscript, action) => {
                let (subscript, action) = (*subscript, *action);
                let step = self.operation_of(here, "fairness", |this, at, expr| {
                    this.changing(at, expr, action, subscript)
                });
                let enabled = self.operation_of(here, "fairness", |this, at, expr| {
                    let changing =
                        this.within_enabled(at.context, |this| this.changing(at, expr, action, subscript));
                    let loc = changing.at;
                    enabled_node(changing, loc)
                });
                done(TemporalKind::Fairness {
                    is_strong: *is_strong,
                    step,
                    enabled,
                    hides: at.context != ContextId::ROOT && !self.hidden.is_empty(),
                })
            }
            ExprKind::TemporalQuantified(..) => {
                refused("`\\EE` and `\\AA` hide variables and cannot be checked")
            }
            ExprKind::Case(..) => refused("CASE with temporal formulas cannot be checked; write IF"),
            _ => match self.inside(here) {
                Some(inside) => self.temporal_of(&inside),
                None => refused(
                    "this temporal formula cannot be unfolded: it is recursive, or names a part of a definition",
                ),
            },
        }
    }

    /// `[A]_v` inside `[]`, or `<<A>>_v` inside `<>`. A formula with an action in another place could tell stuttering steps apart.
    fn step_of(&mut self, here: &ScopedExpr, is_square: bool) -> Lowered {
        if let Some(argument) = self.argument_at(here) {
            return self.step_of(&argument, is_square);
        }
        let at = self.loc(here.at.tree, here.expr);
        match &self.spec.tree(here.at.tree).expr(here.expr).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.step_of(&here.with(here.at, *inner), is_square)
            }
            ExprKind::Action(square, ..) if *square == is_square => {
                let step = self.operation_of(here, "property", |this, at, expr| this.expr(at, expr));
                let kind = TemporalKind::Step {
                    step,
                    stutters: is_square,
                };
                Ok(Temporal { kind, at })
            }
            _ => match self.inside(here) {
                Some(inside) => self.step_of(&inside, is_square),
                None => Err(Refusal {
                    at,
                    reason: BARE_ACTION,
                }),
            },
        }
    }

    /// `<<A>>_v`.
    fn changing(&mut self, at: At, whole: ExprId, action: ExprId, subscript: ExprId) -> Node {
        let loc = self.loc(at.tree, whole);
        let action = self.expr(at, action);
        let unchanged = self.unchanged(at, loc, Operand::Expr(at, subscript));
        let uses = action.uses.and(unchanged.uses);
        Node {
            kind: Kind::Changing(Box::new((action, unchanged))),
            at: loc,
            uses,
        }
    }

    fn all_of(&mut self, here: &ScopedExpr, parts: &[ExprId]) -> Result<Vec<Temporal>, Refusal> {
        let parts = parts.iter();
        parts
            .map(|part| self.temporal_of(&here.with(here.at, *part)))
            .collect()
    }

    fn both_of(
        &mut self,
        here: &ScopedExpr,
        left: ExprId,
        right: ExprId,
    ) -> Result<Box<(Temporal, Temporal)>, Refusal> {
        let left = self.temporal_of(&here.with(here.at, left))?;
        let right = self.temporal_of(&here.with(here.at, right))?;
        Ok(Box::new((left, right)))
    }

    /// The bounds of a quantifier, whose sets must be constant.
    pub(super) fn bounds_of(&mut self, here: &ScopedExpr) -> Result<Vec<TemporalBound>, Refusal> {
        let spec = self.spec;
        let ExprKind::Quantified(_, bounds, _) = &spec.tree(here.at.tree).expr(here.expr).kind else {
            return Ok(Vec::new());
        };
        let at = self.loc(here.at.tree, here.expr);
        let mut lowered = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let Some(set) = bound.set else {
                let reason = "a quantifier around a temporal formula needs a set for each name";
                return Err(Refusal { at, reason });
            };
            let place = here.with(here.at, set);
            let operation = self.operation_of(&place, "set", |this, at, expr| this.expr(at, expr));
            let uses = self.uses_of(operation);
            if uses.state || uses.next {
                let reason = "a quantifier around a temporal formula needs a set without variables, \
                              which is the same in every state";
                return Err(Refusal {
                    at: self.loc(here.at.tree, set),
                    reason,
                });
            }
            let names = bound.names.iter();
            lowered.push(TemporalBound {
                set: operation,
                names: names.map(|name| spec.names.text(name.name).into()).collect(),
                is_tuple: bound.tuple,
            });
        }
        Ok(lowered)
    }
}

const BARE_ACTION: &str = "an action in a temporal formula must be written as `[][A]_v` or `<><<A>>_v`";
