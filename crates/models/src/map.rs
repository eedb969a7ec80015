//! An ordered map whose updates return the previous value, with counts of key ranges.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::display::{Known, KnownOr, list};
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::{key as key_of, name_of};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;

/// An ordered map. Operations on different keys are independent; a range count connects the keys of its range.
#[derive(Clone, Debug)]
pub struct Map {
    /// The result that stands for "no value", beside nil. No key may be mapped to it.
    pub none: Value,
}

/// An operation on a [`Map`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapOp {
    /// An operation on one key.
    Key(Value, MapAction),
    /// The number of keys in this range, both ends included; `None` if the result is unknown.
    Range(Value, Value, Option<i64>),
}

/// An action on one key. Unknown results are `None`; `Some(None)` is "no value".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapAction {
    /// Whether the key is mapped.
    Contains(Option<bool>),
    /// The value of the key.
    Get(Option<Option<Value>>),
    /// Maps the key to the value; the previous value.
    Insert(Value, Option<Option<Value>>),
    /// Maps the key to the value unless it is mapped already; the previous value.
    InsertIfAbsent(Value, Option<Option<Value>>),
    /// Unmaps the key; the previous value.
    Erase(Option<Option<Value>>),
}

/// What the result of an operation implies about its key before the operation.
enum Precondition<'a> {
    Absent,
    Present,
    Holds(&'a Value),
}

impl MapAction {
    fn precondition(&self) -> Option<Precondition<'_>> {
        match self {
            Self::Contains(found) => found.map(|found| {
                if found {
                    Precondition::Present
                } else {
                    Precondition::Absent
                }
            }),
            Self::Get(previous)
            | Self::Insert(_, previous)
            | Self::InsertIfAbsent(_, previous)
            | Self::Erase(previous) => previous.as_ref().map(|previous| {
                previous
                    .as_ref()
                    .map_or(Precondition::Absent, Precondition::Holds)
            }),
        }
    }

    /// Whether this may map a key that is not mapped.
    fn may_map(&self) -> bool {
        matches!(
            self,
            Self::Insert(_, None | Some(None)) | Self::InsertIfAbsent(_, None | Some(None))
        )
    }

    /// Whether this may unmap a key that is mapped.
    fn may_unmap(&self) -> bool {
        matches!(self, Self::Erase(None | Some(Some(_))))
    }

    /// Whether this may leave `value` at a key that was not mapped to it.
    fn may_leave(&self, value: &Value) -> bool {
        match self {
            Self::Insert(inserted, previous) => {
                inserted == value && !matches!(previous, Some(Some(before)) if before == value)
            }
            Self::InsertIfAbsent(inserted, None | Some(None)) => inserted == value,
            _ => false,
        }
    }
}

impl Precondition<'_> {
    fn is_met_by(&self, held: Option<&Value>) -> bool {
        match self {
            Self::Absent => held.is_none(),
            Self::Present => held.is_some(),
            Self::Holds(value) => held == Some(value),
        }
    }
}

/// A range of more keys than this is declared to read the whole map, because listing its keys costs too much.
const LISTED_MAX: i64 = 64;

/// The keys in `low..=high`. Only integers are between integers.
fn keys_between(low: &Value, high: &Value) -> Keys {
    if low > high {
        return Keys::none();
    }
    match (low.as_int(), high.as_int()) {
        (Some(low), Some(high)) if high.checked_sub(low).is_some_and(|span| span < LISTED_MAX) => {
            Keys::Only((low..=high).map(|key| name_of(&Value::int(key))).collect())
        }
        _ => Keys::All,
    }
}

impl Model for Map {
    type State = PersistentMap<Value>;
    type Op = MapOp;

    fn initial(&self) -> Vec<PersistentMap<Value>> {
        vec![PersistentMap::new()]
    }

