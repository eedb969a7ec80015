//! Checking a trace file with a model by name, as the command line does.

use std::collections::HashMap;
use std::path::Path;

use omnilink_engine::{Operation, Options, Outcome, check};
use omnilink_models::{Decoded, Shipped, Visitor, with_model};
use omnilink_trace::{OpenOptions, Timebox, Trace};

/// What equal times mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Nothing, as in all our traces: operations that touch overlap.
    AsWritten,
    /// What returned at an instant came before what was called at it, as the labels of the fastlin test cases have it.
    ReturnsFirst,
}

/// What becomes of the trace at `path` under the model that `spec` asks for.
pub fn check_file(spec: &str, path: &Path, reading: Reading) -> Result<Outcome, String> {
    let trace = Trace::open(path, &OpenOptions::default()).map_err(|error| error.to_string())?;
    with_model(spec, Check(trace, reading)).map_err(|error| error.to_string())?
}

/// What becomes of a trace in memory.
pub fn check_text(spec: &str, text: &str) -> Result<Outcome, String> {
    let bytes = text.as_bytes().to_vec();
    let trace =
        Trace::from_bytes("text", bytes, &OpenOptions::default()).map_err(|error| error.to_string())?;
    with_model(spec, Check(trace, Reading::AsWritten)).map_err(|error| error.to_string())?
}

impl Reading {
    fn timebox(self, Timebox { start, end }: Timebox) -> Timebox {
        match self {
            Self::AsWritten => Timebox { start, end },
            Self::ReturnsFirst => Timebox {
                start: 2 * start + 1,
                end: end.map(|end| (2 * end).max(2 * start + 1)),
            },
        }
    }
}

struct Check(Trace, Reading);

impl Visitor for Check {
    type Output = Result<Outcome, String>;

    fn visit<M: Shipped>(self, model: M) -> Self::Output {
        let mut threads = HashMap::new();
        let mut history = Vec::new();
        for operation in self.0 {
            let operation = operation.map_err(|error| error.to_string())?;
            let next = threads.len() as u32;
            let thread = *threads.entry(operation.thread.clone()).or_insert(next);
            match model.decode(&operation).map_err(|error| error.to_string())? {
                Decoded::Op(op) => {
                    history.push(Operation::new(thread, op, self.1.timebox(operation.timebox)))
                }
                Decoded::DidNotHappen => {}
            }
        }
        check(&model, history, Options::default()).map_err(|error| error.to_string())
    }
}
