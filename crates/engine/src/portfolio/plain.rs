//! A check by the definition of the model in every order, for those who want to be sure.

use omnilink_evidence::{Decider, Limit, ReportedOperation};

use super::{Portfolio, is_interrupted};
use crate::checker::Start;
use crate::evidence::{CheckOutcome, SearchFigures};
use crate::history_source::{EarlyEnd, HistoryReading, HistorySource};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Consistency, Options};
use crate::plain_program_order::explain_program_order;
use crate::plain_search::{PlainSearch, PlainVerdict};

impl<M: Model> Portfolio<'_, M> {
    /// Decides the history by trying every order, by the definition of the model.
    pub(super) fn check_plainly(&self) -> Result<CheckOutcome, EarlyEnd> {
        let Options {
            consistency,
            async_threads,
            limits,
            ..
        } = self.options;
        let initial = match &self.start {
            Start::Initial => self.model.plain_initial(),
            Start::From(states) => states.clone(),
        };
        let mut reading = self.source.open_for_search()?;
        let mut figures = SearchFigures {
            frontier_max: 1,
            decider: Some(Decider::Plain),
            partitions: 1,
            ..SearchFigures::default()
        };
        let mut count = |operation: &TimedOp<M::Op>| {
            figures.operations += 1;
            figures.pending += u64::from(operation.timebox.is_pending());
        };
        let verdict = match consistency {
            Consistency::Linearizable => {
                let frontier = initial.into_iter().map(|state| (state, Vec::new()));
                let mut search =
                    PlainSearch::starting_from(self.model, Vec::new(), frontier, async_threads, limits);
                let mut interrupted = false;
                for id in 0.. {
                    let operation = match reading.next() {
                        Ok(Some(operation)) => operation,
                        Ok(None) => break,
                        // A reader that waited for more was woken up.
                        Err(_) if is_interrupted(&limits) => {
                            interrupted = true;
                            break;
                        }
                        Err(error) => return Err(error),
                    };
                    count(&operation);
                    if !search.push(id, operation) {
                        break;
                    }
                }
                let verdict = if interrupted {
                    PlainVerdict::Limit(Limit::Interrupt)
                } else {
                    search.finish()
                };
                figures.configurations = search.configurations;
                figures.frontier_max = search.frontier_max;
                verdict
            }
            Consistency::Sequential => {
                let mut operations = Vec::new();
                while let Some(operation) = reading.next()? {
                    count(&operation);
                    operations.push(operation);
                }
                let (verdict, configurations) =
                    explain_program_order(self.model, initial, &operations, async_threads, limits);
                figures.configurations = configurations;
                verdict
            }
        };
        reading.close(false)?;
        let refuted = match verdict {
            PlainVerdict::Refuted(id) => self.shown_at(id)?,
            _ => None,
        };
        let conclusion = verdict.into_conclusion(|id| {
            refuted.unwrap_or_else(|| {
                ReportedOperation::timed(id, 0, "(it cannot be read again)".to_owned(), 0, None)
            })
        })?;
        Ok(CheckOutcome { conclusion, figures })
    }

    /// The operation with a number.
    fn shown_at(&self, id: u64) -> Result<Option<ReportedOperation>, EarlyEnd> {
        let mut reading = self.source.open()?;
        for _ in 0..id {
            reading.next()?;
        }
        let operation = reading.next()?;
        Ok(operation.map(|operation| operation.shown(id, self.model.describe_op(&operation.op))))
    }
}
