//! The syntax tree: flat arrays of nodes that refer to each other by index.
//!
//! One file is one [`Tree`]. Nodes live in arenas and refer to children by 32-bit ids. So a tree is built without an allocation
//! per node, is dropped without recursion however deep it is, and side tables (what a name resolves to, a node's level) are
//! plain vectors indexed by [`ExprId`]. Parentheses are kept as nodes: `\X` is n-ary exactly where none were written, and a printed
//! tree must parse to itself.

use super::operators::Op;
use crate::names::Name;
use crate::source::{SourceId, Span};

/// Names an expression of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Names a unit of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

/// Names a module of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleIndex(pub u32);

/// An occurrence of a name.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its span.
    pub span: Span,
}

/// An expression and its span.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its span.
    pub span: Span,
}

/// The two kinds of junction list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junction {
    /// Bulleted with `/\`.
    And,
    /// Bulleted with `\/`.
    Or,
}

impl Junction {
    /// The operator that the list stands for.
    pub fn op(self) -> Op {
        match self {
            Junction::And => Op::And,
            Junction::Or => Op::Or,
        }
    }
}

/// The two quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// For all.
    ForAll,
    /// There is.
    Exists,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A whole number as written, in any base.
    Number(Name),
    /// A decimal number: the digits before and after the point.
    Decimal(Name, Name),
    /// A string, escapes resolved.
    Text(Name),
    /// A name, or an operator symbol standing for itself (`FoldSet(+, 0, S)`), with its arguments if it has any.
    Apply(Ident, Box<[ExprId]>),
    /// A name that goes through instances or into subexpressions: `I!Op(x)`, `Init!1`.
    Path(Box<[Segment]>),
    /// `@` in an EXCEPT.
    At,
    /// A prefix operator.
    Prefix(Op, ExprId),
    /// An infix operator, the span of its symbol, and both operands. Never `\X`.
    Infix(Op, Span, ExprId, ExprId),
    /// A postfix operator.
    Postfix(Op, ExprId),
    /// `S \X T \X U`.
    Times(Box<[ExprId]>),
    /// A bulleted list.
    Junction(Junction, Box<[ExprId]>),
    /// An expression in parentheses.
    Paren(ExprId),
    /// `<<a, b>>`.
    Tuple(Box<[ExprId]>),
    /// `{a, b}`.
    SetEnum(Box<[ExprId]>),
    /// `{x \in S : p}`.
    SetFilter(Box<Bound>, ExprId),
    /// `{e : x \in S, y \in T}`.
    SetMap(ExprId, Box<[Bound]>),
    /// `[x \in S |-> e]`.
    Function(Box<[Bound]>, ExprId),
    /// `[S -> T]`.
    FunctionSet(ExprId, ExprId),
    /// `f[x, y]`.
    Call(ExprId, Box<[ExprId]>),
    /// `[a |-> 1, b |-> 2]`.
    Record(Box<[(Ident, ExprId)]>),
    /// `[a : S, b : T]`.
    RecordSet(Box<[(Ident, ExprId)]>),
    /// `r.a`.
    Field(ExprId, Ident),
    /// `[f EXCEPT ![x].a = e]`.
    Except(ExprId, Box<[ExceptUpdate]>),
    /// `IF c THEN a ELSE b`.
    If(ExprId, ExprId, ExprId),
    /// `CASE p -> a [] q -> b [] OTHER -> c`.
    Case(Box<[(ExprId, ExprId)]>, Option<ExprId>),
    /// `LET d == … IN e`.
    Let(Box<[UnitId]>, ExprId),
    /// `CHOOSE x \in S : p`.
    Choose(Box<Bound>, ExprId),
    /// `\A x \in S, y \in T : p`; a bound without a set is unbounded.
    Quantified(Quantifier, Box<[Bound]>, ExprId),
    /// `\AA x, y : p`.
    TemporalQuantified(Quantifier, Box<[Ident]>, ExprId),
    /// `[A]_v` (true) or `<<A>>_v` (false).
    Action(bool, ExprId, ExprId),
    /// `SF_v(A)` (true) or `WF_v(A)` (false): subscript and action.
    Fairness(bool, ExprId, ExprId),
    /// `LAMBDA x, y : e`.
    Lambda(Box<[Ident]>, ExprId),
    /// `lab(x) :: e`.
    Label(Ident, Box<[Ident]>, ExprId),
    /// An expression that could not be parsed. Only in trees with errors.
    Error,
}

/// One step of a [`ExprKind::Path`].
#[derive(Clone, Debug)]
pub struct Segment {
    /// What it names.
    pub kind: SegmentKind,
    /// Arguments given at this step.
    pub args: Box<[ExprId]>,
    /// Its span.
    pub span: Span,
}

