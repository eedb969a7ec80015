//! All serial histories of a matrix, kept as a tree: the automaton that concurrent histories are explained by.
//!
//! A path from the root is a serial history; each step is a call with what became of it. Histories share their
//! beginnings, so 1,680 histories of nine calls are a few thousand nodes, and the next step is one lookup. That the
//! component is deterministic is a property of the tree: no node has two steps of one call.

use smallvec::SmallVec;

use crate::history::{CallHistory, Close, Moment, ResultId};
use crate::slot::CallSlot;

/// What became of a call in a serial run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It came back.
    Returned(ResultId),
    /// It never came back, and nothing else could happen: all others had not been called.
    Stuck,
    /// The process died in it.
    Crashed(ResultId),
}

/// A call and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SerialStep {
    /// Which call.
    pub slot: CallSlot,
    /// What became of it.
    pub fate: Fate,
}

/// A place in the tree: what has happened so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

#[derive(Clone, Debug)]
struct Node {
    parent: NodeId,
    /// The step that leads here. Unused at the root.
    step: Option<SerialStep>,
    next: SmallVec<[NodeId; 3]>,
}

/// The serial histories of a matrix.
#[derive(Clone, Debug)]
pub struct SerialHistories {
    nodes: Vec<Node>,
    finished: u64,
    stuck: u64,
    crashed: u64,
}

/// Two serial histories that agree up to a call, and then do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nondeterminism {
    /// One history.
    pub one: Vec<SerialStep>,
    /// The other.
    pub other: Vec<SerialStep>,
    /// The first step in which they differ. The call is the same in both.
    pub differ_at: usize,
}

/// Why a run is no serial history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSerial {
    /// A call was made while another was open.
    Overlap,
    /// It contradicts a history seen before.
    Nondeterministic(Box<Nondeterminism>),
}

impl Default for SerialHistories {
    fn default() -> Self {
        let root = Node {
            parent: Self::ROOT,
            step: None,
            next: SmallVec::new(),
        };
        Self {
            nodes: vec![root],
            finished: 0,
            stuck: 0,
            crashed: 0,
        }
    }
}

impl SerialHistories {
    /// Nothing has happened yet.
    pub const ROOT: NodeId = NodeId(0);

    /// Adds a history. Tells whether it is new.
    ///
    /// # Errors
    /// When it is not serial, or contradicts one that is known already.
    pub fn insert(&mut self, history: &CallHistory) -> Result<bool, NotSerial> {
        let steps = steps_of(history).ok_or(NotSerial::Overlap)?;
        self.insert_steps(&steps, history.close)
    }

    /// Adds a history that is given as its steps.
    ///
    /// # Errors
    /// When it contradicts one that is known already.
    pub fn insert_steps(&mut self, steps: &[SerialStep], close: Close) -> Result<bool, NotSerial> {
        let mut at = Self::ROOT;
        let mut is_new = self.nodes.len() == 1 && steps.is_empty();
        for (index, step) in steps.iter().enumerate() {
            match self.step_of(at, step.slot) {
                Some((known, next)) if known == *step => at = next,
                Some((_, rival)) => {
                    let nondeterminism = Nondeterminism {
                        one: self.some_history_through(rival),
                        other: steps.to_vec(),
                        differ_at: index,
                    };
                    return Err(NotSerial::Nondeterministic(Box::new(nondeterminism)));
                }
                None => {
                    is_new = true;
                    at = self.add(at, *step);
                }
            }
        }
        if is_new {
            match close {
                Close::Finished => self.finished += 1,
                Close::Stuck => self.stuck += 1,
                Close::Crashed(..) => self.crashed += 1,
            }
        }
        Ok(is_new)
    }

    fn add(&mut self, parent: NodeId, step: SerialStep) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent,
            step: Some(step),
            next: SmallVec::new(),
        });
        self.nodes[parent.0 as usize].next.push(id);
        id
    }

    /// What becomes of a call that is made at `node`, if any serial run makes it there.
    pub fn step_of(&self, node: NodeId, slot: CallSlot) -> Option<(SerialStep, NodeId)> {
        self.steps(node).find(|(step, _)| step.slot == slot)
    }

    /// All that serial runs do next at `node`.
    pub fn steps(&self, node: NodeId) -> impl Iterator<Item = (SerialStep, NodeId)> + '_ {
        let next = self.nodes.get(node.0 as usize).map_or(&[][..], |node| &node.next);
        next.iter()
            .filter_map(|child| Some((self.nodes.get(child.0 as usize)?.step?, *child)))
    }

    /// What has happened up to `node`.
    pub fn path(&self, node: NodeId) -> Vec<SerialStep> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(Node {
            parent,
            step: Some(step),
            ..
        }) = self.nodes.get(at.0 as usize)
        {
            steps.push(*step);
            at = *parent;
        }
        steps.reverse();
        steps
    }

    /// All histories, in an order that depends on nothing but the set.
    pub fn histories(&self) -> Vec<Vec<SerialStep>> {
        let mut all: Vec<Vec<SerialStep>> = (0..self.nodes.len() as u32)
            .map(NodeId)
            .filter(|node| self.steps(*node).next().is_none())
            .map(|leaf| self.path(leaf))
            .collect();
        all.sort_unstable();
        all
    }

    fn some_history_through(&self, node: NodeId) -> Vec<SerialStep> {
        let mut leaf = node;
        while let Some((_, next)) = self.steps(leaf).next() {
            leaf = next;
        }
        self.path(leaf)
    }

    /// How many histories there are in which every call came back.
    pub fn finished(&self) -> u64 {
        self.finished
    }

    /// How many histories end in a call that never came back.
    pub fn stuck(&self) -> u64 {
        self.stuck
    }

    /// How many histories end in a crash.
    pub fn crashed(&self) -> u64 {
        self.crashed
    }

    /// How many histories there are.
    pub fn len(&self) -> u64 {
        self.finished + self.stuck + self.crashed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The steps of a history in which calls follow each other. `None` if they do not.
fn steps_of(history: &CallHistory) -> Option<Vec<SerialStep>> {
    let mut steps = Vec::with_capacity(history.moments.len() / 2 + 1);
    let mut moments = history.moments.iter();
    while let Some(moment) = moments.next() {
        let Moment::Call(slot) = *moment else { return None };
        let fate = match (moments.next(), history.close) {
            (Some(Moment::Return(returned, result)), _) if *returned == slot => Fate::Returned(*result),
            (None, Close::Stuck) => Fate::Stuck,
            // Whoever died, the call that was open never came back because of it.
            (None, Close::Crashed(_, reason)) => Fate::Crashed(reason),
            _ => return None,
        };
        steps.push(SerialStep { slot, fate });
    }
    let is_crash_told = steps
        .last()
        .is_some_and(|step| matches!(step.fate, Fate::Crashed(_)));
    if let Close::Crashed(slot @ CallSlot::OUTSIDE, reason) = history.close
        && !is_crash_told
    {
        steps.push(SerialStep {
            slot,
            fate: Fate::Crashed(reason),
        });
    }
    Some(steps)
}
