//! Expansion of a whole segment, until a limit or a violation stops it.

use super::segment::Segment;
use crate::codec::StateDecodeError;
use crate::dedup::Dedup;
use crate::expand::{SourceState, expand};
use crate::limits::{Limit, LimitMonitor, SearchOptions};
use crate::outcome::{SearchEnd, SearchError, SearchStatistics, SearchViolation, ViolationKind};
use crate::progress::SearchProgress;
use crate::segment_result::SegmentResult;
use crate::transition_system::TransitionSystem;

/// States expanded between two looks at the clock.
const STATES_PER_TIME_CHECK: u64 = 16;

/// Why the expansion of a segment stopped early.
#[derive(Debug)]
pub(crate) enum EarlyStop<E> {
    Violation(Box<SearchViolation<E>>),
    Limit(Limit),
    Requested,
    Decode(StateDecodeError),
}

impl<E> EarlyStop<E> {
    /// The end of the search that follows from it.
    pub(crate) fn into_end(self) -> Result<SearchEnd<E>, SearchError> {
        match self {
            Self::Violation(violation) => Ok(SearchEnd::Violation(violation)),
            Self::Limit(limit) => Ok(SearchEnd::Limit(limit)),
            Self::Requested => Ok(SearchEnd::Stopped),
            Self::Decode(error) => Err(error.into()),
        }
    }
}

/// Expands segments of a transition system within the limits.
pub(crate) struct SegmentExpander<'a, T> {
    pub(crate) system: &'a T,
    pub(crate) limits: LimitMonitor<'a>,
    pub(crate) variables: usize,
}

impl<'a, T: TransitionSystem> SegmentExpander<'a, T> {
    pub(crate) fn new(
        system: &'a T,
        variables: usize,
        options: &SearchOptions,
        progress: &'a SearchProgress,
    ) -> Self {
        Self {
            system,
            limits: LimitMonitor::new(&options.limits, progress),
            variables,
        }
    }

    /// A violation, or a limit if it is an evaluation that ran out of time.
    pub(crate) fn early_stop(&self, violation: Box<SearchViolation<T::Error>>) -> EarlyStop<T::Error> {
        match &violation.kind {
            ViolationKind::Failed(error) if self.system.is_timeout(error) => {
                EarlyStop::Limit(self.limits.timeout())
            }
            _ => EarlyStop::Violation(violation),
        }
    }

    /// Expands the states of a segment of this level. Given the statistics so far, also publishes exact progress after each state.
    pub(crate) fn expand(
        &self,
        worker: &mut T::Worker,
        (segment, level): (&Segment, u32),
        dedup: &mut impl Dedup,
        result: &mut SegmentResult,
        so_far: Option<&SearchStatistics>,
    ) -> Option<EarlyStop<T::Error>> {
        let mut reader = segment.reader();
        loop {
            let (fingerprint, state) = match reader.next(self.variables) {
                Ok(Some(state)) => state,
                Ok(None) => return None,
                Err(error) => return Some(EarlyStop::Decode(error)),
            };
            if result.expanded.is_multiple_of(STATES_PER_TIME_CHECK)
                && let Some(limit) = self.limits.time_limit()
            {
                return Some(EarlyStop::Limit(limit));
            }
            result.expanded += 1;
            let from = SourceState {
                fingerprint,
                values: &state,
                level,
            };
            if let Err(violation) = expand(self.system, worker, from, dedup, result) {
                return Some(self.early_stop(violation));
            }
            if let Some(statistics) = so_far {
                let new = result.new_states.len() as u64;
                self.limits.progress.set(
                    statistics.generated + result.generated,
                    statistics.distinct + new,
                    (statistics.queued + new).saturating_sub(result.expanded),
                    u64::from(statistics.depth.max(if new > 0 { level + 1 } else { level })),
                );
            }
            if self.system.stop_requested(worker) {
                return Some(EarlyStop::Requested);
            }
        }
    }
}
