//! Nodes: one expression each.

use std::sync::atomic::{AtomicU32, Ordering};

use omnilink_tla_syntax::source::{SourceId, Span};
use omnilink_value::{Shape, Value};

use crate::ErrorClass;
use crate::native::Native;

/// A source location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The text.
    pub source: SourceId,
    /// The span in it.
    pub span: Span,
}

/// The dependencies of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The variables of the current state.
    pub state: bool,
    /// The variables of the next state.
    pub next: bool,
    /// Anything else: registers, random numbers, output. Such a node is never cached or moved.
    pub impure: bool,
    /// An unknown operator, given as a parameter, which may be an action.
    pub opaque: bool,
    /// Whether it loops or calls, so that caching the result pays.
    pub heavy: bool,
    /// An operator that is still being lowered, so that the rest is incomplete.
    pub unfinished: bool,
    /// A name that stands for an expression of the next state, inside an ENABLED that is about that state.
    pub of_next: bool,
    /// Free frame slots, one bit each. Slots from 63 on share the last bit, which is never cleared.
    pub slots: u64,
}

/// The bit of a slot in [`Uses::slots`].
pub fn slot_bit(slot: u32) -> u64 {
    1 << slot.min(63)
}

impl Uses {
    /// What two nodes use together.
    pub fn and(self, other: Uses) -> Uses {
        Uses {
            state: self.state || other.state,
            next: self.next || other.next,
            impure: self.impure || other.impure,
            opaque: self.opaque || other.opaque,
            heavy: self.heavy || other.heavy,
            unfinished: self.unfinished || other.unfinished,
            of_next: self.of_next || other.of_next,
            slots: self.slots | other.slots,
        }
    }

    /// The same without a slot that is bound here.
    pub fn without(mut self, slot: u32) -> Uses {
        if slot < 63 {
            self.slots &= !slot_bit(slot);
        }
        self
    }

    /// Whether the node has one value, always and everywhere.
    pub fn is_constant(self) -> bool {
        !self.state && !self.next && !self.impure && !self.unfinished && self.slots == 0
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its kind.
    pub kind: Kind,
    /// Its source location.
    pub at: Loc,
    /// What it depends on.
    pub uses: Uses,
}

impl Node {
    /// The node without the memo point around it.
    pub fn bare(&self) -> &Node {
        match &self.kind {
            Kind::Memo(_, inner) => inner,
            _ => self,
        }
    }
}

/// Two operands.
pub type Two = Box<(Node, Node)>;

/// Arithmetic on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Arithmetic {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

/// Comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Infinite sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infinite {
    /// `Nat`.
    Nat,
    /// `Int`.
    Int,
    /// `STRING`.
    Strings,
    /// `Any`, which contains every value.
    Any,
}

