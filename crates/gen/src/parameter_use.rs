//! What the definition of an action shows about its parameters.
//!
//! A parameter is taken to be a *result* if every path through the definition determines it by an equation (`count = …`), and some
//! of these equations depend on the state: `result = Head(queue)` says what the system returns, whereas `mode = "read"` says
//! when the action applies. A parameter that selects a part of the state (`owner[t]`) is no result. This is a
//! guess about the author's intention, not about the meaning of the action, so the harness states it where it is used, and
//! the command has an option to overrule it.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_tla::semantics::entity::{EntityId, EntityKind, Resolved, TreeId};
use omnilink_tla::semantics::level::Level;
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::syntax::ast::{ExprId, ExprKind, Junction, Quantifier};
use omnilink_tla::syntax::operators::Op;
use omnilink_tla::syntax::printer::print_expr;

use crate::parameter_type::ParameterType;

/// What a definition shows about one of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParameterUse {
    /// An equation with the state that determines it, if every path has one or an equation with a constant.
    pub(crate) equation: Option<String>,
    /// A constant set that it is an element of.
    pub(crate) range: Option<String>,
    /// Of which kind it is used.
    pub(crate) kind: Option<ParameterType>,
    /// Whether it selects a part of the state.
    is_index: bool,
}

impl ParameterUse {
    /// Whether it looks like a result.
    pub(crate) fn is_result(&self) -> bool {
        self.equation.is_some() && !self.is_index
    }
}

/// How deep definitions are followed.
const DEPTH_MAX: usize = 40;

/// The parameters under the names of the definition that is being looked at.
type Names = BTreeMap<EntityId, usize>;

/// What a definition shows about each of its parameters, in their order.
pub(crate) fn parameter_uses(spec: &Spec, action: EntityId) -> Vec<ParameterUse> {
    let entity = spec.entity(action);
    let EntityKind::Operator { params, body, .. } = &entity.kind else {
        return Vec::new();
    };
    let names: Names = params.iter().copied().zip(0..).collect();
    let mut search = Search {
        spec,
        uses: vec![ParameterUse::default(); params.len()],
        visited: BTreeSet::new(),
    };
    search.everywhere(entity.tree, *body, &names, 0);
    for (parameter, index) in &names {
        let only = Names::from([(*parameter, *index)]);
        let found = search.determined(entity.tree, *body, &only, 0);
        search.uses[*index].equation = found.by_state.filter(|_| found.on_every_path);
    }
    search.uses
}

/// Whether a formula determines a parameter.
#[derive(Default)]
struct Determined {
    on_every_path: bool,
    by_state: Option<String>,
}

impl Determined {
    fn by_constant() -> Self {
        Self {
            on_every_path: true,
            by_state: None,
        }
    }

    /// Of a conjunction: one conjunct is enough.
    fn and(self, other: Self) -> Self {
        Self {
            on_every_path: self.on_every_path || other.on_every_path,
            by_state: self.by_state.or(other.by_state),
        }
    }

    /// Of a disjunction: both must.
    fn or(self, other: Self) -> Self {
        Self {
            on_every_path: self.on_every_path && other.on_every_path,
            by_state: self.by_state.or(other.by_state),
        }
    }
}

struct Search<'a> {
    spec: &'a Spec,
    uses: Vec<ParameterUse>,
    /// Definitions that were looked at, with what their parameters stood for.
    visited: BTreeSet<(EntityId, Vec<(EntityId, usize)>)>,
}