/// What a step of a path selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// A definition, an instance or a label.
    Name(Name),
    /// The n-th part: `Init!1`.
    Part(u32),
    /// `:`, the whole right-hand side.
    Body,
    /// `@`, an argument-less step into a bound body.
    At,
    /// `<<`, the first operand.
    First,
    /// `>>`, the second operand.
    Second,
    /// `(a, b)`, values for bound names.
    Bind,
}

/// The names that a bound introduces, and the set they range over if there is one.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Whether the names form a tuple `<<x, y>>`.
    pub tuple: bool,
    /// The names.
    pub names: Box<[Ident]>,
    /// The set.
    pub set: Option<ExprId>,
}

/// One `![…].f = e` of an EXCEPT.
#[derive(Clone, Debug)]
pub struct ExceptUpdate {
    /// The path.
    pub path: Box<[Access]>,
    /// The new value.
    pub value: ExprId,
    /// Its span, from the `!`.
    pub span: Span,
}

/// One step of an EXCEPT path.
#[derive(Clone, Debug)]
pub enum Access {
    /// `.f`.
    Field(Ident),
    /// `[x, y]`.
    Index(Box<[ExprId]>),
}

/// A declared or defined operator name with its arity; also one parameter of a definition.
#[derive(Clone, Copy, Debug)]
pub struct OpDecl {
    /// The name.
    pub ident: Ident,
    /// The number of arguments it takes.
    pub arity: u32,
    /// The symbol if it is declared as one: `_ (+) _`.
    pub op: Option<Op>,
}

/// One substitution of an INSTANCE.
#[derive(Clone, Debug)]
pub struct Substitution {
    /// The replaced constant or variable.
    pub target: Ident,
    /// Its replacement.
    pub value: ExprId,
}

/// `INSTANCE M WITH a <- b`.
#[derive(Clone, Debug)]
pub struct ModuleInstance {
    /// The module.
    pub module: Ident,
    /// The explicit substitutions.
    pub substitutions: Box<[Substitution]>,
    /// Its span.
    pub span: Span,
}

/// What a NEW in an assumption declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewKind {
    /// A constant, perhaps with arguments.
    Constant,
    /// A variable.
    Variable,
    /// A state function.
    State,
    /// A transition function.
    Action,
    /// A temporal formula.
    Temporal,
}

/// One item of the ASSUME part of a theorem.
#[derive(Clone, Debug)]
pub enum Assumed {
    /// A formula.
    Formula(ExprId),
    /// A declaration, and the set it ranges over if there is one.
    New(NewKind, OpDecl, Option<ExprId>),
    /// A nested ASSUME/PROVE.
    Nested(Box<AssumeProve>),
}

/// `ASSUME … PROVE …`; a plain statement has no assumptions.
#[derive(Clone, Debug)]
pub struct AssumeProve {
    /// A label before a nested ASSUME.
    pub label: Option<Ident>,
    /// Whether it says `[]ASSUME` and `[]PROVE`.
    pub boxed: bool,
    /// The assumptions.
    pub assumes: Box<[Assumed]>,
    /// The conclusion.
    pub prove: ExprId,
    /// Its span, from the ASSUME.
    pub span: Span,
}

/// A part of a module, or of a LET.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its kind.
    pub kind: UnitKind,
    /// Whether it says LOCAL.
    pub local: bool,
    /// Its span.
    pub span: Span,
}

/// The kinds of units.
#[derive(Clone, Debug)]
pub enum UnitKind {
    /// `CONSTANTS a, F(_)`.
    Constants(Box<[OpDecl]>),
    /// `VARIABLES x, y`.
    Variables(Box<[Ident]>),
    /// `RECURSIVE F(_)`.
    Recursive(Box<[OpDecl]>),
    /// `F(x, G(_)) == e`, also for operator symbols.
    Operator {
        /// The defined name.
        name: OpDecl,
        /// Its parameters.
        params: Box<[OpDecl]>,
        /// Its right-hand side.
        body: ExprId,
    },
    /// `f[x \in S] == e`.
    Function {
        /// The defined name.
        name: Ident,
        /// Its domain.
        bounds: Box<[Bound]>,
        /// Its value.
        body: ExprId,
    },
    /// `I(x) == INSTANCE M WITH …`.
    NamedInstance {
        /// The instance's name.
        name: Ident,
        /// Its parameters.
        params: Box<[OpDecl]>,
        /// The instance.
        instance: ModuleInstance,
    },
    /// `INSTANCE M WITH …`.
    Instance(ModuleInstance),
    /// `ASSUME` or `AXIOM`, with a name or without.
    Assume {
        /// Its name.
        name: Option<Ident>,
        /// Its statement.
        body: ExprId,
        /// Whether it is an AXIOM, which TLC does not evaluate.
        is_axiom: bool,
    },
    /// `THEOREM`, with a name or without; its proof is kept as a span.
    Theorem {
        /// Its name.
        name: Option<Ident>,
        /// Its statement.
        statement: Box<AssumeProve>,
        /// The span of its proof.
        proof: Option<Span>,
    },
    /// A nested module.
    Module(ModuleIndex),
    /// `----`.
    Separator,
    /// USE or HIDE, which matter only to provers.
    UseOrHide,
}

