//! One register with compare-and-set.

use omnilink_engine::{CollectionKind, Decoded, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::Known;
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::whole;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::register::INITIAL;

/// A register with read, write and compare-and-set.
#[derive(Clone, Debug)]
pub struct CasRegister {
    /// What the register holds before the first write.
    pub initial: Value,
    /// The meaning of a compare-and-set that the trace marks as failed.
    pub failed_cas: FailedCas,
}

/// The meaning of a failed compare-and-set.
///
/// `DidNotHappen` is the weaker claim, so it never turns a valid history into a violation. `Differed` can, if calls also
/// fail for other reasons, as in Knossos' MongoDB histories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailedCas {
    /// The operation had no effect and may have failed for any reason.
    #[default]
    DidNotHappen,
    /// The register held another value.
    Differed,
}

/// An operation on a [`CasRegister`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CasRegisterOp {
    /// The register now holds this.
    Write(Value),
    /// The register held this; `None` if the result is unknown.
    Read(Option<Value>),
    /// If the register holds `from`, it now holds `to`.
    Cas {
        /// The expected value.
        from: Value,
        /// The new value.
        to: Value,
        /// Whether it was equal; `None` if the result is unknown.
        equal: Option<bool>,
    },
}

impl CasRegisterOp {
    /// Whether this may leave `value` in a register that held another value.
    fn may_leave(&self, value: &Value) -> bool {
        match self {
            Self::Write(written) => written == value,
            Self::Read(_) => false,
            Self::Cas { from, to, equal } => to == value && from != to && *equal != Some(false),
        }
    }

    /// Whether this may replace `value` by another value.
    fn may_replace(&self, value: &Value) -> bool {
        match self {
            Self::Write(written) => written != value,
            Self::Read(_) => false,
            Self::Cas { from, to, equal } => from == value && from != to && *equal != Some(false),
        }
    }
}

impl Model for CasRegister {
    type State = Value;
    type Op = CasRegisterOp;

    fn initial(&self) -> Vec<Value> {
        vec![self.initial.clone()]
    }

    fn step(&self, state: &Value, op: &CasRegisterOp, outcomes: &mut Outcomes<Value>) {
        match op {
            CasRegisterOp::Write(value) => outcomes.accept(value.clone()),
            CasRegisterOp::Read(Some(value)) if value != state => {
                outcomes.refuse(|| format!("read {value}, but the register holds {state}"));
            }
            CasRegisterOp::Read(_) => outcomes.accept(state.clone()),
            CasRegisterOp::Cas {
                from,
                equal: Some(true),
                ..
            } if from != state => {
                outcomes.refuse(|| format!("cas from {from} succeeded, but the register holds {state}"))
            }
            CasRegisterOp::Cas {
                from,
                equal: Some(false),
                ..
            } if from == state => {
                outcomes.refuse(|| format!("cas from {from} failed, but that is what the register holds"))
            }
            CasRegisterOp::Cas { from, to, .. } => {
                outcomes.accept(if from == state { to.clone() } else { state.clone() });
            }
        }
    }

    /// A failed compare-and-set changes nothing, and neither does one from a value to itself.
    fn is_pure(&self, op: &CasRegisterOp) -> bool {
        match op {
            CasRegisterOp::Write(_) => false,
            CasRegisterOp::Read(_) => true,
            CasRegisterOp::Cas { from, to, equal } => from == to || *equal == Some(false),
        }
    }

    fn footprint(&self, op: &CasRegisterOp) -> Footprint {
        match op {
            CasRegisterOp::Write(_) => Footprint::overwrites(whole()),
            CasRegisterOp::Read(None) => Footprint::reads(Keys::none()),
            CasRegisterOp::Read(Some(_)) => Footprint::reads(whole()),
            CasRegisterOp::Cas { .. } if self.is_pure(op) => Footprint::reads(whole()),
            CasRegisterOp::Cas { .. } => Footprint::updates(whole()),
        }
    }

    /// A read, or a compare-and-set that succeeded, needs its value in the register: the last operation that changes the
    /// register leaves that value. A compare-and-set that failed needs its value to go: the first operation that changes
    /// the register replaces exactly that value.
    fn may_enable(&self, _state: &Value, refused: &CasRegisterOp, helper: &CasRegisterOp) -> bool {
        match refused {
            CasRegisterOp::Read(Some(wanted))
            | CasRegisterOp::Cas {
                from: wanted,
                equal: Some(true),
                ..
            } => helper.may_leave(wanted),
            CasRegisterOp::Cas {
                from,
                equal: Some(false),
                ..
            } => helper.may_replace(from),
            CasRegisterOp::Write(_) | CasRegisterOp::Read(None) | CasRegisterOp::Cas { equal: None, .. } => {
                false
            }
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Register)
    }

