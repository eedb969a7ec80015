//! Transactions that are still being written: a growing file, or a pipe, checked as they come in.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use omnilink_engine::{Interrupt, Limits};
use omnilink_evidence::{Command, Evidence, Subject};
use omnilink_isolation::{InitialValues, Isolation, LiveTransactionCheck};
use omnilink_memory::peak_bytes;
use omnilink_trace::{InputOrder, OpenOptions, Operation, Trace, TraceError};

use super::judge_factory::weak_error;
use crate::error::VerifyError;
use crate::followed_file::FollowedFile;

/// How long to wait before looking for more.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// If nothing came in for so long, what is there is checked.
const IDLE: Duration = Duration::from_millis(500);
/// How many operations are read ahead.
const READ_AHEAD: usize = 4096;

/// How transactions are followed.
#[derive(Clone, Debug)]
pub struct Following {
    /// What is checked.
    pub isolation: Isolation,
    /// What keys hold at first.
    pub initial: InitialValues,
    /// How many transactions are kept and checked together.
    pub window: usize,
    /// The limits of the check of each window.
    pub limits: Limits,
    /// How the input is read.
    pub reading: OpenOptions,
}

impl Following {
    /// Checks the transactions of a file as it grows, or of a pipe (`-` is standard input) until it ends. A file is followed until the
    /// limits' interrupt is raised, and either until there is a violation.
    pub fn check(&self, path: &Path) -> Evidence {
        let started = Instant::now();
        let name = path.display().to_string();
        let mut evidence = self.followed(path, &name).unwrap_or_else(|error| {
            let mut failed = Evidence::new(Command::Check, Subject::Transactions, String::new());
            failed.consistency = Some(self.isolation.to_string());
            failed.fail(error.to_string());
            failed
        });
        evidence.input = name;
        evidence.figures.seconds = started.elapsed().as_secs_f64();
        evidence.figures.peak_bytes = peak_bytes();
        evidence
    }

    fn followed(&self, path: &Path, name: &str) -> Result<Evidence, VerifyError> {
        let growing = GrowingFile::open(path, self.limits.interrupt).map_err(|error| {
            VerifyError::Usage(format!("{name}: {error}; give a file or a pipe that can be read"))
        })?;
        let options = self.reading.clone().with_order(InputOrder::Arrival);
        // The check has its own limit of time for each window; an interrupt ends the input, which is then decided as far as it goes.
        let limits = Limits {
            interrupt: None,
            ..self.limits
        };
        let mut live = LiveTransactionCheck::new(name, self.isolation)
            .with_window(self.window)
            .with_initial(self.initial.clone())
            .with_limits(limits);
        let (sender, operations) = sync_channel::<Result<Operation, TraceError>>(READ_AHEAD);
        // Reading waits for what is to come, and what has come is to be checked meanwhile.
        let label = name.to_owned();
        std::thread::spawn(move || match Trace::from_reader(&label, growing, &options) {
            // Once there is an answer, nobody listens.
            Ok(mut trace) => drop(trace.try_for_each(|operation| sender.send(operation))),
            Err(error) => drop(sender.send(Err(error))),
        });
        let mut count = 0_u64;
        loop {
            let found = match operations.recv_timeout(IDLE) {
                Ok(operation) => {
                    count += 1;
                    live.feed(operation?)
                }
                Err(RecvTimeoutError::Timeout) => live.check(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Some(violation) = found.map_err(weak_error)? {
                return Ok(violation);
            }
        }
        match count {
            0 => Err(VerifyError::empty(name, &[])),
            _ => live.finish().map_err(weak_error),
        }
    }
}

/// A file whose end is not the end, unless it is a pipe.
pub(crate) struct GrowingFile {
    input: Box<dyn Read + Send>,
    is_pipe: bool,
    interrupt: Option<Interrupt>,
}

impl GrowingFile {
    pub(crate) fn open(path: &Path, interrupt: Option<Interrupt>) -> io::Result<Self> {
        let is_stdin = path.as_os_str() == "-";
        Ok(Self {
            is_pipe: is_stdin || !std::fs::metadata(path)?.is_file(),
            input: match is_stdin {
                true => Box::new(io::stdin()),
                false if !std::fs::metadata(path)?.is_file() => Box::new(File::open(path)?),
                false => Box::new(FollowedFile::open(path)?),
            },
            interrupt,
        })
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_raised)
    }
}

impl Read for GrowingFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_interrupted() {
                return Ok(0);
            }
            match self.input.read(buffer) {
                Ok(0) if !self.is_pipe => std::thread::sleep(BETWEEN_LOOKS),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}
