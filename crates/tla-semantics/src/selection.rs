//! Parts of definitions, selected by labels, numbers and bindings after the definition's name.
//!
//! An ASSUME/PROVE has parts too, but is not an expression itself. A part after a NEW cannot be selected from outside, because the
//! name that NEW declares is not in scope there.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::names::Name;

use super::analyzer::Analyzer;
use super::entity::*;

/// The result of the selectors so far.
#[derive(Clone, Copy)]
pub(super) enum Selected<'t> {
    /// The right-hand side of a definition. Its labels are next; its LET comes only after `!:`.
    Body(ExprId),
    /// A function definition.
    Function(FunctionParts<'t>),
    /// What a label names.
    Label(ExprId),
    Expr(ExprId),
    /// The name of a field, as a string; given by the `r.f` it stands in.
    FieldName(ExprId),
    /// The arguments of `f[x, y]`, as one tuple; given by the whole.
    Arguments(ExprId),
    /// An arm of a CASE: two parts.
    Pair(Option<ExprId>, ExprId),
    /// An ASSUME/PROVE, and whether a name led to it, so that labels can be next.
    Statement(&'t AssumeProve, bool),
}

/// `f[x \in S, y \in T] == e`.
#[derive(Clone, Copy)]
pub(super) struct FunctionParts<'t> {
    pub entity: EntityId,
    bounds: &'t [Bound],
    pub body: ExprId,
}

/// The result of a selector, and the names to which its arguments give values.
type Reached<'t> = Result<(Selected<'t>, Box<[EntityId]>), String>;

