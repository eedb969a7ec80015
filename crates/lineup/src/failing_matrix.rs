//! The matrix that ends a campaign: shrunk, and its run repeated.

use std::time::{Duration, Instant};

use omnilink_sched::StopConditions;

use crate::executor::MatrixExecutor;
use crate::history::CallHistory;
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::options::LineupOptions;
use crate::request::{Request, Tick};
use crate::shrink::shrink;
use crate::verdict::{CheckedMatrix, MatrixVerdict, Why};

/// A matrix that failed.
#[derive(Clone, Debug)]
pub struct FailingMatrix {
    /// The matrix as it was found.
    pub found: Matrix,
    /// The smallest matrix that fails in the same way.
    pub smallest: CheckedMatrix,
    /// Whether the run had the same history when it was repeated from its schedule. `None` if it is serial or cannot be repeated.
    pub is_repeatable: Option<bool>,
    /// How long shrinking took.
    pub shrink_seconds: f64,
    /// The runs of shrinking.
    pub shrink_executions: u64,
}

/// Makes a matrix that failed as small as the limits allow, and repeats its run.
///
/// # Errors
/// When a matrix cannot be run.
pub(crate) fn failure(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: CheckedMatrix,
    (found_in, found_after): (Duration, u64),
    tick: Tick<'_>,
) -> Result<FailingMatrix, LineupError> {
    let started = Instant::now();
    let found = checked.matrix.clone();
    // Shrinking has a time limit of its own, within that of the user.
    let own = started.checked_add(found_in.max(SHRINK_AT_LEAST));
    let given = request.options.stop.deadline;
    let options = LineupOptions {
        stop: StopConditions {
            deadline: [own, given].into_iter().flatten().min(),
            ..request.options.stop
        },
        ..*request.options
    };
    let request = Request {
        options: &options,
        ..request
    };
    let executions_max = found_after.max(SHRINK_EXECUTIONS_AT_LEAST);
    let (mut smallest, shrink_executions) = shrink(executor, request, checked, executions_max, tick)?;
    let is_repeatable = repeat(executor, &mut smallest)?;
    Ok(FailingMatrix {
        found,
        smallest,
        is_repeatable,
        shrink_seconds: started.elapsed().as_secs_f64(),
        shrink_executions,
    })
}

/// Shrinking may take as many runs as finding the violation took, and at least as many as are made in a second.
const SHRINK_EXECUTIONS_AT_LEAST: u64 = 10_000;

/// Shrinking may take as long as finding the violation took, and at least this long.
const SHRINK_AT_LEAST: Duration = Duration::from_secs(10);

/// Repeats the run of a violation, and looks up its source lines.
fn repeat(
    executor: &mut dyn MatrixExecutor,
    smallest: &mut CheckedMatrix,
) -> Result<Option<bool>, LineupError> {
    let CheckedMatrix {
        matrix,
        results,
        verdict: MatrixVerdict::Violation(violation),
        ..
    } = smallest
    else {
        return Ok(None);
    };
    if violation.is_serial || violation.execution.schedule.is_empty() {
        executor.locate(&mut violation.execution);
        return Ok(None);
    }
    let again = executor.replay(
        matrix,
        &violation.execution.schedule,
        &violation.execution.racy_accesses,
    )?;
    let history = CallHistory::of(&again, results);
    let is_same = history.is_some_and(|history| history.canonical() == violation.history.canonical());
    if is_same {
        violation.execution = again;
        // The source lines of the race are known now.
        if let Why::Race(race) = &mut violation.why
            && let Some(located) = violation
                .execution
                .races
                .iter()
                .find(|other| other.has_same_code(race))
        {
            *race = located.clone();
        }
    }
    Ok(Some(is_same))
}
