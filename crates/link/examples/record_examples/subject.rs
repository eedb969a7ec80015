//! One implementation of an example: how it is exercised, recorded and checked.

use std::path::{Path, PathBuf};
use std::sync::Barrier;

use fastrand::Rng;
use omnilink_engine::{Checker, Options, Partitioning, Progress};
use omnilink_link::{CollectedConstants, LinkError, LinkFile, LinkOptions, Linked};
use omnilink_record::{RecordError, Recorder, ThreadLog};
use omnilink_trace::{OpenOptions, Operation, Timebox, Trace, TraceError, TraceWriter, WriteOptions};
use thiserror::Error;

/// What may go wrong.
#[derive(Debug, Error)]
pub(crate) enum Trouble {
    #[error("recording failed: {0}")]
    Record(#[from] RecordError),
    #[error("the trace cannot be read or written: {0}")]
    Trace(#[from] TraceError),
    #[error("the spec cannot be used: {0}")]
    Link(#[from] LinkError),
    #[error("{0}: the trace does not fit the spec: {1}")]
    Misfit(PathBuf, String),
    #[error("{0}: a correct implementation was refused, which must not happen")]
    Refused(PathBuf),
    #[error("{0}: the fault did not show in {ATTEMPTS} recordings; try again on an idle machine")]
    Unseen(PathBuf),
}

/// How often an implementation is recorded before its fault must have shown.
const ATTEMPTS: u32 = 500;

/// What one thread does: with its log, its number, and choices of its own.
pub(crate) type Work = dyn Fn(&mut ThreadLog, i64, &mut Rng) + Sync;

/// An implementation.
pub(crate) struct Subject {
    /// The spec, in the folder of the examples.
    pub(crate) spec: &'static str,
    /// What the trace is called: `ok…` for a correct implementation.
    pub(crate) name: &'static str,
    pub(crate) threads: i64,
    pub(crate) collect: &'static [&'static str],
    pub(crate) constants: &'static [(&'static str, &'static str)],
    /// Makes a new object, and gives what each thread does with it.
    pub(crate) start: fn() -> Box<Work>,
}

impl Subject {
    /// Records until the trace says what is true; gives the file and how often that was.
    pub(crate) fn record_into(&self, specs: &Path, folder: &Path) -> Result<(PathBuf, u32), Trouble> {
        let group = Path::new(self.spec).parent().unwrap_or(Path::new(""));
        let path = folder.join(group).join(format!("{}.ndjson", self.name));
        let is_correct = self.name.starts_with("ok");
        for attempt in 1..=ATTEMPTS {
            let operations = self.record(u64::from(attempt))?;
            let is_valid = self
                .is_valid(specs, &operations)
                .map_err(|problem| match problem {
                    Trouble::Misfit(_, problem) => Trouble::Misfit(path.clone(), problem),
                    other => other,
                })?;
            match (is_correct, is_valid) {
                (true, false) => return Err(Trouble::Refused(path)),
                (false, true) => continue,
                _ => {}
            }
            let mut writer = TraceWriter::create(&path, &WriteOptions::for_path(&path))?;
            for operation in &operations {
                writer.write(operation)?;
            }
            writer.finish()?;
            return Ok((path, attempt));
        }
        Err(Trouble::Unseen(path))
    }

    /// The operations of one run, times counted from the first.
    fn record(&self, seed: u64) -> Result<Vec<Operation>, Trouble> {
        let recorder = Recorder::in_memory()?;
        let work = (self.start)();
        let barrier = Barrier::new(usize::try_from(self.threads).unwrap_or(1));
        std::thread::scope(|scope| {
            for thread in 0..self.threads {
                let mut log = recorder.thread(thread)?;
                let (work, barrier) = (&work, &barrier);
                scope.spawn(move || {
                    let mut rng = Rng::with_seed(seed * 1_000 + thread.unsigned_abs() + 1);
                    barrier.wait();
                    work(&mut log, thread, &mut rng);
                });
            }
            Ok::<_, RecordError>(())
        })?;
        let buffers = recorder.finish()?.into_bytes().unwrap_or_default();
        let trace = Trace::from_buffers(self.name, buffers, &OpenOptions::default())?;
        let mut operations = trace.collect::<Result<Vec<Operation>, TraceError>>()?;
        let first = operations.first().map_or(0, |operation| operation.timebox.start);
        for operation in &mut operations {
            let Timebox { start, end } = operation.timebox;
            operation.timebox = Timebox {
                start: start - first,
                end: end.map(|end| end - first),
            };
        }
        Ok(operations)
    }

    fn is_valid(&self, specs: &Path, operations: &[Operation]) -> Result<bool, Trouble> {
        let mut collection = CollectedConstants::default();
        for collected in self.collect {
            collection.add(collected)?;
        }
        operations
            .iter()
            .for_each(|operation| collection.observe(operation));
        let constants = self
            .constants
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let options = LinkOptions {
            constants: constants.collect(),
            collected: collection.finish().0,
            file: LinkFile::beside(&specs.join(self.spec))?,
            ..LinkOptions::default()
        };
        let linked = Linked::load(&specs.join(self.spec), &options)?;
        let misfit = |problem: String| Trouble::Misfit(PathBuf::new(), problem);
        linked.run(|model| {
            let mut checker = Checker::with_partitioning(model, Options::default(), Partitioning::Whole);
            for operation in operations {
                let thread = operation.thread.as_int().unwrap_or(0) as u32;
                let bound = model.bind(operation).map_err(|error| misfit(error.to_string()))?;
                for part in bound.timed(thread, operation.timebox) {
                    if checker.push(part).map_err(|error| misfit(error.to_string()))? == Progress::Decided {
                        break;
                    }
                }
            }
            let outcome = checker.finish().map_err(|error| misfit(error.to_string()))?;
            Ok(outcome.conclusion.is_valid())
        })?
    }
}

/// Lets other threads run where a race can happen, so that operations that are not atomic show it.
pub(crate) fn pause() {
    for _ in 0..3 {
        std::thread::yield_now();
    }
}
