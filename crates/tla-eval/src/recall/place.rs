//! Places: what evaluation can look at.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use omnilink_tla_ir::unshared;
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::datum::Datum;
use crate::membership::is_listed;
use crate::slot::Slot;

/// Where a place starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable of the current state.
    Variable(u32),
    /// A slot of the frame.
    Slot(u32),
}

/// A part of the state or of a slot, and what is asked about it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(super) root: Root,
    path: SmallVec<[Key; 1]>,
    question: Question,
}

#[derive(Clone, Debug, PartialEq)]
enum Question {
    /// What is there?
    What,
    /// Is this listed in the set there?
    Lists(Value),
    /// Which expression is there? That cannot be answered by a value, so nothing can be remembered by it.
    Which,
}

/// One step of a path, and where it was found last: functions that meet one expression mostly have one domain.
#[derive(Debug)]
struct Key {
    key: Value,
    /// Only a guess, so any order of reads and writes will do.
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

/// What is to be seen at a place.
#[derive(Clone, Copy)]
pub(super) enum Seen<'s> {
    Value(&'s Value),
    Truth(bool),
}

impl Seen<'_> {
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Seen::Truth(truth) => Some(*truth),
            Seen::Value(_) => None,
        }
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
            && self.question == other.question
            && self.path.len() == other.path.len()
            && self
                .path
                .iter()
                .zip(&other.path)
                .all(|(left, right)| left.key == right.key)
    }
}

impl Eq for Place {}

impl Hash for Place {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.root.hash(hasher);
        for step in &self.path {
            step.key.hash(hasher);
        }
        match &self.question {
            Question::What => {}
            Question::Lists(element) => element.hash(hasher),
            Question::Which => hasher.write_u8(0),
        }
    }
}

impl Place {
    pub(crate) fn whole(root: Root) -> Self {
        Self::new(root, Vec::new())
    }

    pub(crate) fn new(root: Root, keys: Vec<Value>) -> Self {
        let path = keys.into_iter().map(|key| Key {
            key,
            hint: AtomicU32::new(0),
        });
        Self {
            root,
            path: path.collect(),
            question: Question::What,
        }
    }

    /// The same place in memory of its own.
    pub(super) fn unshared(&self) -> Self {
        let keys = self.path.iter().map(|step| unshared(&step.key)).collect();
        Self {
            question: match &self.question {
                Question::What => Question::What,
                Question::Lists(element) => Question::Lists(unshared(element)),
                Question::Which => Question::Which,
            },
            ..Self::new(self.root, keys)
        }
    }

    /// The question whether a value is listed in the set here.
    pub(super) fn lists(mut self, element: Value) -> Self {
        self.question = Question::Lists(element);
        self
    }

    /// The question which expression a slot holds.
    pub(super) fn which(slot: u32) -> Self {
        Self {
            question: Question::Which,
            ..Self::whole(Root::Slot(slot))
        }
    }

    /// Whether whoever has seen `self` knows what is to be seen at `other`.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self == other
            || (self.question == Question::What
                && other.question != Question::Which
                && self.root == other.root
                && self.path.len() <= other.path.len()
                && self
                    .path
                    .iter()
                    .zip(&other.path)
                    .all(|(left, right)| left.key == right.key))
    }

    /// What is to be seen here.
    #[inline]
    pub(super) fn look<'s>(
        &self,
        state: &'s [Value],
        slots: &'s [Slot<'_>],
        base: usize,
    ) -> Option<Seen<'s>> {
        let value = self.value(state, slots, base)?;
        match &self.question {
            Question::What => Some(Seen::Value(value)),
            Question::Lists(element) => is_listed(element, value.as_set()?).ok().map(Seen::Truth),
            Question::Which => None,
        }
    }

    /// The value here.
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
            value = step.of(value)?;
        }
        Some(value)
    }
}

impl Key {
    #[inline]
    fn of<'v>(&self, function: &'v Value) -> Option<&'v Value> {
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

/// The value in a slot, if it has one.
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

/// Whether a slot holds what has a value once it is evaluated.
pub(super) fn is_unevaluated(slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Thunk { value, keep, .. } => *keep && value.is_none(),
        Slot::Shared(shared) => shared.value.get().is_none(),
        Slot::Datum(_) | Slot::Operator(_) | Slot::Empty => false,
    }
}
