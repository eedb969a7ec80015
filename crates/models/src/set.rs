//! A set of values: add, remove, contains, and reads of all elements.

use omnilink_engine::{CollectionKind, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::display::{Known, list};
use crate::entry::{ModelEntry, operations};
use crate::keys::key;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;

/// A set. Operations on different elements are independent; reads of the whole set or of its size connect them.
#[derive(Clone, Debug, Default)]
pub struct Set;

/// An operation on a [`Set`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SetOp {
    /// The element is now in the set; whether it was absent before.
    Add(Value, Option<bool>),
    /// The element is no longer in the set; whether it was there before.
    Remove(Value, Option<bool>),
    /// Whether the element is in the set.
    Contains(Value, Option<bool>),
    /// All elements, as a TLA+ set.
    Read(Option<Value>),
    /// The number of elements.
    Size(Option<i64>),
}

/// The state of a [`Set`].
pub type Elements = PersistentMap<()>;

impl SetOp {
    /// Whether this may add `element` to a set without it.
    fn may_add(&self, element: &Value) -> bool {
        matches!(self, Self::Add(added, result) if added == element && *result != Some(false))
    }

    /// Whether this may remove `element` from a set with it.
    fn may_remove(&self, element: &Value) -> bool {
        matches!(self, Self::Remove(removed, result) if removed == element && *result != Some(false))
    }

    /// The element that must be present or absent for this operation to have its result.
    fn precondition(&self) -> Option<(&Value, bool)> {
        match self {
            Self::Add(element, added) => added.map(|added| (element, !added)),
            Self::Remove(element, found) | Self::Contains(element, found) => {
                found.map(|found| (element, found))
            }
            Self::Read(_) | Self::Size(_) => None,
        }
    }
}

/// An element that is in exactly one of the two, with whether it is in `read`.
fn first_difference<'a>(state: &'a Elements, read: &'a Value) -> Option<(&'a Value, bool)> {
    let read = read.as_set().unwrap_or_default();
    let missing = read
        .iter()
        .find(|element| !state.contains(element))
        .map(|element| (element, true));
    missing.or_else(|| {
        let mut elements = state.iter().map(|(element, ())| element);
        elements
            .find(|element| read.binary_search(element).is_err())
            .map(|element| (element, false))
    })
}

impl Model for Set {
    type State = Elements;
    type Op = SetOp;

    fn initial(&self) -> Vec<Elements> {
        vec![PersistentMap::new()]
    }

    fn step(&self, state: &Elements, op: &SetOp, outcomes: &mut Outcomes<Elements>) {
        if let Some((element, wanted)) = op.precondition()
            && state.contains(element) != wanted
        {
            return outcomes.refuse(|| {
                let is = if wanted { "is not" } else { "is" };
                format!("{}, but {element} {is} in the set", self.describe_op(op))
            });
        }
        match op {
            SetOp::Add(element, _) if !state.contains(element) => outcomes.accept(state.with(element, ())),
            SetOp::Remove(element, _) => outcomes.accept(state.without(element)),
            SetOp::Add(..) | SetOp::Contains(..) | SetOp::Read(None) | SetOp::Size(None) => {
                outcomes.accept(state.clone());
            }
            SetOp::Read(Some(read)) => match first_difference(state, read) {
                None => outcomes.accept(state.clone()),
                Some((element, true)) => {
                    outcomes.refuse(|| format!("the read has {element}, which is not in the set"));
                }
                Some((element, false)) => {
                    outcomes.refuse(|| format!("the read lacks {element}, which is in the set"));
                }
            },
            SetOp::Size(Some(size)) => {
                let held = state.len() as i64;
                if held == *size {
                    outcomes.accept(state.clone());
                } else {
                    outcomes.refuse(|| format!("size {size}, but the set has {held} elements"));
                }
            }
        }
    }

    fn is_pure(&self, op: &SetOp) -> bool {
        match op {
            SetOp::Add(_, result) | SetOp::Remove(_, result) => *result == Some(false),
            SetOp::Contains(..) | SetOp::Read(_) | SetOp::Size(_) => true,
        }
    }

    fn footprint(&self, op: &SetOp) -> Footprint {
        match op {
            SetOp::Add(element, None) | SetOp::Remove(element, None) => Footprint::overwrites(key(element)),
            SetOp::Add(element, Some(true)) | SetOp::Remove(element, Some(true)) => {
                Footprint::updates(key(element))
            }
            SetOp::Add(element, Some(false))
            | SetOp::Remove(element, Some(false))
            | SetOp::Contains(element, Some(_)) => Footprint::reads(key(element)),
            SetOp::Read(Some(_)) | SetOp::Size(Some(_)) => Footprint::reads(Keys::All),
            SetOp::Contains(_, None) | SetOp::Read(None) | SetOp::Size(None) => {
                Footprint::reads(Keys::none())
            }
        }
    }