/// The kinds of nodes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A known value.
    Const(Value),
    /// An infinite set.
    Infinite(Infinite),
    /// A variable in the current state.
    Var(u32),
    /// A variable in the next state.
    Next(u32),
    /// A frame slot: a parameter, a bound name, a LET.
    Local(u32),
    /// The operand in the next state: `F(x) == x'`, where the argument for `x` is known only at the call.
    Prime(Box<Node>),
    /// Evaluated once: the cell and the expression.
    Once(u32, Box<Node>),
    /// Evaluated once for each current state.
    PerState(u32, Box<Node>),
    /// A memo point: its number and the expression. The evaluator memoises results by what the evaluation read.
    Memo(u32, Box<Node>),
    /// Conjunction, left to right.
    And(Box<[Node]>),
    /// Disjunction, left to right.
    Or(Box<[Node]>),
    /// Negation.
    Not(Box<Node>),
    /// Implication.
    Implies(Two),
    /// Equivalence.
    Equiv(Two),
    /// Equality.
    Equal(Two),
    /// Inequality.
    NotEqual(Two),
    /// Membership.
    In(Two),
    /// Its negation.
    NotIn(Two),
    /// Inclusion.
    SubsetEq(Two),
    /// Arithmetic.
    Arithmetic(Arithmetic, Two),
    /// Comparison.
    Comparison(Comparison, Two),
    /// `-x`.
    Negative(Box<Node>),
    /// `a..b`.
    Interval(Two),
    /// `IF`.
    If(Box<(Node, Node, Node)>),
    /// `CASE`.
    Case(Box<[(Node, Node)]>, Option<Box<Node>>),
    /// `<<a, b>>`.
    Tuple(Box<[Node]>),
    /// `{a, b}`.
    SetEnum(Box<[Node]>),
    /// `[a |-> 1]`: the names and, in the same order, the values.
    Record(Shape, Box<[Node]>),
    /// `[a : S]`; names sorted.
    RecordSet(Box<[(Value, Node)]>),
    /// `{x \in S : p}`.
    Filter(Box<Bounded>),
    /// `{e : x \in S}`.
    Map(Box<Bounded>),
    /// `[x \in S |-> e]`.
    Function(Box<Bounded>),
    /// `f[x \in S] == e` that uses itself: the slot of the function in its own body.
    Recursive(Box<Bounded>),
    /// `[S -> T]`.
    FunctionSet(Two),
    /// `S \X T`.
    Product(Box<[Node]>),
    /// `SUBSET S`.
    Powerset(Box<Node>),
    /// `UNION S`.
    BigUnion(Box<Node>),
    /// `DOMAIN f`.
    Domain(Box<Node>),
    /// `S \cup T`.
    Union(Two),
    /// `S \cap T`.
    Intersection(Two),
    /// `S \ T`.
    Difference(Two),
    /// `f[x].a`.
    Path(Box<Node>, Box<[PathStep]>),
    /// `[f EXCEPT ![x].a = e]`.
    Except(Box<Node>, Box<[Update]>),
    /// `CHOOSE x \in S : p`.
    Choose(Box<Bounded>),
    /// `\A`.
    ForAll(Box<Bounded>),
    /// `\E`.
    Exists(Box<Bounded>),
    /// `LET`: slots with their arguments, then the body.
    Let(Box<[(u32, Argument)]>, Box<Node>),
    /// A definition applied.
    Call(Box<Application>),
    /// An operator that is a parameter, applied: the slot and the arguments.
    CallSlot(u32, Box<[Argument]>),
    /// A built-in operator applied.
    Native(Native, Box<[Argument]>),
    /// `UNCHANGED` of variables.
    Unchanged(Box<[u32]>),
    /// `UNCHANGED` of any other expression: now and next.
    UnchangedExpr(Two),
    /// `[A]_v`: the action, and `UNCHANGED v`.
    Stuttering(Two),
    /// `<<A>>_v`: the action, and `UNCHANGED v`, which must be false.
    Changing(Two),
    /// `ENABLED A`.
    Enabled(Box<Node>),
    /// `A \cdot B`.
    Compose(Two),
    /// An action of the next-state relation.
    Action(u32, Box<Node>),
    /// An expression that cannot be evaluated.
    Fail(ErrorClass, Box<str>),
}

/// One step of a [`Kind::Path`].
#[derive(Clone, Debug)]
pub enum PathStep {
    /// `[x]`.
    Index(Node),
    /// `.a`.
    Field(Field),
}

/// The name of a field, and its last position: the records at one expression mostly have one shape.
#[derive(Debug)]
pub struct Field {
    /// The name.
    pub name: Value,
    hint: AtomicU32,
}

impl Clone for Field {
    fn clone(&self) -> Self {
        Self::new(self.name.clone())
    }
}

impl Field {
    /// The field of this name.
    pub fn new(name: Value) -> Self {
        Self {
            name,
            hint: AtomicU32::new(0),
        }
    }

    /// The field's value in a record.
    #[inline]
    pub fn of<'v>(&self, record: &'v Value) -> Option<&'v Value> {
        let entries = record.as_entries()?;
        let hint = self.hint.load(Ordering::Relaxed) as usize;
        if let Some((name, value)) = entries.get(hint)
            && *name == self.name
        {
            return Some(value);
        }
        let at = record.index_of(&self.name)?;
        self.hint.store(at as u32, Ordering::Relaxed);
        entries.get(at).map(|(_, value)| value)
    }
}

