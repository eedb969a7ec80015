//! An ordered map whose updates return the previous value, with counts of key ranges.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;

use crate::assoc::Assoc;
use crate::call::{Call, THE_RESULT};
use crate::catalogue::{Entry, OpEntry, OptionEntry, Shipped};
use crate::decode::{Decode, DecodeError};
use crate::describe::{Seen, SeenOr, list};
use crate::keys::{key as key_of, name_of};
use crate::options::{ModelOptions, ModelSpecError};

/// An ordered map. Operations on different keys are independent; a range count ties the keys of its range together.
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
    /// How many keys lie in this range, both ends included; `None` where the result was not seen.
    Range(Value, Value, Option<i64>),
}

/// What is done to one key. Results that were not seen are `None`; `Some(None)` is "no value".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapAction {
    /// Whether the key is mapped.
    Contains(Option<bool>),
    /// What the key is mapped to.
    Get(Option<Option<Value>>),
    /// Maps the key to the value; what it was mapped to before.
    Insert(Value, Option<Option<Value>>),
    /// Maps the key to the value unless it is mapped already; what it was mapped to before.
    InsertIfAbsent(Value, Option<Option<Value>>),
    /// Unmaps the key; what it was mapped to before.
    Erase(Option<Option<Value>>),
}

/// What the result of an operation says about its key before the operation.
enum Demand<'a> {
    Absent,
    Present,
    Holds(&'a Value),
}

impl MapAction {
    fn demand(&self) -> Option<Demand<'_>> {
        match self {
            Self::Contains(found) => found.map(|found| if found { Demand::Present } else { Demand::Absent }),
            Self::Get(previous)
            | Self::Insert(_, previous)
            | Self::InsertIfAbsent(_, previous)
            | Self::Erase(previous) => previous
                .as_ref()
                .map(|previous| previous.as_ref().map_or(Demand::Absent, Demand::Holds)),
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

impl Demand<'_> {
    fn is_met_by(&self, held: Option<&Value>) -> bool {
        match self {
            Self::Absent => held.is_none(),
            Self::Present => held.is_some(),
            Self::Holds(value) => held == Some(value),
        }
    }
}

/// Ranges of more keys than this are declared to read the whole map: listing them would cost more than it saves.
const LISTED_MAX: i64 = 64;

/// The keys in `low..=high`. Only integers lie between integers.
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
    type State = Assoc<Value>;
    type Op = MapOp;

    fn initial(&self) -> Vec<Assoc<Value>> {
        vec![Assoc::new()]
    }

    fn step(&self, state: &Assoc<Value>, op: &MapOp, outcomes: &mut Outcomes<Assoc<Value>>) {
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
                if action.demand().is_some_and(|demand| !demand.is_met_by(held)) {
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

    /// Besides lookups: an insert-if-absent that found a value, an erase that found none, and an insert of the very value
    /// that it replaced.
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

    /// An operation on a key waits for that key to vanish (some operation unmaps it), to appear (the first operation that
    /// maps it finds it unmapped), or to hold a value (the last operation that changes it leaves that value). A higher
    /// count needs a key of the range that is not mapped now to appear; a lower one needs a key that is mapped now to
    /// vanish.
    fn may_enable(&self, state: &Assoc<Value>, refused: &MapOp, helper: &MapOp) -> bool {
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
                    && match action.demand() {
                        Some(Demand::Absent) => helper.may_unmap(),
                        Some(Demand::Present) => helper.may_map(),
                        Some(Demand::Holds(value)) => helper.may_leave(value),
                        None => false,
                    }
            }
        }
    }

    fn describe_state(&self, state: &Assoc<Value>) -> String {
        list(
            state.iter().map(|(key, value)| format!("{key}: {value}")),
            ["{", "}"],
        )
    }

    fn describe_op(&self, op: &MapOp) -> String {
        let none = "none";
        match op {
            MapOp::Range(low, high, count) => format!("range({low}, {high}) = {}", Seen(count)),
            MapOp::Key(key, MapAction::Contains(found)) => format!("contains({key}) = {}", Seen(found)),
            MapOp::Key(key, MapAction::Get(value)) => format!("get({key}) = {}", SeenOr(value, none)),
            MapOp::Key(key, MapAction::Insert(value, previous)) => {
                format!("insert({key}, {value}) = {}", SeenOr(previous, none))
            }
            MapOp::Key(key, MapAction::InsertIfAbsent(value, previous)) => {
                format!("insert_if_absent({key}, {value}) = {}", SeenOr(previous, none))
            }
            MapOp::Key(key, MapAction::Erase(previous)) => {
                format!("erase({key}) = {}", SeenOr(previous, none))
            }
        }
    }

    fn state_bytes(&self, state: &Assoc<Value>) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Map {
    const ENTRY: &'static Entry = &Entry {
        name: "map",
        summary: "An ordered map whose updates return the previous value, with counts of key ranges.",
        ops: &[
            OpEntry {
                name: "contains",
                aliases: &["KVContains", "contains-key", "has"],
                arguments: "key",
                result: "true or false",
                meaning: "whether key is mapped",
            },
            OpEntry {
                name: "get",
                aliases: &["KVGet", "find", "lookup", "read"],
                arguments: "key",
                result: "value, or none",
                meaning: "what key is mapped to",
            },
            OpEntry {
                name: "insert",
                aliases: &["KVInsert", "put", "set", "write"],
                arguments: "key, value",
                result: "the previous value, or none",
                meaning: "key is now mapped to value",
            },
            OpEntry {
                name: "insert-if-absent",
                aliases: &["KVInsertIfAbsent", "put-if-absent", "get-or-insert"],
                arguments: "key, value",
                result: "the previous value, or none",
                meaning: "key is now mapped to value unless it was mapped already",
            },
            OpEntry {
                name: "erase",
                aliases: &["KVErase", "remove", "delete"],
                arguments: "key",
                result: "the previous value, or none",
                meaning: "key is no longer mapped",
            },
            OpEntry {
                name: "range",
                aliases: &["KVRangeQuery", "range-query", "range-count", "count"],
                arguments: "lo, hi",
                result: "count",
                meaning: "how many keys from lo to hi, both included, are mapped",
            },
        ],
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

    fn decode_call(&self, call: &Call<'_>) -> Result<MapOp, DecodeError> {
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
                // Taken for the previous value, a mere confirmation would be a violation.
                Some(Some(answer)) if answer.as_bool().is_some() && inserted.as_bool().is_none() => {
                    Err(call.wrong(THE_RESULT, answer, "the previous value, or nil"))
                }
                _ => Ok(replaced),
            }
        };
        let action = match call.op() {
            "contains" => MapAction::Contains(call.yes_or_no(&["found"], 1)?),
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

impl Shipped for Map {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            none: options.value("none").unwrap_or_else(|| Value::int(0)),
        })
    }
}
