//! A bag (multiset, unordered queue): elements leave by name, or any one of them leaves.

use omnilink_engine::{CollectionKind, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::container::{EMPTY, SIZE, empty_option};
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::{Known, KnownOr, list};
use crate::entry::{ModelEntry, operations};
use crate::keys::key;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;
use crate::priority_queue::Multiset;

/// A bag. An element may be inside several times. Operations on different elements are independent; what finds the bag empty
/// connects them.
#[derive(Clone, Debug)]
pub struct Bag {
    /// The result that stands for "empty", beside nil. It cannot be an element.
    pub empty: Value,
}

/// An operation on a [`Bag`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BagOp {
    /// The element is inside once more.
    Add(Value),
    /// The element is inside once less; whether it was inside.
    Remove(Value, Option<bool>),
    /// Some element is inside once less; `Some(None)` if the bag was empty.
    Take(Option<Option<Value>>),
    /// Whether the element is inside.
    Contains(Value, Option<bool>),
    /// The number of elements.
    Size(Option<i64>),
}

fn less(state: &Multiset, element: &Value) -> Multiset {
    match state.get(element) {
        Some(count) if *count > 1 => state.with(element, count - 1),
        _ => state.without(element),
    }
}

fn size(state: &Multiset) -> i64 {
    state.iter().map(|(_, count)| *count as i64).sum()
}

impl Model for Bag {
    type State = Multiset;
    type Op = BagOp;

    fn initial(&self) -> Vec<Multiset> {
        vec![PersistentMap::new()]
    }

    fn step(&self, state: &Multiset, op: &BagOp, outcomes: &mut Outcomes<Multiset>) {
        let refuse = |outcomes: &mut Outcomes<Multiset>| {
            outcomes.refuse(|| {
                format!(
                    "{}, but the bag holds {}",
                    self.describe_op(op),
                    self.describe_state(state)
                )
            });
        };
        match op {
            BagOp::Add(element) => {
                let count = state.get(element).copied().unwrap_or(0);
                outcomes.accept(state.with(element, count + 1));
            }
            BagOp::Remove(element, Some(found)) | BagOp::Contains(element, Some(found))
                if state.contains(element) != *found =>
            {
                refuse(outcomes);
            }
            BagOp::Take(Some(Some(element))) if !state.contains(element) => refuse(outcomes),
            BagOp::Take(Some(None)) if size(state) > 0 => refuse(outcomes),
            BagOp::Size(Some(seen)) if *seen != size(state) => refuse(outcomes),
            BagOp::Remove(element, _) | BagOp::Take(Some(Some(element))) => {
                outcomes.accept(less(state, element))
            }
            BagOp::Take(None) if size(state) > 0 => {
                for (element, _) in state.iter() {
                    outcomes.accept(less(state, element));
                }
            }
            BagOp::Take(_) | BagOp::Contains(..) | BagOp::Size(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &BagOp) -> bool {
        match op {
            BagOp::Remove(_, Some(false))
            | BagOp::Take(Some(None))
            | BagOp::Contains(..)
            | BagOp::Size(_) => true,
            BagOp::Add(_) | BagOp::Remove(..) | BagOp::Take(_) => false,
        }
    }

    fn footprint(&self, op: &BagOp) -> Footprint {
        match op {
            BagOp::Add(element)
            | BagOp::Remove(element, None | Some(true))
            | BagOp::Take(Some(Some(element))) => Footprint::updates(key(element)),
            BagOp::Remove(element, Some(false)) | BagOp::Contains(element, Some(_)) => {
                Footprint::reads(key(element))
            }
            BagOp::Take(Some(None)) | BagOp::Size(Some(_)) => Footprint::reads(Keys::All),
            BagOp::Take(None) => Footprint::everything(),
            BagOp::Contains(_, None) | BagOp::Size(None) => Footprint::reads(Keys::none()),
        }
    }

    /// A refused operation needs elements to be added or removed: its own element, or any.
    fn may_enable(&self, state: &Multiset, refused: &BagOp, helper: &BagOp) -> bool {
        let may_remove = |element: &Value| match helper {
            BagOp::Remove(removed, found) => removed == element && *found != Some(false),
            BagOp::Take(Some(taken)) => taken.as_ref() == Some(element),
            BagOp::Take(None) => true,
            _ => false,
        };
        let adds = |element: &Value| matches!(helper, BagOp::Add(added) if added == element);
        match refused {
            BagOp::Remove(element, Some(found)) | BagOp::Contains(element, Some(found)) => {
                if *found {
                    adds(element)
                } else {
                    may_remove(element)
                }
            }
            BagOp::Take(Some(Some(element))) => adds(element),
            // Every element that is inside now must leave.
            BagOp::Take(Some(None)) => state
                .iter()
                .next()
                .is_some_and(|(element, _)| may_remove(element)),
            _ => true,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Bag)
    }

    fn observe<'a>(&self, op: &'a BagOp) -> Observation<'a> {
        match op {
            BagOp::Add(element) => Observation::Add(element),
            BagOp::Remove(element, Some(true)) | BagOp::Take(Some(Some(element))) => {
                Observation::Remove(element)
            }
            BagOp::Remove(element, None) => Observation::MayRemove(element),
            BagOp::Contains(element, Some(true)) => Observation::Peek(element),
            BagOp::Remove(element, Some(false)) | BagOp::Contains(element, Some(false)) => {
                Observation::Miss(element)
            }
            BagOp::Take(Some(None)) | BagOp::Size(Some(0)) => Observation::FindEmpty,
            BagOp::Take(None) => Observation::RemoveAny,
            BagOp::Size(Some(_)) => Observation::Look,
            BagOp::Contains(_, None) | BagOp::Size(None) => Observation::Nothing,
        }
    }