impl Search<'_> {
    fn parameter(&self, tree: TreeId, id: ExprId, names: &Names) -> Option<usize> {
        if let ExprKind::Paren(inner) = self.spec.tree(tree).expr(id).kind {
            return self.parameter(tree, inner, names);
        }
        match self.spec.resolved(tree, id) {
            Resolved::Entity(entity) => names.get(&entity).copied(),
            _ => None,
        }
    }

    /// The definition that an expression applies, with what its parameters stand for.
    fn applied(&self, tree: TreeId, id: ExprId, names: &Names) -> Option<(EntityId, Names)> {
        let ExprKind::Apply(_, arguments) = &self.spec.tree(tree).expr(id).kind else {
            return None;
        };
        let Resolved::Entity(entity) = self.spec.resolved(tree, id) else {
            return None;
        };
        let EntityKind::Operator { params, .. } = &self.spec.entity(entity).kind else {
            return None;
        };
        let given = params.iter().zip(arguments);
        let inner: Names = given
            .filter_map(|(param, argument)| Some((*param, self.parameter(tree, *argument, names)?)))
            .collect();
        (!inner.is_empty()).then_some((entity, inner))
    }

    /// Whether a formula determines the only parameter among `names`.
    fn determined(&mut self, tree: TreeId, id: ExprId, names: &Names, depth: usize) -> Determined {
        let syntax = self.spec.tree(tree);
        match &syntax.expr(id).kind {
            ExprKind::Paren(inner)
            | ExprKind::Label(_, _, inner)
            | ExprKind::Let(_, inner)
            | ExprKind::Quantified(Quantifier::Exists, _, inner) => {
                self.determined(tree, *inner, names, depth)
            }
            ExprKind::Junction(junction, items) => {
                let mut found = items
                    .iter()
                    .map(|item| self.determined(tree, *item, names, depth));
                let first = found.next().unwrap_or_default();
                match junction {
                    Junction::And => found.fold(first, Determined::and),
                    Junction::Or => found.fold(first, Determined::or),
                }
            }
            ExprKind::Infix(op @ (Op::And | Op::Or), _, left, right) => {
                let left = self.determined(tree, *left, names, depth);
                let right = self.determined(tree, *right, names, depth);
                match op {
                    Op::And => left.and(right),
                    _ => left.or(right),
                }
            }
            ExprKind::If(_, yes, no) => {
                let yes = self.determined(tree, *yes, names, depth);
                yes.or(self.determined(tree, *no, names, depth))
            }
            ExprKind::Case(arms, other) => {
                let parts = arms.iter().map(|(_, part)| *part).chain(*other);
                let mut found = parts.map(|part| self.determined(tree, part, names, depth));
                let first = found.next().unwrap_or_default();
                found.fold(first, Determined::or)
            }
            ExprKind::Infix(Op::Equal | Op::Equiv, _, left, right) => {
                let other = match (
                    self.parameter(tree, *left, names),
                    self.parameter(tree, *right, names),
                ) {
                    (Some(_), None) => *right,
                    (None, Some(_)) => *left,
                    _ => return Determined::default(),
                };
                match self.spec.level(tree, other) {
                    Level::Constant => Determined::by_constant(),
                    Level::State => Determined {
                        on_every_path: true,
                        by_state: Some(self.text(tree, id)),
                    },
                    // `holder' = who` says what the parameter does, not what it is.
                    _ => Determined::default(),
                }
            }
            ExprKind::Prefix(Op::Not, inner) if self.parameter(tree, *inner, names).is_some() => {
                Determined::by_constant()
            }
            _ if self.parameter(tree, id, names).is_some() => Determined::by_constant(),
            _ => match self.applied(tree, id, names) {
                Some((entity, inner)) if depth < DEPTH_MAX => {
                    let EntityKind::Operator { body, .. } = self.spec.entity(entity).kind else {
                        return Determined::default();
                    };
                    self.determined(self.spec.entity(entity).tree, body, &inner, depth + 1)
                }
                _ => Determined::default(),
            },
        }
    }

    /// Notes what every part of a formula shows about parameters.
    fn everywhere(&mut self, tree: TreeId, id: ExprId, names: &Names, depth: usize) {
        self.note(tree, id, names);
        if let Some((entity, inner)) = self.applied(tree, id, names) {
            let key = (entity, inner.iter().map(|(a, b)| (*a, *b)).collect());
            if depth < DEPTH_MAX
                && self.visited.insert(key)
                && let EntityKind::Operator { body, .. } = self.spec.entity(entity).kind
            {
                self.everywhere(self.spec.entity(entity).tree, body, &inner, depth + 1);
            }
        }
        let mut children = Vec::new();
        self.spec
            .tree(tree)
            .for_each_child(id, |child| children.push(child));
        for child in children {
            self.everywhere(tree, child, names, depth);
        }
    }

    fn note(&mut self, tree: TreeId, id: ExprId, names: &Names) {
        let spec = self.spec;
        let syntax = spec.tree(tree);
        match &syntax.expr(id).kind {
            ExprKind::Infix(op, _, left, right) => {
                for (one, other) in [(*left, *right), (*right, *left)] {
                    let Some(index) = self.parameter(tree, one, names) else {
                        continue;
                    };
                    match op {
                        Op::In if one == *left && spec.level(tree, other) == Level::Constant => {
                            let range = self.text(tree, other);
                            self.uses[index].range.get_or_insert(range);
                        }
                        Op::In | Op::NotIn if one == *right => {
                            self.of_kind(index, ParameterType::Set(Box::new(ParameterType::Unknown)));
                        }
                        Op::Equal | Op::NotEqual => {
                            if let Some(kind) = literal(spec, tree, other) {
                                self.of_kind(index, kind);
                            }
                        }
                        Op::Plus
                        | Op::Minus
                        | Op::Star
                        | Op::Less
                        | Op::Greater
                        | Op::LessEq
                        | Op::GreaterEq
                        | Op::Dots
                        | Op::Percent
                        | Op::Div => self.of_kind(index, ParameterType::Int),
                        Op::And | Op::Or | Op::Implies | Op::Equiv => {
                            self.of_kind(index, ParameterType::Bool)
                        }
                        Op::Circ => self.of_kind(index, ParameterType::Seq(Box::new(ParameterType::Unknown))),
                        _ => {}
                    }
                }
            }
            ExprKind::Junction(_, items) => {
                for item in items {
                    self.of_kind_if(tree, *item, names, ParameterType::Bool);
                }
            }
            ExprKind::Prefix(Op::Not, inner) | ExprKind::If(inner, _, _) => {
                self.of_kind_if(tree, *inner, names, ParameterType::Bool);
            }
            ExprKind::Call(function, arguments) if spec.level(tree, *function) != Level::Constant => {
                for argument in arguments {
                    self.is_index(tree, *argument, names);
                }
            }
            ExprKind::Except(_, updates) => {
                use omnilink_tla::syntax::ast::Access;
                for access in updates.iter().flat_map(|update| &update.path) {
                    if let Access::Index(arguments) = access {
                        for argument in arguments {
                            self.is_index(tree, *argument, names);
                        }
                    }
                }
            }
            ExprKind::Apply(ident, arguments) => {
                let is_sequence =
                    ["Len", "Head", "Tail", "Append", "SubSeq"].contains(&spec.names.text(ident.name));
                if let (true, Some(first)) = (is_sequence, arguments.first()) {
                    self.of_kind_if(
                        tree,
                        *first,
                        names,
                        ParameterType::Seq(Box::new(ParameterType::Unknown)),
                    );
                }
            }
            _ => {}
        }
    }

    fn is_index(&mut self, tree: TreeId, id: ExprId, names: &Names) {
        if let Some(index) = self.parameter(tree, id, names) {
            self.uses[index].is_index = true;
        }
    }

    fn of_kind_if(&mut self, tree: TreeId, id: ExprId, names: &Names, kind: ParameterType) {
        if let Some(index) = self.parameter(tree, id, names) {
            self.of_kind(index, kind);
        }
    }

    fn of_kind(&mut self, index: usize, kind: ParameterType) {
        self.uses[index].kind.get_or_insert(kind);
    }

    fn text(&self, tree: TreeId, id: ExprId) -> String {
        let text = print_expr(self.spec.tree(tree), &self.spec.names, id);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn literal(spec: &Spec, tree: TreeId, id: ExprId) -> Option<ParameterType> {
    match &spec.tree(tree).expr(id).kind {
        ExprKind::Number(_) => Some(ParameterType::Int),
        ExprKind::Text(_) => Some(ParameterType::Str),
        ExprKind::Tuple(_) => Some(ParameterType::Seq(Box::new(ParameterType::Unknown))),
        ExprKind::SetEnum(_) => Some(ParameterType::Set(Box::new(ParameterType::Unknown))),
        ExprKind::Paren(inner) => literal(spec, tree, *inner),
        ExprKind::Apply(ident, _) if ["TRUE", "FALSE"].contains(&spec.names.text(ident.name)) => {
            Some(ParameterType::Bool)
        }
        _ => None,
    }
}