/// A module.
#[derive(Clone, Debug)]
pub struct ParsedModule {
    /// Its name.
    pub name: Ident,
    /// The modules it extends.
    pub extends: Box<[Ident]>,
    /// Its units.
    pub units: Box<[UnitId]>,
    /// Its span.
    pub span: Span,
}

/// One file.
#[derive(Debug)]
pub struct Tree {
    /// The text it was read from.
    pub source: SourceId,
    /// All expressions, children before parents.
    pub exprs: Vec<Expr>,
    /// All units.
    pub units: Vec<Unit>,
    /// All modules; the first is the file's own, if there is any.
    pub modules: Vec<ParsedModule>,
    /// The file's own module.
    pub root: Option<ModuleIndex>,
}

impl Tree {
    /// An expression of this tree.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// A unit of this tree.
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.0 as usize]
    }

    /// A module of this tree.
    pub fn module(&self, index: ModuleIndex) -> &ParsedModule {
        &self.modules[index.0 as usize]
    }

    /// The leftmost operand, if the expression begins with one. Left operands nest without brackets and therefore without a
    /// depth limit, so traversals follow them in a loop and recurse into everything else.
    pub fn left_operand(&self, id: ExprId) -> Option<ExprId> {
        match &self.expr(id).kind {
            ExprKind::Infix(_, _, left, _) | ExprKind::Postfix(_, left) => Some(*left),
            ExprKind::Call(left, _) | ExprKind::Field(left, _) => Some(*left),
            _ => None,
        }
    }

    /// Visits the direct children of an expression from left to right, except the definitions of a LET.
    pub fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        let bounds_of = |bounds: &[Bound], visit: &mut dyn FnMut(ExprId)| {
            bounds.iter().filter_map(|bound| bound.set).for_each(visit);
        };
        match &self.expr(id).kind {
            ExprKind::Number(_)
            | ExprKind::Decimal(..)
            | ExprKind::Text(_)
            | ExprKind::At
            | ExprKind::Error => {}
            ExprKind::Apply(_, parts)
            | ExprKind::Times(parts)
            | ExprKind::Junction(_, parts)
            | ExprKind::Tuple(parts)
            | ExprKind::SetEnum(parts) => parts.iter().copied().for_each(visit),
            ExprKind::Path(segments) => {
                segments
                    .iter()
                    .flat_map(|segment| segment.args.iter().copied())
                    .for_each(visit);
            }
            ExprKind::Prefix(_, part)
            | ExprKind::Postfix(_, part)
            | ExprKind::Paren(part)
            | ExprKind::Field(part, _)
            | ExprKind::Let(_, part)
            | ExprKind::TemporalQuantified(_, _, part)
            | ExprKind::Lambda(_, part)
            | ExprKind::Label(_, _, part) => visit(*part),
            ExprKind::Infix(_, _, left, right)
            | ExprKind::FunctionSet(left, right)
            | ExprKind::Action(_, left, right)
            | ExprKind::Fairness(_, left, right) => [*left, *right].into_iter().for_each(visit),
            ExprKind::SetFilter(bound, body) | ExprKind::Choose(bound, body) => {
                bounds_of(std::slice::from_ref(bound), &mut visit);
                visit(*body);
            }
            ExprKind::SetMap(body, bounds) | ExprKind::Function(bounds, body) => {
                bounds_of(bounds, &mut visit);
                visit(*body);
            }
            ExprKind::Quantified(_, bounds, body) => {
                bounds_of(bounds, &mut visit);
                visit(*body);
            }
            ExprKind::Call(function, args) => {
                visit(*function);
                args.iter().copied().for_each(visit);
            }
            ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                fields.iter().map(|(_, value)| *value).for_each(visit);
            }
            ExprKind::Except(function, updates) => {
                visit(*function);
                for update in updates {
                    for access in &update.path {
                        if let Access::Index(args) = access {
                            args.iter().copied().for_each(&mut visit);
                        }
                    }
                    visit(update.value);
                }
            }
            ExprKind::If(condition, yes, no) => [*condition, *yes, *no].into_iter().for_each(visit),
            ExprKind::Case(arms, other) => {
                for (condition, value) in arms {
                    visit(*condition);
                    visit(*value);
                }
                other.iter().copied().for_each(visit);
            }
        }
    }
}
