//! Line-Up.
mod alphabet;
mod automaton;
mod campaign;
mod check;
mod diagnosis;
mod execution;
mod executor;
mod history;
mod json;
mod matrix;
mod notation;
mod observation;
mod options;
mod page;
mod sample;
mod serial;
mod shrink;
mod slot;
mod specification;
mod verdict;
mod witness;
mod words;

pub use alphabet::{Alphabet, AlphabetError, CallId};
pub use campaign::{Failure, Matrices, Summary, run_campaign};
pub use check::{LineupError, Request, Tick, check_matrix};
pub use diagnosis::Diagnosis;
pub use execution::{Ending, Event, Execution, Schedule, Stuck, Switch};
pub use executor::{Allowance, Coverage, Executor, ExecutorError, Plan};
pub use history::{Close, History, Moment, ResultId, Results};
pub use json::summary_json;
pub use matrix::{Matrix, MatrixError};
pub use observation::{
    Observation, ObservationError, ObservedSerial, behavioural_diff, read_observations, write_observations,
    write_xml,
};
pub use options::{Blocking, Criterion, Options, Search};
pub use page::{Subject, summary_text};
pub use serial::{Fate, Nondeterminism, NotSerial, SerialHistories, Step};
pub use slot::{Lane, Slot};
pub use specification::{Specification, SpecificationError};
pub use verdict::{Checked, Phase, Undecided, Verdict, Violation, Why};
pub use witness::{StuckCall, Witnesses};
pub use words::Words;
