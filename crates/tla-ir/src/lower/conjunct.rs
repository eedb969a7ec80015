//! The conjuncts of temporal formulas, classified: about initial states, all states, steps, or whole behaviours.

use omnilink_tla_semantics::entity::{Binding, EntityId, EntityKind, Resolved, TreeId};
use omnilink_tla_semantics::level::Level;
use omnilink_tla_syntax::ast::{ExprId, ExprKind, Junction};
use omnilink_tla_syntax::operators::Op;

use super::context::ContextId;
use super::frame::Naming;
use super::node::let_in;
use super::operand::Operand;
use super::{At, Lowering, Mode};
use crate::{Formula, Kind, Node, Uses};

/// A parameter and its argument.
type Given = (EntityId, At, ExprId);

/// The expression of a conjunct, with its context and the arguments of the parameters in it.
#[derive(Clone, Debug)]
pub struct ConjunctExpr {
    at: At,
    expr: ExprId,
    given: Vec<Given>,
}

impl ConjunctExpr {
    /// The tree it is in.
    pub fn tree(&self) -> TreeId {
        self.at.tree
    }

    /// Which expression it is.
    pub fn expr(&self) -> ExprId {
        self.expr
    }

    /// Another expression with the same arguments.
    pub(super) fn with(&self, at: At, expr: ExprId) -> Self {
        Self {
            at,
            expr,
            given: self.given.clone(),
        }
    }
}

/// One conjunct of a temporal formula.
#[derive(Clone, Debug)]
pub enum Conjunct {
    /// Of the first state.
    State(ConjunctExpr),
    /// `[]P` with P about single states: P itself.
    Always(ConjunctExpr),
    /// `[][A]_v`: `[A]_v` itself.
    Step(ConjunctExpr),
    /// An action without `[]` around it, which is about the first step only.
    Action(ConjunctExpr),
    /// Anything else.
    Temporal(ConjunctExpr),
}