    fn describe_state(&self, state: &Multiset) -> String {
        let elements = state
            .iter()
            .flat_map(|(element, count)| std::iter::repeat_n(element, *count));
        list(elements, ["{", "}"])
    }

    fn describe_op(&self, op: &BagOp) -> String {
        match op {
            BagOp::Add(element) => format!("add({element})"),
            BagOp::Remove(element, found) => format!("remove({element}) = {}", Known(found)),
            BagOp::Take(taken) => format!("take() = {}", KnownOr(taken, "empty")),
            BagOp::Contains(element, found) => format!("contains({element}) = {}", Known(found)),
            BagOp::Size(size) => format!("size() = {}", Known(size)),
        }
    }

    fn state_bytes(&self, state: &Multiset) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Bag {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "bag",
        summary: "A bag (multiset, unordered queue): elements leave by name, or any one of them does.",
        ops: operations! {
            "add" | "insert" | "put" | "enqueue" | "push" | "offer": ("value"), "value is inside once more";
            "remove" | "delete" | "erase": ("value") -> "true or false, if known",
                "value is inside once less; whether it was inside";
            "take" | "poll" | "dequeue" | "pop": () -> "value, or empty", "value is inside once less";
            "contains" | "has" | "member": ("value") -> "true or false", "whether value is inside";
            + SIZE
        },
        options: &[EMPTY],
        example: r#"{"thread":0,"op":"add","args":{"value":1},"start":0,"end":4}
{"thread":1,"op":"add","args":{"value":1},"start":2,"end":9}
{"thread":0,"op":"take","ret":1,"start":11,"end":12}
{"thread":1,"op":"remove","args":{"value":1},"ret":true,"start":13,"end":14}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<BagOp, DecodeError> {
        match call.op() {
            "add" => {
                call.check_acknowledged(1)?;
                Ok(BagOp::Add(call.element(&self.empty)?))
            }
            "remove" => Ok(BagOp::Remove(
                call.element(&self.empty)?,
                call.bool_or_nothing(None, &["found"], 1)?,
            )),
            "contains" => Ok(BagOp::Contains(
                call.element(&self.empty)?,
                call.bool_result(&["found"], 1)?,
            )),
            "take" => Ok(BagOp::Take(call.element_result(&self.empty, 0)?)),
            _ => Ok(BagOp::Size(call.size_result()?)),
        }
    }
}

impl NativeModel for Bag {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            empty: empty_option(options),
        })
    }
}
