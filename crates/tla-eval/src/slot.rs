//! Slots of a frame: the contents of local names.

use std::cell::OnceCell;
use std::rc::Rc;

use omnilink_tla_ir::Node;

use super::datum::Datum;

/// The content of a slot.
#[derive(Clone, Default)]
pub enum Slot<'p> {
    /// Nothing yet.
    #[default]
    Empty,
    /// A value.
    Datum(Datum<'p>),
    /// An expression and its frame, which is on the stack. It is evaluated at its first use if `keep`, else at every use.
    Thunk {
        /// The expression.
        node: &'p Node,
        /// Its frame.
        base: u32,
        /// Whether its value is kept once it is evaluated.
        keep: bool,
        /// The value, once evaluated.
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
    /// Its value, once evaluated.
    pub value: OnceCell<Datum<'p>>,
}

/// An operator given as an argument.
pub struct Closure<'p> {
    /// Its index.
    pub operator: u32,
    /// The contents of its captured slots.
    pub captures: Vec<(u32, Slot<'p>)>,
}

impl<'p> Slot<'p> {
    /// The same content with its expressions not evaluated yet.
    pub(crate) fn unevaluated(&self) -> Self {
        match self {
            Slot::Thunk { node, base, keep, .. } => Slot::Thunk {
                node,
                base: *base,
                keep: *keep,
                value: None,
            },
            Slot::Shared(shared) => Slot::Shared(Rc::new(SharedThunk {
                node: shared.node,
                base: shared.base,
                value: OnceCell::new(),
            })),
            Slot::Operator(closure) => {
                let captures = closure.captures.iter();
                Slot::Operator(Rc::new(Closure {
                    operator: closure.operator,
                    captures: captures
                        .map(|(slot, content)| (*slot, content.unevaluated()))
                        .collect(),
                }))
            }
            Slot::Empty | Slot::Datum(_) => self.clone(),
        }
    }
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
