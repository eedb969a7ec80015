//! The actions of a next-state relation.
//!
//! `Next` is decomposed at `\/` and `\E`, and through definitions that only combine others in this way, down to definitions that
//! do something else. Those are the operations that harnesses call and traces name. Their arguments, and the sets that bound names
//! range over, are kept as text.

use omnilink_tla_syntax::ast::{ExprId, ExprKind, Junction, Quantifier, Tree};
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::printer::print_expr;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::entity::{EntityId, EntityKind, Resolved, TreeId};
use crate::level::Level;
use crate::spec::Spec;

/// The maximum number of actions. Definitions that combine each other can have exponentially many; beyond this number they are not
/// decomposed.
const MAX_ACTIONS: usize = 10_000;

/// The maximum depth of definitions that are decomposed.
const MAX_DEPTH: usize = 500;

/// A name bound around an action, and the set it ranges over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranging {
    /// The name.
    pub name: String,
    /// The set; `None` if it is unbounded.
    pub set: Option<String>,
}

/// An argument of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionArgument {
    /// The parameter in the action's definition.
    pub parameter: String,
    /// The argument that `Next` gives.
    pub value: String,
    /// The set that the value ranges over, if the value is a bound name.
    pub ranges_over: Option<String>,
}

/// One action of a next-state relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NextAction {
    /// The definition's name; for a formula without one, that of the definition around it.
    pub name: String,
    /// Whether the action is the whole of a definition.
    pub named: bool,
    /// Its arguments.
    pub arguments: Vec<ActionArgument>,
    /// All names bound around it, outermost first.
    pub bound: Vec<Ranging>,
    /// Conditions that `Next` conjoins with it.
    pub guards: Vec<String>,
    /// Whether it may combine other actions but was not decomposed, because there are too many.
    pub whole: bool,
    /// The definition.
    #[serde(skip)]
    pub entity: Option<EntityId>,
}

/// Decomposes a next-state relation into at most about ten thousand actions, through at most five hundred nested definitions.
/// [`NextAction::whole`] marks actions that these limits left whole.
pub fn actions_of(spec: &Spec, next: EntityId) -> Vec<NextAction> {
    let mut finder = Finder {
        spec,
        found: Vec::new(),
        bound: Vec::new(),
        values: Vec::new(),
        path: vec![next],
    };
    let entity = spec.entity(next);
    if let EntityKind::Operator { body, .. } = &entity.kind {
        finder.disjuncts(entity.tree, *body);
    }
    finder.found
}

/// The next-state relation of a formula such as `Init /\ [][Next]_vars`: the definition it names.
pub fn next_of(spec: &Spec, specification: EntityId) -> Option<EntityId> {
    let entity = spec.entity(specification);
    let EntityKind::Operator { body, .. } = &entity.kind else {
        return None;
    };
    let mut met = FxHashSet::from_iter([specification]);
    let mut pending = vec![(entity.tree, *body)];
    while let Some((home, id)) = pending.pop() {
        let tree = spec.tree(home);
        match &tree.expr(id).kind {
            ExprKind::Action(true, action, _) => {
                return operator_of(spec, home, *action).map(|(e, _)| e);
            }
            ExprKind::Apply(_, args) if args.is_empty() => {
                let Some((named, _)) = operator_of(spec, home, id) else {
                    continue;
                };
                let entity = spec.entity(named);
                if let EntityKind::Operator { body, .. } = &entity.kind
                    && entity.level.level == Level::Temporal
                    && met.insert(named)
                {
                    pending.push((entity.tree, *body));
                }
            }
            _ => tree.for_each_child(id, |child| pending.push((home, child))),
        }
    }
    None
}

/// The operator that an expression applies, and its arguments.
fn operator_of(spec: &Spec, tree: TreeId, id: ExprId) -> Option<(EntityId, Box<[ExprId]>)> {
    let expr = spec.tree(tree).expr(id);
    let entity = match spec.resolved(tree, id) {
        Resolved::Entity(entity) => entity,
        Resolved::Reference(number) => {
            let reference = spec.references.get(number as usize)?;
            if reference.part.is_some() {
                return None;
            }
            reference.entity
        }
        Resolved::Nothing => return None,
    };
    let args = match &expr.kind {
        ExprKind::Apply(_, args) => args.clone(),
        ExprKind::Path(segments) => segments.last()?.args.clone(),
        _ => return None,
    };
    matches!(spec.entity(entity).kind, EntityKind::Operator { .. }).then_some((entity, args))
}

/// The operands of a chain of one infix operator, from left to right.
fn operands(tree: &Tree, mut id: ExprId, op: Op) -> Vec<ExprId> {
    let mut parts = Vec::new();
    while let ExprKind::Infix(found, _, left, right) = tree.expr(id).kind
        && found == op
    {
        parts.push(right);
        id = left;
    }
    parts.push(id);
    parts.reverse();
    parts
}

struct Finder<'a> {
    spec: &'a Spec,
    found: Vec<NextAction>,
    bound: Vec<(EntityId, Ranging)>,
    /// Arguments of the enclosing definitions: the parameter, the text, and the set it ranges over.
    values: Vec<(EntityId, String, Option<String>)>,
    /// The enclosing definitions.
    path: Vec<EntityId>,
}

