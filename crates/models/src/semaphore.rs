//! A counting semaphore.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};

use crate::describe::Seen;
use crate::keys::whole;

/// A semaphore: acquiring takes permits, releasing gives them back.
#[derive(Clone, Debug)]
pub struct Semaphore {
    /// How many permits there are before the first operation.
    pub permits: i64,
    /// How many permits there can be at most; `None` for any number. Releasing more than that is an error.
    pub capacity: Option<i64>,
}

/// An operation on a [`Semaphore`]. Results that were not seen are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreOp {
    /// Takes this many permits, all or none; whether there were enough.
    Acquire(i64, Option<bool>),
    /// Gives back this many permits.
    Release(i64),
    /// How many permits there are.
    Available(Option<i64>),
}

impl SemaphoreOp {
    fn may_take(&self) -> bool {
        matches!(self, Self::Acquire(permits, None | Some(true)) if *permits > 0)
    }

    fn may_give(&self) -> bool {
        matches!(self, Self::Release(permits) if *permits > 0)
    }
}

impl Semaphore {
    /// The permits after `more` have been given back, if they fit.
    fn released(&self, permits: i64, more: i64) -> Option<i64> {
        permits
            .checked_add(more)
            .filter(|sum| self.capacity.is_none_or(|capacity| *sum <= capacity))
    }
}

impl Model for Semaphore {
    /// How many permits there are.
    type State = i64;
    type Op = SemaphoreOp;

    fn initial(&self) -> Vec<i64> {
        vec![self.permits]
    }

    fn step(&self, permits: &i64, op: &SemaphoreOp, outcomes: &mut Outcomes<i64>) {
        match op {
            SemaphoreOp::Acquire(wanted, acquired) => {
                let enough = wanted <= permits;
                if acquired.is_some_and(|acquired| acquired != enough) {
                    outcomes
                        .refuse(|| format!("{}, but {permits} permits are available", self.describe_op(op)));
                } else {
                    outcomes.accept(if enough { permits - wanted } else { *permits });
                }
            }
            SemaphoreOp::Release(more) => match self.released(*permits, *more) {
                Some(sum) => outcomes.accept(sum),
                None => outcomes.refuse(|| {
                    let most = self.capacity.unwrap_or(i64::MAX);
                    format!("released {more}, but {permits} of at most {most} permits are available already")
                }),
            },
            SemaphoreOp::Available(Some(seen)) if seen != permits => {
                outcomes.refuse(|| format!("{seen} permits seen, but {permits} are available"));
            }
            SemaphoreOp::Available(_) => outcomes.accept(*permits),
        }
    }

    fn is_pure(&self, op: &SemaphoreOp) -> bool {
        match op {
            SemaphoreOp::Acquire(permits, acquired) => *permits == 0 || *acquired == Some(false),
            SemaphoreOp::Release(permits) => *permits == 0,
            SemaphoreOp::Available(_) => true,
        }
    }

    fn footprint(&self, op: &SemaphoreOp) -> Footprint {
        match op {
            SemaphoreOp::Available(None) => Footprint::reads(Keys::none()),
            _ if self.is_pure(op) => Footprint::reads(whole()),
            _ => Footprint::updates(whole()),
        }
    }

    /// What waits for more permits waits for some operation that gives, what waits for fewer for one that takes.
    fn may_enable(&self, permits: &i64, refused: &SemaphoreOp, helper: &SemaphoreOp) -> bool {
        match refused {
            SemaphoreOp::Acquire(_, Some(true)) => helper.may_give(),
            SemaphoreOp::Acquire(_, Some(false)) | SemaphoreOp::Release(_) => helper.may_take(),
            SemaphoreOp::Available(Some(seen)) if seen > permits => helper.may_give(),
            SemaphoreOp::Available(Some(_)) => helper.may_take(),
            SemaphoreOp::Acquire(_, None) | SemaphoreOp::Available(None) => false,
        }
    }

    fn describe_state(&self, permits: &i64) -> String {
        format!("{permits} permits")
    }

    fn describe_op(&self, op: &SemaphoreOp) -> String {
        match op {
            SemaphoreOp::Acquire(permits, acquired) => format!("acquire({permits}) = {}", Seen(acquired)),
            SemaphoreOp::Release(permits) => format!("release({permits})"),
            SemaphoreOp::Available(permits) => format!("available() = {}", Seen(permits)),
        }
    }
}