impl Analyzer<'_> {
    /// The starting point of selection in a definition, if it has parts.
    pub(super) fn definition_parts<'t>(
        &self,
        tree: &'t Tree,
        entity: EntityId,
    ) -> Option<(Box<[EntityId]>, Selected<'t>)> {
        match &self.spec.entity(entity).kind {
            EntityKind::Operator { params, body, .. } => Some((params.clone(), Selected::Body(*body))),
            EntityKind::Statement(Some(body)) => Some((Box::default(), Selected::Body(*body))),
            EntityKind::Statement(None) => {
                match &tree.unit(*self.resolution.assume_proves.get(&entity)?).kind {
                    UnitKind::Theorem { statement, .. } => {
                        Some((Box::default(), Selected::Statement(statement, true)))
                    }
                    _ => None,
                }
            }
            EntityKind::Function { unit, body, .. } => match &tree.unit(*unit).kind {
                UnitKind::Function { bounds, .. } => {
                    let parts = FunctionParts {
                        entity,
                        bounds,
                        body: *body,
                    };
                    Some((Box::default(), Selected::Function(parts)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// One selector; `next` is the one after it.
    pub(super) fn step<'t>(
        &self,
        tree_id: TreeId,
        tree: &'t Tree,
        from: Selected<'t>,
        segment: &Segment,
        next: Option<&Segment>,
    ) -> Reached<'t> {
        let none = Box::default();
        if segment.kind == SegmentKind::Body {
            return whole(from, next).map(|selected| (selected, none));
        }
        let from = match (from, segment.kind) {
            (Selected::Pair(Some(first), _), SegmentKind::Part(1) | SegmentKind::First) => {
                return Ok((Selected::Expr(first), none));
            }
            (Selected::Pair(_, second), SegmentKind::Part(2) | SegmentKind::Second) => {
                return Ok((Selected::Expr(second), none));
            }
            (Selected::FieldName(_), _) => return Err("the name of a field has no parts".into()),
            (Selected::Pair(None, _), _) => return Err("OTHER has one part, `!2`".into()),
            (Selected::Pair(..), _) => return Err("an arm has two parts, `!1` and `!2`".into()),
            (Selected::Body(expr) | Selected::Label(expr), SegmentKind::Name(name)) => {
                return self.labelled_part(tree_id, tree, expr, name);
            }
            (Selected::Function(function), kind) => return self.function_part(tree_id, tree, function, kind),
            (Selected::Statement(statement, named), kind) => {
                return self.statement_part(tree_id, tree, statement, named, kind);
            }
            (Selected::Arguments(call), kind) => {
                let ExprKind::Call(_, args) = &tree.expr(call).kind else {
                    return Err("nothing can be selected here".into());
                };
                return numbered(kind, |index| args.get(index).copied().map(Selected::Expr));
            }
            (Selected::Body(expr) | Selected::Label(expr) | Selected::Expr(expr), _) => inside(tree, expr),
        };
        match segment.kind {
            SegmentKind::Name(name) => self.let_part(tree_id, tree, from, name),
            SegmentKind::Bind | SegmentKind::At => self.bound_part(tree_id, tree, from),
            kind => numbered(kind, |index| part(tree, from, index)),
        }
    }

    /// The instance named by a LET, if the segment selects it.
    pub(super) fn let_instance(
        &self,
        tree_id: TreeId,
        tree: &Tree,
        from: Selected<'_>,
        segment: &Segment,
    ) -> Option<EntityId> {
        let (Selected::Expr(expr), SegmentKind::Name(name)) = (from, segment.kind) else {
            return None;
        };
        let ExprKind::Let(units, _) = &tree.expr(inside(tree, expr)).kind else {
            return None;
        };
        let mut defined = units
            .iter()
            .filter_map(|unit| self.spec.let_entities.get(&(tree_id, *unit)));
        let entity = *defined.find(|entity| self.spec.entity(**entity).name == name)?;
        matches!(self.spec.entity(entity).kind, EntityKind::Instance(_)).then_some(entity)
    }

    /// A definition of a LET.
    fn let_part<'t>(&self, tree_id: TreeId, tree: &'t Tree, from: ExprId, name: Name) -> Reached<'t> {
        let text = self.spec.names.text(name);
        let ExprKind::Let(units, _) = &tree.expr(from).kind else {
            return Err(format!("`{text}` would have to be defined by a LET here"));
        };
        units
            .iter()
            .filter_map(|unit| self.spec.let_entities.get(&(tree_id, *unit)))
            .find(|entity| self.spec.entity(**entity).name == name)
            .and_then(|entity| self.definition_parts(tree, *entity))
            .map(|(params, selected)| (selected, params))
            .ok_or_else(|| format!("the LET defines no operator `{text}`"))
    }

    /// A set that a function ranges over, its value for given arguments, or what a label in it names.
    fn function_part<'t>(
        &self,
        tree_id: TreeId,
        tree: &'t Tree,
        function: FunctionParts<'t>,
        kind: SegmentKind,
    ) -> Reached<'t> {
        match kind {
            SegmentKind::Name(name) => self.labelled_part(tree_id, tree, function.body, name),
            SegmentKind::Bind | SegmentKind::At => {
                let params = match &self.spec.entity(function.entity).kind {
                    EntityKind::Function { params, .. } => params.clone(),
                    _ => Box::default(),
                };
                Ok((Selected::Expr(function.body), params))
            }
            kind => numbered(kind, |index| function.bounds.get(index)?.set.map(Selected::Expr)),
        }
    }

    fn labelled_part<'t>(&self, tree_id: TreeId, tree: &'t Tree, from: ExprId, name: Name) -> Reached<'t> {
        match find_label(tree, from, name) {
            Some(label) => Ok(self.label_body(tree_id, label)),
            None => Err(self.no_label(name)),
        }
    }

    fn label_body<'t>(&self, tree_id: TreeId, label: Labelled) -> (Selected<'t>, Box<[EntityId]>) {
        let params = self.spec.binders.get(&(tree_id, label.whole));
        (Selected::Label(label.body), params.cloned().unwrap_or_default())
    }

    fn no_label(&self, name: Name) -> String {
        format!("there is no label `{}` here", self.spec.names.text(name))
    }

    /// A clause of an ASSUME/PROVE by its number, or what a label in one of them names.
    fn statement_part<'t>(
        &self,
        tree_id: TreeId,
        tree: &'t Tree,
        statement: &'t AssumeProve,
        named: bool,
        kind: SegmentKind,
    ) -> Reached<'t> {
        let none = Box::default();
        let hidden = |clause: usize| {
            let declares = |assumed: &Assumed| matches!(assumed, Assumed::New(..));
            statement.assumes.iter().take(clause).any(declares)
        };
        let out_of_scope = "this clause of the ASSUME/PROVE is in the scope of a NEW name";
        let clauses = statement.assumes.len() + 1;
        let number = match kind {
            SegmentKind::Name(name) if named => {
                return match find_clause_label(tree, statement, name) {
                    None => Err(self.no_label(name)),
                    Some((clause, _)) if hidden(clause) => Err(out_of_scope.into()),
                    Some((_, ClauseLabel::Expr(label))) => Ok(self.label_body(tree_id, label)),
                    Some((_, ClauseLabel::Statement(inner))) => Ok((Selected::Statement(inner, true), none)),
                };
            }
            SegmentKind::Part(number) => number as usize,
            SegmentKind::First => 1,
            SegmentKind::Second if clauses == 2 => 2,
            _ => return Err("the clauses of an ASSUME/PROVE are selected by their numbers".into()),
        };
        if number == 0 || number > clauses {
            return Err(format!("there is no clause {number} in this ASSUME/PROVE"));
        }
        if hidden(number - 1) {
            return Err(out_of_scope.into());
        }
        match statement.assumes.get(number - 1) {
            None => Ok((Selected::Expr(statement.prove), none)),
            Some(Assumed::Formula(formula)) => Ok((Selected::Expr(*formula), none)),
            Some(Assumed::Nested(inner)) => Ok((Selected::Statement(inner, false), none)),
            Some(Assumed::New(..)) => Err("this declares a NEW name and is not an expression".into()),
        }
    }

    /// The body of something that binds names, with values for them.
    fn bound_part<'t>(&self, tree_id: TreeId, tree: &'t Tree, from: ExprId) -> Reached<'t> {
        let body = match &tree.expr(from).kind {
            ExprKind::Quantified(_, _, body)
            | ExprKind::TemporalQuantified(_, _, body)
            | ExprKind::Choose(_, body)
            | ExprKind::SetFilter(_, body)
            | ExprKind::SetMap(body, _)
            | ExprKind::Function(_, body)
            | ExprKind::Lambda(_, body) => *body,
            _ => return Err("nothing is bound here".into()),
        };
        let names = self
            .spec
            .binders
            .get(&(tree_id, from))
            .cloned()
            .unwrap_or_default();
        Ok((Selected::Expr(body), names))
    }
}

