//! Linearizations, by the engine's strategies.
//!
//! A search over linearizations here is a [`Model`] of the engine: its states are what has been placed and what came of it,
//! its operations are those of the history, by position, and a step places one. The engine decides in which order steps are
//! tried, remembers what led nowhere, and keeps the limits: the sweep while that is easy, then sweep and depth-first
//! by turns, or one of the two alone.

use omnilink_engine::{
    CheckError, Checker, Conclusion, Limit, Limits, Model, Operation, Options, Partitioning, Progress,
    Strategy,
};

use crate::check::WeakError;
use crate::plan::Plan;
use crate::timeline::Timeline;

/// What became of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linearized {
    /// There is a linearization.
    Found,
    /// There is none.
    None,
    /// A limit was reached.
    Limit(Limit),
}

/// Searches for a linearization that keeps the plan's order and that `places` accepts; also gives how many configurations
/// were explored.
///
/// The order is given to the engine as far as timeboxes can tell it; `places` has to refuse what comes too early.
pub(crate) fn linearize<P: Model<Op = usize>>(
    places: &P,
    plan: &Plan,
    timeline: &Timeline,
    strategy: Strategy,
    limits: Limits,
) -> Result<(Linearized, u64), WeakError> {
    let options = Options {
        strategy,
        limits,
        sweep_budget: SWEEP_BUDGET,
        // The timeboxes tell the order of threads, too, as far as timeboxes can.
        async_threads: true,
        // The states of `places` have their order with them, and what is found is checked by `audit`.
        witness: false,
        ..Options::default()
    };
    let mut checker = Checker::with_partitioning(places, options, Partitioning::Whole).without_alternatives();
    for &op in &timeline.by_start {
        let operation = Operation {
            op,
            thread: 0,
            timebox: timeline.timeboxes[op],
            optional: !plan.required.has(op),
        };
        if checker.push(operation).map_err(unexpected)? != Progress::Going {
            break;
        }
    }
    let outcome = checker.finish().map_err(unexpected)?;
    let linearized = match outcome.conclusion {
        Conclusion::Valid(_) => Linearized::Found,
        Conclusion::Unknown(unfinished) => Linearized::Limit(unfinished.limit),
        Conclusion::Violation(_) => Linearized::None,
    };
    Ok((linearized, outcome.figures.configurations))
}

/// What the sweep may spend before depth-first search joins in. As where the engine has a whole history in memory, it
/// may do so early.
const SWEEP_BUDGET: u64 = 512;

/// Operations are given in order, and no step fails.
fn unexpected(error: CheckError) -> WeakError {
    WeakError::Rejected(error.to_string())
}
