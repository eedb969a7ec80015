//! What became of a history that was checked for less than linearizability.
//!
//! A witness here is an order *and* who sees what, so it gets pages of its own. What everybody sees is not worth a word:
//! the text tells what operations do **not** see of those before them, the JSON tells what they see.

mod json;
mod text;

use omnilink_consistency::{Judgement, ShownOp};

pub use text::weak_evidence;

/// How many threads there are.
fn thread_count(ops: &[ShownOp]) -> usize {
    let mut threads: Vec<&str> = ops.iter().map(|op| op.thread.as_str()).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.len()
}

/// What became of one history, or of many that were asked about together.
#[derive(Clone, Debug)]
pub struct WeakReport {
    /// What it was read from, as the user named it.
    pub input: String,
    /// The model with its options, or the specification.
    pub model: String,
    /// The answer with its evidence.
    pub judgement: Judgement,
    /// How long it took, all told.
    pub seconds: f64,
    /// The most memory that the process held, where the system tells.
    pub peak_bytes: Option<u64>,
    /// What a person should be told about the input.
    pub notes: Vec<String>,
}
