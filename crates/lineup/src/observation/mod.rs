//! The serial behaviour of a component, written down: to be read, kept, and compared with another version of it.
//!
//! An observation file says what a component does when it is called from one thread at a time. A person can read it as
//! a specification; two of them, of two versions, show how behaviour changed before anything concurrent is looked at.

mod diff;
mod file;
mod xml;

pub use diff::behavioural_diff;
pub use file::{ObservationError, read_observations, write_observations};
pub use xml::write_xml;

use crate::alphabet::Alphabet;
use crate::serial::{Fate, SerialStep};
use crate::slot::Lane;
use crate::verdict::Checked;
use crate::words::Words;

/// The serial histories of one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The matrix, as it is written.
    pub matrix: String,
    /// Its serial histories, sorted.
    pub histories: Vec<Vec<ObservedSerial>>,
}

/// One call of a serial history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedSerial {
    /// Who called: `initially`, a thread's number, or `finally`.
    pub thread: String,
    /// What.
    pub call: String,
    /// What became of it.
    pub outcome: SerialOutcome,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SerialOutcome {
    /// It came back with this.
    Returned(String),
    /// It never came back.
    Stuck,
    /// The process died of this.
    Crashed(String),
}

impl Observation {
    /// What the serial phase of a check saw.
    pub fn of(checked: &Checked, alphabet: &Alphabet) -> Self {
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
        outcome: match step.fate {
            Fate::Returned(result) => SerialOutcome::Returned(words.results.text(result).to_owned()),
            Fate::Stuck => SerialOutcome::Stuck,
            Fate::Crashed(reason) => SerialOutcome::Crashed(words.results.text(reason).to_owned()),
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
