//! Relations between the operations of a history, from which axioms are built.

use std::fmt;

use omnilink_history::OpSet;

/// A relation, "this before that", built from the four basic ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Program order: earlier in the same thread.
    Po,
    /// Happens-before: over before the other began.
    Hb,
    /// Earlier in the linearization.
    Lin,
    /// Visible to the other.
    Vis,
    /// Each such operation with itself: a filter between two relations.
    Only(Filter),
    /// First this, then that.
    Compose(Box<Relation>, Box<Relation>),
    /// Either.
    Union(Box<Relation>, Box<Relation>),
    /// One or more times.
    Plus(Box<Relation>),
    /// Any number of times.
    Star(Box<Relation>),
    /// At most once.
    Optional(Box<Relation>),
}

/// The operations that a filter selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Those of these methods.
    Methods(Vec<String>),
    /// Those of all other methods.
    OtherThan(Vec<String>),
    /// Those that, whatever they return, leave every state as it is.
    Readers,
    /// Those that may change a state.
    Writers,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Methods(names) => f.write_str(&names.join("|")),
            Self::OtherThan(names) => write!(f, "!{}", names.join("|")),
            Self::Readers => f.write_str("@readers"),
            Self::Writers => f.write_str("@writers"),
        }
    }
}

impl Relation {
    /// First this, then `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self::Compose(Box::new(self), Box::new(next))
    }

    /// This or `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Union(Box::new(self), Box::new(other))
    }

    /// One or more times this.
    #[must_use]
    pub fn plus(self) -> Self {
        Self::Plus(Box::new(self))
    }

    /// Whether `part` occurs in it.
    pub(crate) fn mentions(&self, part: &Self) -> bool {
        self == part
            || match self {
                Self::Compose(a, b) | Self::Union(a, b) => a.mentions(part) || b.mentions(part),
                Self::Plus(a) | Self::Star(a) | Self::Optional(a) => a.mentions(part),
                Self::Po | Self::Hb | Self::Lin | Self::Vis | Self::Only(_) => false,
            }
    }

    /// Whether it is the same in every explanation of a history.
    pub(crate) fn is_static(&self) -> bool {
        !self.mentions(&Self::Lin) && !self.mentions(&Self::Vis)
    }

    /// Whether its form guarantees that it contains `part`.
    pub(crate) fn surely_contains(&self, part: &Self) -> bool {
        self == part
            || match self {
                Self::Union(a, b) => a.surely_contains(part) || b.surely_contains(part),
                Self::Plus(a) | Self::Star(a) | Self::Optional(a) => a.surely_contains(part),
                _ => false,
            }
    }

    /// The methods that filters name.
    pub(crate) fn methods<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Only(Filter::Methods(names) | Filter::OtherThan(names)) => {
                found.extend(names.iter().map(String::as_str));
            }
            Self::Compose(a, b) | Self::Union(a, b) => {
                a.methods(found);
                b.methods(found);
            }
            Self::Plus(a) | Self::Star(a) | Self::Optional(a) => a.methods(found),
            Self::Po | Self::Hb | Self::Lin | Self::Vis | Self::Only(_) => {}
        }
    }

    /// Its precedence when printed.
    fn strength(&self) -> u8 {
        match self {
            Self::Union(..) => 0,
            Self::Compose(..) => 1,
            _ => 2,
        }
    }
}

/// The axiom language's ASCII form.
impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |f: &mut fmt::Formatter<'_>, part: &Self, strength: u8| {
            if part.strength() < strength {
                write!(f, "({part})")
            } else {
                write!(f, "{part}")
            }
        };
        match self {
            Self::Po => f.write_str("po"),
            Self::Hb => f.write_str("hb"),
            Self::Lin => f.write_str("lin"),
            Self::Vis => f.write_str("vis"),
            Self::Only(filter) => write!(f, "[{filter}]"),
            Self::Compose(a, b) => {
                inner(f, a, 1)?;
                f.write_str(";")?;
                inner(f, b, 1)
            }
            Self::Union(a, b) => {
                inner(f, a, 0)?;
                f.write_str(" | ")?;
                inner(f, b, 0)
            }
            Self::Plus(a) => inner(f, a, 2).and_then(|()| f.write_str("+")),
            Self::Star(a) => inner(f, a, 2).and_then(|()| f.write_str("*")),
            Self::Optional(a) => inner(f, a, 2).and_then(|()| f.write_str("?")),
        }
    }
}

/// A relation with its filters resolved for a history.
#[derive(Clone, Debug)]
pub(crate) enum ResolvedRelation {
    Po,
    Hb,
    Lin,
    Vis,
    Only(OpSet),
    Compose(Box<ResolvedRelation>, Box<ResolvedRelation>),
    Union(Box<ResolvedRelation>, Box<ResolvedRelation>),
    Plus(Box<ResolvedRelation>),
    Star(Box<ResolvedRelation>),
    Optional(Box<ResolvedRelation>),
}

impl ResolvedRelation {
    /// Resolves the filters of `relation`.
    pub fn new(relation: &Relation, members: &impl Fn(&Filter) -> OpSet) -> Self {
        let inner = |part: &Relation| Box::new(Self::new(part, members));
        match relation {
            Relation::Po => Self::Po,
            Relation::Hb => Self::Hb,
            Relation::Lin => Self::Lin,
            Relation::Vis => Self::Vis,
            Relation::Only(filter) => Self::Only(members(filter)),
            Relation::Compose(a, b) => Self::Compose(inner(a), inner(b)),
            Relation::Union(a, b) => Self::Union(inner(a), inner(b)),
            Relation::Plus(a) => Self::Plus(inner(a)),
            Relation::Star(a) => Self::Star(inner(a)),
            Relation::Optional(a) => Self::Optional(inner(a)),
        }
    }

    /// All operations that are related to a member of `to`.
    ///
    /// Only the predecessors of the operation that is being placed are needed, so no matrix is built.
    pub fn sources(&self, to: OpSet, relations: &impl BaseRelations) -> OpSet {
        match self {
            Self::Po => relations.po(to),
            Self::Hb => relations.hb(to),
            Self::Lin => relations.lin(to),
            Self::Vis => relations.vis(to),
            Self::Only(members) => to.and(*members),
            Self::Compose(a, b) => a.sources(b.sources(to, relations), relations),
            Self::Union(a, b) => a.sources(to, relations).or(b.sources(to, relations)),
            Self::Optional(a) => to.or(a.sources(to, relations)),
            Self::Plus(a) => a.closure(a.sources(to, relations), relations),
            Self::Star(a) => a.closure(to, relations),
        }
    }

    fn closure(&self, mut reached: OpSet, relations: &impl BaseRelations) -> OpSet {
        loop {
            let next = reached.or(self.sources(reached, relations));
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }
}

/// The four basic relations, in some state of an explanation.
pub(crate) trait BaseRelations {
    /// The predecessors of members of `to` in program order.
    fn po(&self, to: OpSet) -> OpSet;
    /// The predecessors of members of `to` in happens-before.
    fn hb(&self, to: OpSet) -> OpSet;
    /// The predecessors of members of `to` in the linearization.
    fn lin(&self, to: OpSet) -> OpSet;
    /// The operations that members of `to` see.
    fn vis(&self, to: OpSet) -> OpSet;
}
