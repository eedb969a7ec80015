//! A counter.

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

/// A counter.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// The initial count.
    pub initial: i64,
    /// The number of bits, in two's complement, if the counter wraps around. Otherwise a count beyond 64 bits exceeds the
    /// model.
    pub wrap: Option<u32>,
}

impl Counter {
    /// The sum, if the model can represent it.
    fn sum(&self, count: i64, amount: i64) -> Option<i64> {
        match self.wrap {
            None => count.checked_add(amount),
            Some(bits) => {
                let unused = i64::BITS - bits;
                Some((count.wrapping_add(amount) << unused) >> unused)
            }
        }
    }
}

/// An operation on a [`Counter`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CounterOp {
    /// Adds a number.
    Add {
        /// The amount; negative to subtract.
        amount: i64,
        /// The count before.
        before: Option<i64>,
    },
    /// The count.
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
            CounterOp::Add { amount, .. } => match self.sum(*count, *amount) {
                Some(sum) => outcomes.accept(sum),
                None => outcomes.exceed(|| {
                    format!(
                        "{count} plus {amount} does not fit into 64 bits (counter:wrap=64 is a counter that wraps around)"
                    )
                }),
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

    /// A greater count needs an operation that adds, a smaller one an operation that subtracts, unless the counter wraps
    /// around. An addition that would overflow needs an operation that moves the count towards zero.
    fn may_enable(&self, count: &i64, refused: &CounterOp, helper: &CounterOp) -> bool {
        let CounterOp::Add { amount: change, .. } = helper else {
            return false;
        };
        if self.wrap.is_some() {
            return true;
        }
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
            CounterOp::Read(count) => format!("read() = {}", Known(count)),
        }
    }
}

impl Decode for Counter {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "counter",
        summary: "A counter: additions and reads.",
        ops: operations! {
            "add" | "inc" | "increment": ("value (1 if not given)"), "value was added";
            "subtract" | "sub" | "dec" | "decrement": ("value (1 if not given)"), "value was subtracted";
            "fetch-add" | "get-and-add" | "get-and-increment" | "fetch-inc":
                ("value (1 if not given)") -> "the count before",
                "value was added";
            "add-and-get" | "increment-and-get" | "incr": ("value (1 if not given)") -> "the count after",
                "value was added";
            "read" | "get" | "load" | "value": () -> "the count", "what the counter holds";
        },
        options: &[
            OptionEntry {
                name: "initial",
                values: "a number",
                default: "0",
                meaning: "what the counter holds at first",
            },
            OptionEntry {
                name: "wrap",
                values: "a number of bits, 1 to 64",
                default: "never",
                meaning: "the counter has this many bits and wraps around, in two's complement",
            },
        ],
        example: r#"{"thread":0,"op":"add","args":{"value":2},"start":0,"end":4}
{"thread":1,"op":"fetch-add","args":{"value":1},"ret":0,"start":2,"end":9}
{"thread":0,"op":"read","ret":3,"start":10,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<CounterOp, DecodeError> {
        if call.op() == "read" {
            return Ok(CounterOp::Read(call.integer_result(
                &["value", "count"],
                0,
                "the count, a number",
            )?));
        }
        const AMOUNT: &[&str] = &["value", "amount", "delta", "by"];
        let expected = "how much to add, a number";
        let amount = call.integer_or(1, AMOUNT, 0, i64::MIN, expected)?;
        let too_large = || {
            call.wrong(
                "value",
                &Value::int(amount),
                "a number whose negative fits into 64 bits",
            )
        };
        match call.op() {
            "fetch-add" => Ok(CounterOp::Add {
                amount,
                before: call.integer_result(&[], 1, "the count before, a number")?,
            }),
            "add-and-get" => {
                let after = call.integer_result(&[], 1, "the count after, a number")?;
                let before = after
                    .map(|after| match self.wrap {
                        None => after.checked_sub(amount).ok_or_else(too_large),
                        Some(_) => self.sum(after, amount.wrapping_neg()).ok_or_else(too_large),
                    })
                    .transpose()?;
                Ok(CounterOp::Add { amount, before })
            }
            name => {
                call.check_acknowledged_as(
                    1,
                    "nothing (fetch-add returns the count before, add-and-get the count after)",
                )?;
                let amount = if name == "add" {
                    Some(amount)
                } else if self.wrap.is_some() {
                    Some(amount.wrapping_neg())
                } else {
                    amount.checked_neg()
                };
                Ok(CounterOp::Add {
                    amount: amount.ok_or_else(too_large)?,
                    before: None,
                })
            }
        }
    }
}

impl NativeModel for Counter {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let bits = "a number of bits, 1 to 64";
        let wrap = match options.integer("wrap", 1, bits)? {
            Some(wrap) if wrap > i64::from(i64::BITS) => {
                return Err(options.bad("wrap", wrap.to_string(), bits));
            }
            wrap => wrap.map(|wrap| wrap as u32),
        };
        let initial = options.integer("initial", i64::MIN, "a number")?.unwrap_or(0);
        let counter = Self { initial, wrap };
        if counter.sum(initial, 0) == Some(initial) {
            Ok(counter)
        } else {
            let expected = "a number that fits into the bits of the counter";
            Err(options.bad("initial", initial.to_string(), expected))
        }
    }
}
