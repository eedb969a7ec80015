//! Result of expanding a segment: new states, counts and edges.

use std::num::NonZeroU16;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::codec::encode;
use crate::fingerprint::{Fingerprint, Tag};
use crate::outcome::PassedViolation;

/// A state found for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewState {
    pub(crate) fingerprint: Fingerprint,
    /// The end of its encoding in [`SegmentResult::bytes`].
    pub(crate) end: usize,
    pub(crate) parent: Tag,
    /// The action that led to it; `None` for initial states.
    pub(crate) action: Option<usize>,
    /// Distance to the later segment that holds the encoding, if this one does not.
    pub(crate) built_later: Option<NonZeroU16>,
}

/// An edge of the state graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Fingerprint,
    pub(crate) to: Fingerprint,
    pub(crate) action: usize,
}

/// Where the encoding of a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncodedState<'a> {
    Here(&'a [u8]),
    /// In the segment at this distance.
    Later(NonZeroU16),
}

/// A typical segment produces some ten thousand bytes. Larger buffers are not reused.
const REUSED_BYTES_MAX: usize = 1 << 18;

/// Result of expanding some states, in the order of expansion.
#[derive(Debug, Default)]
pub(crate) struct SegmentResult {
    /// Expanded states, a violating one included.
    pub(crate) expanded: u64,
    /// Generated successors.
    pub(crate) generated: u64,
    /// Whether all new states are encoded here.
    pub(crate) is_self_contained: bool,
    /// Steps per action.
    pub(crate) steps: Vec<u64>,
    pub(crate) new_states: Vec<NewState>,
    /// The first violation of each property, if the search goes on after violations.
    pub(crate) violations: Vec<PassedViolation>,
    bytes: Vec<u8>,
    /// A buffer for the successors of one state, with the actions that lead to them.
    pub(crate) successors: Vec<(Fingerprint, usize)>,
    /// A buffer for the states to which steps were checked, by the hashes of their values, and whether each satisfies the constraints.
    pub(crate) checked_steps: Option<Box<FxHashMap<Fingerprint, bool>>>,
    /// All steps, if the state graph is dumped.
    pub(crate) edges: Option<Vec<Edge>>,
}

impl SegmentResult {
    pub(crate) fn new(actions: usize, records_edges: bool) -> Self {
        Self {
            is_self_contained: true,
            steps: vec![0; actions],
            edges: records_edges.then(Vec::new),
            ..Self::default()
        }
    }

    /// Adds a new state.
    pub(crate) fn push(
        &mut self,
        fingerprint: Fingerprint,
        state: &[Value],
        parent: Tag,
        action: Option<usize>,
    ) {
        for value in state {
            encode(value, &mut self.bytes);
        }
        self.push_entry(fingerprint, parent, action, None);
    }

    /// Adds a new state, whose encoding is appended to the bytes.
    pub(crate) fn push_encoded(
        &mut self,
        fingerprint: Fingerprint,
        parent: Tag,
        action: Option<usize>,
        encode: impl FnOnce(&mut Vec<u8>),
    ) {
        encode(&mut self.bytes);
        self.push_entry(fingerprint, parent, action, None);
    }

    /// Adds a new state whose encoding is in the segment at this distance.
    pub(crate) fn push_built_later(
        &mut self,
        fingerprint: Fingerprint,
        parent: Tag,
        action: usize,
        distance: NonZeroU16,
    ) {
        self.is_self_contained = false;
        self.push_entry(fingerprint, parent, Some(action), Some(distance));
    }

    fn push_entry(
        &mut self,
        fingerprint: Fingerprint,
        parent: Tag,
        action: Option<usize>,
        built_later: Option<NonZeroU16>,
    ) {
        self.new_states.push(NewState {
            fingerprint,
            end: self.bytes.len(),
            parent,
            action,
            built_later,
        });
    }

    /// Adds a violation, unless one of the same property is known.
    pub(crate) fn add_violation(&mut self, violation: PassedViolation) {
        if !self.violations.iter().any(|known| known.kind == violation.kind) {
            self.violations.push(violation);
        }
    }

    /// Whether it has more states than a segment should have.
    pub(crate) fn is_large(&self) -> bool {
        self.bytes.len() > REUSED_BYTES_MAX
    }

    /// Finds the encoding of one of the new states.
    pub(crate) fn encoded(&self, state: Fingerprint) -> Option<EncodedState<'_>> {
        let (entry, bytes) = self.states().find(|(entry, _)| entry.fingerprint == state)?;
        Some(match entry.built_later {
            Some(distance) => EncodedState::Later(distance),
            None => EncodedState::Here(bytes),
        })
    }

    /// The new states with their encodings.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&NewState, &[u8])> {
        let mut start = 0;
        self.new_states.iter().map(move |entry| {
            let bytes = &self.bytes[start..entry.end];
            start = entry.end;
            (entry, bytes)
        })
    }

    /// An empty result that reuses the buffers, unless they are unusually large.
    pub(crate) fn recycled(mut self) -> Option<Self> {
        let is_reused = self.bytes.capacity() <= REUSED_BYTES_MAX && self.edges.is_none();
        self.clear();
        is_reused.then_some(self)
    }

    /// Empties the result and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.expanded = 0;
        self.generated = 0;
        self.is_self_contained = true;
        self.steps.fill(0);
        self.new_states.clear();
        self.violations.clear();
        self.bytes.clear();
        if let Some(edges) = &mut self.edges {
            edges.clear();
        }
    }
}