impl Finder<'_> {
    fn disjuncts(&mut self, tree: TreeId, id: ExprId) {
        match &self.spec.tree(tree).expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => self.disjuncts(tree, *inner),
            ExprKind::Junction(Junction::Or, items) => {
                items.iter().for_each(|item| self.disjuncts(tree, *item))
            }
            ExprKind::Infix(Op::Or, ..) => {
                let parts = operands(self.spec.tree(tree), id, Op::Or);
                parts.into_iter().for_each(|part| self.disjuncts(tree, part));
            }
            ExprKind::Quantified(Quantifier::Exists, bounds, body) => {
                let before = self.bound.len();
                let entities = self.spec.binders.get(&(tree, id)).cloned().unwrap_or_default();
                let sets = bounds
                    .iter()
                    .flat_map(|bound| bound.names.iter().map(|_| bound.set));
                for (entity, set) in entities.iter().zip(sets) {
                    let name = self.name(*entity);
                    let set = set.map(|set| self.text(tree, set));
                    self.bound.push((*entity, Ranging { name, set }));
                }
                self.disjuncts(tree, *body);
                self.bound.truncate(before);
            }
            _ => self.leaf(tree, id),
        }
    }

    /// A formula that is not a combination: a definition, perhaps with conjoined conditions, or an unnamed formula.
    fn leaf(&mut self, tree: TreeId, id: ExprId) {
        let syntax = self.spec.tree(tree);
        let conjuncts = match &syntax.expr(id).kind {
            ExprKind::Junction(Junction::And, items) => items.to_vec(),
            ExprKind::Infix(Op::And, ..) => operands(syntax, id, Op::And),
            _ => vec![id],
        };
        let acts = |part: &&ExprId| self.spec.level(tree, **part) == Level::Action;
        let mut acting = conjuncts.iter().filter(acts);
        let only = acting.next().filter(|_| acting.next().is_none());
        let operator = only.and_then(|part| operator_of(self.spec, tree, *part).map(|found| (*part, found)));
        let Some((part, (entity, args))) = operator else {
            let around = self.path.last().copied();
            let name = around.map_or(String::new(), |entity| self.name(entity));
            self.push(NextAction {
                name,
                entity: around,
                ..NextAction::default()
            });
            return;
        };
        let guards = conjuncts
            .iter()
            .filter(|guard| **guard != part)
            .map(|guard| self.text(tree, *guard));
        let guards: Vec<String> = guards.collect();
        let EntityKind::Operator { params, body, .. } = &self.spec.entity(entity).kind else {
            return;
        };
        let given: Vec<(EntityId, String, Option<String>)> = params
            .iter()
            .zip(&args)
            .map(|(param, arg)| {
                let (value, set) = self.value(tree, *arg);
                (*param, value, set)
            })
            .collect();
        let home = self.spec.entity(entity).tree;
        let in_limits = self.found.len() < MAX_ACTIONS && self.path.len() < MAX_DEPTH;
        let transparent = guards.is_empty()
            && self.only_combines(home, *body, params.is_empty())
            && !self.path.contains(&entity);
        if transparent && in_limits {
            let before = self.values.len();
            self.values.extend(given);
            self.path.push(entity);
            self.disjuncts(home, *body);
            self.path.pop();
            self.values.truncate(before);
            return;
        }
        let arguments = given
            .into_iter()
            .map(|(param, value, ranges_over)| ActionArgument {
                parameter: self.name(param),
                value,
                ranges_over,
            })
            .collect();
        let name = self.name(entity);
        self.push(NextAction {
            name,
            named: true,
            arguments,
            guards,
            whole: transparent,
            entity: Some(entity),
            ..NextAction::default()
        });
    }

    fn push(&mut self, action: NextAction) {
        let bound = self.bound.iter().map(|(_, ranging)| ranging.clone()).collect();
        self.found.push(NextAction { bound, ..action });
    }

    /// Whether a body only combines definitions of actions. Another name for one definition is a combination only where
    /// it has no parameters: `Heartbeat(i) == Send("beat", i)` is an action of its own.
    fn only_combines(&self, tree: TreeId, body: ExprId, without_params: bool) -> bool {
        let syntax = self.spec.tree(tree);
        let mut combines = without_params;
        let mut pending = vec![body];
        while let Some(id) = pending.pop() {
            match &syntax.expr(id).kind {
                ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => pending.push(*inner),
                ExprKind::Junction(Junction::Or, items) => {
                    combines = true;
                    pending.extend(items.iter().copied());
                }
                ExprKind::Infix(Op::Or, _, left, right) => {
                    combines = true;
                    pending.extend([*left, *right]);
                }
                ExprKind::Quantified(Quantifier::Exists, _, body) => {
                    combines = true;
                    pending.push(*body);
                }
                _ => match operator_of(self.spec, tree, id) {
                    Some((entity, _)) if self.spec.entity(entity).level.level == Level::Action => {}
                    _ => return false,
                },
            }
        }
        combines
    }

    /// An argument as text, and the set it ranges over.
    fn value(&self, tree: TreeId, arg: ExprId) -> (String, Option<String>) {
        if let Resolved::Entity(entity) = self.spec.resolved(tree, arg) {
            if let Some((_, value, set)) = self.values.iter().rev().find(|(e, ..)| *e == entity) {
                return (value.clone(), set.clone());
            }
            if let Some((_, ranging)) = self.bound.iter().rev().find(|(e, _)| *e == entity) {
                return (ranging.name.clone(), ranging.set.clone());
            }
        }
        (self.text(tree, arg), None)
    }

    fn text(&self, tree: TreeId, id: ExprId) -> String {
        let text = print_expr(self.spec.tree(tree), &self.spec.names, id);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn name(&self, entity: EntityId) -> String {
        self.spec.names.text(self.spec.entity(entity).name).to_owned()
    }
}
