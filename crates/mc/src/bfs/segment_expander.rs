//! Expansion of a whole segment, until a limit or a violation stops it.

use super::segment::Segment;
use crate::codec::StateDecodeError;
use crate::dedup::Dedup;
use crate::expand::{SourceState, expand};
use crate::expand_compiled::expand_compiled;
use crate::limits::{Limit, LimitWatch, SearchOptions};
use crate::outcome::{SearchEnd, SearchError, SearchViolation, ViolationKind};
use crate::progress::SearchProgress;
use crate::segment_result::SegmentResult;
use crate::statistics::SearchStatistics;
use crate::transition_system::{CompiledExpansion, TransitionSystem};

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

/// What expands the states of one thread: the evaluation state, and compiled code if there is any.
pub(crate) struct Expanding<'a, T: TransitionSystem> {
    pub(crate) worker: T::Worker,
    pub(crate) compiled: Option<Box<dyn CompiledExpansion<T::Worker, T::Error> + 'a>>,
}

impl<'a, T: TransitionSystem> Expanding<'a, T> {
    /// For the worker of this number, in its own thread.
    pub(crate) fn new(system: &'a T, number: usize) -> Self {
        Self {
            worker: system.search_worker(number),
            compiled: system.compiled(),
        }
    }

    /// The search is over.
    pub(crate) fn finish(&mut self) {
        if let Some(compiled) = &mut self.compiled {
            compiled.finish(&mut self.worker);
        }
    }
}

/// Expands segments of a transition system within the limits.
pub(crate) struct SegmentExpander<'a, T> {
    pub(crate) system: &'a T,
    pub(crate) limits: LimitWatch<'a>,
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
            limits: LimitWatch::new(&options.limits, progress),
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
        expanding: &mut Expanding<'_, T>,
        (segment, level): (&Segment, u32),
        dedup: &mut impl Dedup,
        result: &mut SegmentResult,
        so_far: Option<&SearchStatistics>,
    ) -> Option<EarlyStop<T::Error>> {
        let Expanding { worker, compiled } = expanding;
        let mut reader = segment.reader();
        loop {
            if result.expanded.is_multiple_of(STATES_PER_TIME_CHECK)
                && let Some(limit) = self.limits.time_limit()
            {
                return Some(EarlyStop::Limit(limit));
            }
            let compiled_state = compiled.as_mut().and_then(|compiled| {
                let (fingerprint, encoded) = reader.peek()?;
                Some((compiled.expand(worker, encoded, level)?, fingerprint, compiled))
            });
            let expanded = if let Some((length, fingerprint, compiled)) = compiled_state {
                if let Err(error) = reader.skip(length) {
                    return Some(EarlyStop::Decode(error));
                }
                result.expanded += 1;
                expand_compiled(
                    self.system,
                    worker,
                    &mut **compiled,
                    (fingerprint, level),
                    dedup,
                    result,
                )
            } else {
                let (fingerprint, state) = match reader.next(self.variables) {
                    Ok(Some(state)) => state,
                    Ok(None) => return None,
                    Err(error) => return Some(EarlyStop::Decode(error)),
                };
                result.expanded += 1;
                if let Some(compiled) = compiled {
                    compiled.learn(worker, &state);
                }
                let from = SourceState {
                    fingerprint,
                    values: &state,
                    level,
                };
                expand(self.system, worker, from, dedup, result)
            };
            if let Err(violation) = expanded {
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
