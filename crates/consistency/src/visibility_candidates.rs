//! Candidates for the visibility of one operation, small ones first.

use std::collections::VecDeque;

use hashbrown::HashSet;
use omnilink_history::OpSet;
use rustc_hash::FxBuildHasher;

/// Candidates for the visibility of an operation, generated on demand.
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

    /// `least`, and its extensions by members of `choices`.
    pub fn growing(least: OpSet, choices: OpSet) -> Self {
        Self {
            queue: VecDeque::from([least]),
            choices,
            ..Self::none()
        }
    }

    /// The operations that may be added to a candidate.
    pub fn choices(&self) -> OpSet {
        self.choices
    }

    /// The next candidate that contains no accepted one.
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

    /// Adds a candidate, unless it was added before.
    pub fn add(&mut self, visibility: OpSet) {
        if self.known.insert(visibility) {
            self.queue.push_back(visibility);
        }
    }

    /// Accepts a candidate: larger ones need not be tried.
    pub fn accept(&mut self, visibility: OpSet) {
        self.accepted.push(visibility);
    }
}
