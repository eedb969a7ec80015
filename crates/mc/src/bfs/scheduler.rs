//! Scheduler of the parallel search: assigns segments to workers and commits their results in order.

use std::any::Any;
use std::hint::black_box;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Instant;

use super::in_flight::InFlightStates;
use super::reorder_buffer::{ReorderBuffer, Task};
use super::search_state::SearchState;
use super::segment::Segment;
use super::segment_expander::EarlyStop;
use super::segment_size::SegmentSizer;
use crate::codec::StateDecodeError;
use crate::fingerprint::Fingerprint;
use crate::limits::Limit;
use crate::outcome::{SearchEnd, SearchError};
use crate::segment_result::{EncodedState, SegmentResult};

/// Maximum length of the run of segments assigned to a worker.
const RUN_MAX: usize = 32;
/// A run is at most the fraction of the frontier that leaves this many runs for each worker.
const RUNS_PER_WORKER: usize = 2;
/// Segments that a worker commits before it takes its next task.
const COMMITS_PER_VISIT: usize = 3;

/// What a worker reports about a segment.
#[derive(Debug)]
pub(crate) struct SegmentOutcome<E> {
    pub(crate) result: SegmentResult,
    pub(crate) stop: Option<EarlyStop<E>>,
}

/// Why all workers exit.
pub(crate) enum Shutdown<E> {
    /// `None` if the search pauses.
    Ended(Result<Option<SearchEnd<E>>, SearchError>),
    Panicked(Box<dyn Any + Send>),
}

/// What a worker does next.
pub(crate) enum Assignment {
    Expand(Task, SegmentResult),
    Wait,
    Exit,
}

/// The state of the search and the segments in flight. One worker at a time has access.
pub(crate) struct Scheduler<'b, 'a, 's, E> {
    pub(crate) search: &'b mut SearchState<'a, 's>,
    buffer: ReorderBuffer<SegmentOutcome<E>>,
    workers: usize,
    in_flight_max: usize,
    may_reexpand: bool,
    sizer: SegmentSizer,
    /// Committed results whose buffers are reused.
    recycled: Vec<SegmentResult>,
    /// Number of committed segments.
    pub(crate) committed: u64,
    pub(crate) shutdown: Option<Shutdown<E>>,
    /// A segment that a limit interrupted.
    unfinished: Option<(u32, Arc<Segment>)>,
}

impl<'b, 'a, 's, E> Scheduler<'b, 'a, 's, E> {
    pub(crate) fn new(search: &'b mut SearchState<'a, 's>, workers: usize, may_reexpand: bool) -> Self {
        Self {
            search,
            buffer: ReorderBuffer::new(workers),
            workers,
            in_flight_max: (RUNS_PER_WORKER * RUN_MAX * workers).min(InFlightStates::SEGMENTS_MAX),
            may_reexpand,
            sizer: SegmentSizer::default(),
            recycled: Vec::new(),
            committed: 0,
            shutdown: None,
            unfinished: None,
        }
    }

    /// Ends the schedule. The segments that were not committed go back to the frontier.
    pub(crate) fn finish(mut self) -> Option<Shutdown<E>> {
        while let Some((level, segment)) = self.buffer.pop_back() {
            self.search
                .frontier
                .return_segment(level, Arc::unwrap_or_clone(segment));
        }
        if let Some((level, segment)) = self.unfinished {
            self.search
                .frontier
                .return_segment(level, Arc::unwrap_or_clone(segment));
        }
        self.shutdown
    }

    /// Takes the outcome of a segment.
    pub(crate) fn complete(&mut self, number: u64, outcome: SegmentOutcome<E>) {
        if let Some(started) = self.buffer.started_at(number) {
            let states = self
                .sizer
                .segment_states(started.elapsed(), outcome.result.expanded);
            self.search.frontier.set_segment_states(states);
        }
        let stopped_early = outcome.stop.is_some();
        if let Some(late) = self.buffer.complete(number, outcome, stopped_early) {
            self.recycled.extend(late.result.recycled());
        }
    }