    fn observe<'a>(&self, op: &'a CasRegisterOp) -> Observation<'a> {
        let known = |value: &'a Value| Some(value).filter(|value| **value != self.initial);
        let found = |value: &'a Value| known(value).map_or(Observation::FindEmpty, Observation::Peek);
        match op {
            // A read of it may have returned the initial value.
            CasRegisterOp::Write(value) => known(value).map_or(Observation::Other, Observation::Add),
            CasRegisterOp::Read(Some(value)) => found(value),
            CasRegisterOp::Cas {
                equal: Some(false), ..
            } => Observation::Look,
            CasRegisterOp::Cas { from, to, equal } if from == to => {
                equal.map_or(Observation::Nothing, |_| found(from))
            }
            CasRegisterOp::Cas { from, to, equal } => {
                known(to).map_or(Observation::Other, |to| Observation::Replace {
                    from: known(from),
                    to,
                    is_certain: *equal == Some(true),
                })
            }
            CasRegisterOp::Read(None) => Observation::Nothing,
        }
    }

    fn describe_state(&self, state: &Value) -> String {
        state.to_string()
    }

    fn describe_op(&self, op: &CasRegisterOp) -> String {
        match op {
            CasRegisterOp::Write(value) => format!("write({value})"),
            CasRegisterOp::Read(result) => format!("read() = {}", Known(result)),
            CasRegisterOp::Cas { from, to, equal } => format!("cas({from}, {to}) = {}", Known(equal)),
        }
    }
}

impl Decode for CasRegister {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "cas-register",
        summary: "One register with compare-and-set.",
        ops: operations! {
            "read" | "get" | "load": () -> "value", "the register held value";
            "write" | "put" | "set" | "store": ("value"), "the register now holds value";
            "cas" | "compare-and-set" | "compare-and-swap" | "compare-exchange":
                ("from, to; or value = [from, to]") -> "true or false",
                "if the register held from, it now holds to, and the result is true";
        },
        options: &[
            INITIAL,
            OptionEntry {
                name: "failed-cas",
                values: "did-not-happen or differed",
                default: "did-not-happen",
                meaning: "what a cas that is marked as failed tells: nothing but that it had no effect, or that the \
                          register held something else",
            },
        ],
        example: r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":4}
{"thread":1,"op":"cas","args":{"from":1,"to":2},"ret":true,"start":2,"end":9}
{"thread":0,"op":"read","ret":2,"start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<CasRegisterOp, DecodeError> {
        match call.op() {
            "read" => Ok(CasRegisterOp::Read(call.value_result(&["value"], 0)?)),
            "write" => {
                call.check_acknowledged(1)?;
                Ok(CasRegisterOp::Write(
                    call.argument(&["value", "arg1"], 0, "the value to write")?
                        .clone(),
                ))
            }
            _ => {
                let equal = call.bool_result(&["ok", "success", "swapped"], 2)?;
                decode_cas(call, equal)
            }
        }
    }

    fn decode_aborted(&self, call: &CallReader<'_>) -> Result<Decoded<CasRegisterOp>, DecodeError> {
        if call.op() == "cas" && self.failed_cas == FailedCas::Differed {
            decode_cas(call, Some(false)).map(Decoded::Once)
        } else {
            Ok(Decoded::DidNotHappen)
        }
    }
}

fn decode_cas(call: &CallReader<'_>, equal: Option<bool>) -> Result<CasRegisterOp, DecodeError> {
    const FROM: &[&str] = &["from", "old", "expected", "arg1"];
    const TO: &[&str] = &["to", "new", "desired", "arg2"];
    if let Some([from, to]) = call.operation().args.field("value").and_then(Value::as_tuple) {
        return Ok(CasRegisterOp::Cas {
            from: from.clone(),
            to: to.clone(),
            equal,
        });
    }
    let from = call
        .argument(FROM, 0, "the value to compare with, or value = [from, to]")?
        .clone();
    let to = call.argument(TO, 1, "the value to set")?.clone();
    Ok(CasRegisterOp::Cas { from, to, equal })
}

impl NativeModel for CasRegister {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let choices = [
            ("did-not-happen", FailedCas::DidNotHappen),
            ("differed", FailedCas::Differed),
        ];
        let failed_cas = options.choice("failed-cas", &choices, "did-not-happen or differed")?;
        Ok(Self {
            initial: options.value("initial").unwrap_or_else(Value::null),
            failed_cas: failed_cas.unwrap_or_default(),
        })
    }
}
