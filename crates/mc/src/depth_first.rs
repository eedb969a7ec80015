//! Depth-first search, with one worker.
//!
//! For specs whose behaviours must reach some end, such as the validation of a trace, where breadth-first search expands every
//! alternative of every step before the next step. Paths are not shortest, and the level of a state is that of the path on which
//! it was found.

use crate::codec::Decoder;
use crate::dump::GraphSink;
use crate::expand::{SourceState, expand};
use crate::expand_initial::expand_initial;
use crate::fingerprint::Fingerprint;
use crate::fingerprint_set::FingerprintSet;
use crate::limits::{Limit, LimitWatch, SearchOptions};
use crate::outcome::{SearchEnd, SearchError, SearchOutcome, ViolationKind};
use crate::progress::SearchProgress;
use crate::segment_result::SegmentResult;
use crate::tally::Tally;
use crate::transition_system::{State, TransitionSystem};

/// Stack of encoded states.
#[derive(Debug, Default)]
struct Stack {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    fingerprint: Fingerprint,
    level: u32,
    start: usize,
}

impl Stack {
    fn push(&mut self, fingerprint: Fingerprint, level: u32, encoded: &[u8]) {
        self.entries.push(Entry {
            fingerprint,
            level,
            start: self.bytes.len(),
        });
        self.bytes.extend_from_slice(encoded);
    }

    fn pop(&mut self, variables: usize) -> Result<Option<(Entry, State)>, SearchError> {
        let Some(entry) = self.entries.pop() else {
            return Ok(None);
        };
        let mut decoder = Decoder::new(self.bytes.get(entry.start..).unwrap_or_default());
        let state = decoder.state(variables)?;
        self.bytes.truncate(entry.start);
        Ok(Some((entry, state)))
    }

    fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.entries.capacity() * size_of::<Entry>()) as u64
    }
}

/// States expanded between two looks at the memory of the process.
const STATES_PER_MEMORY_CHECK: u64 = 1024;

struct DepthFirst<'a, 's> {
    progress: &'a SearchProgress,
    stack: Stack,
    tally: Tally<'s>,
}

/// Explores all states depth-first, on the calling thread.
///
/// # Errors
/// When the dump cannot be written.
pub fn depth_first<T: TransitionSystem>(
    system: &T,
    variables: usize,
    options: &SearchOptions,
    progress: &SearchProgress,
    sink: Option<&mut dyn GraphSink>,
) -> Result<SearchOutcome<T::Error>, SearchError> {
    let limits = LimitWatch::new(&options.limits, progress);
    let mut seen = FingerprintSet::default();
    let mut worker = system.search_worker(0);
    let mut search = DepthFirst {
        progress,
        stack: Stack::default(),
        tally: Tally::new(system.action_count(), variables, sink),
    };
    let mut result = search.tally.empty_result();
    let mut checked = expand_initial(system, (&mut worker, None), &mut seen, &mut result, &mut |_| {
        Ok(())
    })?;
    search.push_states(&mut result, 1)?;
    let mut is_depth_limited = false;
    let mut expanded = 0u64;
    let end = loop {
        if let Err(violation) = checked {
            break match &violation.kind {
                ViolationKind::Failed(error) if system.is_timeout(error) => {
                    SearchEnd::Limit(limits.timeout())
                }
                _ => SearchEnd::Violation(violation),
            };
        }
        if system.stop_requested(&worker) {
            break SearchEnd::Stopped;
        }
        let Some((entry, state)) = search.stack.pop(variables)? else {
            break match is_depth_limited {
                true => SearchEnd::Limit(Limit::Depth),
                false => SearchEnd::Complete,
            };
        };
        if let Some(limit) = limits.time_limit() {
            break SearchEnd::Limit(limit);
        }
        let measures_memory = expanded.is_multiple_of(STATES_PER_MEMORY_CHECK);
        if measures_memory && limits.is_memory_full(seen.bytes() + search.stack.memory_bytes()) {
            break SearchEnd::Limit(Limit::Memory);
        }
        expanded += 1;
        checked = Ok(());
        if options
            .depth_max
            .is_some_and(|depth_max| entry.level >= depth_max)
        {
            is_depth_limited = true;
            continue;
        }
        let from = SourceState {
            fingerprint: entry.fingerprint,
            values: &state,
            level: entry.level,
        };
        checked = expand(system, &mut worker, from, &mut seen, &mut result);
        search.push_states(&mut result, entry.level + 1)?;
    };
    search.tally.statistics.queued = search.stack.entries.len() as u64;
    Ok(SearchOutcome {
        end,
        statistics: search.tally.statistics,
        action_counts: search.tally.action_counts,
        violations: search.tally.violations,
        seen,
    })
}

impl DepthFirst<'_, '_> {
    /// Pushes the new states of a result, and empties it.
    fn push_states(&mut self, result: &mut SegmentResult, level: u32) -> Result<(), SearchError> {
        for (state, bytes) in result.states() {
            self.tally.add_state(state, bytes, level)?;
            self.stack.push(state.fingerprint, level, bytes);
        }
        self.tally.add_steps(result)?;
        result.clear();
        let statistics = &mut self.tally.statistics;
        statistics.queued = self.stack.entries.len() as u64;
        statistics.queued_max = statistics.queued_max.max(statistics.queued);
        self.progress.publish(statistics);
        Ok(())
    }
}
