//! Linearizations, found by the engine's strategies.
//!
//! A search over linearizations is a [`Model`] of the engine: its states are placed operations and their
//! consequences, its operations are those of the history, by position, and a step places one. The engine chooses the
//! order in which steps are tried, remembers states without a solution, and keeps the limits.

use omnilink_engine::{
    CheckError, Checker, Conclusion, Limit, Limits, Model, Options, Partitioning, Progress, Strategy, TimedOp,
};

use crate::constraints::Constraints;
use crate::timeline::Timeline;
use crate::weak_error::WeakError;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linearized {
    /// There is a linearization.
    Found,
    /// There is none.
    None,
    /// A limit was reached.
    Limit(Limit),
}

/// Searches for a linearization that satisfies the constraints and that `places` accepts. Also returns the number of
/// configurations.
///
/// The engine receives the order as far as timeboxes can express it; `places` has to refuse operations that come too
/// early.
pub(crate) fn linearize<P: Model<Op = usize>>(
    places: &P,
    constraints: &Constraints,
    timeline: &Timeline,
    strategy: Strategy,
    limits: Limits,
) -> Result<(Linearized, u64), WeakError> {
    let options = Options {
        strategy,
        limits,
        sweep_budget: SWEEP_BUDGET,
        // The timeboxes contain the order of threads, as far as they can.
        async_threads: true,
        // The states of `places` contain their order, and `audit` checks the result.
        witness: false,
        ..Options::default()
    };
    let mut checker = Checker::with_partitioning(places, options, Partitioning::Whole).without_alternatives();
    for &op in &timeline.by_start {
        let operation = TimedOp {
            op,
            thread: 0,
            timebox: timeline.timeboxes[op],
            optional: !constraints.required.has(op),
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

/// The configurations that the sweep may explore before depth-first search starts.
const SWEEP_BUDGET: u64 = 512;

/// Operations are given in order, and no step fails.
fn unexpected(error: CheckError) -> WeakError {
    WeakError::Rejected(error.to_string())
}
