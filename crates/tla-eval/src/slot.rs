//! Frame slots: what a name stands for while an expression is evaluated.

use std::cell::OnceCell;
use std::rc::Rc;

use omnilink_tla_ir::Node;

use super::datum::Datum;

/// What is in a slot.
#[derive(Clone, Default)]
pub enum Slot<'p> {
    /// Nothing yet.
    #[default]
    Empty,
    /// A value.
    Datum(Datum<'p>),
    /// An expression in a frame that is still there. It is evaluated at the first use if `keep`, else at every use.
    Thunk {
        /// The expression.
        node: &'p Node,
        /// Its frame.
        base: u32,
        /// Whether its value, once known, stays the same.
        keep: bool,
        /// The value, once known.
        value: Option<Datum<'p>>,
    },
    /// An expression that several frames share.
    Shared(Rc<SharedThunk<'p>>),
    /// An operator.
    Operator(Rc<Closure<'p>>),
}

/// An expression evaluated at most once for all frames that share it.
pub struct SharedThunk<'p> {
    /// The expression.
    pub node: &'p Node,
    /// Its frame.
    pub base: u32,
    /// Its value, once known.
    pub value: OnceCell<Datum<'p>>,
}

/// An operator given as an argument.
pub struct Closure<'p> {
    /// Which.
    pub operator: u32,
    /// What its captured slots hold.
    pub captures: Vec<(u32, Slot<'p>)>,
}

impl std::fmt::Debug for Slot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Slot::Empty => f.write_str("nothing"),
            Slot::Datum(datum) => write!(f, "{datum:?}"),
            Slot::Thunk { .. } | Slot::Shared(_) => f.write_str("<expression>"),
            Slot::Operator(_) => f.write_str("<operator>"),
        }
    }
}

impl std::fmt::Debug for SharedThunk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<expression>")
    }
}

impl std::fmt::Debug for Closure<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<operator>")
    }
}

const _: () = assert!(size_of::<Slot<'_>>() == 32);
