//! `--gdb`: a run again, stopped before one of its steps, in gdb.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, ExitStatus};

use omnilink_lineup::{MatrixExecutor, MatrixVerdict, Summary};

use crate::error::CliError;
use crate::output;

/// Selects the innermost frame of the component, and hides those of the scheduler, of harnesses and of libraries from backtraces.
const SCRIPT: &str = "\
set pagination off
set confirm off
python
def is_own(frame):
    table = frame.find_sal().symtab
    if table is None or gdb.solib_name(frame.pc()) is not None:
        return False
    hidden = ('/lineup.hpp', 'crates/harness/src/component.rs', 'crates/harness/src/serve.rs')
    library = table.filename.startswith('/usr/include/') or '/rustlib/src/' in table.filename or table.filename.startswith('/rustc/')
    return not library and not table.filename.endswith(hidden) and '/omnilink-harness-' not in table.filename
class OwnFrames:
    def __init__(self):
        self.name, self.priority, self.enabled = 'omnilink', 100, True
        gdb.frame_filters[self.name] = self
    def filter(self, frames):
        return (frame for frame in frames if is_own(frame.inferior_frame()))
OwnFrames()
frame = gdb.newest_frame()
while frame is not None and not is_own(frame):
    frame = frame.older()
if frame is not None:
    frame.select()
end
";

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
    let opened = gdb(process);
    executor.finish_stopped();
    match opened {
        Ok(_) => Ok(()),
        Err(error) => Err(CliError::Usage(format!(
            "gdb cannot be started: {error}. Install it"
        ))),
    }
}

/// Runs gdb on a process. Without a terminal it prints where the process is.
fn gdb(process: u32) -> io::Result<ExitStatus> {
    let mut script = tempfile::Builder::new().suffix(".gdb").tempfile()?;
    script.write_all(SCRIPT.as_bytes())?;
    let is_batch = !io::stdin().is_terminal();
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-p", &process.to_string()])
        .args(is_batch.then_some("-batch"))
        .arg("-x")
        .arg(script.path())
        .args(["-ex", "frame"])
        .args(is_batch.then_some(["-ex", "backtrace"]).into_iter().flatten());
    gdb.status()
}
