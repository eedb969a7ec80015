//! Our own checker, from file to verdict, streaming.

use std::path::Path;

use omnilink_engine::{CheckOutcome, Checker, Components, Options, Partitioning, Progress, TimedOp};
use omnilink_models::Decode;
use omnilink_trace::{OpenOptions, Trace};
use omnilink_value::Value;

/// Every operation of a trace that happened, decoded for `model`.
///
/// # Panics
/// If the input is not what the benchmark made it: a benchmark has no error to return.
pub fn operations<M: Decode>(model: &M, path: &Path) -> impl Iterator<Item = TimedOp<M::Op>> {
    let trace = Trace::open(path, &OpenOptions::default()).expect("a readable input");
    let mut threads: Vec<Value> = Vec::new();
    trace.flat_map(move |operation| {
        let operation = operation.expect("a valid trace");
        let thread = threads
            .iter()
            .position(|thread| *thread == operation.thread)
            .unwrap_or_else(|| {
                threads.push(operation.thread.clone());
                threads.len() - 1
            });
        let decoded = model.decode(&operation).expect("operations of the model");
        decoded.timed(thread as u32, operation.timebox)
    })
}

/// Checks the trace as the command line does: as a stream, and once more if partitions turn out to be connected.
///
/// # Panics
/// If the input is not what the benchmark made it.
pub fn check_file<M: Decode>(model: &M, path: &Path, options: Options) -> CheckOutcome {
    let mut partitioning = Partitioning::PerKey;
    loop {
        let mut checker = Checker::with_partitioning(model, options, partitioning);
        let mut spans = false;
        for operation in operations(model, path) {
            match checker.push(operation).expect("operations in order") {
                Progress::Going => {}
                Progress::Decided => break,
                Progress::Spans => {
                    spans = true;
                    break;
                }
            }
        }
        if !spans {
            return checker.finish().expect("a verdict");
        }
        let mut components = Components::default();
        for operation in operations(model, path) {
            components.observe(&model.footprint(&operation.op));
            if components.is_settled() {
                break;
            }
        }
        partitioning = components.into_partitioning();
    }
}
