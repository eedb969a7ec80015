//! A violation of a weak level is decided again, by the definition, before it is reported.

mod least_visibility;
mod plain_search;

use omnilink_engine::{Limits, Model, PlainSearch, PlainVerdict, TimedOp, explain_program_order};
use omnilink_evidence::Confirmation;
use omnilink_history::{OpSet, Order};
use omnilink_sorting::sort_by_key;

use self::plain_search::PlainAnswer;
use crate::criterion::{Criterion, Ret};
use crate::guarantee::Guarantee;
use crate::history::{History, HistoryOp};
use crate::level::ConsistencyLevel;
use crate::long_check::LongViolation;
use crate::long_history::HappensBefore;
use crate::long_history::LongHistory;
use crate::weak_error::WeakError;

/// At most this many visibilities of single operations, or steps, are tried.
const TRIES_MAX: u64 = 1 << 18;

/// Decides again that nothing explains a history.
///
/// # Errors
/// If something does.
pub fn confirm<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    ret: Ret,
) -> Result<Confirmation, WeakError> {
    let all: Vec<usize> = (0..history.len()).collect();
    if ret == Ret::Own
        && let Some(is_refuted) = least_visibility::refute(model, history.ops(), &all, history, criterion)
    {
        return if is_refuted {
            Ok(by_axioms(all.len(), all.len()))
        } else {
            Err(contradicted("the least visibility that the axioms demand is one"))
        };
    }
    match plain_search::search(model, history, criterion, ret, TRIES_MAX) {
        PlainAnswer::Refuted(configurations) => Ok(Confirmation::Confirmed {
            search: format!(
                "trying every order of {} operations, with every visibility",
                history.len()
            ),
            configurations,
        }),
        PlainAnswer::Explained(order) => Err(contradicted(&format!(
            "the order {order:?} of its operations is one"
        ))),
        PlainAnswer::Unfinished => Ok(Confirmation::NotConfirmed {
            reason: format!(
                "{} operations have more than {TRIES_MAX} orders and visibilities",
                history.len()
            ),
        }),
    }
}

impl<O: Clone> LongHistory<O> {
    /// Decides a violation of this history again.
    ///
    /// # Errors
    /// If there is an explanation, or the guarantee cannot be used.
    pub fn confirm<M: Model<Op = O>>(
        &self,
        model: &M,
        guarantee: &Guarantee,
        criterion: &Criterion,
        violation: &LongViolation,
    ) -> Result<Confirmation, WeakError> {
        match violation {
            LongViolation::Unexplained(_) => self.confirm_by_order(model, guarantee),
            LongViolation::Anomaly { ops, .. } => {
                let by_part = self.confirm_part(model, criterion, ops);
                if by_part.is_confirmed() || self.ops.len() > OpSet::CAPACITY {
                    return Ok(by_part);
                }
                let all: Vec<usize> = (0..self.ops.len()).collect();
                Ok(self.confirm_part(model, criterion, &all))
            }
        }
    }

    /// Decides some operations of a history of registers again.
    fn confirm_part<M: Model<Op = O>>(
        &self,
        model: &M,
        criterion: &Criterion,
        ops: &[usize],
    ) -> Confirmation {
        let not_confirmed = |reason: &str| Confirmation::NotConfirmed {
            reason: reason.to_owned(),
        };
        if ops.len() > OpSet::CAPACITY {
            return not_confirmed(
                "the contradiction goes through more operations than are decided by the axioms",
            );
        }
        let Some(history) = self.part(ops) else {
            return not_confirmed("the operations of the contradiction have no order of their own");
        };
        match least_visibility::refute(model, &self.ops, ops, &history, criterion) {
            Some(true) => by_axioms(ops.len(), self.ops.len()),
            _ => not_confirmed("the operations of the contradiction alone do not show it"),
        }
    }

    /// Some operations with the order that is recorded between them.
    fn part(&self, ops: &[usize]) -> Option<History<O>> {
        let kept: Vec<HistoryOp<O>> = ops.iter().map(|op| self.ops[*op].clone()).collect();
        let timeboxes: Vec<_> = ops.iter().map(|op| self.timeboxes[*op]).collect();
        match &self.happens_before {
            HappensBefore::RealTime => History::from_timeboxes(kept, &timeboxes).ok(),
            HappensBefore::AsyncRealTime => History::from_async_timeboxes(kept, &timeboxes).ok(),
            HappensBefore::Pairs(pairs) => {
                let place = |op: usize| ops.iter().position(|kept| *kept == op);
                let between = pairs
                    .iter()
                    .filter_map(|(first, second)| Some((place(*first)?, place(*second)?)));
                History::new(kept, &Order::from_pairs(ops.len(), between).ok()?).ok()
            }
        }
    }

    /// Tries every order of a history that is not linearizable, or not sequentially consistent.
    fn confirm_by_order<M: Model<Op = O>>(
        &self,
        model: &M,
        guarantee: &Guarantee,
    ) -> Result<Confirmation, WeakError> {
        let mut by_start: Vec<usize> = (0..self.ops.len()).collect();
        sort_by_key(&mut by_start, |op| self.timeboxes[*op].start);
        let operations: Vec<TimedOp<O>> = by_start.iter().map(|op| self.timed(*op)).collect();
        let is_async = self.happens_before == HappensBefore::AsyncRealTime;
        let limits = Limits {
            configurations: Some(TRIES_MAX),
            ..Limits::default()
        };
        let is_real_time = !matches!(self.happens_before, HappensBefore::Pairs(_))
            && *guarantee == Guarantee::Level(ConsistencyLevel::Linearizable);
        let count = operations.len();
        let (verdict, configurations) = if is_real_time {
            let mut search = PlainSearch::new(model, is_async, limits);
            for (number, operation) in (0..).zip(operations) {
                if !search.push(number, operation) {
                    break;
                }
            }
            let configurations = search.configurations;
            (search.finish(), configurations)
        } else {
            explain_program_order(model, model.plain_initial(), &operations, is_async, limits)
        };
        match verdict {
            PlainVerdict::Refuted(_) => Ok(Confirmation::Confirmed {
                search: format!("trying every order of {count} operations"),
                configurations,
            }),
            PlainVerdict::Explained => Err(contradicted("a plain search finds one")),
            PlainVerdict::Limit(_) => Ok(Confirmation::NotConfirmed {
                reason: format!("trying every order of {count} operations takes more than {TRIES_MAX} steps"),
            }),
            PlainVerdict::Failed(reason) | PlainVerdict::Exceeded(reason) => {
                Ok(Confirmation::NotConfirmed { reason })
            }
        }
    }
}

fn by_axioms(part: usize, all: usize) -> Confirmation {
    let of = if part == all {
        String::new()
    } else {
        format!(" of {all}")
    };
    Confirmation::Confirmed {
        search: format!("what the axioms make visible among {part}{of} operations"),
        configurations: 1,
    }
}

fn contradicted(what: &str) -> WeakError {
    WeakError::Contradicted(format!(
        "no explanation was found, and {what}; the history itself reproduces it"
    ))
}