/// `!:`, the whole of a definition: at the end of a path, or before a definition of its LET.
fn whole<'t>(from: Selected<'t>, next: Option<&Segment>) -> Result<Selected<'t>, String> {
    let defines = next.map(|next| matches!(next.kind, SegmentKind::Name(_)));
    match (from, defines) {
        (Selected::Body(_) | Selected::Function(_) | Selected::Statement(_, true), None) => Ok(from),
        (Selected::Body(expr) | Selected::Label(expr), Some(true)) => Ok(Selected::Expr(expr)),
        _ => Err(
            "`!:` stands at the end after a definition's name, or before a name that its LET defines".into(),
        ),
    }
}

/// The part that a number, `<<` or `>>` selects; `>>` only if it is the last of two.
fn numbered<'t>(kind: SegmentKind, part: impl Fn(usize) -> Option<Selected<'t>>) -> Reached<'t> {
    let number = match kind {
        SegmentKind::Part(number) => number as usize,
        SegmentKind::First => 1,
        SegmentKind::Second if part(2).is_none() => 2,
        SegmentKind::Second => return Err("`!>>` selects the second of two parts, and there are more".into()),
        _ => return Err("a part is selected by its number here".into()),
    };
    let selected = number.checked_sub(1).and_then(part);
    selected
        .map(|selected| (selected, Box::default()))
        .ok_or_else(|| format!("there is no part {number} here"))
}

/// The expression without the parentheses and labels around it.
fn inside(tree: &Tree, mut id: ExprId) -> ExprId {
    while let ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) = tree.expr(id).kind {
        id = inner;
    }
    id
}

