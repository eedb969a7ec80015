//! The sets of operations that one operation may see, small ones first.

use std::collections::VecDeque;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use crate::op_set::OpSet;

/// Candidates for what an operation sees, handed out on demand: a search that succeeds with the first never makes the
/// others.
#[derive(Debug)]
pub(crate) struct VisibilityCandidates {
    queue: VecDeque<OpSet>,
    known: HashSet<OpSet, FxBuildHasher>,
    accepted: Vec<OpSet>,
    choices: OpSet,
}

impl VisibilityCandidates {
    /// No candidate.
    pub fn none() -> Self {
        Self {
            queue: VecDeque::new(),
            known: HashSet::default(),
            accepted: Vec::new(),
            choices: OpSet::EMPTY,
        }
    }

    /// This set alone.
    pub fn only(visibility: OpSet) -> Self {
        Self::growing(visibility, OpSet::EMPTY)
    }

    /// `least`, and what grows from it by adding members of `choices`.
    pub fn growing(least: OpSet, choices: OpSet) -> Self {
        Self {
            queue: VecDeque::from([least]),
            choices,
            ..Self::none()
        }
    }

    /// What may be added to a candidate.
    pub fn choices(&self) -> OpSet {
        self.choices
    }

    /// The next candidate that contains none that was accepted.
    pub fn candidate(&mut self) -> Option<OpSet> {
        loop {
            let visibility = self.queue.pop_front()?;
            if !self
                .accepted
                .iter()
                .any(|smaller| smaller.is_within(visibility) && *smaller != visibility)
            {
                return Some(visibility);
            }
        }
    }

    /// Another candidate, unless it was one before.
    pub fn add(&mut self, visibility: OpSet) {
        if self.known.insert(visibility) {
            self.queue.push_back(visibility);
        }
    }

    /// This candidate will do: larger ones need not be tried.
    pub fn accept(&mut self, visibility: OpSet) {
        self.accepted.push(visibility);
    }
}
