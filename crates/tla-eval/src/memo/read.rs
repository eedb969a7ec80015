//! Reads: what an evaluation observes of its inputs.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use omnilink_value::Value;
use smallvec::SmallVec;

use crate::analysis::{Cell, CellStep, Path, argument_step};
use crate::datum::Datum;
use crate::membership::is_listed;
use crate::slot::Slot;

/// The input that a read starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable of the current state.
    Variable(u32),
    /// A slot of the frame.
    Slot(u32),
}

/// A query about a part of the state or of a slot.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(super) root: Root,
    path: SmallVec<[Key; 1]>,
    query: Query,
}

#[derive(Clone, Debug, PartialEq)]
enum Query {
    /// The value.
    Value,
    /// Whether the set there contains this element.
    Contains(Value),
    /// Which expression a slot holds. No value answers that, so nothing that depends on it is memoised.
    Expression,
}

/// One key of a path, with the index where it was found last: functions read by one expression mostly have the same domain.
#[derive(Debug)]
struct Key {
    key: Value,
    /// Only a hint, so relaxed ordering is enough.
    hint: AtomicU32,
}

impl Clone for Key {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            hint: AtomicU32::new(self.hint.load(Ordering::Relaxed)),
        }
    }
}

/// The answer to a read.
#[derive(Clone, Copy)]
pub(super) enum Observed<'s> {
    Value(&'s Value),
    Bool(bool),
}

impl Observed<'_> {
    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Observed::Bool(truth) => Some(*truth),
            Observed::Value(_) => None,
        }
    }
}

impl PartialEq for Read {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
            && self.query == other.query
            && self.path.len() == other.path.len()
            && self.is_prefix_of(other)
    }
}

impl Eq for Read {}

impl Hash for Read {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.root.hash(hasher);
        for step in &self.path {
            step.key.hash(hasher);
        }
        match &self.query {
            Query::Value => {}
            Query::Contains(element) => element.hash(hasher),
            Query::Expression => hasher.write_u8(0),
        }
    }
}

impl Read {
    /// A read of a whole variable or slot.
    pub(crate) fn whole(root: Root) -> Self {
        Self::new(root, Vec::new())
    }

    /// A read of the value at a path.
    pub(crate) fn new(root: Root, keys: Vec<Value>) -> Self {
        let path = keys.into_iter().map(|key| Key {
            key,
            hint: AtomicU32::new(0),
        });
        Self {
            root,
            path: path.collect(),
            query: Query::Value,
        }
    }

    /// The query whether the set here contains an element.
    pub(super) fn contains(mut self, element: Value) -> Self {
        self.query = Query::Contains(element);
        self
    }

    /// The part of the state that the answer depends on; `None` for a read of a slot.
    pub(super) fn cell(&self) -> Option<Cell> {
        let Root::Variable(variable) = self.root else {
            return None;
        };
        let mut path: Path = self.path.iter().map(|step| argument_step(&step.key)).collect();
        if let Query::Contains(element) = &self.query {
            path.push(CellStep::Has(element.clone()));
        }
        Some(Cell { variable, path })
    }

    /// The query which expression a slot holds.
    pub(super) fn expression(slot: u32) -> Self {
        Self {
            query: Query::Expression,
            ..Self::whole(Root::Slot(slot))
        }
    }

    fn is_prefix_of(&self, other: &Self) -> bool {
        self.path
            .iter()
            .zip(&other.path)
            .all(|(left, right)| left.key == right.key)
    }

    /// Whether the answer to `self` determines the answer to `other`.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self == other
            || (self.query == Query::Value
                && other.query != Query::Expression
                && self.root == other.root
                && self.path.len() <= other.path.len()
                && self.is_prefix_of(other))
    }

    /// The answer in the given state and frame, if there is one.
    #[inline]
    pub(super) fn observe<'s>(
        &self,
        state: &'s [Value],
        slots: &'s [Slot<'_>],
        base: usize,
    ) -> Option<Observed<'s>> {
        let value = self.value(state, slots, base)?;
        match &self.query {
            Query::Value => Some(Observed::Value(value)),
            Query::Contains(element) => is_listed(element, value.as_set()?).ok().map(Observed::Bool),
            Query::Expression => None,
        }
    }

    /// The value at the path.
    #[inline]
    pub(super) fn value<'s>(
        &self,
        state: &'s [Value],
        slots: &'s [Slot<'_>],
        base: usize,
    ) -> Option<&'s Value> {
        let mut value = match self.root {
            Root::Variable(variable) => state.get(variable as usize)?,
            Root::Slot(slot) => slot_value(slots.get(base + slot as usize)?)?,
        };
        for step in &self.path {
            value = step.apply_to(value)?;
        }
        Some(value)
    }
}

impl Key {
    #[inline]
    fn apply_to<'v>(&self, function: &'v Value) -> Option<&'v Value> {
        if let Some(entries) = function.as_entries() {
            if let Some((key, value)) = entries.get(self.hint.load(Ordering::Relaxed) as usize)
                && *key == self.key
            {
                return Some(value);
            }
            let at = function.index_of(&self.key)?;
            self.hint.store(at as u32, Ordering::Relaxed);
            return entries.get(at).map(|(_, value)| value);
        }
        function.apply(&self.key)
    }
}

/// The value in a slot, if it is evaluated.
fn slot_value<'s>(slot: &'s Slot<'_>) -> Option<&'s Value> {
    let datum = match slot {
        Slot::Datum(datum) => datum,
        Slot::Thunk {
            value, keep: true, ..
        } => value.as_ref()?,
        Slot::Shared(shared) => shared.value.get()?,
        Slot::Thunk { .. } | Slot::Operator(_) | Slot::Empty => return None,
    };
    match datum {
        Datum::Value(value) => Some(value),
        Datum::Lazy(_) => None,
    }
}

/// Whether a slot holds an unevaluated thunk that keeps its value.
pub(super) fn is_unevaluated(slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Thunk { value, keep, .. } => *keep && value.is_none(),
        Slot::Shared(shared) => shared.value.get().is_none(),
        Slot::Datum(_) | Slot::Operator(_) | Slot::Empty => false,
    }
}
