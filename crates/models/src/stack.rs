//! A last-in first-out stack.

use omnilink_engine::{CollectionKind, Footprint, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::container::{self, EMPTY, SIZE, empty_option};
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::{Known, KnownOr, Or, list};
use crate::entry::{ModelEntry, operations};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::sequence::Sequence;

/// A stack.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The result that stands for "empty", beside nil. It cannot be an element.
    pub empty: Value,
}

/// An operation on a [`Stack`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StackOp {
    /// The element is now on top.
    Push(Value),
    /// Removes the top; `Some(None)` if the stack was empty.
    Pop(Option<Option<Value>>),
    /// The element on top; `Some(None)` if the stack was empty.
    Peek(Option<Option<Value>>),
    /// The number of elements.
    Size(Option<i64>),
}

impl StackOp {
    /// Whether this may remove `top`.
    fn may_take(&self, top: &Value) -> bool {
        match self {
            Self::Pop(Some(popped)) => popped.as_ref() == Some(top),
            Self::Pop(None) => true,
            _ => false,
        }
    }
}

impl Model for Stack {
    type State = Sequence;
    type Op = StackOp;

    fn initial(&self) -> Vec<Sequence> {
        vec![Sequence::new()]
    }

    fn step(&self, state: &Sequence, op: &StackOp, outcomes: &mut Outcomes<Sequence>) {
        match op {
            StackOp::Push(value) => outcomes.accept(state.pushed(value)),
            StackOp::Pop(Some(top)) | StackOp::Peek(Some(top)) if top.as_ref() != state.last() => outcomes
                .refuse(|| match state.last() {
                    Some(held) => format!("{}, but {held} is on top", self.describe_op(op)),
                    None => format!("{}, but the stack is empty", self.describe_op(op)),
                }),
            StackOp::Pop(_) => {
                outcomes.accept(state.split_last().map_or_else(|| state.clone(), |(_, rest)| rest))
            }
            StackOp::Size(Some(size)) if *size != state.len() as i64 => {
                outcomes.refuse(|| format!("size {size}, but the stack holds {} elements", state.len()));
            }
            StackOp::Peek(_) | StackOp::Size(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &StackOp) -> bool {
        matches!(op, StackOp::Pop(Some(None)) | StackOp::Peek(_) | StackOp::Size(_))
    }

    fn footprint(&self, op: &StackOp) -> Footprint {
        let is_seen = !matches!(op, StackOp::Peek(None) | StackOp::Size(None));
        container::footprint(self.is_pure(op), is_seen)
    }

    /// Let a pop or peek of `v` be refused because another element is on top. Unless some operation pushes `v`, the `v` that
    /// comes to the top is below the current top, which some operation must remove. An empty or smaller stack needs the same;
    /// a larger one needs a push.
    fn may_enable(&self, state: &Sequence, refused: &StackOp, helper: &StackOp) -> bool {
        let takes_top = || state.last().is_some_and(|top| helper.may_take(top));
        match refused {
            StackOp::Pop(Some(Some(wanted))) | StackOp::Peek(Some(Some(wanted))) => match helper {
                StackOp::Push(value) => value == wanted,
                _ => takes_top() && state.iter().any(|value| value == wanted),
            },
            StackOp::Pop(Some(None)) | StackOp::Peek(Some(None)) => takes_top(),
            StackOp::Size(Some(size)) if (state.len() as i64) < *size => matches!(helper, StackOp::Push(_)),
            StackOp::Size(Some(_)) => takes_top(),
            StackOp::Push(_) | StackOp::Pop(None) | StackOp::Peek(None) | StackOp::Size(None) => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Stack)
    }

    fn observe<'a>(&self, op: &'a StackOp) -> Observation<'a> {
        match op {
            StackOp::Push(value) => Observation::Add(value),
            StackOp::Pop(Some(top)) => top.as_ref().map_or(Observation::FindEmpty, Observation::Remove),
            StackOp::Pop(None) => Observation::RemoveAny,
            StackOp::Peek(Some(top)) => top.as_ref().map_or(Observation::FindEmpty, Observation::Peek),
            StackOp::Peek(None) | StackOp::Size(None) => Observation::Nothing,
            StackOp::Size(Some(0)) => Observation::FindEmpty,
            StackOp::Size(Some(_)) => Observation::Look,
        }
    }

    fn describe_state(&self, state: &Sequence) -> String {
        format!(
            "{} with {} on top",
            list(state.iter(), ["[", "]"]),
            Or(state.last(), "nothing")
        )
    }

    fn describe_op(&self, op: &StackOp) -> String {
        match op {
            StackOp::Push(value) => format!("push({value})"),
            StackOp::Pop(top) => format!("pop() = {}", KnownOr(top, "empty")),
            StackOp::Peek(top) => format!("peek() = {}", KnownOr(top, "empty")),
            StackOp::Size(size) => format!("size() = {}", Known(size)),
        }
    }

    fn state_bytes(&self, state: &Sequence) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Stack {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "stack",
        summary: "A last-in first-out stack.",
        ops: operations! {
            "push" | "add" | "put": ("value"), "value is now on top";
            "pop" | "take" | "remove": () -> "value, or empty", "value was on top and was taken off";
            "peek" | "top": () -> "value, or empty", "value is on top";
            + SIZE
        },
        options: &[EMPTY],
        example: r#"{"thread":0,"op":"push","args":{"value":1},"start":0,"end":4}
{"thread":1,"op":"push","args":{"value":2},"start":6,"end":9}
{"thread":0,"op":"pop","ret":2,"start":8,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<StackOp, DecodeError> {
        match call.op() {
            "push" => {
                call.check_acknowledged(1)?;
                Ok(StackOp::Push(call.element(&self.empty)?))
            }
            "pop" => Ok(StackOp::Pop(call.element_result(&self.empty, 0)?)),
            "peek" => Ok(StackOp::Peek(call.element_result(&self.empty, 0)?)),
            _ => Ok(StackOp::Size(call.size_result()?)),
        }
    }
}

impl NativeModel for Stack {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            empty: empty_option(options),
        })
    }
}
