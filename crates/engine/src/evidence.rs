//! The outcome of a check: its conclusion, and what the search cost.

use omnilink_evidence::Decider;

pub use omnilink_evidence::Conclusion;

/// The outcome of a check.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// Does some behaviour of the model explain the history?
    pub conclusion: Conclusion,
    /// What the search cost.
    pub figures: SearchFigures,
}

/// What a search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchFigures {
    /// Operations given.
    pub operations: u64,
    /// Of these, pending ones.
    pub pending: u64,
    /// Configurations explored.
    pub configurations: u64,
    /// The most configurations alive after a return.
    pub frontier_max: u64,
    /// Configurations alive after a return, summed over returns.
    pub frontier_sum: u64,
    /// Returns processed by the sweep.
    pub returns: u64,
    /// Steps that the model computed.
    pub model_steps: u64,
    /// Parts of the history that were checked independently.
    pub partitions: u64,
    /// The search that decided.
    pub decider: Option<Decider>,
}

impl SearchFigures {
    /// Configurations alive after a return, on average.
    pub fn frontier_mean(&self) -> f64 {
        match self.returns {
            0 => 0.0,
            returns => self.frontier_sum as f64 / returns as f64,
        }
    }
}

impl From<&CheckOutcome> for omnilink_evidence::Figures {
    fn from(outcome: &CheckOutcome) -> Self {
        let figures = &outcome.figures;
        let is_decided = !matches!(outcome.conclusion, Conclusion::Unknown(_));
        Self {
            ops: figures.operations,
            pending: figures.pending,
            configurations: Some(figures.configurations),
            frontier_max: Some(figures.frontier_max),
            frontier_mean: Some(figures.frontier_mean()),
            model_steps: Some(figures.model_steps),
            partitions: Some(figures.partitions),
            decided_by: figures.decider.filter(|_| is_decided),
            replayed: match &outcome.conclusion {
                Conclusion::Valid(linearization) => Some(linearization.replayed),
                Conclusion::Violation(_) | Conclusion::Unknown(_) => None,
            },
            ..Self::default()
        }
    }
}
