//! What a variable holds.

use crate::oracle::term::{Binder, Infix, Term, bind, infix, int};
use crate::oracle::value::Val;

/// The kinds of values of random specifications. Keys are `1..n` for a small `n`, numbers `0..2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Number,
    /// "a" or "b"
    Tag,
    /// A function from all keys.
    Function(Box<Shape>),
    /// A function from some keys to numbers.
    Partial,
    /// A set of numbers and keys.
    Set,
    /// A set of pairs of a key and a number.
    Pairs,
    /// A set of records with a key, a number and a tag.
    Records,
    Sequence,
    PairSequence,
    Record(Vec<(&'static str, Shape)>),
}

impl Shape {
    pub fn function(of: Shape) -> Self {
        Self::Function(Box::new(of))
    }

    /// The initial value, and an expression for it.
    pub fn initial(&self, keys: i64) -> (Term, Val) {
        let all_keys = infix(Infix::UpTo, int(1), int(keys));
        match self {
            Self::Number => (int(0), Val::Int(0)),
            Self::Tag => (Term::Text("a"), Val::Text("a")),
            Self::Function(of) => {
                let bound = if matches!(**of, Self::Function(_)) {
                    "j"
                } else {
                    "i"
                };
                let (term, value) = of.initial(keys);
                let pairs = (1..=keys).map(|key| (Val::Int(key), value.clone()));
                (bind(Binder::Function, bound, all_keys, term), Val::fun(pairs))
            }
            Self::Partial => (
                bind(Binder::Function, "i", Term::Set(Vec::new()), int(0)),
                Val::fun([]),
            ),
            Self::Set | Self::Pairs | Self::Records => (Term::Set(Vec::new()), Val::set([])),
            Self::Sequence | Self::PairSequence => (Term::Tuple(Vec::new()), Val::seq([])),
            Self::Record(fields) => {
                let all: Vec<_> = fields
                    .iter()
                    .map(|(name, shape)| (*name, shape.initial(keys)))
                    .collect();
                (
                    Term::Record(
                        all.iter()
                            .map(|(name, (term, _))| (*name, term.clone()))
                            .collect(),
                    ),
                    Val::record(all.into_iter().map(|(name, (_, value))| (name, value))),
                )
            }
        }
    }
}
