//! The tree of what was seen: where to look next, and the answer at the end.

use std::rc::Rc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::log::Log;
use super::place::{Place, Root, Seen, is_unevaluated};
use crate::eval::slot::Slot;

/// Answers by what is to be seen.
pub(super) struct Tree<A> {
    nodes: Vec<Node<A>>,
}

enum Node<A> {
    Look { place: Rc<Place>, seen: Branches },
    Leaf(A),
}

/// What was seen at a place, and where that leads.
#[derive(Default)]
struct Branches {
    few: Vec<(Value, u32)>,
    many: FxHashMap<Value, u32>,
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
        Self { nodes: Vec::new() }
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
        if self.many.is_empty() {
            let found = self.few.iter().find(|(known, _)| known == value);
            return found.map(|(_, node)| *node);
        }
        self.many.get(value).copied()
    }

    fn add(&mut self, seen: &Seen<'_>, node: u32) {
        let value = match seen {
            Seen::Value(value) => (*value).clone(),
            Seen::Truth(is_true) => Value::bool(*is_true),
        };
        if self.many.is_empty() && self.few.len() < FEW {
            self.few.push((value, node));
        } else {
            self.many.extend(self.few.drain(..));
            self.many.insert(value, node);
        }
    }
}

impl<A> Tree<A> {
    pub(super) fn leaf(&self, node: u32) -> Option<&A> {
        match self.nodes.get(node as usize)? {
            Node::Leaf(answer) => Some(answer),
            Node::Look { .. } => None,
        }
    }

    /// Looks where the tree says, until it has an answer. A walk inside a site that is being logged is a look at each place.
    #[inline]
    pub(super) fn walk(&self, state: &[Value], slots: &[Slot<'_>], base: usize, mut log: Option<&mut Log>) -> Walked {
        let mut at = 0;
        loop {
            match self.nodes.get(at as usize) {
                None => return Walked::Unseen,
                Some(Node::Leaf(_)) => return Walked::Leaf(at),
                Some(Node::Look { place, seen }) => {
                    let Some(now) = place.look(state, slots, base) else {
                        return match place.root {
                            Root::Slot(slot) if slots.get(base + slot as usize).is_some_and(is_unevaluated) => {
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

    /// Adds an answer under what is to be seen at some places. Gives how many nodes that made.
    pub(super) fn insert(
        &mut self,
        places: &[Rc<Place>],
        state: &[Value],
        slots: &[Slot<'_>],
        base: usize,
        answer: A,
    ) -> usize {
        // Only what can be seen can be found again; nothing is added unless all of it can.
        if places.iter().any(|place| place.look(state, slots, base).is_none()) {
            return 0;
        }
        let before = self.nodes.len();
        let mut at = 0;
        for place in places {
            if at == self.nodes.len() {
                self.nodes.push(Node::Look {
                    place: place.clone(),
                    seen: Branches::default(),
                });
            }
            let made = self.nodes.len() as u32;
            let Node::Look { place: known, seen } = &mut self.nodes[at] else {
                return self.nodes.len() - before;
            };
            if **known != **place {
                return self.nodes.len() - before;
            }
            let Some(now) = place.look(state, slots, base) else {
                return self.nodes.len() - before;
            };
            at = match seen.find(&now) {
                Some(node) => node as usize,
                None => {
                    seen.add(&now, made);
                    made as usize
                }
            };
        }
        if at == self.nodes.len() {
            self.nodes.push(Node::Leaf(answer));
        }
        self.nodes.len() - before
    }
}
