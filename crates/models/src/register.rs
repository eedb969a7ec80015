//! One register: a read returns the value written last.

use omnilink_engine::{CollectionKind, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::Known;
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::whole;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};

/// A read/write register.
#[derive(Clone, Debug)]
pub struct Register {
    /// The value before the first write.
    pub initial: Value,
}

/// An operation on a [`Register`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegisterOp {
    /// The register now holds this.
    Write(Value),
    /// The register held this; `None` if the result is unknown.
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

    /// Only a read is ever refused, and only because the register holds another value. The last write before a state that
    /// accepts the read wrote the value that it returned.
    fn may_enable(&self, _state: &Value, refused: &RegisterOp, helper: &RegisterOp) -> bool {
        match (refused, helper) {
            (RegisterOp::Read(Some(wanted)), RegisterOp::Write(written)) => wanted == written,
            _ => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Register)
    }

    fn observe<'a>(&self, op: &'a RegisterOp) -> Observation<'a> {
        match op {
            // A read of it may have returned the initial value.
            RegisterOp::Write(value) if *value == self.initial => Observation::Other,
            RegisterOp::Write(value) => Observation::Add(value),
            RegisterOp::Read(Some(value)) if *value == self.initial => Observation::FindEmpty,
            RegisterOp::Read(Some(value)) => Observation::Peek(value),
            RegisterOp::Read(None) => Observation::Nothing,
        }
    }

    fn describe_state(&self, state: &Value) -> String {
        state.to_string()
    }

    fn describe_op(&self, op: &RegisterOp) -> String {
        match op {
            RegisterOp::Write(value) => format!("write({value})"),
            RegisterOp::Read(result) => format!("read() = {}", Known(result)),
        }
    }
}

impl Decode for Register {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "register",
        summary: "One register: a read returns what was written last.",
        ops: operations! {
            "read" | "get" | "load": () -> "value", "the register held value";
            "write" | "put" | "set" | "store": ("value"), "the register now holds value";
        },
        options: &[INITIAL],
        example: r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":9}
{"thread":1,"op":"read","ret":1,"start":2,"end":5}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<RegisterOp, DecodeError> {
        match call.op() {
            "read" => Ok(RegisterOp::Read(call.value_result(&["value"], 0)?)),
            _ => {
                call.check_acknowledged(1)?;
                Ok(RegisterOp::Write(
                    call.argument(&["value", "arg1"], 0, "the value to write")?
                        .clone(),
                ))
            }
        }
    }
}

/// The option for the initial value of registers.
pub(crate) const INITIAL: OptionEntry = OptionEntry {
    name: "initial",
    values: "a number, a text, true, false or nil",
    default: "nil",
    meaning: "what a register holds before it is first written",
};

impl NativeModel for Register {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            initial: options.value("initial").unwrap_or_else(Value::null),
        })
    }
}