/// One `![…] = e` of an EXCEPT.
#[derive(Clone, Debug)]
pub struct Update {
    /// The path.
    pub path: Box<[PathStep]>,
    /// The slot of `@`.
    pub at_slot: u32,
    /// Whether the new value is made from the old one.
    pub uses_old: bool,
    /// The new value.
    pub value: Node,
}

/// Names bound over sets, and a body.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The sets, none of which uses the names.
    pub sets: Box<[Node]>,
    /// The patterns of the names, and the index of the set each ranges over.
    pub binds: Box<[(u32, Pattern)]>,
    /// The bound names, in the order of their slots in `binds`.
    pub names: Box<[Box<str>]>,
    /// The expression in which the names are bound.
    pub body: Node,
    /// The slot of the function in its own body, where it is recursive.
    pub self_slot: Option<u32>,
    /// The other slots that the body uses, which must be kept if it is evaluated after its frame is gone.
    pub captures: Box<[u32]>,
    /// A frame size sufficient for the body.
    pub frame: u32,
}

impl Bounded {
    /// The slots of the bound names, in order.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.binds
            .iter()
            .flat_map(|(_, pattern)| pattern.slots().iter().copied())
    }
}

/// How bound names match an element.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// As a whole.
    One(u32),
    /// Part by part.
    Tuple(Box<[u32]>),
}

impl Pattern {
    /// The slots it fills.
    pub fn slots(&self) -> &[u32] {
        match self {
            Pattern::One(slot) => std::slice::from_ref(slot),
            Pattern::Tuple(slots) => slots,
        }
    }
}

/// A definition applied.
#[derive(Clone, Debug)]
pub struct Application {
    /// The operator.
    pub operator: u32,
    /// The arguments of its slots: parameters, then captured names.
    pub arguments: Box<[(u32, Argument)]>,
}

/// The argument for a slot.
#[derive(Clone, Debug)]
pub enum Argument {
    /// By value: constants, names and other expressions that cannot fail.
    Value(Node),
    /// Evaluated when it is first used.
    Lazy(Node),
    /// By name: evaluated at each use, because it depends on the next state or is used under a prime.
    ByName(Node),
    /// The content of a slot.
    Slot(u32),
    /// An operator: a definition or LAMBDA, and its captures.
    Operator(u32, Box<[(u32, Argument)]>),
}

impl Argument {
    /// The expression, if it is one.
    pub fn node(&self) -> Option<&Node> {
        match self {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => Some(node),
            Argument::Slot(_) | Argument::Operator(..) => None,
        }
    }
}

impl Kind {
    /// The bound names, sets and body of a quantifier, comprehension, function or CHOOSE.
    pub fn bounded(&self) -> Option<&Bounded> {
        match self {
            Kind::Filter(bounded)
            | Kind::Map(bounded)
            | Kind::Function(bounded)
            | Kind::Recursive(bounded)
            | Kind::Choose(bounded)
            | Kind::ForAll(bounded)
            | Kind::Exists(bounded) => Some(bounded),
            _ => None,
        }
    }

    /// Whether its value is Boolean, if it has one.
    #[inline]
    pub fn is_formula(&self) -> bool {
        matches!(
            self,
            Kind::And(_)
                | Kind::Or(_)
                | Kind::Not(_)
                | Kind::Implies(_)
                | Kind::Equiv(_)
                | Kind::Equal(_)
                | Kind::NotEqual(_)
                | Kind::In(_)
                | Kind::NotIn(_)
                | Kind::SubsetEq(_)
                | Kind::Comparison(..)
                | Kind::ForAll(_)
                | Kind::Exists(_)
                | Kind::Unchanged(_)
                | Kind::UnchangedExpr(_)
                | Kind::Stuttering(_)
                | Kind::Changing(_)
                | Kind::Enabled(_)
                | Kind::Compose(_)
        )
    }
}
