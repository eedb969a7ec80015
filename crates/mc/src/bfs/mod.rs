//! Breadth-first search by levels, with any number of workers.
//!
//! Workers take *segments* of the frontier, expand them, and *commit* the results in the order of the segments: to the seen set,
//! the frontier and the statistics. A segment is committed when it and all earlier ones are done. Its new states are appended to
//! the frontier and can be taken at once, even while segments of the previous level are in flight. So no worker waits at the end
//! of a level.
//!
//! # The result is that of a single worker
//!
//! Let `x` be a state that is not initial, and `s` the first segment, in the order of a single worker, with a state that leads to
//! `x`. Claim: `x` is committed with `s`, and its parent is the first state of `s` that leads to it.
//!
//! The seen set takes `x` from the first committed segment whose result contains it. No earlier result contains it, since no
//! earlier segment leads to it. So it remains to show that the result of `s` contains `x`, whichever worker expands `s`. A worker
//! drops a successor in three cases only:
//! - The seen set contains it. But only committed states are there, and no segment before `s` leads to `x`.
//! - The worker's recent cache contains it. Then the worker generated it in `s` itself, where the first occurrence was kept, or in an
//!   earlier segment, because the cache is cleared when a worker moves to an earlier segment; and no segment before `s` leads to `x`.
//! - An earlier segment in flight has recorded it. But only a segment that leads to `x` records it.
//!
//! By induction over the segments, states are committed in one order whatever the workers do. Statistics, parents and the first
//! violation follow from that order. Results after the first violation are discarded.
//!
//! # Where the encoding of a state is
//!
//! `s` may contain `x` without its encoding, because a later segment `t` has recorded `x` as checked. Only the first task for `t`
//! records anything.
//! - If its result is used, the result has the encoding of `x`, or refers to a still later segment.
//! - Otherwise the result of a backup task for `t` is used. A backup task ignores segments in flight and starts with an empty recent
//!   cache. So it drops only committed states, and has the encoding of `x` unless `x` is committed, in which case it is not needed.
//!
//! `s` is committed only when `t` is done.

mod checkpoint;
mod frontier;
pub(crate) mod in_flight;
mod packed_segment;
mod parallel;
mod reorder_buffer;
mod scheduler;
mod search_state;
mod segment;
mod segment_expander;
mod segment_size;
mod sequential;
mod state_queue;

use std::panic::resume_unwind;
use std::thread::{Builder, scope};
use std::time::Instant;

use omnilink_memory::guard;

pub(crate) use self::checkpoint::remove_checkpoint;
pub use self::checkpoint::{CheckpointContext, Checkpoints};
use self::parallel::search_in_parallel;
use self::search_state::SearchState;
use self::segment_expander::{Expanding, SegmentExpander};
use self::sequential::search_sequentially;
use crate::dump::GraphSink;
use crate::limits::SearchOptions;
use crate::outcome::{SearchEnd, SearchError, SearchOutcome};
use crate::progress::SearchProgress;
use crate::transition_system::TransitionSystem;

/// Explores all states, level by level.
///
/// # Errors
/// When queued states or the dump cannot be written.
pub fn breadth_first<T: TransitionSystem>(
    system: &T,
    variables: usize,
    options: &SearchOptions,
    progress: &SearchProgress,
    sink: Option<&mut dyn GraphSink>,
) -> Result<SearchOutcome<T::Error>, SearchError> {
    breadth_first_with(system, variables, options, progress, sink, None)
}

/// The same, with checkpoints from which the search can be resumed. Of what a resumed search found before, the sink has what it saved.
///
/// # Errors
/// When queued states, the dump or a checkpoint cannot be written, or a checkpoint cannot be read.
pub fn breadth_first_with<T: TransitionSystem>(
    system: &T,
    variables: usize,
    options: &SearchOptions,
    progress: &SearchProgress,
    sink: Option<&mut dyn GraphSink>,
    checkpoints: Option<&Checkpoints<'_>>,
) -> Result<SearchOutcome<T::Error>, SearchError> {
    let expander = SegmentExpander::new(system, variables, options, progress);
    let search = || {
        let mut expanding = Expanding::new(system, 0);
        let mut state = SearchState::new(&expander, options, sink);
        if let Some(checkpoints) = checkpoints {
            checkpoints.prepare()?;
            state.pause_at = Some(Instant::now() + checkpoints.interval);
        }
        let stop = match checkpoints.filter(|checkpoints| checkpoints.is_resumed) {
            Some(checkpoints) => {
                checkpoints.read(&mut state, options)?;
                None
            }
            None => state.add_initial_states(&expander, &mut expanding)?,
        };
        if let Some(stop) = stop {
            return Ok(state.into_outcome(stop.into_end()?));
        }
        let end = loop {
            // One worker alone inserts states before a segment is done, so it could not stop within one.
            let is_alone = options.workers <= 1 && checkpoints.is_none();
            let end = match is_alone {
                true => search_sequentially(&expander, &mut expanding, &mut state)?,
                false => search_in_parallel(&expander, &mut expanding, &mut state, options)?,
            };
            if let Some(end) = end {
                break end;
            }
            if state.tally.pause_sink() {
                break SearchEnd::Decided;
            }
            if let Some(checkpoints) = checkpoints {
                checkpoints.write(&mut state)?;
            }
        };
        if let SearchEnd::Complete = end {
            expanding.finish();
        }
        if let Some(checkpoints) = checkpoints {
            match &end {
                SearchEnd::Limit(_) => checkpoints.write(&mut state)?,
                SearchEnd::Complete if checkpoints.keeps_complete => checkpoints.write(&mut state)?,
                SearchEnd::Complete | SearchEnd::Stopped | SearchEnd::Decided | SearchEnd::Violation(_) => {
                    checkpoints.remove();
                }
            }
        }
        Ok(state.into_outcome(end))
    };
    let limits = guard::current();
    let search = || {
        let _limits = limits.enter();
        search()
    };
    scope(
        |scope| match thread_builder(options).spawn_scoped(scope, search) {
            Ok(searching) => searching.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => Err(SearchError::Thread(error)),
        },
    )
}

fn thread_builder(options: &SearchOptions) -> Builder {
    Builder::new().name("mc".into()).stack_size(options.stack_bytes)
}