    /// A refused operation needs one particular element to be added or removed: its own, or the first in which a read of all
    /// elements differs from the state. A larger size needs an element that is absent now to be added, a smaller one needs
    /// an element that is present now to be removed.
    fn may_enable(&self, state: &Elements, refused: &SetOp, helper: &SetOp) -> bool {
        let difference = match refused {
            SetOp::Read(Some(read)) => first_difference(state, read),
            SetOp::Size(Some(size)) => {
                return match helper {
                    SetOp::Add(element, _) if (state.len() as i64) < *size => {
                        !state.contains(element) && helper.may_add(element)
                    }
                    SetOp::Remove(element, _) if (state.len() as i64) > *size => {
                        state.contains(element) && helper.may_remove(element)
                    }
                    _ => false,
                };
            }
            _ => refused.precondition(),
        };
        match difference {
            Some((element, true)) => helper.may_add(element),
            Some((element, false)) => helper.may_remove(element),
            None => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Set)
    }

    fn observe<'a>(&self, op: &'a SetOp) -> Observation<'a> {
        match op {
            SetOp::Add(element, Some(true)) => Observation::Add(element),
            SetOp::Remove(element, Some(true)) => Observation::Remove(element),
            SetOp::Add(element, Some(false)) | SetOp::Contains(element, Some(true)) => {
                Observation::Peek(element)
            }
            SetOp::Remove(element, Some(false)) | SetOp::Contains(element, Some(false)) => {
                Observation::Miss(element)
            }
            SetOp::Read(Some(_)) | SetOp::Size(Some(_)) => Observation::Look,
            SetOp::Contains(_, None) | SetOp::Read(None) | SetOp::Size(None) => Observation::Nothing,
            SetOp::Add(element, None) => Observation::MayAdd(element),
            SetOp::Remove(element, None) => Observation::MayRemove(element),
        }
    }

    fn describe_state(&self, state: &Elements) -> String {
        list(state.iter().map(|(element, ())| element), ["{", "}"])
    }

    fn describe_op(&self, op: &SetOp) -> String {
        match op {
            SetOp::Add(element, result) => format!("add({element}) = {}", Known(result)),
            SetOp::Remove(element, result) => format!("remove({element}) = {}", Known(result)),
            SetOp::Contains(element, result) => format!("contains({element}) = {}", Known(result)),
            SetOp::Read(result) => format!("read() = {}", Known(result)),
            SetOp::Size(result) => format!("size() = {}", Known(result)),
        }
    }

    fn state_bytes(&self, state: &Elements) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Set {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "set",
        summary: "A set: add, remove, contains, and reads of all elements.",
        ops: operations! {
            "add" | "insert" | "put": ("value") -> "true or false, if known",
                "value is now in the set; whether it was absent before";
            "remove" | "delete" | "erase": ("value") -> "true or false, if known",
                "value is no longer in the set; whether it was there before";
            "contains" | "has" | "member": ("value") -> "true or false", "whether value is in the set";
            "read" | "elements" | "snapshot": () -> "the elements, as a set or a list", "all elements of the set";
            "size" | "len" | "length" | "count": () -> "a number", "how many elements there are";
        },
        options: &[],
        example: r#"{"thread":0,"op":"add","args":{"value":1},"ret":true,"start":0,"end":4}
{"thread":1,"op":"remove","args":{"value":2},"ret":false,"start":2,"end":9}
{"thread":0,"op":"read","ret":[1],"start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<SetOp, DecodeError> {
        match call.op() {
            "read" => return decode_read(call),
            "size" => {
                return Ok(SetOp::Size(call.integer_result(
                    &["size", "value"],
                    0,
                    "a number",
                )?));
            }
            _ => {}
        }
        let element = call
            .argument(&["value", "element", "key"], 0, "the element")?
            .clone();
        match call.op() {
            "contains" => Ok(SetOp::Contains(element, call.bool_result(&["found"], 1)?)),
            name => {
                // An operation that returns its own element returns no flag.
                let confirmed = call.result(&[], 1) == Some(&element) && element.as_bool().is_none();
                let result = if confirmed {
                    None
                } else {
                    call.bool_or_nothing(None, &[], 1)?
                };
                Ok(if name == "add" {
                    SetOp::Add(element, result)
                } else {
                    SetOp::Remove(element, result)
                })
            }
        }
    }
}

fn decode_read(call: &CallReader<'_>) -> Result<SetOp, DecodeError> {
    let Some(seen) = call.value_result(&["value", "values"], 0)? else {
        return Ok(SetOp::Read(None));
    };
    if seen.as_set().is_some() {
        return Ok(SetOp::Read(Some(seen)));
    }
    let listed = seen
        .as_tuple()
        .ok_or_else(|| call.wrong(THE_RESULT, &seen, "the elements, as a set or a list"))?;
    let elements = Value::set(listed.iter().cloned());
    if elements.len() != Some(listed.len()) {
        return Err(call.wrong(THE_RESULT, &seen, "each element once"));
    }
    Ok(SetOp::Read(Some(elements)))
}

impl NativeModel for Set {
    fn from_options(_: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self)
    }
}
