//! A failing run again, for a debugger.

use omnilink_sched::{ProgramSchedule, SchedError, StopAt, StopConditions, StoppedProgram, WholeProgram};

use crate::failure::{FailureKind, TestFailure, is_panic};
use crate::framework::ScheduledTest;
use crate::schedule_text::ScheduleText;
use crate::session::SessionOptions;

/// A test with a schedule that made it fail.
#[derive(Debug)]
pub struct Replay {
    program: WholeProgram,
    schedule: ProgramSchedule,
}

/// A run that waits for gdb, and what gdb has to do to come to the failure.
#[derive(Debug)]
pub struct StoppedReplay {
    /// The program.
    pub program: StoppedProgram,
    /// Commands of gdb.
    pub commands: Vec<String>,
}

impl Replay {
    /// Of this test with this schedule.
    pub fn new(test: &ScheduledTest, schedule: &ScheduleText) -> Self {
        // What leaves memory behind has not failed otherwise, so that this changes no other failure.
        let options = SessionOptions {
            detects_leaks: true,
            ..SessionOptions::default()
        };
        Self {
            program: test.whole_program(&options),
            schedule: schedule.schedule(),
        }
    }

    /// How it fails this time; `None` if it does not.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn failure(&self, stop: &StopConditions) -> Result<Option<TestFailure>, SchedError> {
        let execution = self.program.run(&self.schedule, stop)?;
        Ok(TestFailure::of(&execution))
    }

    /// Starts it once more, stopped at its failure or at its beginning; `None` if it ended before.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn stopped(
        &self,
        failure: &TestFailure,
        stop: &StopConditions,
    ) -> Result<Option<StoppedReplay>, SchedError> {
        let (stop_at, commands) = match &failure.kind {
            FailureKind::Panic { place, .. } => {
                let before = panics_before(&failure.output, place);
                let ignore = format!("ignore $bpnum {before}");
                (
                    StopAt::Beginning,
                    vec!["break rust_panic".to_owned(), ignore, "continue".to_owned()],
                )
            }
            FailureKind::Assertion { .. } | FailureKind::ExitCode(_) => (
                StopAt::Beginning,
                vec!["break exit".to_owned(), "continue".to_owned()],
            ),
            FailureKind::Signal(_) | FailureKind::Unresponsive(_) | FailureKind::TooManyThreads => {
                (StopAt::Beginning, vec!["continue".to_owned()])
            }
            FailureKind::Deadlock(_)
            | FailureKind::Livelock(_)
            | FailureKind::Race(_)
            | FailureKind::Memory(_) => (StopAt::Failure, Vec::new()),
        };
        let program = self.program.start_stopped(&self.schedule, stop_at, stop)?;
        Ok(program.map(|program| StoppedReplay { program, commands }))
    }
}

/// How many panics were printed before the last one at a place: those that the test expects.
fn panics_before(output: &str, place: &str) -> usize {
    let panics: Vec<&str> = output.lines().filter(|line| is_panic(line)).collect();
    let at = panics.iter().rposition(|line| line.contains(place));
    at.unwrap_or(panics.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panic_that_is_reported_is_stopped_at() {
        let output = "thread 'a' (1) panicked at src/a.rs:1:1:\nx\nthread 'b' (2) panicked at src/b.rs:2:2:\ny\n\
            thread 'main' (3) panicked at src/c.rs:3:3:\nz\n";
        assert_eq!(panics_before(output, "src/b.rs:2:2"), 1);
        assert_eq!(panics_before(output, "src/c.rs:3:3"), 2);
        assert_eq!(panics_before("", "src/c.rs:3:3"), 0);
    }
}