/// The numbered parts of an expression.
fn part<'t>(tree: &'t Tree, id: ExprId, index: usize) -> Option<Selected<'t>> {
    let of = |parts: &[ExprId]| parts.get(index).copied().map(Selected::Expr);
    match &tree.expr(id).kind {
        ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => of(&[*operand]),
        ExprKind::Field(record, _) => match index {
            0 => Some(Selected::Expr(*record)),
            1 => Some(Selected::FieldName(id)),
            _ => None,
        },
        ExprKind::Infix(_, _, left, right) => of(&[*left, *right]),
        ExprKind::FunctionSet(a, b) | ExprKind::Action(_, a, b) | ExprKind::Fairness(_, a, b) => {
            of(&[*a, *b])
        }
        ExprKind::Junction(_, parts)
        | ExprKind::Times(parts)
        | ExprKind::Tuple(parts)
        | ExprKind::SetEnum(parts)
        | ExprKind::Apply(_, parts) => of(parts),
        ExprKind::Path(segments) => of(&segments.last()?.args),
        ExprKind::If(a, b, c) => of(&[*a, *b, *c]),
        ExprKind::Let(_, body) => of(&[*body]),
        ExprKind::Call(function, args) => match (index, &**args) {
            (0, _) => Some(Selected::Expr(*function)),
            (1, [argument]) => Some(Selected::Expr(*argument)),
            (1, _) => Some(Selected::Arguments(id)),
            _ => None,
        },
        ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
            fields.get(index).map(|(_, value)| Selected::Expr(*value))
        }
        ExprKind::Case(arms, other) => match arms.get(index) {
            Some((condition, value)) => Some(Selected::Pair(Some(*condition), *value)),
            None => other
                .filter(|_| index == arms.len())
                .map(|value| Selected::Pair(None, value)),
        },
        ExprKind::Quantified(_, bounds, _) | ExprKind::SetMap(_, bounds) | ExprKind::Function(bounds, _) => {
            bounds.get(index)?.set.map(Selected::Expr)
        }
        ExprKind::Choose(bound, _) | ExprKind::SetFilter(bound, _) => {
            bound.set.filter(|_| index == 0).map(Selected::Expr)
        }
        // New values may contain an `@`, which has no meaning elsewhere.
        ExprKind::Except(function, _) => of(&[*function]),
        _ => None,
    }
}

/// A labelled expression: the whole with its label, and what the label names.
#[derive(Clone, Copy)]
struct Labelled {
    whole: ExprId,
    body: ExprId,
}

/// A label inside an expression, not inside another label or a definition.
fn find_label(tree: &Tree, from: ExprId, wanted: Name) -> Option<Labelled> {
    let mut pending = vec![from];
    while let Some(id) = pending.pop() {
        if let ExprKind::Label(label, _, body) = &tree.expr(id).kind {
            if label.name == wanted {
                return Some(Labelled {
                    whole: id,
                    body: *body,
                });
            }
            continue;
        }
        tree.for_each_child(id, |child| pending.push(child));
    }
    None
}

/// What a label inside an ASSUME/PROVE names.
enum ClauseLabel<'t> {
    Expr(Labelled),
    Statement(&'t AssumeProve),
}

/// A label inside an ASSUME/PROVE, not inside another label, and how many clauses stand before the one it is in.
fn find_clause_label<'t>(
    tree: &Tree,
    statement: &'t AssumeProve,
    wanted: Name,
) -> Option<(usize, ClauseLabel<'t>)> {
    let in_expr = |id: ExprId| find_label(tree, id, wanted).map(ClauseLabel::Expr);
    for (clause, assumed) in statement.assumes.iter().enumerate() {
        let found = match assumed {
            Assumed::Formula(formula) => in_expr(*formula),
            Assumed::New(_, _, set) => set.and_then(in_expr),
            Assumed::Nested(inner) => match inner.label {
                Some(label) => (label.name == wanted).then_some(ClauseLabel::Statement(inner)),
                None => find_clause_label(tree, inner, wanted).map(|(_, label)| label),
            },
        };
        if let Some(label) = found {
            return Some((clause, label));
        }
    }
    in_expr(statement.prove).map(|label| (statement.assumes.len(), label))
}
