//! A mutual exclusion lock.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::Known;
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::whole;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};

/// A mutual exclusion lock, not reentrant.
#[derive(Clone, Debug, Default)]
pub struct Mutex {
    /// Whether only the thread that acquired the lock may release it.
    pub owned: bool,
}

/// An operation on a [`Mutex`]. The owner is nil if the lock has no owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MutexOp {
    /// The owner tried to acquire the lock.
    Acquire {
        /// The holder of the lock afterwards.
        owner: Value,
        /// Whether the lock was free; `None` if the result is unknown.
        acquired: Option<bool>,
    },
    /// The owner released the lock.
    Release {
        /// The holder of the lock before.
        owner: Value,
    },
    /// Whether the lock is held; `None` if the result is unknown.
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
    /// The holder of the lock.
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

    /// An operation that needs the lock to be free needs its current holder to release it: no other release can come first.
    /// An operation that needs it to be held needs an acquire, and a release needs an acquire by its own owner.
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
            MutexOp::Acquire { owner, acquired } => format!("acquire({}) = {}", by(owner), Known(acquired)),
            MutexOp::Release { owner } => format!("release({})", by(owner)),
            MutexOp::IsHeld(held) => format!("is_held() = {}", Known(held)),
        }
    }
}

impl Decode for Mutex {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "mutex",
        summary: "A lock that one holds at a time.",
        ops: operations! {
            "acquire" | "lock": () -> "false if it was not acquired", "the lock was free and is now held";
            "try-acquire" | "try-lock": () -> "true or false", "the lock is now held, if it was free";
            "release" | "unlock": (), "the lock was held and is now free";
            "is-held" | "is-locked" | "locked": () -> "true or false", "whether the lock is held";
        },
        options: &[OptionEntry {
            name: "owned",
            values: "yes or no",
            default: "no",
            meaning: "whether only the thread that acquired the lock may release it",
        }],
        example: r#"{"thread":0,"op":"acquire","start":0,"end":4}
{"thread":1,"op":"acquire","start":2,"end":9}
{"thread":0,"op":"release","start":6,"end":8}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<MutexOp, DecodeError> {
        let owner = if self.owned {
            call.operation().thread.clone()
        } else {
            Value::null()
        };
        match call.op() {
            "acquire" => {
                // A blocking acquire has no result: it holds the lock when it returns.
                let acquired = call.bool_or_nothing(Some(true), &["acquired"], 0)?.or(Some(true));
                Ok(MutexOp::Acquire { owner, acquired })
            }
            "try-acquire" => Ok(MutexOp::Acquire {
                owner,
                acquired: call.bool_result(&["acquired"], 0)?,
            }),
            "release" => {
                call.check_acknowledged(0)?;
                Ok(MutexOp::Release { owner })
            }
            _ => Ok(MutexOp::IsHeld(call.bool_result(&["held"], 0)?)),
        }
    }
}

impl NativeModel for Mutex {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            owned: options.switch("owned")?,
        })
    }
}
