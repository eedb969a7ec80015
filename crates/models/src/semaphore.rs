//! A counting semaphore.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::Known;
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::whole;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};

/// A semaphore: acquiring takes permits, releasing gives them back.
#[derive(Clone, Debug)]
pub struct Semaphore {
    /// The initial number of permits.
    pub permits: i64,
    /// The maximal number of permits, if there is one. Releasing more than that is an error.
    pub capacity: Option<i64>,
}

/// An operation on a [`Semaphore`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreOp {
    /// Takes permits, all or none; whether there were enough.
    Acquire(i64, Option<bool>),
    /// Gives permits back.
    Release(i64),
    /// The number of permits.
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
    /// The number of permits.
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
                None => match self.capacity {
                    Some(most) => outcomes.refuse(|| {
                        format!(
                            "released {more}, but {permits} of at most {most} permits are available already"
                        )
                    }),
                    None => {
                        outcomes.exceed(|| format!("{permits} plus {more} permits do not fit into 64 bits"));
                    }
                },
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

    /// More permits need an operation that gives, fewer permits one that takes.
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
            SemaphoreOp::Acquire(permits, acquired) => format!("acquire({permits}) = {}", Known(acquired)),
            SemaphoreOp::Release(permits) => format!("release({permits})"),
            SemaphoreOp::Available(permits) => format!("available() = {}", Known(permits)),
        }
    }
}

impl Decode for Semaphore {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "semaphore",
        summary: "A counting semaphore.",
        ops: operations! {
            "acquire" | "wait" | "down" | "p": ("permits (1 if not given)") -> "false if there were not enough",
                "takes permits, all or none";
            "try-acquire" | "try-wait": ("permits (1 if not given)") -> "true or false",
                "takes permits, if there are enough";
            "release" | "signal" | "post" | "up" | "v": ("permits (1 if not given)"), "gives permits back";
            "available" | "available-permits" | "permits" | "read": () -> "a number", "how many permits there are";
        },
        options: &[
            OptionEntry {
                name: "permits",
                values: "a number",
                default: "capacity, or 1",
                meaning: "how many permits there are at first",
            },
            OptionEntry {
                name: "capacity",
                values: "a number",
                default: "none",
                meaning: "how many permits there can be at most; releasing more is a violation",
            },
        ],
        example: r#"{"thread":0,"op":"acquire","start":0,"end":4}
{"thread":1,"op":"try-acquire","ret":false,"start":2,"end":9}
{"thread":0,"op":"release","start":6,"end":8}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<SemaphoreOp, DecodeError> {
        if call.op() == "available" {
            return Ok(SemaphoreOp::Available(call.integer_result(
                &["permits", "value"],
                0,
                "a number of permits",
            )?));
        }
        let permits = call.integer_or(
            1,
            &["permits", "n", "count", "value"],
            0,
            0,
            "a number of permits",
        )?;
        match call.op() {
            // A blocking acquire has no result: it has its permits when it returns.
            "acquire" => Ok(SemaphoreOp::Acquire(
                permits,
                call.bool_or_nothing(Some(true), &["acquired"], 1)?.or(Some(true)),
            )),
            "try-acquire" => Ok(SemaphoreOp::Acquire(permits, call.bool_result(&["acquired"], 1)?)),
            _ => {
                call.check_acknowledged(1)?;
                Ok(SemaphoreOp::Release(permits))
            }
        }
    }
}

impl NativeModel for Semaphore {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let expected = "a number of permits, 0 or more";
        let capacity = options.integer("capacity", 0, expected)?;
        let permits = options.integer("permits", 0, expected)?.or(capacity).unwrap_or(1);
        if capacity.is_some_and(|capacity| permits > capacity) {
            return Err(options.bad("permits", permits.to_string(), "at most the capacity"));
        }
        Ok(Self { permits, capacity })
    }
}
