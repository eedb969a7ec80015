//! An append-only log, read by index.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::{Known, KnownOr, Or, list};
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::sequence::Sequence;

/// A log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The index of the first entry.
    pub first: i64,
}

/// An operation on a [`Log`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogOp {
    /// The entry is now the last one.
    Append {
        /// The entry.
        value: Value,
        /// Its index.
        index: Option<i64>,
    },
    /// The entry at an index; `Some(None)` if the log has none there.
    Read(i64, Option<Option<Value>>),
    /// The number of entries.
    Length(Option<i64>),
}

impl Log {
    /// The position of the entry at `index`, from 0; `None` if no entry can be there.
    fn position(&self, index: i64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.first)?).ok()
    }

    fn entry<'a>(&self, state: &'a Sequence, index: i64) -> Option<&'a Value> {
        state.get(self.position(index)?)
    }

    /// The index of the next entry.
    fn next_index(&self, state: &Sequence) -> i64 {
        self.first.saturating_add(state.len() as i64)
    }

    /// The two positions that determine whether the log ends exactly before `index`: the one before is filled, this one is not.
    fn end_at(&self, index: i64) -> Keys {
        let position = index.wrapping_sub(self.first);
        let places: SmallVec<[u64; 2]> = if position <= 0 {
            SmallVec::from_slice(&[position as u64])
        } else {
            SmallVec::from_slice(&[position as u64 - 1, position as u64])
        };
        Keys::Only(places)
    }
}

impl Model for Log {
    type State = Sequence;
    type Op = LogOp;

    fn initial(&self) -> Vec<Sequence> {
        vec![Sequence::new()]
    }

    fn step(&self, state: &Sequence, op: &LogOp, outcomes: &mut Outcomes<Sequence>) {
        match op {
            LogOp::Append {
                index: Some(index), ..
            } if *index != self.next_index(state) => outcomes.refuse(|| {
                format!(
                    "{}, but the next index is {}",
                    self.describe_op(op),
                    self.next_index(state)
                )
            }),
            LogOp::Append { value, .. } => outcomes.accept(state.pushed(value)),
            LogOp::Read(index, Some(seen)) if seen.as_ref() != self.entry(state, *index) => {
                outcomes.refuse(|| {
                    let held = self.entry(state, *index);
                    format!(
                        "{}, but there is {} at {index}",
                        self.describe_op(op),
                        Or(held, "no entry")
                    )
                })
            }
            LogOp::Length(Some(seen)) if *seen != state.len() as i64 => {
                outcomes.refuse(|| format!("length {seen}, but the log has {} entries", state.len()));
            }
            LogOp::Read(..) | LogOp::Length(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &LogOp) -> bool {
        matches!(op, LogOp::Read(..) | LogOp::Length(_))
    }

    /// Every index is a key of its own. It is empty, then filled for ever, and indices are filled in order. So an append
    /// with a known index reads that index and the one before it, and writes only that index.
    fn footprint(&self, op: &LogOp) -> Footprint {
        match op {
            LogOp::Append { index: None, .. } => Footprint::everything(),
            LogOp::Append {
                index: Some(index), ..
            } => Footprint::new(
                self.end_at(*index),
                &Keys::none(),
                Keys::one(index.wrapping_sub(self.first) as u64),
            ),
            LogOp::Read(_, None) | LogOp::Length(None) => Footprint::reads(Keys::none()),
            LogOp::Read(index, Some(_)) => Footprint::reads(Keys::one(index.wrapping_sub(self.first) as u64)),
            LogOp::Length(Some(length)) => Footprint::reads(self.end_at(self.first.saturating_add(*length))),
        }
    }

    /// Entries stay, so an operation that finds the log too long, or another entry, is never enabled. A read of a missing
    /// entry needs the append of that entry. An append or a length that needs a longer log needs the append that fills the
    /// index just before its end.
    fn may_enable(&self, state: &Sequence, refused: &LogOp, helper: &LogOp) -> bool {
        let LogOp::Append { value, index } = helper else {
            return false;
        };
        let next = self.next_index(state);
        let fills = |place: i64| place >= next && index.is_none_or(|index| index == place);
        match refused {
            LogOp::Read(at, Some(Some(wanted))) => value == wanted && fills(*at),
            LogOp::Append { index: Some(at), .. } => fills(at.saturating_sub(1)),
            LogOp::Length(Some(length)) => fills(self.first.saturating_add(*length).saturating_sub(1)),
            LogOp::Read(_, None | Some(None)) | LogOp::Append { index: None, .. } | LogOp::Length(None) => {
                false
            }
        }
    }

    fn describe_state(&self, state: &Sequence) -> String {
        list(state.iter(), ["[", "]"])
    }

    fn describe_op(&self, op: &LogOp) -> String {
        match op {
            LogOp::Append { value, index } => format!("append({value}) = {}", Known(index)),
            LogOp::Read(index, result) => format!("read({index}) = {}", KnownOr(result, "none")),
            LogOp::Length(length) => format!("length() = {}", Known(length)),
        }
    }

    fn state_bytes(&self, state: &Sequence) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Log {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "log",
        summary: "An append-only log, read by index.",
        ops: operations! {
            "append" | "push" | "add" | "write": ("value") -> "index, if known",
                "value is now the last entry, at index";
            "read" | "get" | "at": ("index") -> "value, or nil", "the entry at index, if there is one yet";
            "length" | "len" | "size" | "count": () -> "a number", "how many entries there are";
        },
        options: &[OptionEntry {
            name: "first",
            values: "a number",
            default: "0",
            meaning: "the index of the first entry",
        }],
        example: r#"{"thread":0,"op":"append","args":{"value":"a"},"ret":0,"start":0,"end":4}
{"thread":1,"op":"read","args":{"index":0},"ret":"a","start":2,"end":9}
{"thread":0,"op":"length","ret":1,"start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<LogOp, DecodeError> {
        match call.op() {
            "append" => {
                let value = call.argument(&["value", "entry"], 0, "the entry")?.clone();
                // An append that returns its own entry, as in Jepsen, returns no index.
                let confirmed = call.result(&[], 1) == Some(&value) && call.operation().ret.is_some();
                let index = if confirmed {
                    None
                } else {
                    call.integer_or_nothing(&["index", "offset"], 1, "the entry's index")?
                };
                Ok(LogOp::Append { value, index })
            }
            "read" => {
                let index = call.integer(
                    &["index", "offset", "position"],
                    0,
                    i64::MIN,
                    "the index, a number",
                )?;
                let result = call.value_result(&["value", "entry"], 1)?;
                Ok(LogOp::Read(
                    index,
                    result.map(|entry| Some(entry).filter(|entry| !entry.is_null())),
                ))
            }
            _ => Ok(LogOp::Length(call.integer_result(
                &["length", "value"],
                0,
                "a number",
            )?)),
        }
    }
}

impl NativeModel for Log {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            first: options.integer("first", i64::MIN, "a number")?.unwrap_or(0),
        })
    }
}