impl Lowering<'_> {
    /// The conjuncts of a definition.
    pub fn conjuncts(&mut self, binding: Binding) -> Vec<Conjunct> {
        let spec = self.spec;
        let context = self.context_through(ContextId::ROOT, spec.via(binding.via));
        let mut conjuncts = Vec::new();
        if let Some((at, expr)) = self.body_of_entity(binding.entity, context, false) {
            let given = Vec::new();
            self.split(ConjunctExpr { at, expr, given }, &mut conjuncts);
        }
        conjuncts
    }

    fn split(&mut self, here: ConjunctExpr, conjuncts: &mut Vec<Conjunct>) {
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
        // The level as written: the substitutions of an instance can raise it only to that of a state.
        match spec.level(at.tree, id) {
            Level::Constant | Level::State if !self.is_raised(at, id) => {
                conjuncts.push(Conjunct::State(here))
            }
            Level::Action => conjuncts.push(Conjunct::Action(here)),
            _ => match &spec.tree(at.tree).expr(id).kind {
                ExprKind::Prefix(Op::Always, operand) => {
                    self.split_always(here.with(at, *operand), here, conjuncts);
                }
                ExprKind::Apply(..) | ExprKind::Path(_) => match self.inside(&here) {
                    Some(inside) => self.split(inside, conjuncts),
                    None => conjuncts.push(Conjunct::Temporal(here)),
                },
                ExprKind::Let(_, body) if spec.level(at.tree, *body) <= Level::State => {
                    conjuncts.push(Conjunct::State(here));
                }
                ExprKind::Let(_, body) => self.split(here.with(at, *body), conjuncts),
                _ => conjuncts.push(Conjunct::Temporal(here)),
            },
        }
    }

    /// The argument of a parameter, if the expression is one.
    fn argument_at(&self, here: &ConjunctExpr) -> Option<ConjunctExpr> {
        let Resolved::Entity(entity) = self.spec.resolved(here.at.tree, here.expr) else {
            return None;
        };
        let mut given = here.given.iter().rev();
        let (_, at, expr) = given.find(|(param, ..)| *param == entity)?;
        Some(here.with(*at, *expr))
    }

    /// The body of the definition that an expression applies, with the arguments for its parameters and for those of its instances.
    /// `None` if there are operator arguments or the definition is recursive.
    fn inside(&mut self, here: &ConjunctExpr) -> Option<ConjunctExpr> {
        let (at, id) = (here.at, here.expr);
        if self.is_plain_path(at, id)
            && let Some((inside, body)) = self.body_of(at, id)
        {
            return Some(here.with(inside, body));
        }
        let spec = self.spec;
        let own = |args: &[ExprId]| args.to_vec();
        let kind = &spec.tree(at.tree).expr(id).kind;
        let args_of = |segment: u32| match kind {
            ExprKind::Path(segments) => segments
                .get(segment as usize)
                .map(|segment| own(&segment.args))
                .unwrap_or_default(),
            ExprKind::Apply(_, args) => own(args),
            _ => Vec::new(),
        };
        let mut given: Vec<(EntityId, ExprId)> = Vec::new();
        let (entity, context, args) = match spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => (entity, at.context, args_of(0)),
            Resolved::Reference(number) => {
                let reference = spec.references.get(number as usize)?;
                if reference.part.is_some() {
                    return None;
                }
                for step in &reference.via {
                    let args = step.segment.map(args_of).unwrap_or_default();
                    given.extend(spec.instance(step.instance).params.iter().copied().zip(args));
                }
                let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
                let context = self.context_through(at.context, &instances);
                (reference.entity, context, args_of(reference.segment))
            }
            Resolved::Nothing => return None,
        };
        let EntityKind::Operator {
            params,
            body,
            recursive: false,
        } = &spec.entity(entity).kind
        else {
            return None;
        };
        if params.len() != args.len() || self.is_replaced(entity, context) {
            return None;
        }
        given.extend(params.iter().copied().zip(args));
        if given.iter().any(|(param, _)| spec.entity(*param).arity > 0) {
            return None;
        }
        let inside = At {
            tree: spec.entity(entity).tree,
            context,
            primed: at.primed,
        };
        let mut inside = here.with(inside, *body);
        inside
            .given
            .extend(given.into_iter().map(|(param, expr)| (param, at, expr)));
        Some(inside)
    }

    /// Whether a formula of state level, as written, is temporal.
    fn is_raised(&self, at: At, id: ExprId) -> bool {
        matches!(
            &self.spec.tree(at.tree).expr(id).kind,
            ExprKind::Prefix(Op::Always | Op::Eventually, _)
        )
    }

    fn split_always(&mut self, here: ConjunctExpr, whole: ConjunctExpr, conjuncts: &mut Vec<Conjunct>) {
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
            ExprKind::Junction(Junction::And, items) if spec.level(at.tree, operand) > Level::State => {
                for item in items {
                    self.split_always(here.with(at, *item), whole.clone(), conjuncts);
                }
            }
            ExprKind::Infix(Op::And, _, left, right) if spec.level(at.tree, operand) > Level::State => {
                self.split_always(here.with(at, *left), whole.clone(), conjuncts);
                self.split_always(here.with(at, *right), whole, conjuncts);
            }
            ExprKind::Prefix(Op::Always, inner) => self.split_always(here.with(at, *inner), whole, conjuncts),
            _ if spec.level(at.tree, operand) <= Level::State => conjuncts.push(Conjunct::Always(here)),
            ExprKind::Apply(..) | ExprKind::Path(_) => match self.inside(&here) {
                Some(inside) => self.split_always(inside, whole, conjuncts),
                None => conjuncts.push(Conjunct::Temporal(whole)),
            },
            _ => conjuncts.push(Conjunct::Temporal(whole)),
        }
    }

    /// A node inside LETs for the arguments of its parameters.
    fn within(&mut self, given: &[Given], primed: bool, lower: impl FnOnce(&mut Self) -> Node) -> Node {
        let mut slots = Vec::with_capacity(given.len());
        let mut uses = Uses::default();
        for (param, at, expr) in given {
            let operand = Operand::Expr(At { primed, ..*at }, *expr);
            let (argument, of_argument) = self.instance_argument(operand, *param);
            uses = uses.and(of_argument);
            slots.push((self.bind_entity(*param, Naming::Expression, primed), argument));
        }
        let body = lower(self);
        let at = body.at;
        let_in(slots, uses, body, at)
    }

    /// A conjunct as a formula to be evaluated.
    pub fn plain_of(&mut self, conjunct: &ConjunctExpr, name: &str) -> Formula {
        self.standalone(name, Mode::Plain, |this, primed| {
            this.within(&conjunct.given, primed, |this| {
                let at = At {
                    primed,
                    ..conjunct.at
                };
                this.expr(at, conjunct.expr)
            })
        })
    }

    /// The next-state relation of `[Next]_v`.
    pub fn next_of(&mut self, conjunct: &ConjunctExpr) -> Formula {
        let tree = conjunct.at.tree;
        let action = match &self.spec.tree(tree).expr(conjunct.expr).kind {
            ExprKind::Action(true, action, _) => *action,
            _ => conjunct.expr,
        };
        self.standalone("Next", Mode::Next, |this, primed| {
            this.within(&conjunct.given, primed, |this| {
                this.action(
                    At {
                        primed,
                        ..conjunct.at
                    },
                    action,
                    "Next",
                )
            })
        })
    }

    /// The conjunction of conjuncts as an initial condition.
    pub fn init_of(&mut self, conjuncts: &[ConjunctExpr]) -> Option<Formula> {
        let first = conjuncts.first()?;
        let loc = self.loc(first.at.tree, first.expr);
        Some(self.standalone("Init", Mode::Init, |this, primed| {
            let parts: Box<[Node]> = conjuncts
                .iter()
                .map(|conjunct| {
                    this.within(&conjunct.given, primed, |this| {
                        this.expr(
                            At {
                                primed,
                                ..conjunct.at
                            },
                            conjunct.expr,
                        )
                    })
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
