//! One register: what was written last is what is read.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

use crate::describe::Seen;
use crate::keys::whole;

/// A read/write register.
#[derive(Clone, Debug)]
pub struct Register {
    /// What the register holds before the first write.
    pub initial: Value,
}

/// An operation on a [`Register`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegisterOp {
    /// The register now holds this.
    Write(Value),
    /// The register held this; `None` where the result was not seen.
    Read(Option<Value>),
}

impl Model for Register {
    type State = Value;
    type Op = RegisterOp;

    fn initial(&self) -> Vec<Value> {
        vec![self.initial.clone()]
    }

    fn step(&self, state: &Value, op: &RegisterOp, outcomes: &mut Outcomes<Value>) {
        match op {
            RegisterOp::Write(value) => outcomes.accept(value.clone()),
            RegisterOp::Read(Some(value)) if value != state => {
                outcomes.refuse(|| format!("read {value}, but the register holds {state}"));
            }
            RegisterOp::Read(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &RegisterOp) -> bool {
        matches!(op, RegisterOp::Read(_))
    }

    fn footprint(&self, op: &RegisterOp) -> Footprint {
        match op {
            RegisterOp::Write(_) => Footprint::overwrites(whole()),
            RegisterOp::Read(Some(_)) => Footprint::reads(whole()),
            RegisterOp::Read(None) => Footprint::reads(Keys::none()),
        }
    }

    /// Only a read is ever refused, and only because the register holds something else. The last write before a state
    /// that accepts it wrote what it read.
    fn may_enable(&self, _state: &Value, refused: &RegisterOp, helper: &RegisterOp) -> bool {
        match (refused, helper) {
            (RegisterOp::Read(Some(wanted)), RegisterOp::Write(written)) => wanted == written,
            _ => false,
        }
    }

    fn describe_state(&self, state: &Value) -> String {
        state.to_string()
    }

    fn describe_op(&self, op: &RegisterOp) -> String {
        match op {
            RegisterOp::Write(value) => format!("write({value})"),
            RegisterOp::Read(result) => format!("read() = {}", Seen(result)),
        }
    }
}
