//! A run of a whole program that waits for a debugger.

use std::process::Child;
use std::time::Duration;

use crate::SchedError;
use crate::limits::StopConditions;
use crate::output::Output;
use crate::program_schedule::ProgramSchedule;
use crate::shared_memory::SharedMemory;
use crate::whole_program::{WholeProgram, kill_group};

/// Where a program waits for a debugger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopAt {
    /// Before its first step.
    Beginning,
    /// Where the runtime finds something wrong: at the second access of a race, at an invalid use of memory, at a deadlock.
    Failure,
}

/// A program that waits for a debugger. It is killed when this is dropped.
#[derive(Debug)]
pub struct StoppedProgram {
    process: Child,
    memory: SharedMemory,
    /// What it prints goes here as long as it lives.
    _output: Output,
}

impl StoppedProgram {
    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for StoppedProgram {
    fn drop(&mut self) {
        kill_group(&self.process);
        let _ = self.process.wait();
    }
}

impl WholeProgram {
    /// Starts a run that waits for a debugger; none if it ended before it came there.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn start_stopped(
        &self,
        schedule: &ProgramSchedule,
        stop_at: StopAt,
        stop: &StopConditions,
    ) -> Result<Option<StoppedProgram>, SchedError> {
        let memory = self.requested(schedule)?;
        match stop_at {
            StopAt::Beginning => memory.stop_before(0),
            StopAt::Failure => memory.stop_at_failure(),
        }
        let output = Output::new().map_err(|source| self.not_started(source))?;
        let process = self.start(&memory, &output)?;
        let mut stopped = StoppedProgram {
            process,
            memory,
            _output: output,
        };
        loop {
            if stopped.memory.stopped_process().is_some() {
                return Ok(Some(stopped));
            }
            let ended = stopped
                .process
                .try_wait()
                .map_err(|source| self.not_started(source))?;
            if ended.is_some() {
                return Ok(None);
            }
            if let Some(reason) = stop.reached_without_memory() {
                return Err(SchedError::Stopped(reason));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
