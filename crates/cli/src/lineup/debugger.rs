//! `--gdb`: a run again, stopped before one of its steps, in gdb.

use omnilink_lineup::{MatrixExecutor, MatrixVerdict, Summary};

use crate::error::CliError;
use crate::{gdb, output};

/// Opens gdb before a step of the run that the campaign reports, or before the last step of the call that nothing explains.
///
/// # Errors
/// If there is no run that can be repeated, or no gdb.
pub(super) fn open(
    executor: &mut dyn MatrixExecutor,
    summary: &Summary,
    step: Option<usize>,
) -> Result<(), CliError> {
    let Some(failure) = &summary.failure else {
        output::note(&"--gdb: there is no violation to stop at");
        return Ok(());
    };
    let checked = &failure.smallest;
    let violation = match &checked.verdict {
        MatrixVerdict::Violation(violation) if !violation.execution.schedule.is_empty() => violation,
        _ => {
            output::note(&"--gdb: there is no run that can be repeated");
            return Ok(());
        }
    };
    let run = &violation.execution;
    let step = step.unwrap_or_else(|| violation.last_step());
    let stopped = executor.stop_before(&checked.matrix, &run.schedule, &run.racy_accesses, step);
    let process = stopped.map_err(|error| CliError::Usage(error.to_string()))?;
    let Some(process) = process else {
        return Err(CliError::Usage(format!(
            "--gdb: the run has no step {step}; it has {}",
            run.schedule.len()
        )));
    };
    output::note(&format!("gdb: before step {step} of {}", run.schedule));
    let opened = gdb::attach(process, &[], false);
    executor.finish_stopped();
    match opened {
        Ok(_) => Ok(()),
        Err(error) => Err(CliError::Usage(format!(
            "gdb cannot be started: {error}. Install it"
        ))),
    }
}
