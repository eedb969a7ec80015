//! The size of an input and the cost of its check.

use serde::Serialize;

/// The size of an input and the cost of its check. What is not known or does not apply is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Operations taken. A violation is often known before the end of the input.
    pub ops: u64,
    /// Of these, operations that never returned.
    pub pending: u64,
    /// Operations left out because the system itself reported that they failed.
    pub aborted: u64,
    /// Threads of the history; for explorations, workers.
    pub threads: Option<u64>,
    /// Wall-clock time of the whole check.
    pub seconds: f64,
    /// The peak memory of the process, where the system reports it.
    pub peak_bytes: Option<u64>,
    /// Configurations explored; for explorations, distinct states.
    pub configurations: Option<u64>,
    /// The most configurations alive after a return; for explorations, the most states that waited.
    pub frontier_max: Option<u64>,
    /// Configurations alive after a return, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontier_mean: Option<f64>,
    /// Sets of operations that were tried as what an operation sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibilities: Option<u64>,
    /// Steps that the model computed.
    pub model_steps: Option<u64>,
    /// Parts of the history that were checked independently.
    pub partitions: Option<u64>,
    /// The search that decided.
    pub decided_by: Option<Decider>,
    /// Steps of the witness that were replayed through the model, outside the search.
    pub replayed: Option<u64>,
}

impl Figures {
    /// Adds the figures of a check of another part of the same input.
    pub fn add(&mut self, other: &Self) {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        self.ops += other.ops;
        self.pending += other.pending;
        self.aborted += other.aborted;
        self.seconds += other.seconds;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.threads = self.threads.max(other.threads);
        self.configurations = sum(self.configurations, other.configurations);
        self.frontier_max = self.frontier_max.max(other.frontier_max);
        self.frontier_mean = None;
        self.visibilities = sum(self.visibilities, other.visibilities);
        self.model_steps = sum(self.model_steps, other.model_steps);
        self.partitions = sum(self.partitions, other.partitions);
        self.replayed = sum(self.replayed, other.replayed);
    }
}

/// The search that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// The event sweep.
    Sweep,
    /// Depth-first search.
    DepthFirst,
    /// Search over program order, for sequential consistency.
    ProgramOrder,
    /// A near-linear monitor for collections.
    Monitor,
    /// Every order, by the definition of the model.
    Plain,
}
