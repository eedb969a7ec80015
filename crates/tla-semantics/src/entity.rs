//! Entities: everything that a name can stand for.

use omnilink_tla_syntax::ast::{ExprId, UnitId};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::{SourceId, Span};

use super::level::{Level, LevelOf};

/// Names an [`Entity`] of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId(pub u32);

/// Names a module of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

/// Names an instance of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// Names a syntax tree of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(pub u32);

/// The instances that a name goes through, outermost first; most go through none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Via(pub u32);

impl Via {
    /// Through no instance.
    pub const NONE: Via = Via(0);
}

/// An entity that the language defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// An operator symbol.
    Operator(Op),
    /// `TRUE`.
    True,
    /// `FALSE`.
    False,
    /// `BOOLEAN`.
    Boolean,
    /// `STRING`.
    String,
}

/// The kinds of entities.
#[derive(Clone, Debug)]
pub enum EntityKind {
    /// Part of the language.
    BuiltIn(BuiltIn),
    /// A declared constant.
    Constant,
    /// A declared variable.
    Variable,
    /// A defined operator.
    Operator {
        /// Its parameters.
        params: Box<[EntityId]>,
        /// Its meaning.
        body: ExprId,
        /// Whether RECURSIVE announced it.
        recursive: bool,
    },
    /// A function defined by `f[x \in S] == e`.
    Function {
        /// Its bound names.
        params: Box<[EntityId]>,
        /// Its definition: a [`omnilink_tla_syntax::ast::UnitKind::Function`].
        unit: UnitId,
        /// Its value.
        body: ExprId,
        /// The number of arguments it was defined with.
        arguments: u32,
        /// Whether it uses itself.
        recursive: bool,
    },
    /// A named instance.
    Instance(InstanceId),
    /// A named assumption or theorem; `None` for ASSUME/PROVE, which is no formula.
    Statement(Option<ExprId>),
    /// Announced by RECURSIVE and not yet defined.
    Announced,
    /// A parameter of a definition, a LAMBDA or an instance.
    Parameter,
    /// A name bound by a quantifier, a constructor, CHOOSE or a label.
    Bound,
    /// An instance of a missing module, which has been reported.
    Unknown,
    /// A name declared by NEW in a theorem, or bound by `\EE`.
    Declared,
}

/// An entity.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The name.
    pub name: Name,
    /// Its kind.
    pub kind: EntityKind,
    /// The number of arguments it takes.
    pub arity: u32,
    /// The text that introduces it.
    pub source: SourceId,
    /// The tree that introduces it.
    pub tree: TreeId,
    /// The span of its introduction.
    pub span: Span,
    /// The module that introduces it; for built-in entities, the first module.
    pub module: ModuleId,
    /// Whether it is LOCAL to its module.
    pub local: bool,
    /// Its level and the parameters that can raise it.
    pub level: LevelOf,
    /// For parameters, constants and variables: the highest level that may be substituted.
    pub max_level: Level,
    /// For parameters: whether the entity is Leibniz in them, so that equal arguments give equal results (not so under a prime or
    /// `[]`).
    pub leibniz: bool,
}

impl Entity {
    /// Whether it is declared rather than defined.
    pub fn is_declaration(&self) -> bool {
        matches!(self.kind, EntityKind::Constant | EntityKind::Variable)
    }
}

/// The binding of a name in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// What it stands for.
    pub entity: EntityId,
    /// Through which instances.
    pub via: Via,
}

/// What an expression node refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolved {
    /// The node is not a reference, or an invalid one.
    #[default]
    Nothing,
    /// An entity, through no instance.
    Entity(EntityId),
    /// Through instances or into a definition: an index into the references of the spec.
    Reference(u32),
}

/// A reference through instances or into a definition.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The instances, outermost first.
    pub via: Box<[InstanceStep]>,
    /// The entity referred to.
    pub entity: EntityId,
    /// Which segment of the path carries the entity's arguments.
    pub segment: u32,
    /// The selected part of its definition; `None` for the whole.
    pub part: Option<Part>,
}

/// An instance that a reference goes through.
#[derive(Clone, Copy, Debug)]
pub struct InstanceStep {
    /// The instance.
    pub instance: InstanceId,
    /// Which segment of the path carries its arguments, if it was named there.
    pub segment: Option<u32>,
}

/// A part of a definition, selected by labels, numbers and bindings.
#[derive(Clone, Debug)]
pub struct Part {
    /// The tree of the definition.
    pub tree: TreeId,
    /// The selected expression.
    pub expr: ExprId,
    /// Names bound on the way, with the values given to them: `(name, segment, argument)`. In a path that is an
    /// operator argument, names without values are the operator's parameters.
    pub bound: Box<[(EntityId, u32, u32)]>,
    /// Which aspect of the expression is meant.
    pub aspect: Aspect,
}

/// Which aspect of a selected expression is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// All of it.
    Whole,
    /// Of `r.f`, the string `"f"`.
    FieldName,
    /// Of `f[x, y]`, the tuple `<<x, y>>`.
    Arguments,
    /// The function that a LET defines, given by its value.
    Function(EntityId),
}
