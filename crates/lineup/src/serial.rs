//! All serial histories of a matrix, as a prefix tree.
//!
//! A path from the root to a leaf is a serial history; each step is a call with its outcome. Histories share prefixes, so 1,680
//! histories of nine calls are a few thousand nodes, and the next step is one lookup. The component is deterministic if and only if
//! no node has two steps of one call.

use smallvec::SmallVec;

use crate::history::{CallHistory, HistoryEnding, HistoryEvent, ResultId};
use crate::slot::CallSlot;

/// The outcome of a call in a serial run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallOutcome {
    /// It returned this.
    Returned(ResultId),
    /// It never returned, which ends a serial run.
    Stuck,
    /// The process crashed in it.
    Crashed(ResultId),
}

/// A call and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SerialStep {
    /// The call.
    pub slot: CallSlot,
    /// Its outcome.
    pub outcome: CallOutcome,
}

/// A node of the tree: a prefix of serial histories.
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

/// Two serial histories with the same calls and outcomes up to one call, whose outcomes differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nondeterminism {
    /// One history.
    pub one: Vec<SerialStep>,
    /// The other.
    pub other: Vec<SerialStep>,
    /// The index of that call.
    pub differ_at: usize,
}

/// Why a history cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSerial {
    /// Calls overlap.
    Overlap,
    /// It contradicts an earlier history.
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
    /// The empty prefix.
    pub const ROOT: NodeId = NodeId(0);

    /// Adds a history. Returns whether it is new.
    ///
    /// # Errors
    /// When it is not serial, or contradicts an earlier one.
    pub fn insert(&mut self, history: &CallHistory) -> Result<bool, NotSerial> {
        let steps = steps_of(history).ok_or(NotSerial::Overlap)?;
        self.insert_steps(&steps, history.ending)
    }

    /// Adds a history given as its steps.
    ///
    /// # Errors
    /// When it contradicts an earlier one.
    pub fn insert_steps(&mut self, steps: &[SerialStep], ending: HistoryEnding) -> Result<bool, NotSerial> {
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
            match ending {
                HistoryEnding::Finished => self.finished += 1,
                HistoryEnding::Stuck => self.stuck += 1,
                HistoryEnding::Crashed(..) => self.crashed += 1,
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

    /// The step of a call at `node`, if a serial run makes it there.
    pub fn step_of(&self, node: NodeId, slot: CallSlot) -> Option<(SerialStep, NodeId)> {
        self.steps(node).find(|(step, _)| step.slot == slot)
    }

    /// All steps of serial runs at `node`.
    pub fn steps(&self, node: NodeId) -> impl Iterator<Item = (SerialStep, NodeId)> + '_ {
        let next = self.nodes.get(node.0 as usize).map_or(&[][..], |node| &node.next);
        next.iter()
            .filter_map(|child| Some((self.nodes.get(child.0 as usize)?.step?, *child)))
    }

    /// The steps up to `node`.
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

    /// All histories, sorted.
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

    /// The number of histories in which every call returned.
    pub fn finished(&self) -> u64 {
        self.finished
    }

    /// The number of histories that end in a stuck call.
    pub fn stuck(&self) -> u64 {
        self.stuck
    }

    /// The number of histories that end in a crash.
    pub fn crashed(&self) -> u64 {
        self.crashed
    }

    /// The number of histories.
    pub fn len(&self) -> u64 {
        self.finished + self.stuck + self.crashed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The steps of a history; `None` if calls overlap.
fn steps_of(history: &CallHistory) -> Option<Vec<SerialStep>> {
    let mut steps = Vec::with_capacity(history.events.len() / 2 + 1);
    let mut events = history.events.iter();
    while let Some(event) = events.next() {
        let HistoryEvent::Call(slot) = *event else {
            return None;
        };
        let outcome = match (events.next(), history.ending) {
            (Some(HistoryEvent::Return(returned, result)), _) if *returned == slot => {
                CallOutcome::Returned(*result)
            }
            (None, HistoryEnding::Stuck) => CallOutcome::Stuck,
            // Whichever thread crashed, it ended the pending call.
            (None, HistoryEnding::Crashed(_, reason)) => CallOutcome::Crashed(reason),
            _ => return None,
        };
        steps.push(SerialStep { slot, outcome });
    }
    let has_crash_step = steps
        .last()
        .is_some_and(|step| matches!(step.outcome, CallOutcome::Crashed(_)));
    if let HistoryEnding::Crashed(slot @ CallSlot::OUTSIDE, reason) = history.ending
        && !has_crash_step
    {
        steps.push(SerialStep {
            slot,
            outcome: CallOutcome::Crashed(reason),
        });
    }
    Some(steps)
}
