//! Memo trie: inner nodes are reads, edges are what was observed, leaves are results.

use std::rc::Rc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::interner::Interner;
use super::read::{Observed, Read, Root, is_unevaluated};
use super::read_log::ReadLog;
use crate::slot::Slot;

/// Results by the inputs that they depend on.
pub(super) struct Trie<R> {
    nodes: Vec<Node<R>>,
    /// Approximate memory.
    bytes: usize,
}

/// Approximate memory of an object.
pub(super) trait MemorySize {
    fn bytes(&self) -> usize;
}

impl MemorySize for Value {
    fn bytes(&self) -> usize {
        const HEADER: usize = 24;
        let own = size_of::<Value>();
        if let Some(elements) = self.as_set().or_else(|| self.as_tuple()) {
            return own + HEADER + elements.iter().map(MemorySize::bytes).sum::<usize>();
        }
        if let Some(entries) = self.as_entries() {
            let parts = entries.iter().map(|(key, value)| key.bytes() + value.bytes());
            return own + HEADER + parts.sum::<usize>();
        }
        own
    }
}

/// An input and what was observed there.
pub(super) struct ObservedRead<'l> {
    pub(super) read: &'l Rc<Read>,
    pub(super) observed: Observed<'l>,
}

enum Node<R> {
    Branch(Box<Branch>),
    Leaf(R),
}

/// An inner node. Most nodes of a level have the same read, which they share.
struct Branch {
    read: Rc<Read>,
    edges: Edges,
}

/// Child nodes by observed value.
#[derive(Default)]
struct Edges {
    few: SmallVec<[(Value, u32); 2]>,
    many: Option<Box<FxHashMap<Value, u32>>>,
}

/// Up to this many edges are compared one by one.
const FEW: usize = 8;

/// Where a lookup ends.
pub(super) enum Walk {
    /// At the leaf of this number.
    Hit(u32),
    /// At a value that was not observed before.
    Miss,
    /// At a slot whose thunk is not evaluated.
    Unevaluated(u32),
}

impl<R> Default for Trie<R> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            bytes: 0,
        }
    }
}

impl Edges {
    #[inline]
    fn find(&self, observed: &Observed<'_>) -> Option<u32> {
        let truth;
        let value = match observed {
            Observed::Value(value) => *value,
            Observed::Bool(is_true) => {
                truth = Value::bool(*is_true);
                &truth
            }
        };
        match &self.many {
            None => {
                let found = self.few.iter().find(|(label, _)| label == value);
                found.map(|(_, node)| *node)
            }
            Some(many) => many.get(value).copied(),
        }
    }

    /// Adds an edge. Returns its memory.
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

impl<R: MemorySize> Trie<R> {
    /// Removes all entries. Returns the memory that they took.
    pub(super) fn clear(&mut self) -> usize {
        self.nodes = Vec::new();
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn leaf(&self, node: u32) -> Option<&R> {
        match self.nodes.get(node as usize)? {
            Node::Leaf(result) => Some(result),
            Node::Branch(_) => None,
        }
    }

    /// Follows the reads of the trie to a leaf. Inside a memo point that is being logged, these reads are logged.
    #[inline]
    pub(super) fn walk(
        &self,
        state: &[Value],
        slots: &[Slot<'_>],
        base: usize,
        mut log: Option<&mut ReadLog>,
    ) -> Walk {
        let mut at = 0;
        loop {
            match self.nodes.get(at as usize) {
                None => return Walk::Miss,
                Some(Node::Leaf(_)) => return Walk::Hit(at),
                Some(Node::Branch(branch)) => {
                    let Branch { read, edges } = &**branch;
                    let Some(observed) = read.observe(state, slots, base) else {
                        return match read.root {
                            Root::Slot(slot)
                                if slots.get(base + slot as usize).is_some_and(is_unevaluated) =>
                            {
                                Walk::Unevaluated(slot)
                            }
                            _ => Walk::Miss,
                        };
                    };
                    if let Some(log) = &mut log {
                        log.push(read.clone(), base);
                    }
                    match edges.find(&observed) {
                        Some(node) => at = node,
                        None => return Walk::Miss,
                    }
                }
            }
        }
    }

    /// Adds a result under the inputs that it depends on, unless it is present. Returns the added memory.
    pub(super) fn insert(
        &mut self,
        inputs: &[ObservedRead<'_>],
        interner: &mut Interner,
        result: R,
    ) -> usize {
        let before = self.bytes;
        let mut at = 0;
        for input in inputs {
            if at == self.nodes.len() {
                self.bytes += size_of::<Node<R>>() + size_of::<Branch>();
                self.nodes.push(Node::Branch(Box::new(Branch {
                    read: interner.reads.intern(&**input.read, || input.read.clone()),
                    edges: Edges::default(),
                })));
            }
            let new = self.nodes.len() as u32;
            // By the soundness argument on the module's page, the trie has the same read here. If it had not, its entries would
            // still be right, so the new result is dropped.
            let Node::Branch(branch) = &mut self.nodes[at] else {
                break;
            };
            let Branch { read, edges } = &mut **branch;
            if !Rc::ptr_eq(read, input.read) && *read != *input.read {
                break;
            }
            at = match edges.find(&input.observed) {
                Some(node) => node as usize,
                None => {
                    let value = match input.observed {
                        Observed::Value(value) => interner.value(value),
                        Observed::Bool(truth) => Value::bool(truth),
                    };
                    self.bytes += edges.add(value, new);
                    new as usize
                }
            };
        }
        if at == self.nodes.len() {
            self.bytes += size_of::<Node<R>>() + result.bytes();
            self.nodes.push(Node::Leaf(result));
        }
        self.bytes - before
    }
}
