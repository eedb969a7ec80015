//! Whether a second, simpler search agrees that there is a violation.

use serde::Serialize;

/// Whether a second search, which shares no reduction and no cache with the first, agrees that there is a violation. In JSON,
/// `outcome` names the variant.
///
/// There is no variant for a search that disagrees: that is an internal error, and no violation is reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Confirmation {
    /// It agrees.
    Confirmed {
        /// What decided again and from where, in a few words that follow "confirmed by".
        search: String,
        /// How many configurations, states or facts it looked at.
        configurations: u64,
    },
    /// It came to no answer.
    NotConfirmed {
        /// Why, in a clause that follows "not confirmed:".
        reason: String,
    },
}

impl Confirmation {
    /// Whether the second search agrees.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Self::Confirmed { .. })
    }
}
