//! Running totals of a search, and the dump of its state graph.

use std::io::{self, Read, Write};

use crate::codec::Decoder;
use crate::dump::GraphSink;
use crate::outcome::{PassedViolation, SearchError};
use crate::segment_result::{NewState, SegmentResult};
use crate::statistics::{ActionCount, SearchStatistics};

/// Counts states and steps, and writes them to the sink if there is one.
pub(crate) struct Tally<'s> {
    pub(crate) statistics: SearchStatistics,
    pub(crate) action_counts: Vec<ActionCount>,
    /// The first violation of each property, if the search goes on after violations.
    pub(crate) violations: Vec<PassedViolation>,
    variables: usize,
    sink: Option<&'s mut dyn GraphSink>,
}

impl<'s> Tally<'s> {
    pub(crate) fn new(actions: usize, variables: usize, sink: Option<&'s mut dyn GraphSink>) -> Self {
        Self {
            statistics: SearchStatistics::default(),
            action_counts: vec![ActionCount::default(); actions],
            violations: Vec::new(),
            variables,
            sink,
        }
    }

    pub(crate) fn sink_wants_pause(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.wants_pause())
    }

    /// Lets the sink look at what has been explored. Returns whether the search can end.
    pub(crate) fn pause_sink(&mut self) -> bool {
        self.sink.as_mut().is_some_and(|sink| sink.paused())
    }

    /// Writes what the sink received to a checkpoint.
    pub(crate) fn save_sink(&self, out: &mut dyn Write) -> io::Result<()> {
        self.sink.as_ref().map_or(Ok(()), |sink| sink.save(out))
    }

    /// Reads what the sink received from a checkpoint.
    pub(crate) fn restore_sink(&mut self, input: &mut dyn Read) -> io::Result<()> {
        self.sink.as_mut().map_or(Ok(()), |sink| sink.restore(input))
    }

    /// An empty result for the expansion of a segment.
    pub(crate) fn empty_result(&self) -> SegmentResult {
        SegmentResult::new(self.action_counts.len(), self.sink.is_some())
    }

    /// Counts a new state of this level. The caller updates `queued`.
    pub(crate) fn add_state(
        &mut self,
        state: &NewState,
        bytes: &[u8],
        level: u32,
    ) -> Result<(), SearchError> {
        self.statistics.distinct += 1;
        self.statistics.depth = self.statistics.depth.max(level);
        if let Some(count) = state.action.and_then(|action| self.action_counts.get_mut(action)) {
            count.distinct += 1;
        }
        if let Some(sink) = &mut self.sink
            && !sink
                .encoded_state(state.fingerprint, bytes, level)
                .map_err(SearchError::Dump)?
        {
            let values = Decoder::new(bytes).state(self.variables)?;
            sink.state(state.fingerprint, &values, level)
                .map_err(SearchError::Dump)?;
        }
        Ok(())
    }

    /// Counts the steps of a result, and adds its violations.
    pub(crate) fn add_steps(&mut self, result: &SegmentResult) -> Result<(), SearchError> {
        self.statistics.generated += result.generated;
        for (count, steps) in self.action_counts.iter_mut().zip(&result.steps) {
            count.generated += steps;
        }
        for violation in &result.violations {
            if !self.violations.iter().any(|known| known.kind == violation.kind) {
                self.violations.push(violation.clone());
            }
        }
        if let (Some(sink), Some(edges)) = (&mut self.sink, &result.edges) {
            for edge in edges {
                sink.step(edge.from, edge.to, edge.action)
                    .map_err(SearchError::Dump)?;
            }
        }
        Ok(())
    }
}
