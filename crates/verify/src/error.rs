//! Why an input could not be checked.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use omnilink_engine::{CheckError, Limit};
#[cfg(feature = "tla")]
use omnilink_link::{BindError, LinkError};
use omnilink_models::{DecodeError, DecodeProblem, ModelSpecError, is_code};
use omnilink_trace::{Location, Problem, TraceError};
use thiserror::Error;

use crate::input::Input;
use crate::limits::limit_text;

/// The codes of an input are collected from this many operations.
const CODES_FROM_MAX: usize = 1 << 20;

/// Why an input could not be checked, or a file not be written. Every message says what to do about it.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// Arguments that make no sense together.
    #[error("{0}")]
    Usage(String),
    /// No such model, or not with such options.
    #[error(
        "{0}; `omnilink check --list-models` tells what each takes{advice}",
        advice = own_model(.0)
    )]
    Model(#[from] ModelSpecError),
    /// A trace that cannot be read or written.
    #[error("{error}{}", advice(error))]
    Trace {
        /// What is wrong.
        error: TraceError,
    },
    /// A trace that is not of this model.
    #[error("{0}; `omnilink check --list-models` documents the operations of each model")]
    Decode(#[from] DecodeError),
    /// An end that is no time.
    #[error(
        "{0}: the end is the largest number there is; leave it out (or null) if the operation never returned, and \
         shift the clock if it did"
    )]
    EndOfTime(Location),
    /// Nothing at all: more likely an accident than a history.
    #[error(
        "{input}: there is nothing in it; was anything recorded? (a trace that is meant to have no operations has a header: \
         {{\"omnilink\":1}}){}",
        notes.iter().map(|note| format!("\n  {note}")).collect::<String>()
    )]
    Empty {
        /// The input.
        input: String,
        /// What was noticed about it.
        notes: Vec<String>,
    },
    /// A trace whose operations go by numbers.
    #[error(
        "{place}: operations go by {}, and only who wrote them knows what that stands for; give --ops {} with the right names, \
         which are {known}",
        codes.join(", "),
        codes.iter().map(|code| format!("{code}=NAME")).collect::<Vec<_>>().join(",")
    )]
    Codes {
        /// Where the first is.
        place: Location,
        /// All of them.
        codes: Vec<String>,
        /// The operations of the model.
        known: String,
    },
    /// The check itself failed.
    #[error("{0}")]
    Check(#[from] CheckError),
    /// A spec that cannot be linked to a trace.
    #[cfg(feature = "tla")]
    #[error("{0}")]
    Link(#[from] LinkError),
    /// A log that cannot be checked.
    #[cfg(feature = "tla")]
    #[error("{0}")]
    Log(#[from] omnilink_log_link::LogError),
    /// A trace that is not of this spec.
    #[cfg(feature = "tla")]
    #[error("{0}")]
    Bind(#[from] BindError),
    /// A file other than a trace cannot be written.
    #[error("{}: {error}; choose a file in a folder that exists and can be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Standard input could not be kept for a second reading.
    #[error(
        "standard input must be kept in a temporary file, which failed: {0}; set TMPDIR to a folder with room"
    )]
    Spool(io::Error),
    /// Two searches disagree.
    #[error(
        "{input}: internal error, please report it: the search found no explanation of {op}, but trying every order finds one; \
         tried in every order, all of the input is {verdict}; {kept}; `--naive` decides without the search (a VIEW that hides \
         what matters has the same effect, and is an error of the specification)"
    )]
    Disagreement {
        /// The input.
        input: String,
        /// The operation that the search found no explanation of.
        op: String,
        /// What the plain search says about all of the input.
        verdict: String,
        /// Where a history is that shows it.
        kept: String,
    },
    /// An interrupt came while a file was written.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A limit was reached while the input was read.
    #[error("{} after {operations} operations had been read", limit_text(*limit))]
    Limit {
        /// Which limit.
        limit: Limit,
        /// How many operations were read.
        operations: u64,
    },
}

impl From<TraceError> for VerifyError {
    fn from(error: TraceError) -> Self {
        Self::Trace { error }
    }
}

impl VerifyError {
    /// An input without operations.
    pub fn empty(input: &str, notes: &[String]) -> Self {
        Self::Empty {
            input: input.to_owned(),
            notes: notes.to_vec(),
        }
    }

    /// The same error, with all codes of an input in place of the first that was met.
    pub fn with_codes_of(self, input: &Input) -> Self {
        let Self::Decode(error) = &self else { return self };
        let DecodeProblem::Code { known, .. } = error.problem() else {
            return self;
        };
        let Ok(trace) = input.open_once() else { return self };
        let names = trace
            .map_while(Result::ok)
            .map(|operation| operation.name.to_string());
        let codes: BTreeSet<String> = names.take(CODES_FROM_MAX).filter(|name| is_code(name)).collect();
        Self::Codes {
            place: error.place().clone(),
            codes: codes.into_iter().collect(),
            known: known.clone(),
        }
    }
}

/// What to do without a model that fits.
fn own_model(error: &ModelSpecError) -> &'static str {
    match error {
        ModelSpecError::UnknownModel { .. } => {
            ", and --spec FILE.tla checks against a specification of your own"
        }
        _ => "",
    }
}

/// The option of the command line that helps; the trace crate does not know it.
fn advice(error: &TraceError) -> &'static str {
    match error.problem() {
        Problem::Overlap { earlier_location, .. } if earlier_location.file() != error.location().file() => {
            "; if the files call different threads alike, put the name of the file in front (omnilink trace merge --qualify)"
        }
        Problem::Overlap { .. } => " (on the command line: --async)",
        Problem::UnknownFormat => " (on the command line: --format NAME)",
        Problem::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            "; give the path of a trace file, of a directory of one file per thread, or - for standard input"
        }
        Problem::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            "; make it readable, or pipe it in and give - as the trace"
        }
        _ => "",
    }
}
