//! Scopes: what the slots of a frame stand for while code is made.

use std::rc::Rc;

use omnilink_tla_ir::Node;

use crate::code::{Address, Of, RegisterIndex};
use crate::layout::LayoutNodeId;

/// An expression that a name stands for, with the scope in which it was written. It is read through [`Scope::expression`] alone: what it
/// says about variables is about the state that the place of its use is about.
#[derive(Clone)]
pub(crate) struct Deferred<'p> {
    node: &'p Node,
    scope: Scope<'p>,
}

impl<'p> Deferred<'p> {
    pub(crate) fn new(node: &'p Node, scope: &Scope<'p>) -> Self {
        Self {
            node,
            scope: scope.clone(),
        }
    }

    /// The slots that it uses, and what they stand for.
    pub(crate) fn slots(&self) -> (u64, &Scope<'p>) {
        (self.node.uses.slots, &self.scope)
    }
}

/// What a slot stands for.
#[derive(Clone)]
pub(crate) enum Binding<'p> {
    /// Nothing yet.
    Empty,
    /// A value in a register. A name that a prime may apply to has none, unless it is a constant.
    Register(RegisterIndex),
    /// A parameter of a procedure: a register that holds nothing if the argument could not be evaluated. The number says whether it is known
    /// to hold a value; `read_in`, whether that is the value in the next state, and within how many searches.
    Parameter {
        register: RegisterIndex,
        number: u32,
        read_in: (bool, u32),
    },
    /// An expression that is evaluated when it is first used, into a register. The number says whether it is known to be evaluated.
    Lazy {
        deferred: Deferred<'p>,
        register: RegisterIndex,
        number: u32,
    },
    /// An expression that is evaluated at each use.
    ByName(Deferred<'p>),
    /// An expression that is evaluated at each use, because it is cheap: a variable, or a fixed part of one.
    Alias(Deferred<'p>),
    /// The value at some cells, for code within this many searches: each search has a next state of its own.
    Cells {
        node: LayoutNodeId,
        address: Address,
        of: Of,
        searches: u32,
    },
    /// An operator and its captured slots.
    Operator {
        operator: u32,
        captures: Rc<[(u32, Binding<'p>)]>,
    },
}

impl<'p> Binding<'p> {
    /// The expression, unless it is evaluated.
    pub(crate) fn deferred(&self) -> Option<&Deferred<'p>> {
        match self {
            Binding::Lazy { deferred, .. } | Binding::ByName(deferred) | Binding::Alias(deferred) => {
                Some(deferred)
            }
            Binding::Empty
            | Binding::Register(_)
            | Binding::Parameter { .. }
            | Binding::Cells { .. }
            | Binding::Operator { .. } => None,
        }
    }
}

/// The slots of a frame, and whether variables stand for their next values.
#[derive(Clone)]
pub(crate) struct Scope<'p> {
    slots: Rc<Vec<Binding<'p>>>,
    pub(crate) primed: bool,
}

impl<'p> Scope<'p> {
    /// An empty frame of this size.
    pub(crate) fn new(size: usize, primed: bool) -> Self {
        Self {
            slots: Rc::new(vec![Binding::Empty; size]),
            primed,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, slot: u32) -> &Binding<'p> {
        self.slots.get(slot as usize).unwrap_or(&Binding::Empty)
    }

    /// The expression that a slot stands for, unless it is evaluated, and the scope in which it is read here: a prime around the name is one
    /// around the expression.
    pub(crate) fn expression(&self, slot: u32) -> Option<(&'p Node, Scope<'p>)> {
        self.get(slot).deferred().map(|deferred| self.read(deferred))
    }

    /// An expression, and the scope in which it is read here.
    pub(crate) fn read(&self, deferred: &Deferred<'p>) -> (&'p Node, Scope<'p>) {
        let primed = deferred.scope.primed || self.primed;
        (deferred.node, deferred.scope.about(primed))
    }

    /// The same frame with another binding.
    #[must_use]
    pub(crate) fn with(&self, slot: u32, binding: Binding<'p>) -> Self {
        let mut changed = self.clone();
        changed.bind(slot, binding);
        changed
    }

    /// Whether a slot stands for an expression that is evaluated when it is first used.
    pub(crate) fn is_lazy(&self, slot: u32) -> bool {
        matches!(self.get(slot), Binding::Lazy { .. })
    }

    pub(crate) fn bind(&mut self, slot: u32, binding: Binding<'p>) {
        let slots = Rc::make_mut(&mut self.slots);
        if slots.len() <= slot as usize {
            slots.resize(slot as usize + 1, Binding::Empty);
        }
        slots[slot as usize] = binding;
    }

    /// The same frame, about the next state or not.
    #[must_use]
    pub(crate) fn about(&self, primed: bool) -> Self {
        Self {
            slots: self.slots.clone(),
            primed,
        }
    }
}
