//! Observations: the serial behaviour of a component, to be stored and compared with another version.
//!
//! An observation file lists what a component does when one thread at a time calls it. It can be read as a specification; the files of
//! two versions show how serial behaviour changed.

mod diff;
mod file;
mod xml;

pub use diff::behavioural_diff;
pub use file::{ObservationError, read_observations, write_observations};
pub use xml::write_xml;

use crate::alphabet::Alphabet;
use crate::serial::{CallOutcome, SerialStep};
use crate::slot::Lane;
use crate::verdict::CheckedMatrix;
use crate::words::Words;

/// The serial histories of one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialObservation {
    /// The matrix in its notation.
    pub matrix: String,
    /// Its serial histories, sorted.
    pub histories: Vec<Vec<ObservedSerial>>,
}

/// One call of a serial history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedSerial {
    /// `initially`, the number of a thread, or `finally`.
    pub thread: String,
    /// The call.
    pub call: String,
    /// Its outcome.
    pub outcome: SerialOutcome,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SerialOutcome {
    /// It returned this.
    Returned(String),
    /// It never returned.
    Stuck,
    /// The process crashed for this reason.
    Crashed(String),
}

impl SerialObservation {
    /// The serial histories of a checked matrix.
    pub fn of(checked: &CheckedMatrix, alphabet: &Alphabet) -> Self {
        let words = Words {
            alphabet,
            matrix: &checked.matrix,
            results: &checked.results,
        };
        let histories = checked.serial.histories();
        let mut histories: Vec<Vec<ObservedSerial>> = histories
            .iter()
            .map(|steps| steps.iter().map(|step| observed(words, step)).collect())
            .collect();
        histories.sort_unstable();
        Self {
            matrix: checked.matrix.display(alphabet).to_string(),
            histories,
        }
    }
}

fn observed(words: Words<'_>, step: &SerialStep) -> ObservedSerial {
    ObservedSerial {
        thread: match step.slot.lane {
            Lane::Thread(thread) => thread.to_string(),
            lane => lane.to_string(),
        },
        call: words.call(step.slot).to_owned(),
        outcome: match step.outcome {
            CallOutcome::Returned(result) => SerialOutcome::Returned(words.results.text(result).to_owned()),
            CallOutcome::Stuck => SerialOutcome::Stuck,
            CallOutcome::Crashed(reason) => SerialOutcome::Crashed(words.results.text(reason).to_owned()),
        },
    }
}

impl std::fmt::Display for ObservedSerial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.call)?;
        match &self.outcome {
            SerialOutcome::Returned(result) if result.is_empty() || result == "()" => Ok(()),
            SerialOutcome::Returned(result) => write!(f, " = {result}"),
            SerialOutcome::Stuck => f.write_str(" is stuck"),
            SerialOutcome::Crashed(reason) => write!(f, " crashes ({reason})"),
        }
    }
}
