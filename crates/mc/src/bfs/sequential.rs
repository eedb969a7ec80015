//! Breadth-first search with one worker, which inserts states into the seen set directly.

use super::search_state::SearchState;
use super::segment_expander::{Expanding, SegmentExpander};
use crate::dedup::RecentCache;
use crate::limits::Limit;
use crate::outcome::{SearchEnd, SearchError};
use crate::transition_system::TransitionSystem;

/// Expands the frontier until the search ends, or returns `None` if it has to pause.
pub(crate) fn search_sequentially<T: TransitionSystem>(
    expander: &SegmentExpander<'_, T>,
    expanding: &mut Expanding<'_, T>,
    search: &mut SearchState<'_, '_>,
) -> Result<Option<SearchEnd<T::Error>>, SearchError> {
    let mut recent = RecentCache::default();
    let mut result = search.tally.empty_result();
    loop {
        let Some((level, segment)) = search.frontier.pop()? else {
            if let Some(end) = search.advance_level().end() {
                return Ok(Some(end));
            }
            continue;
        };
        let statistics = search.tally.statistics;
        let mut dedup = recent.in_front_of(&mut search.seen);
        let stop = expander.expand(
            expanding,
            (&segment, level),
            &mut dedup,
            &mut result,
            Some(&statistics),
        );
        for (state, bytes) in result.states() {
            search.enqueue(state, bytes, level + 1)?;
        }
        search.count(&result)?;
        result.clear();
        if let Some(stop) = stop {
            return stop.into_end().map(Some);
        }
        if search.is_memory_full()? {
            return Ok(Some(SearchEnd::Limit(Limit::Memory)));
        }
        if search.must_pause() {
            return Ok(None);
        }
    }
}
