//! Values during evaluation: canonical or lazy.
//!
//! Membership in `1..1000000`, `SUBSET S`, `[S -> T]` or `Nat` can be tested, and elements can be taken one at a time, without
//! materialising the set. A [`Datum`] is therefore a canonical [`Value`] or a [`Lazy`] value. Everything in a state, a set or a
//! function is canonical, so equality and hashing are cheap; only infinite values stay lazy inside a collection.

use std::cell::RefCell;
use std::rc::Rc;

use omnilink_tla_ir::{Bounded, Infinite};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::slot::Slot;

/// A canonical or lazy value.
#[derive(Clone)]
pub enum Datum<'p> {
    /// A value in canonical form.
    Value(Value),
    /// A lazy value.
    Lazy(Rc<Lazy<'p>>),
}

/// A value that is not materialised.
pub enum Lazy<'p> {
    /// An infinite set.
    Infinite(Infinite),
    /// `a..b`.
    Interval(i64, i64),
    /// `SUBSET S`.
    Powerset(Datum<'p>),
    /// `[S -> T]`.
    FunctionSet(Datum<'p>, Datum<'p>),
    /// `[a : S, b : T]`, names sorted.
    RecordSet(Vec<(Value, Datum<'p>)>),
    /// `S \X T`.
    Product(Vec<Datum<'p>>),
    /// `Seq(S)`.
    Sequences(Datum<'p>),
    /// `S \cup T`.
    Union(Datum<'p>, Datum<'p>),
    /// `S \cap T`.
    Intersection(Datum<'p>, Datum<'p>),
    /// `S \ T`.
    Difference(Datum<'p>, Datum<'p>),
    /// `UNION S`.
    BigUnion(Datum<'p>),
    /// `{x \in S : p}`.
    Filter(Datum<'p>, Suspended<'p>),
    /// A function given by a rule: its domain (one set per argument) and the rule.
    Function(LazyFunction<'p>),
    /// A tuple with an infinite part.
    Tuple(Vec<Datum<'p>>),
    /// A function with an infinite part, keys sorted.
    Mapping(Vec<(Value, Datum<'p>)>),
    /// A set with an infinite element.
    Set(Vec<Datum<'p>>),
}

/// A body with captured slots.
#[derive(Clone)]
pub struct Suspended<'p> {
    /// The names and the body.
    pub bounded: &'p Bounded,
    /// The contents of the slots that the body uses.
    pub captures: Rc<[(u32, Slot<'p>)]>,
    /// Whether its variables are those of the next state: it was written under a prime.
    pub primed: bool,
}

/// A function given by a rule.
pub struct LazyFunction<'p> {
    /// The sets that the arguments come from.
    pub domains: Vec<Datum<'p>>,
    /// The rule.
    pub body: Suspended<'p>,
    /// Values computed so far. They are a function of the argument: the body, its captures and the state that it reads do not change while the
    /// function lives, because no state holds a lazy value, and what is kept between states is evaluated again (`PerState`).
    pub known: RefCell<FxHashMap<Value, Datum<'p>>>,
    /// Values replaced by EXCEPT; the last one counts.
    pub changed: Vec<(Value, Datum<'p>)>,
}

impl<'p> LazyFunction<'p> {
    /// The set that each argument comes from.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = &Datum<'p>> {
        self.body
            .bounded
            .binds
            .iter()
            .map(|(set, _)| &self.domains[*set as usize])
    }
}

impl<'p> Datum<'p> {
    /// A lazy value.
    pub fn lazy(lazy: Lazy<'p>) -> Self {
        Datum::Lazy(Rc::new(lazy))
    }

    /// The integer.
    pub fn int(value: i64) -> Self {
        Datum::Value(Value::int(value))
    }

    /// The truth value.
    pub fn bool(value: bool) -> Self {
        Datum::Value(Value::bool(value))
    }

    /// The string.
    pub fn str(text: &str) -> Self {
        Datum::Value(Value::str(text))
    }

    /// The canonical value, if it is one.
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Datum::Value(value) => Some(value),
            Datum::Lazy(_) => None,
        }
    }

    /// The lazy value, if it is one.
    pub fn as_lazy(&self) -> Option<&Lazy<'p>> {
        match self {
            Datum::Value(_) => None,
            Datum::Lazy(lazy) => Some(lazy),
        }
    }

    /// Whether this is a set.
    pub fn is_set(&self) -> bool {
        match self {
            Datum::Value(value) => value.as_set().is_some(),
            Datum::Lazy(lazy) => !matches!(**lazy, Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_)),
        }
    }
}

impl From<Value> for Datum<'_> {
    fn from(value: Value) -> Self {
        Datum::Value(value)
    }
}

const _: () = assert!(size_of::<Datum<'_>>() == 16);

impl std::fmt::Debug for Datum<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Datum::Value(value) => write!(f, "{value}"),
            Datum::Lazy(_) => f.write_str("<lazy>"),
        }
    }
}

impl std::fmt::Debug for Lazy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<lazy>")
    }
}

impl std::fmt::Debug for Suspended<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<lazy>")
    }
}

impl std::fmt::Debug for LazyFunction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<lazy>")
    }
}
