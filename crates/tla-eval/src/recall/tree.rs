//! The tree of what was seen: where to look next, and the answer at the end.

use std::rc::Rc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::common::Common;
use super::log::Log;
use super::place::{Place, Root, Seen, is_unevaluated};
use crate::slot::Slot;

/// Answers by what is to be seen.
pub(super) struct Tree<A> {
    nodes: Vec<Node<A>>,
    /// How much memory it takes, about.
    bytes: usize,
}

/// What takes memory.
pub(super) trait Weigh {
    /// How much, about.
    fn bytes(&self) -> usize;
}

impl Weigh for Value {
    fn bytes(&self) -> usize {
        const HEADER: usize = 24;
        let own = size_of::<Value>();
        if let Some(elements) = self.as_set().or_else(|| self.as_tuple()) {
            return own + HEADER + elements.iter().map(Weigh::bytes).sum::<usize>();
        }
        if let Some(entries) = self.as_entries() {
            let parts = entries.iter().map(|(key, value)| key.bytes() + value.bytes());
            return own + HEADER + parts.sum::<usize>();
        }
        own
    }
}

/// What was seen at a place, on the way to being kept.
pub(super) trait Looked {
    /// Where.
    fn place(&self) -> &Place;
    /// What was seen there.
    fn seen(&self) -> Seen<'_>;
    /// The place, to keep.
    fn kept_place(&self, common: &mut Common) -> Rc<Place>;
    /// What was seen there, to keep.
    fn kept_value(&self, common: &mut Common) -> Value;
}

enum Node<A> {
    Look(Box<Look>),
    Leaf(A),
}

/// Where to look, and where what is seen there leads. Most nodes of a depth look at one place, which they share: it is in the cache
/// when they are not.
struct Look {
    place: Rc<Place>,
    seen: Branches,
}

/// What was seen at a place, and where that leads.
#[derive(Default)]
struct Branches {
    few: SmallVec<[(Value, u32); 2]>,
    many: Option<Box<FxHashMap<Value, u32>>>,
}

/// Up to this many are compared one after the other.
const FEW: usize = 8;

/// Where a walk ends.
pub(super) enum Walked {
    /// At an answer.
    Leaf(u32),
    /// Something is to be seen that was not seen before.
    Unseen,
    /// At a slot that has not been evaluated.
    Unevaluated(u32),
}

impl<A> Default for Tree<A> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            bytes: 0,
        }
    }
}

impl Branches {
    #[inline]
    fn find(&self, seen: &Seen<'_>) -> Option<u32> {
        let truth;
        let value = match seen {
            Seen::Value(value) => *value,
            Seen::Truth(is_true) => {
                truth = Value::bool(*is_true);
                &truth
            }
        };
        match &self.many {
            None => {
                let found = self.few.iter().find(|(known, _)| known == value);
                found.map(|(_, node)| *node)
            }
            Some(many) => many.get(value).copied(),
        }
    }

    /// Gives how much memory that takes.
    fn add(&mut self, value: Value, node: u32) -> usize {
        let bytes = value.bytes() + 2 * size_of::<(Value, u32)>();
        if self.many.is_none() && self.few.len() < FEW {
            self.few.push((value, node));
        } else {
            let many = self.many.get_or_insert_default();
            many.extend(self.few.drain(..));
            many.insert(value, node);
        }
        bytes
    }
}

impl<A: Weigh> Tree<A> {
    /// Forgets everything. Gives how much memory that took.
    pub(super) fn forget(&mut self) -> usize {
        self.nodes = Vec::new();
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn leaf(&self, node: u32) -> Option<&A> {
        match self.nodes.get(node as usize)? {
            Node::Leaf(answer) => Some(answer),
            Node::Look(_) => None,
        }
    }

    /// Looks where the tree says, until it has an answer. A walk inside a site that is being logged is a look at each place.
    #[inline]
    pub(super) fn walk(
        &self,
        state: &[Value],
        slots: &[Slot<'_>],
        base: usize,
        mut log: Option<&mut Log>,
    ) -> Walked {
        let mut at = 0;
        loop {
            match self.nodes.get(at as usize) {
                None => return Walked::Unseen,
                Some(Node::Leaf(_)) => return Walked::Leaf(at),
                Some(Node::Look(look)) => {
                    let Look { place, seen } = &**look;
                    let Some(now) = place.look(state, slots, base) else {
                        return match place.root {
                            Root::Slot(slot)
                                if slots.get(base + slot as usize).is_some_and(is_unevaluated) =>
                            {
                                Walked::Unevaluated(slot)
                            }
                            _ => Walked::Unseen,
                        };
                    };
                    if let Some(log) = &mut log {
                        log.push(place.clone(), base);
                    }
                    match seen.find(&now) {
                        Some(node) => at = node,
                        None => return Walked::Unseen,
                    }
                }
            }
        }
    }

    /// Adds an answer under what was seen at some places, unless it is there. Gives how much memory that takes.
    pub(super) fn insert(
        &mut self,
        looks: impl IntoIterator<Item = impl Looked>,
        common: &mut Common,
        answer: impl FnOnce() -> A,
    ) -> usize {
        let before = self.bytes;
        let mut at = 0;
        for looked in looks {
            if at == self.nodes.len() {
                self.bytes += size_of::<Node<A>>() + size_of::<Look>();
                self.nodes.push(Node::Look(Box::new(Look {
                    place: looked.kept_place(common),
                    seen: Branches::default(),
                })));
            }
            let made = self.nodes.len() as u32;
            // By the argument on the crate's page the tree asks here what evaluation has looked at. Were that ever not so,
            // what is in the tree would stay right, and this answer is left out.
            let Node::Look(look) = &mut self.nodes[at] else {
                break;
            };
            let Look { place, seen } = &mut **look;
            if !std::ptr::eq(&**place, looked.place()) && **place != *looked.place() {
                break;
            }
            at = match seen.find(&looked.seen()) {
                Some(node) => node as usize,
                None => {
                    self.bytes += seen.add(looked.kept_value(common), made);
                    made as usize
                }
            };
        }
        if at == self.nodes.len() {
            let answer = answer();
            self.bytes += size_of::<Node<A>>() + answer.bytes();
            self.nodes.push(Node::Leaf(answer));
        }
        self.bytes - before
    }
}