    fn step(&self, state: &PersistentMap<Value>, op: &MapOp, outcomes: &mut Outcomes<PersistentMap<Value>>) {
        match op {
            MapOp::Range(low, high, count) => {
                let held = state.count_between(low, high) as i64;
                match count {
                    Some(count) if *count != held => outcomes.refuse(|| {
                        format!("counted {count} keys from {low} to {high}, but there are {held}")
                    }),
                    _ => outcomes.accept(state.clone()),
                }
            }
            MapOp::Key(key, action) => {
                let held = state.get(key);
                if action
                    .precondition()
                    .is_some_and(|precondition| !precondition.is_met_by(held))
                {
                    return outcomes.refuse(|| match held {
                        Some(value) => format!("{}, but {key} is mapped to {value}", self.describe_op(op)),
                        None => format!("{}, but {key} is not mapped", self.describe_op(op)),
                    });
                }
                outcomes.accept(match action {
                    MapAction::Insert(value, _) => state.with(key, value.clone()),
                    MapAction::InsertIfAbsent(value, _) if held.is_none() => state.with(key, value.clone()),
                    MapAction::Erase(_) => state.without(key),
                    MapAction::InsertIfAbsent(..) | MapAction::Contains(_) | MapAction::Get(_) => {
                        state.clone()
                    }
                });
            }
        }
    }

    /// Besides lookups: an insert-if-absent that found a value, an erase that found none, and an insert of the value that it
    /// replaced.
    fn is_pure(&self, op: &MapOp) -> bool {
        match op {
            MapOp::Range(..) => true,
            MapOp::Key(_, action) => match action {
                MapAction::Contains(_) | MapAction::Get(_) => true,
                MapAction::Insert(value, Some(Some(previous))) => value == previous,
                MapAction::InsertIfAbsent(_, previous) => matches!(previous, Some(Some(_))),
                MapAction::Erase(previous) => matches!(previous, Some(None)),
                MapAction::Insert(..) => false,
            },
        }
    }

    fn footprint(&self, op: &MapOp) -> Footprint {
        match op {
            MapOp::Range(_, _, None) | MapOp::Key(_, MapAction::Contains(None) | MapAction::Get(None)) => {
                Footprint::reads(Keys::none())
            }
            MapOp::Range(low, high, Some(_)) => Footprint::reads(keys_between(low, high)),
            MapOp::Key(key, _) if self.is_pure(op) => Footprint::reads(key_of(key)),
            MapOp::Key(key, MapAction::Insert(_, None) | MapAction::Erase(None)) => {
                Footprint::overwrites(key_of(key))
            }
            MapOp::Key(key, _) => Footprint::updates(key_of(key)),
        }
    }

    /// An operation on a key needs that key to vanish (some operation unmaps it), to appear (the first operation that maps
    /// it finds it unmapped), or to hold a value (the last operation that changes it leaves that value). A greater count
    /// needs a key of the range that is not mapped now to appear; a smaller one needs a key that is mapped now to vanish.
    fn may_enable(&self, state: &PersistentMap<Value>, refused: &MapOp, helper: &MapOp) -> bool {
        let MapOp::Key(changed, helper) = helper else {
            return false;
        };
        match refused {
            MapOp::Range(low, high, count) => {
                let held = state.count_between(low, high) as i64;
                (low..=high).contains(&changed)
                    && match count {
                        Some(count) if *count > held => !state.contains(changed) && helper.may_map(),
                        Some(count) if *count < held => state.contains(changed) && helper.may_unmap(),
                        _ => false,
                    }
            }
            MapOp::Key(key, action) => {
                key == changed
                    && match action.precondition() {
                        Some(Precondition::Absent) => helper.may_unmap(),
                        Some(Precondition::Present) => helper.may_map(),
                        Some(Precondition::Holds(value)) => helper.may_leave(value),
                        None => false,
                    }
            }
        }
    }

    fn describe_state(&self, state: &PersistentMap<Value>) -> String {
        list(
            state.iter().map(|(key, value)| format!("{key}: {value}")),
            ["{", "}"],
        )
    }

    fn describe_op(&self, op: &MapOp) -> String {
        let none = "none";
        match op {
            MapOp::Range(low, high, count) => format!("range({low}, {high}) = {}", Known(count)),
            MapOp::Key(key, MapAction::Contains(found)) => format!("contains({key}) = {}", Known(found)),
            MapOp::Key(key, MapAction::Get(value)) => format!("get({key}) = {}", KnownOr(value, none)),
            MapOp::Key(key, MapAction::Insert(value, previous)) => {
                format!("insert({key}, {value}) = {}", KnownOr(previous, none))
            }
            MapOp::Key(key, MapAction::InsertIfAbsent(value, previous)) => {
                format!("insert_if_absent({key}, {value}) = {}", KnownOr(previous, none))
            }
            MapOp::Key(key, MapAction::Erase(previous)) => {
                format!("erase({key}) = {}", KnownOr(previous, none))
            }
        }
    }

