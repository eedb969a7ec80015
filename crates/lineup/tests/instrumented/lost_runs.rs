//! A serial run that is missing refutes nothing.

use std::ops::ControlFlow;

use omnilink_lineup::{
    Allowance, Description, ExecutorError, LineupError, LineupOptions, Matrix, MatrixExecutor, MatrixRun,
    Request, RunCoverage, RunEnding, RunPlan, Schedule, Scheduled, Visit, check_matrix,
};

use super::start;

/// Makes all serial runs, but shows only those that are not lost, and does not tell.
struct Losing {
    executor: Scheduled,
    is_lost: fn(&MatrixRun) -> bool,
}

impl MatrixExecutor for Losing {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        let is_lost = self.is_lost;
        let serial = matches!(plan, RunPlan::Serial { .. });
        self.executor.explore(matrix, plan, allowance, &mut |run| {
            if serial && is_lost(&run) {
                ControlFlow::Continue(())
            } else {
                visit(run)
            }
        })
    }

    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        racy_accesses: &[u64],
    ) -> Result<MatrixRun, ExecutorError> {
        self.executor.replay(matrix, schedule, racy_accesses)
    }

    fn run_in_order(&mut self, matrix: &Matrix, threads: &[u8]) -> Result<Option<MatrixRun>, ExecutorError> {
        self.executor.run_in_order(matrix, threads)
    }
}

fn checked(component: &str, matrix: &str, is_lost: fn(&MatrixRun) -> bool) -> Result<(), LineupError> {
    let (executor, Description { alphabet, .. }) = start(component);
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let options = LineupOptions::default();
    let request = Request {
        alphabet: &alphabet,
        options: &options,
        specification: None,
    };
    check_matrix(&mut Losing { executor, is_lost }, request, &matrix, &mut || {}).map(|_| ())
}

#[test]
fn too_few_serial_runs_are_an_error_and_no_violation() {
    let matrix = "push(1), pop() | push(2), pop()";
    let is_lost = |run: &MatrixRun| run.schedule.steps().first().is_some_and(|step| step.thread == 1);
    assert!(matches!(
        checked("queue", matrix, is_lost),
        Err(LineupError::SerialRunsMissing { made: 3, all: 6, .. })
    ));
    checked("queue", matrix, |_| false).unwrap();
}

/// Where a serial run is stuck, their number says nothing: the violation is found, and not confirmed.
#[test]
fn a_violation_that_a_single_serial_run_explains_is_an_error() {
    let matrix = "pop() | push(1)";
    let is_lost = |run: &MatrixRun| run.ending == RunEnding::Finished;
    assert!(matches!(
        checked("blocking", matrix, is_lost),
        Err(LineupError::Explained { .. })
    ));
    checked("blocking", matrix, |_| false).unwrap();
}
