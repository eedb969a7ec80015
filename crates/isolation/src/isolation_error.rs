//! Why there is no verdict about transactions.

use omnilink_history::HistoryError;
use thiserror::Error;

use crate::transaction_error::TransactionError;

/// Why there is no verdict. All of these are errors of the user, exit code 2.
#[derive(Debug, Error)]
pub enum IsolationError {
    /// The history cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The transactions are malformed.
    #[error(transparent)]
    Transactions(#[from] TransactionError),
}