    /// The next assignment of a worker.
    pub(crate) fn next(&mut self, worker: usize) -> Assignment {
        let mut commits = 0;
        loop {
            while commits < COMMITS_PER_VISIT && self.shutdown.is_none() && self.commit() {
                commits += 1;
            }
            if self.shutdown.is_some() {
                return Assignment::Exit;
            }
            let task = match self.take(worker) {
                Ok(task) => task,
                Err(error) => {
                    self.shutdown = Some(Shutdown::Ended(Err(error)));
                    return Assignment::Exit;
                }
            };
            if let Some(task) = task {
                let recycled = self.recycled.pop();
                let result = recycled.unwrap_or_else(|| self.search.tally.empty_result());
                return Assignment::Expand(task, result);
            }
            if self.shutdown.is_none() && self.commit() {
                continue;
            }
            if self.shutdown.is_some() {
                return Assignment::Exit;
            }
            let backup = self
                .may_reexpand
                .then(|| self.buffer.start_backup(Instant::now()))
                .flatten();
            return match backup {
                Some(task) => Assignment::Expand(task, self.search.tally.empty_result()),
                None => Assignment::Wait,
            };
        }
    }

    fn take(&mut self, worker: usize) -> Result<Option<Task>, SearchError> {
        if let Some(task) = self.buffer.start(worker) {
            return Ok(Some(task));
        }
        if self.buffer.is_cut_off() {
            return Ok(None);
        }
        if self.search.frontier.segments() == 0 {
            // Once a state of the next level is committed, so is every segment that leads to the current level.
            let next = self.search.advance_level();
            if self.buffer.is_empty()
                && let Some(end) = next.end()
            {
                self.shutdown = Some(Shutdown::Ended(Ok(Some(end))));
                return Ok(None);
            }
        }
        let room = self.in_flight_max.saturating_sub(self.buffer.len());
        let share = self
            .search
            .frontier
            .segments()
            .div_ceil(RUNS_PER_WORKER * self.workers);
        for _ in 0..share.min(RUN_MAX).min(room) {
            if let Some((level, segment)) = self.search.frontier.pop()? {
                self.buffer.push(worker, level, segment);
            }
        }
        if let Some(task) = self.buffer.start(worker) {
            return Ok(Some(task));
        }
        if !self.buffer.steal_half(worker) {
            return Ok(None);
        }
        Ok(self.buffer.start(worker))
    }

    /// Commits the first segment, if it is done and its states are encoded.
    fn commit(&mut self) -> bool {
        let Some((number, outcome)) = self.buffer.front() else {
            return false;
        };
        match self.encodings(number, &outcome.result) {
            Encodings::Complete => {}
            Encodings::Awaited => return false,
            Encodings::CutOff(limit) => {
                self.shutdown = Some(Shutdown::Ended(Ok(Some(SearchEnd::Limit(limit)))));
                return true;
            }
        }
        let Some((level, segment, outcome)) = self.buffer.pop_front() else {
            return false;
        };
        if let Some(EarlyStop::Limit(limit)) = outcome.stop {
            // What remains of the segment must be expanded if the search is resumed, so all of it is.
            self.unfinished = Some((level, segment));
            self.shutdown = Some(Shutdown::Ended(Ok(Some(SearchEnd::Limit(limit)))));
            return true;
        }
        let committed = self.commit_states(number, level + 1, &outcome.result);
        self.recycled.extend(outcome.result.recycled());
        self.committed += 1;
        self.search.publish_progress();
        let end = match (committed, outcome.stop) {
            (Err(error), _) => Some(Err(error)),
            (Ok(()), Some(stop)) => Some(stop.into_end().map(Some)),
            (Ok(()), None) => match self.search.is_memory_full() {
                Err(error) => Some(Err(error)),
                Ok(true) => Some(Ok(Some(SearchEnd::Limit(Limit::Memory)))),
                Ok(false) => self.search.must_pause().then_some(Ok(None)),
            },
        };
        self.shutdown = end.map(Shutdown::Ended);
        true
    }

