//! Transactions that are grouped while their trace is read, so that its operations need not be kept: they take most of the memory.

use omnilink_engine::Limits;
use omnilink_evidence::Evidence;
use omnilink_history::Budget;
use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::check::{check_transactions_and_confirm, survey_transactions};
use crate::check_recorded::{evidence_of, evidence_of_survey};
use crate::grouping::Grouping;
use crate::initial_values::InitialValues;
use crate::isolation_error::IsolationError;
use crate::level::Isolation;
use crate::told_history::{EachOperation, ToldHistory};
use crate::transaction::{Extent, Transactions};
use crate::transaction_error::TransactionError;

/// What orders operations otherwise than their times, or names them: a history with these is recorded as a whole.
const RECORDED_FIELDS: [&str; 4] = ["id", "after", "call_pcs", "return_clock"];

/// The transactions of a trace, as far as it is read.
pub struct TransactionTrace {
    name: String,
    grouping: Grouping,
    ops: u64,
    /// Whether every operation so far had a vector clock.
    has_clocks: bool,
}

impl std::fmt::Debug for TransactionTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransactionTrace")
            .field("name", &self.name)
            .field("ops", &self.ops)
            .finish_non_exhaustive()
    }
}

impl TransactionTrace {
    /// Of a trace of which nothing is read yet. Messages call it `name`.
    pub fn new(name: &str, initial: InitialValues) -> Self {
        Self {
            name: name.to_owned(),
            grouping: Grouping::new(initial),
            ops: 0,
            has_clocks: true,
        }
    }

    /// Whether an operation says things about the order for which a history has to be recorded as a whole
    /// ([`RecordedHistory`](omnilink_history::RecordedHistory)).
    pub fn is_beyond(operation: &Operation) -> bool {
        let Some(meta) = &operation.meta else { return false };
        RECORDED_FIELDS.iter().any(|field| meta.field(field).is_some())
    }

    /// Takes the next operation.
    ///
    /// # Errors
    /// If it is no read or write of a key in a transaction.
    pub fn take(&mut self, operation: &Operation) -> Result<(), IsolationError> {
        let is_count = |(_, count): (&str, &Value)| count.as_int().is_some();
        let clock = operation.clock.as_ref().and_then(Value::as_record);
        self.has_clocks &= clock.is_some_and(|counts| counts.iter().all(is_count));
        let group = operation.meta.as_ref().and_then(|meta| meta.field("txn"));
        let label = self.ops.to_string();
        self.grouping.take(operation, &label, group)?;
        self.ops += 1;
        Ok(())
    }

    /// How many operations were read.
    pub fn ops(&self) -> u64 {
        self.ops
    }

    /// Checks the transactions. `each` goes through the operations once more, if there is something to tell.
    ///
    /// # Errors
    /// If the operations are no reads and writes of keys.
    pub fn check(
        self,
        isolation: Isolation,
        limits: Limits,
        each: &EachOperation<'_>,
    ) -> Result<Evidence, IsolationError> {
        let (transactions, told) = self.finished(each)?;
        let answer =
            check_transactions_and_confirm(transactions, &told, isolation, &mut Budget::new(limits))?;
        Ok(evidence_of(&told.name, told.ops, isolation, answer))
    }

    /// Decides every level. `each` goes through the operations once more, if there is something to tell.
    ///
    /// # Errors
    /// If the operations are no reads and writes of keys.
    pub fn infer(self, limits: Limits, each: &EachOperation<'_>) -> Result<Evidence, IsolationError> {
        let (mut transactions, told) = self.finished(each)?;
        let notes = std::mem::take(&mut transactions.notes);
        let findings = survey_transactions(&transactions, &told, &mut Budget::new(limits))?;
        Ok(evidence_of_survey(&told.name, told.ops, Ok((findings, notes))))
    }

    fn finished<'e>(
        self,
        each: &'e EachOperation<'e>,
    ) -> Result<(Transactions, ToldHistory<'e>), TransactionError> {
        let is_timed = !self.has_clocks;
        let transactions = Transactions::of_grouping(self.grouping, Extent::Whole, is_timed)?;
        let told = ToldHistory {
            name: self.name,
            ops: self.ops,
            is_timed,
            each,
        };
        Ok((transactions, told))
    }
}
