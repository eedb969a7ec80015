//! Checking a trace file with a model by name, as the command line does.

use std::collections::HashMap;
use std::path::Path;

use omnilink_engine::{CheckOutcome, Options, check};
use omnilink_models::{NativeModel, Visitor, with_model};
use omnilink_trace::{OpenOptions, Trace};

/// What becomes of the trace at `path` under the model that `spec` asks for.
pub fn check_file(spec: &str, path: &Path) -> Result<CheckOutcome, String> {
    let trace = Trace::open(path, &OpenOptions::default()).map_err(|error| error.to_string())?;
    with_model(spec, Check(trace)).map_err(|error| error.to_string())?
}

/// What becomes of a trace in memory.
pub fn check_text(spec: &str, text: &str) -> Result<CheckOutcome, String> {
    let bytes = text.as_bytes().to_vec();
    let trace =
        Trace::from_bytes("text", bytes, &OpenOptions::default()).map_err(|error| error.to_string())?;
    with_model(spec, Check(trace)).map_err(|error| error.to_string())?
}

struct Check(Trace);

impl Visitor for Check {
    type Output = Result<CheckOutcome, String>;

    fn visit<M: NativeModel>(self, model: M) -> Self::Output {
        let mut threads = HashMap::new();
        let mut history = Vec::new();
        for operation in self.0 {
            let operation = operation.map_err(|error| error.to_string())?;
            let next = threads.len() as u32;
            let thread = *threads.entry(operation.thread.clone()).or_insert(next);
            let decoded = model.decode(&operation).map_err(|error| error.to_string())?;
            history.extend(decoded.timed(thread, operation.timebox));
        }
        check(&model, history, Options::default()).map_err(|error| error.to_string())
    }
}
