//! Temporal formulas taken apart at their conjunctions: what they say of states, of steps, and of whole behaviours.

use super::context::ContextId;
use super::{At, Lowering, Mode};
use crate::ir::{Formula, Kind, Node, Uses};
use crate::semantics::entity::{Binding, TreeId};
use crate::semantics::level::Level;
use crate::syntax::ast::{ExprId, ExprKind, Junction};
use crate::syntax::operators::Op;

/// An expression in its context.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    at: At,
    expr: ExprId,
}

impl Position {
    /// The tree it is in.
    pub fn tree(&self) -> TreeId {
        self.at.tree
    }

    /// Which expression it is.
    pub fn expr(&self) -> ExprId {
        self.expr
    }
}

/// One conjunct of a temporal formula.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Of the first state.
    State(Position),
    /// `[]P` with P about single states: the position of P.
    Always(Position),
    /// `[][A]_v`: the position of `[A]_v`.
    Step(Position),
    /// Anything else.
    Temporal(Position),
}

impl Lowering<'_> {
    /// The conjuncts of a definition.
    pub fn pieces(&mut self, binding: Binding) -> Vec<Piece> {
        let spec = self.spec;
        let context = self.context_through(ContextId::ROOT, spec.via(binding.via));
        let mut pieces = Vec::new();
        if let Some((at, body)) = self.body_of_entity(binding.entity, context, false) {
            self.split(at, body, &mut pieces);
        }
        pieces
    }

    fn split(&mut self, at: At, id: ExprId, pieces: &mut Vec<Piece>) {
        let spec = self.spec;
        let here = Position { at, expr: id };
        match &spec.tree(at.tree).expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => return self.split(at, *inner, pieces),
            ExprKind::Junction(Junction::And, items) => {
                return items.iter().for_each(|item| self.split(at, *item, pieces));
            }
            ExprKind::Infix(Op::And, _, left, right) => {
                self.split(at, *left, pieces);
                return self.split(at, *right, pieces);
            }
            _ => {}
        }
        // The level as written: what an instance puts in can only raise it to that of a state.
        match spec.level(at.tree, id) {
            Level::Constant | Level::State if !self.is_raised(at, id) => pieces.push(Piece::State(here)),
            Level::Action => pieces.push(Piece::Temporal(here)),
            _ => match &spec.tree(at.tree).expr(id).kind {
                ExprKind::Prefix(Op::Always, operand) => self.split_always(at, *operand, here, pieces),
                ExprKind::Apply(..) | ExprKind::Path(_) if self.is_plain_path(at, id) => {
                    match self.body_of(at, id) {
                        Some((inside, body)) => self.split(inside, body, pieces),
                        None => pieces.push(Piece::Temporal(here)),
                    }
                }
                ExprKind::Let(_, body) if spec.level(at.tree, *body) <= Level::State => {
                    pieces.push(Piece::State(here));
                }
                _ => pieces.push(Piece::Temporal(here)),
            },
        }
    }

    /// Whether a formula that looks like one about states is more than that.
    fn is_raised(&self, at: At, id: ExprId) -> bool {
        matches!(
            &self.spec.tree(at.tree).expr(id).kind,
            ExprKind::Prefix(Op::Always | Op::Eventually, _)
        )
    }

    fn split_always(&mut self, at: At, operand: ExprId, whole: Position, pieces: &mut Vec<Piece>) {
        let spec = self.spec;
        let here = Position { at, expr: operand };
        match &spec.tree(at.tree).expr(operand).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.split_always(at, *inner, whole, pieces);
            }
            ExprKind::Action(true, ..) => pieces.push(Piece::Step(here)),
            ExprKind::Junction(Junction::And, items) if spec.level(at.tree, operand) > Level::State => {
                items
                    .iter()
                    .for_each(|item| self.split_always(at, *item, whole, pieces));
            }
            ExprKind::Infix(Op::And, _, left, right) if spec.level(at.tree, operand) > Level::State => {
                self.split_always(at, *left, whole, pieces);
                self.split_always(at, *right, whole, pieces);
            }
            ExprKind::Prefix(Op::Always, inner) => self.split_always(at, *inner, whole, pieces),
            _ if spec.level(at.tree, operand) <= Level::State => pieces.push(Piece::Always(here)),
            ExprKind::Apply(..) | ExprKind::Path(_) if self.is_plain_path(at, operand) => {
                match self.body_of(at, operand) {
                    Some((inside, body)) => self.split_always(inside, body, whole, pieces),
                    None => pieces.push(Piece::Temporal(whole)),
                }
            }
            _ => pieces.push(Piece::Temporal(whole)),
        }
    }

    /// A piece as a formula to be evaluated.
    pub fn plain_of(&mut self, position: Position, name: &str) -> Formula {
        let At { tree, context, .. } = position.at;
        self.formula_in(tree, position.expr, context, name, Mode::Plain)
    }

    /// The next-state relation of `[Next]_v`.
    pub fn next_of(&mut self, position: Position) -> Formula {
        let At { tree, context, .. } = position.at;
        let action = match &self.spec.tree(tree).expr(position.expr).kind {
            ExprKind::Action(true, action, _) => *action,
            _ => position.expr,
        };
        self.formula_in(tree, action, context, "Next", Mode::Next)
    }

    /// The conjunction of pieces as an initial condition.
    pub fn init_of(&mut self, positions: &[Position]) -> Option<Formula> {
        let first = *positions.first()?;
        let loc = self.loc(first.at.tree, first.expr);
        let positions = positions.to_vec();
        Some(self.standalone("Init", Mode::Init, |this, primed| {
            let parts: Box<[Node]> = positions
                .iter()
                .map(|position| {
                    this.expr(
                        At {
                            primed,
                            ..position.at
                        },
                        position.expr,
                    )
                })
                .collect();
            let uses = parts
                .iter()
                .fold(Uses::default(), |uses, part| uses.and(part.uses));
            Node {
                kind: Kind::And(parts),
                at: loc,
                uses,
            }
        }))
    }
}
