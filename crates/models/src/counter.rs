//! A counter.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};

use crate::describe::Seen;
use crate::keys::whole;

/// A counter of 64 bits that does not wrap around.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// What it counts from.
    pub initial: i64,
}

/// An operation on a [`Counter`]. Results that were not seen are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CounterOp {
    /// Adds a number.
    Add {
        /// What is added; negative to subtract.
        amount: i64,
        /// What the counter held before.
        before: Option<i64>,
    },
    /// What the counter holds.
    Read(Option<i64>),
}

impl Model for Counter {
    type State = i64;
    type Op = CounterOp;

    fn initial(&self) -> Vec<i64> {
        vec![self.initial]
    }

    fn step(&self, count: &i64, op: &CounterOp, outcomes: &mut Outcomes<i64>) {
        match op {
            CounterOp::Add {
                before: Some(seen), ..
            }
            | CounterOp::Read(Some(seen))
                if seen != count =>
            {
                outcomes.refuse(|| format!("{}, but the counter holds {count}", self.describe_op(op)));
            }
            CounterOp::Add { amount, .. } => match count.checked_add(*amount) {
                Some(sum) => outcomes.accept(sum),
                None => outcomes.refuse(|| format!("{count} plus {amount} does not fit into 64 bits")),
            },
            CounterOp::Read(_) => outcomes.accept(*count),
        }
    }

    fn is_pure(&self, op: &CounterOp) -> bool {
        matches!(op, CounterOp::Add { amount: 0, .. } | CounterOp::Read(_))
    }

    fn footprint(&self, op: &CounterOp) -> Footprint {
        match op {
            CounterOp::Read(None) => Footprint::reads(Keys::none()),
            _ if self.is_pure(op) => Footprint::reads(whole()),
            _ => Footprint::updates(whole()),
        }
    }

    /// What waits for a greater count waits for some operation that adds, what waits for a lesser one for one that
    /// subtracts. An addition that would overflow waits for the count to come nearer to zero.
    fn may_enable(&self, count: &i64, refused: &CounterOp, helper: &CounterOp) -> bool {
        let CounterOp::Add { amount: change, .. } = helper else {
            return false;
        };
        let wanted = match refused {
            CounterOp::Read(seen) => *seen,
            CounterOp::Add {
                before: Some(seen), ..
            } if seen != count => Some(*seen),
            CounterOp::Add { amount, .. } => return amount.signum() == -change.signum(),
        };
        wanted.is_some_and(|wanted| wanted.cmp(count) == change.cmp(&0))
    }

    fn describe_state(&self, count: &i64) -> String {
        count.to_string()
    }

    fn describe_op(&self, op: &CounterOp) -> String {
        match op {
            CounterOp::Add { amount, before: None } => format!("add({amount})"),
            CounterOp::Add {
                amount,
                before: Some(before),
            } => format!("fetch_add({amount}) = {before}"),
            CounterOp::Read(count) => format!("read() = {}", Seen(count)),
        }
    }
}