    fn commit_states(&mut self, number: u64, level: u32, result: &SegmentResult) -> Result<(), SearchError> {
        // The slots of these states are scattered over memory. Reading them all beforehand overlaps the cache misses.
        let seen = &self.search.seen;
        let states = result.new_states.iter();
        black_box(states.fold(0, |sum, state| sum ^ seen.home_slot(state.fingerprint)));
        for (state, bytes) in result.states() {
            if !self.search.seen.insert(state.fingerprint, state.parent) {
                continue;
            }
            let bytes = match state.built_later {
                None => bytes,
                Some(distance) => match encoding(&self.buffer, number, distance, state.fingerprint) {
                    Encoding::Bytes(bytes) => bytes,
                    Encoding::NotYet | Encoding::CutOff(_) | Encoding::Never => {
                        return Err(StateDecodeError.into());
                    }
                },
            };
            self.search.enqueue(state, bytes, level)?;
        }
        self.search.count(result)
    }

    /// Whether the states that a result has from later segments are there.
    fn encodings(&self, number: u64, result: &SegmentResult) -> Encodings {
        if result.is_self_contained {
            return Encodings::Complete;
        }
        for state in &result.new_states {
            let Some(distance) = state.built_later else {
                continue;
            };
            match encoding(&self.buffer, number, distance, state.fingerprint) {
                Encoding::Bytes(_) | Encoding::Never => {}
                Encoding::NotYet => return Encodings::Awaited,
                Encoding::CutOff(limit) => return Encodings::CutOff(limit),
            }
        }
        Encodings::Complete
    }
}

/// The encodings of the states of a segment that later ones have built.
enum Encodings {
    Complete,
    /// Some segment is not done.
    Awaited,
    /// A limit ended a segment before it built one.
    CutOff(Limit),
}

/// The encoding of a state in a later segment.
enum Encoding<'a> {
    Bytes(&'a [u8]),
    NotYet,
    /// Of two tasks for the segment one has built the state, and the other, which was faster, was ended by a limit before it came there.
    /// Both build the same states in the same order, so that nothing but a limit makes one stop before the other.
    CutOff(Limit),
    Never,
}

/// Finds the encoding of a state in the segment at this distance, or in one that it refers to.
fn encoding<E>(
    buffer: &ReorderBuffer<SegmentOutcome<E>>,
    mut number: u64,
    mut distance: NonZeroU16,
    state: Fingerprint,
) -> Encoding<'_> {
    loop {
        number += u64::from(distance.get());
        let Some(outcome) = buffer.result(number) else {
            return Encoding::NotYet;
        };
        match (outcome.result.encoded(state), &outcome.stop) {
            (Some(EncodedState::Here(bytes)), _) => return Encoding::Bytes(bytes),
            (Some(EncodedState::Later(further)), _) => distance = further,
            (None, Some(EarlyStop::Limit(limit))) => return Encoding::CutOff(*limit),
            (None, _) => return Encoding::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tasks for one segment: the first built a state, the second was ended by the clock before that, and was faster.
    #[test]
    fn a_state_that_a_limit_has_lost_is_told_from_one_that_was_never_there() {
        let state = Fingerprint::new(u64::MAX);
        let distance = NonZeroU16::MIN;
        let mut buffer = ReorderBuffer::new(1);
        buffer.push(0, 1, Segment::default());
        buffer.push(0, 1, Segment::default());
        let _started = [(); 2].map(|()| buffer.start(0));
        assert!(matches!(encoding(&buffer, 0, distance, state), Encoding::NotYet));
        let cut_off = SegmentOutcome::<()> {
            result: SegmentResult::new(0, false),
            stop: Some(EarlyStop::Limit(Limit::Time)),
        };
        assert!(buffer.complete(1, cut_off, true).is_none());
        assert!(matches!(
            encoding(&buffer, 0, distance, state),
            Encoding::CutOff(Limit::Time)
        ));
    }
}
