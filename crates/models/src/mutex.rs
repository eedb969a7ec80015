//! A lock that one holds at a time.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

use crate::describe::Seen;
use crate::keys::whole;

/// A mutual exclusion lock, not reentrant.
#[derive(Clone, Debug, Default)]
pub struct Mutex {
    /// Whether only the thread that acquired the lock may release it.
    pub owned: bool,
}

/// An operation on a [`Mutex`]. The owner is nil where the lock does not care who holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MutexOp {
    /// The owner tried to get the lock.
    Acquire {
        /// Who holds the lock afterwards.
        owner: Value,
        /// Whether the lock was free; `None` where the result was not seen.
        acquired: Option<bool>,
    },
    /// The owner gave the lock back.
    Release {
        /// Who held the lock.
        owner: Value,
    },
    /// Whether somebody holds the lock; `None` where the result was not seen.
    IsHeld(Option<bool>),
}

impl MutexOp {
    fn may_acquire(&self) -> bool {
        matches!(
            self,
            Self::Acquire {
                acquired: None | Some(true),
                ..
            }
        )
    }
}

impl Model for Mutex {
    /// Who holds the lock.
    type State = Option<Value>;
    type Op = MutexOp;

    fn initial(&self) -> Vec<Option<Value>> {
        vec![None]
    }

    fn step(&self, holder: &Option<Value>, op: &MutexOp, outcomes: &mut Outcomes<Option<Value>>) {
        match (op, holder) {
            (
                MutexOp::Acquire {
                    acquired: Some(true), ..
                },
                Some(_),
            ) => {
                outcomes.refuse(|| format!("acquired the lock, but it is {}", self.describe_state(holder)));
            }
            (
                MutexOp::Acquire {
                    acquired: Some(false),
                    ..
                },
                None,
            ) => {
                outcomes.refuse(|| "could not acquire the lock, but it is free".to_owned());
            }
            (MutexOp::Acquire { owner, .. }, None) => outcomes.accept(Some(owner.clone())),
            (MutexOp::Acquire { .. }, Some(_)) => outcomes.accept(holder.clone()),
            (MutexOp::Release { owner }, Some(held_by)) if owner == held_by => outcomes.accept(None),
            (MutexOp::Release { .. }, _) => outcomes.refuse(|| {
                format!(
                    "{}, but it is {}",
                    self.describe_op(op),
                    self.describe_state(holder)
                )
            }),
            (MutexOp::IsHeld(Some(seen)), _) if *seen != holder.is_some() => outcomes.refuse(|| {
                format!(
                    "{}, but it is {}",
                    self.describe_op(op),
                    self.describe_state(holder)
                )
            }),
            (MutexOp::IsHeld(_), _) => outcomes.accept(holder.clone()),
        }
    }

    fn is_pure(&self, op: &MutexOp) -> bool {
        matches!(
            op,
            MutexOp::Acquire {
                acquired: Some(false),
                ..
            } | MutexOp::IsHeld(_)
        )
    }

    fn footprint(&self, op: &MutexOp) -> Footprint {
        match op {
            MutexOp::IsHeld(None) => Footprint::reads(Keys::none()),
            _ if self.is_pure(op) => Footprint::reads(whole()),
            _ => Footprint::updates(whole()),
        }
    }

    /// Whoever needs the lock to be free waits for its present holder to release it, who is the first to do so. Whoever
    /// needs it to be held waits for somebody to acquire it, and a release waits for its own owner to.
    fn may_enable(&self, holder: &Option<Value>, refused: &MutexOp, helper: &MutexOp) -> bool {
        let frees =
            || matches!((helper, holder), (MutexOp::Release { owner }, Some(held_by)) if owner == held_by);
        match refused {
            MutexOp::Acquire {
                acquired: Some(true), ..
            }
            | MutexOp::IsHeld(Some(false)) => frees(),
            MutexOp::Acquire {
                acquired: Some(false),
                ..
            }
            | MutexOp::IsHeld(Some(true)) => helper.may_acquire(),
            MutexOp::Release { owner } => {
                helper.may_acquire()
                    && matches!(helper, MutexOp::Acquire { owner: next, .. } if next == owner)
            }
            MutexOp::Acquire { acquired: None, .. } | MutexOp::IsHeld(None) => false,
        }
    }

    fn describe_state(&self, holder: &Option<Value>) -> String {
        match holder {
            Some(owner) if self.owned => format!("held by {owner}"),
            Some(_) => "held".to_owned(),
            None => "free".to_owned(),
        }
    }

    fn describe_op(&self, op: &MutexOp) -> String {
        let by = |owner: &Value| {
            if self.owned {
                owner.to_string()
            } else {
                String::new()
            }
        };
        match op {
            MutexOp::Acquire { owner, acquired } => format!("acquire({}) = {}", by(owner), Seen(acquired)),
            MutexOp::Release { owner } => format!("release({})", by(owner)),
            MutexOp::IsHeld(held) => format!("is_held() = {}", Seen(held)),
        }
    }
}
