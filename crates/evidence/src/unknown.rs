//! How far a check got before a limit.

use serde::Serialize;

use crate::alternative::Alternative;
use crate::limit::Limit;
use crate::operation::ReportedOperation;

/// Why there is no answer, and how far the check got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// The limit that was reached.
    pub limit: Limit,
    /// More about it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the input was not read to its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// How many operations had returned and were explained.
    pub explained: u64,
    /// Their ids in the longest order that was found, where one was kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<u64>,
    /// The return at which the search stopped, if it was at one.
    pub at: Option<ReportedOperation>,
    /// How many configurations were alive there.
    pub frontier: u64,
    /// Some of them.
    pub alternatives: Vec<Alternative>,
}

impl Unknown {
    /// A check that reached a limit before anything was explained.
    pub fn limited(limit: Limit) -> Self {
        Self {
            limit,
            reason: None,
            unread: false,
            explained: 0,
            order: Vec::new(),
            at: None,
            frontier: 0,
            alternatives: Vec::new(),
        }
    }

    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        self.at.iter_mut().for_each(&mut *visit);
        for alternative in &mut self.alternatives {
            alternative.visit_operations(visit);
        }
    }
}
