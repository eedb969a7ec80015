//! State of a breadth-first search: the seen set, the frontier and the statistics.

use std::time::Instant;

use super::frontier::Frontier;
use super::segment_expander::{EarlyStop, Expanding, SegmentExpander};
use crate::dump::GraphSink;
use crate::expand_initial::expand_initial;
use crate::fingerprint_set::FingerprintSet;
use crate::limits::{Limit, LimitWatch, SearchOptions};
use crate::outcome::{SearchEnd, SearchError, SearchOutcome};
use crate::segment_result::{NewState, SegmentResult};
use crate::tally::Tally;
use crate::transition_system::TransitionSystem;

/// Segments expanded between two looks at the memory of the process.
const SEGMENTS_PER_MEMORY_CHECK: u64 = 128;

/// The state that one worker at a time may change.
pub(crate) struct SearchState<'a, 's> {
    pub(crate) seen: FingerprintSet,
    pub(crate) frontier: Frontier,
    pub(crate) tally: Tally<'s>,
    /// Number of states of the deepest level so far.
    pub(super) deepest_level_len: u64,
    /// Number of expanded segments.
    segments: u64,
    limits: LimitWatch<'a>,
    depth_max: Option<u32>,
    /// When the next checkpoint is due.
    pub(super) pause_at: Option<Instant>,
}

/// Result of moving on to the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextLevel {
    Started,
    BeyondDepthLimit,
    Empty,
}

impl NextLevel {
    /// The end of the search, if no segment is in flight.
    pub(crate) fn end<E>(self) -> Option<SearchEnd<E>> {
        match self {
            Self::Started => None,
            Self::BeyondDepthLimit => Some(SearchEnd::Limit(Limit::Depth)),
            Self::Empty => Some(SearchEnd::Complete),
        }
    }
}

impl<'a, 's> SearchState<'a, 's> {
    pub(crate) fn new<T: TransitionSystem>(
        expander: &SegmentExpander<'a, T>,
        options: &SearchOptions,
        sink: Option<&'s mut dyn GraphSink>,
    ) -> Self {
        Self {
            seen: FingerprintSet::with_heap_bytes(options.seen_bytes_max),
            frontier: Frontier::new(options.queue_bytes_max),
            tally: Tally::new(expander.system.action_count(), expander.variables, sink),
            deepest_level_len: 0,
            segments: 0,
            limits: expander.limits,
            depth_max: options.depth_max,
            pause_at: None,
        }
    }

    /// Generates the initial states; returns what stopped that early.
    pub(crate) fn add_initial_states<T: TransitionSystem>(
        &mut self,
        expander: &SegmentExpander<'a, T>,
        expanding: &mut Expanding<'_, T>,
    ) -> Result<Option<EarlyStop<T::Error>>, SearchError> {
        let mut result = self.tally.empty_result();
        let Self {
            seen,
            frontier,
            tally,
            deepest_level_len,
            limits,
            ..
        } = self;
        let mut take = |result: &mut SegmentResult| {
            for (state, bytes) in result.states() {
                enqueue((frontier, tally, deepest_level_len), state, bytes, 1)?;
            }
            tally.add_steps(result)?;
            limits.progress.publish(&tally.statistics);
            result.clear();
            Ok(())
        };
        let Expanding { worker, compiled } = expanding;
        let by = (&mut *worker, compiled.as_mut().map(|compiled| &mut **compiled));
        let checked = expand_initial(expander.system, by, seen, &mut result, &mut take)?;
        take(&mut result)?;
        Ok(match checked {
            Err(violation) => Some(expander.early_stop(violation)),
            Ok(()) if expander.system.stop_requested(worker) => Some(EarlyStop::Requested),
            Ok(()) => None,
        })
    }

    /// Counts a new state of this level and adds it to the frontier. Levels never decrease from call to call.
    pub(crate) fn enqueue(&mut self, state: &NewState, bytes: &[u8], level: u32) -> Result<(), SearchError> {
        let parts = (&mut self.frontier, &mut self.tally, &mut self.deepest_level_len);
        enqueue(parts, state, bytes, level)
    }

    /// Counts the steps and the expanded states of a result.
    pub(crate) fn count(&mut self, result: &SegmentResult) -> Result<(), SearchError> {
        self.tally.statistics.queued -= result.expanded;
        self.tally.add_steps(result)
    }

    pub(crate) fn publish_progress(&self) {
        self.limits.progress.publish(&self.tally.statistics);
    }

    /// Moves on to the next level, if there is one. Requires that the current level is empty and stays empty.
    pub(crate) fn advance_level(&mut self) -> NextLevel {
        if self.frontier.next_len() == 0 {
            return NextLevel::Empty;
        }
        if self
            .depth_max
            .is_some_and(|depth_max| self.frontier.level() + 1 >= depth_max)
        {
            return NextLevel::BeyondDepthLimit;
        }
        self.frontier.advance();
        NextLevel::Started
    }

    /// Whether the memory limit is reached. To be called once per segment; measures at intervals.
    pub(crate) fn is_memory_full(&mut self) -> Result<bool, SearchError> {
        self.segments += 1;
        if !self.segments.is_multiple_of(SEGMENTS_PER_MEMORY_CHECK) {
            return Ok(false);
        }
        if let Some(error) = self.seen.take_disk_error() {
            return Err(error.into());
        }
        let bytes = self.seen.bytes() + self.frontier.memory_bytes();
        Ok(self.limits.is_memory_full(bytes))
    }

    /// Whether the search must pause, for a checkpoint or because the sink wants to look at the graph.
    pub(crate) fn must_pause(&self) -> bool {
        self.tally.sink_wants_pause() || self.pause_at.is_some_and(|at| Instant::now() >= at)
    }

    pub(crate) fn into_outcome<E>(self, end: SearchEnd<E>) -> SearchOutcome<E> {
        SearchOutcome {
            end,
            statistics: self.tally.statistics,
            action_counts: self.tally.action_counts,
            violations: self.tally.violations,
            seen: self.seen,
        }
    }
}

/// Counts a new state of this level and adds it to the frontier.
fn enqueue(
    (frontier, tally, deepest_level_len): (&mut Frontier, &mut Tally<'_>, &mut u64),
    state: &NewState,
    bytes: &[u8],
    level: u32,
) -> Result<(), SearchError> {
    if level > tally.statistics.depth {
        *deepest_level_len = 0;
    }
    tally.add_state(state, bytes, level)?;
    *deepest_level_len += 1;
    let statistics = &mut tally.statistics;
    statistics.queued += 1;
    statistics.queued_max = statistics.queued_max.max(*deepest_level_len);
    frontier.push(level, state.fingerprint, bytes)?;
    Ok(())
}