    fn state_bytes(&self, state: &PersistentMap<Value>) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Map {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "map",
        summary: "An ordered map whose updates return the previous value, with counts of key ranges.",
        ops: operations! {
            "contains" | "KVContains" | "contains-key" | "has": ("key") -> "true or false", "whether key is mapped";
            "get" | "KVGet" | "find" | "lookup" | "read": ("key") -> "value, or none", "what key is mapped to";
            "insert" | "KVInsert" | "put" | "set" | "write": ("key, value") -> "the previous value, or none",
                "key is now mapped to value";
            "insert-if-absent" | "KVInsertIfAbsent" | "put-if-absent" | "get-or-insert":
                ("key, value") -> "the previous value, or none",
                "key is now mapped to value unless it was mapped already";
            "erase" | "KVErase" | "remove" | "delete": ("key") -> "the previous value, or none",
                "key is no longer mapped";
            "range" | "KVRangeQuery" | "range-query" | "range-count" | "count": ("lo, hi") -> "count",
                "how many keys from lo to hi, both included, are mapped";
        },
        options: &[OptionEntry {
            name: "none",
            values: "a number, a text or nil",
            default: "0",
            meaning: "the result that stands for \"no value\", beside nil; no key may be mapped to it",
        }],
        example: r#"{"thread":0,"op":"KVInsert","args":{"key":3,"value":4,"result":0},"start":0,"end":4}
{"thread":1,"op":"KVInsertIfAbsent","args":{"key":3,"value":5,"result":4},"start":2,"end":9}
{"thread":0,"op":"KVRangeQuery","args":{"lo":1,"hi":9,"count":1},"start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<MapOp, DecodeError> {
        const PREVIOUS: &[&str] = &["previous", "old"];
        if call.op() == "range" {
            let low = call.argument(&["lo", "low", "from"], 0, "the first key of the range")?;
            let high = call.argument(&["hi", "high", "to"], 1, "the last key of the range")?;
            let (low, high) = (call.ordered(low)?, call.ordered(high)?);
            let count = call.integer_result(&["count"], 2, "a number of keys")?;
            return Ok(MapOp::Range(low, high, count));
        }
        let key = call.ordered(call.argument(&["key", "k"], 0, "the key")?)?;
        let inserted = || {
            let value = call.argument(&["value", "v"], 1, "the value to map the key to")?;
            call.unreserved(value, &self.none, "no value", "--model map:none=nil")
        };
        let previous = |names, position| {
            let result = call.value_result(names, position)?;
            Ok(result.map(|result| Some(result).filter(|result| !result.is_null() && *result != self.none)))
        };
        let replaced = |inserted: &Value| {
            let replaced = previous(PREVIOUS, 2)?;
            match &replaced {
                // As a previous value, a plain confirmation would be a violation.
                Some(Some(answer)) if answer.as_bool().is_some() && inserted.as_bool().is_none() => {
                    Err(call.wrong(THE_RESULT, answer, "the previous value, or nil"))
                }
                _ => Ok(replaced),
            }
        };
        let action = match call.op() {
            "contains" => MapAction::Contains(call.bool_result(&["found"], 1)?),
            "get" => MapAction::Get(previous(&["value"], 1)?),
            "insert" => {
                let value = inserted()?;
                let previous = replaced(&value)?;
                MapAction::Insert(value, previous)
            }
            "insert-if-absent" => {
                let value = inserted()?;
                let previous = replaced(&value)?;
                MapAction::InsertIfAbsent(value, previous)
            }
            _ => MapAction::Erase(previous(PREVIOUS, 1)?),
        };
        Ok(MapOp::Key(key, action))
    }
}

impl NativeModel for Map {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            none: options.value("none").unwrap_or_else(|| Value::int(0)),
        })
    }
}
