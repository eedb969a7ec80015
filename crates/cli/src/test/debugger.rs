//! `omnilink replay` of a run of a test: the failure again, in gdb.

use std::path::Path;

use omnilink_campaign::KeptTest;
use omnilink_evidence::Violation;
use omnilink_report::{Look, TextOptions, text};
use omnilink_sched::StopConditions;
use omnilink_test_runner::{FailureKind, Replay, ScheduledTest, StoppedReplay, headline};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::{gdb, interrupt};

/// Runs a test that was kept again, makes sure that it fails as it did, and opens gdb at its failure.
pub(crate) fn replay(kept: &KeptTest, look: &Look, out: &mut Output) -> Result<Exit, CliError> {
    let usage = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
    let test: ScheduledTest = serde_json::from_str(&kept.start)
        .map_err(|error| CliError::Usage(format!("the run does not say how its test is started: {error}")))?;
    let schedule = kept.schedule.parse().map_err(|error| usage(&error))?;
    out.print(&text(&kept.evidence, &TextOptions::from(*look)))?;
    if !Path::new(&test.program).is_file() {
        return Err(CliError::Usage(format!(
            "{}: the program is not there any more; {}",
            test.program.display(),
            again(kept)
        )));
    }
    let stop = StopConditions {
        interrupt: Some(interrupt::atomic()),
        ..StopConditions::default()
    };
    let replay = Replay::new(&test, &schedule);
    let failure = match replay.failure(&stop).map_err(|error| usage(&error))? {
        Some(failure) if headline(&failure.kind) == kept.failure() => failure,
        other => {
            let now = other.map_or("it passes".to_owned(), |failure| headline(&failure.kind));
            out.print(&format!(
                "\nThe run was not the same this time: {now}. Was the test built again since? {}\n",
                again(kept)
            ))?;
            return Ok(Exit::Violation);
        }
    };
    let Some(StoppedReplay { program, commands }) =
        replay.stopped(&failure, &stop).map_err(|error| usage(&error))?
    else {
        out.print("\nThe run ended before gdb could stop it.\n")?;
        return Ok(Exit::Violation);
    };
    let is_about_all = matches!(failure.kind, FailureKind::Deadlock(_) | FailureKind::Livelock(_));
    match gdb::attach(program.process(), &commands, is_about_all) {
        Ok(_) => Ok(Exit::Valid),
        Err(error) => Err(CliError::Usage(format!(
            "gdb cannot be started: {error}; on Debian: apt install gdb"
        ))),
    }
}

/// What to do if the run cannot be repeated.
fn again(kept: &KeptTest) -> String {
    match &kept.evidence.violation {
        Some(Violation::Test(failing)) => format!("This builds and repeats it: {}", failing.rerun),
        _ => "Run omnilink test again".to_owned(),
    }
}
