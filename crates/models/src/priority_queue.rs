//! A priority queue: the greatest element (or the least) leaves first.

use omnilink_engine::{CollectionKind, Footprint, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::container::{self, EMPTY, SIZE, empty_option};
use crate::decode::Decode;
use crate::decode_error::{DecodeError, DecodeProblem};
use crate::display::{Known, KnownOr, list};
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;

/// A priority queue. Elements are their own priorities, in the total order of values; equal elements are
/// interchangeable.
#[derive(Clone, Debug)]
pub struct PriorityQueue {
    /// Which element leaves first.
    pub first: PriorityOrder,
    /// The result that stands for "empty", beside nil. It cannot be an element.
    pub empty: Value,
}

/// Which element leaves a [`PriorityQueue`] first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriorityOrder {
    /// The greatest.
    #[default]
    Greatest,
    /// The least.
    Least,
}

/// An operation on a [`PriorityQueue`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PriorityQueueOp {
    /// Adds one occurrence of the element.
    Insert(Value),
    /// Removes the first element; `Some(None)` if the queue was empty.
    Poll(Option<Option<Value>>),
    /// The first element; `Some(None)` if the queue was empty.
    Peek(Option<Option<Value>>),
    /// The number of elements.
    Size(Option<i64>),
}

impl PriorityQueueOp {
    /// Whether this may remove an element equal to `first`.
    fn may_remove(&self, first: &Value) -> bool {
        match self {
            Self::Poll(Some(polled)) => polled.as_ref() == Some(first),
            Self::Poll(None) => true,
            _ => false,
        }
    }
}

/// The state of a [`PriorityQueue`]: the number of occurrences of each element.
pub type Multiset = PersistentMap<usize>;

fn size(state: &Multiset) -> i64 {
    state.iter().map(|(_, count)| *count as i64).sum()
}

impl PriorityQueue {
    fn first<'a>(&self, state: &'a Multiset) -> Option<(&'a Value, usize)> {
        let entry = match self.first {
            PriorityOrder::Greatest => state.iter().next_back(),
            PriorityOrder::Least => state.iter().next(),
        };
        entry.map(|(element, count)| (element, *count))
    }
}

impl Model for PriorityQueue {
    type State = Multiset;
    type Op = PriorityQueueOp;

    fn initial(&self) -> Vec<Multiset> {
        vec![PersistentMap::new()]
    }

    fn step(&self, state: &Multiset, op: &PriorityQueueOp, outcomes: &mut Outcomes<Multiset>) {
        let first = self.first(state);
        match op {
            PriorityQueueOp::Insert(element) => {
                let count = state.get(element).copied().unwrap_or(0);
                outcomes.accept(state.with(element, count + 1));
            }
            PriorityQueueOp::Poll(Some(seen)) | PriorityQueueOp::Peek(Some(seen))
                if seen.as_ref() != first.map(|(element, _)| element) =>
            {
                outcomes.refuse(|| match first {
                    Some((element, _)) => format!("{}, but {element} comes first", self.describe_op(op)),
                    None => format!("{}, but the queue is empty", self.describe_op(op)),
                });
            }
            PriorityQueueOp::Poll(_) => outcomes.accept(match first {
                None => state.clone(),
                Some((element, 1)) => state.without(element),
                Some((element, count)) => state.with(element, count - 1),
            }),
            PriorityQueueOp::Size(Some(seen)) if *seen != size(state) => {
                outcomes.refuse(|| format!("size {seen}, but the queue holds {} elements", size(state)));
            }
            PriorityQueueOp::Peek(_) | PriorityQueueOp::Size(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &PriorityQueueOp) -> bool {
        matches!(
            op,
            PriorityQueueOp::Poll(Some(None)) | PriorityQueueOp::Peek(_) | PriorityQueueOp::Size(_)
        )
    }

    fn footprint(&self, op: &PriorityQueueOp) -> Footprint {
        let is_seen = !matches!(op, PriorityQueueOp::Peek(None) | PriorityQueueOp::Size(None));
        container::footprint(self.is_pure(op), is_seen)
    }

    /// Let `f` be the element that comes first now. A poll or peek of an element `v` that is not in the queue needs an insert
    /// of `v`. If `v` is in the queue, `f` comes before it, so every `f` must be removed. An empty queue needs the same, and
    /// so does a smaller one: while an `f` stays, only elements that were inserted later, or that equal `f`, can be removed.
    /// A larger queue needs an insert.
    fn may_enable(&self, state: &Multiset, refused: &PriorityQueueOp, helper: &PriorityQueueOp) -> bool {
        let removes_first = || {
            self.first(state)
                .is_some_and(|(first, _)| helper.may_remove(first))
        };
        match refused {
            PriorityQueueOp::Poll(Some(Some(wanted))) | PriorityQueueOp::Peek(Some(Some(wanted))) => {
                if state.contains(wanted) {
                    removes_first()
                } else {
                    matches!(helper, PriorityQueueOp::Insert(element) if element == wanted)
                }
            }
            PriorityQueueOp::Poll(Some(None)) | PriorityQueueOp::Peek(Some(None)) => removes_first(),
            PriorityQueueOp::Size(Some(seen)) if size(state) < *seen => {
                matches!(helper, PriorityQueueOp::Insert(_))
            }
            PriorityQueueOp::Size(Some(_)) => removes_first(),
            PriorityQueueOp::Insert(_)
            | PriorityQueueOp::Poll(None)
            | PriorityQueueOp::Peek(None)
            | PriorityQueueOp::Size(None) => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(match self.first {
            PriorityOrder::Greatest => CollectionKind::GreatestFirst,
            PriorityOrder::Least => CollectionKind::LeastFirst,
        })
    }

    fn observe<'a>(&self, op: &'a PriorityQueueOp) -> Observation<'a> {
        match op {
            PriorityQueueOp::Insert(value) => Observation::Add(value),
            PriorityQueueOp::Poll(Some(first)) => {
                first.as_ref().map_or(Observation::FindEmpty, Observation::Remove)
            }
            PriorityQueueOp::Poll(None) => Observation::RemoveAny,
            PriorityQueueOp::Peek(Some(first)) => {
                first.as_ref().map_or(Observation::FindEmpty, Observation::Peek)
            }
            PriorityQueueOp::Peek(None) | PriorityQueueOp::Size(None) => Observation::Nothing,
            PriorityQueueOp::Size(Some(0)) => Observation::FindEmpty,
            PriorityQueueOp::Size(Some(_)) => Observation::Look,
        }
    }

    fn describe_state(&self, state: &Multiset) -> String {
        let elements = state
            .iter()
            .flat_map(|(element, count)| std::iter::repeat_n(element, *count));
        list(elements, ["{", "}"])
    }

    fn describe_op(&self, op: &PriorityQueueOp) -> String {
        match op {
            PriorityQueueOp::Insert(element) => format!("insert({element})"),
            PriorityQueueOp::Poll(first) => format!("poll() = {}", KnownOr(first, "empty")),
            PriorityQueueOp::Peek(first) => format!("peek() = {}", KnownOr(first, "empty")),
            PriorityQueueOp::Size(size) => format!("size() = {}", Known(size)),
        }
    }

    fn state_bytes(&self, state: &Multiset) -> usize {
        state.heap_bytes()
    }
}

impl Decode for PriorityQueue {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "priority-queue",
        summary: "A priority queue: the greatest element, or the least, leaves first.",
        ops: operations! {
            "insert" | "add" | "push" | "offer" | "enqueue" | "enq" | "put": ("value"),
                "value is now in the queue, once more";
            "poll" | "pop" | "remove" | "take" | "dequeue" | "deq" | "delete-min" | "delete-max"
                | "extract" | "extract-min" | "extract-max" | "remove-min" | "remove-max" | "pop-min" | "pop-max":
                () -> "value, or empty",
                "value came first and has left";
            "peek" | "first" | "min" | "max" | "top" | "peek-min" | "peek-max" | "find-min" | "find-max": () -> "value, or empty", "value comes first";
            + SIZE
        },
        options: &[
            OptionEntry {
                name: "first",
                values: "greatest or least",
                default: "greatest",
                meaning: "which element leaves first",
            },
            EMPTY,
        ],
        example: r#"{"thread":0,"op":"insert","args":{"value":1},"start":0,"end":4}
{"thread":1,"op":"insert","args":{"value":2},"start":2,"end":9}
{"thread":0,"op":"poll","ret":2,"start":11,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<PriorityQueueOp, DecodeError> {
        self.check_end(call)?;
        let ordered_result = || {
            let result = call.element_result(&self.empty, 0)?;
            if let Some(Some(element)) = &result {
                call.ordered(element)?;
            }
            Ok(result)
        };
        match call.op() {
            "insert" => {
                call.check_acknowledged(1)?;
                Ok(PriorityQueueOp::Insert(
                    call.ordered(&call.element(&self.empty)?)?,
                ))
            }
            "poll" => Ok(PriorityQueueOp::Poll(ordered_result()?)),
            "peek" => Ok(PriorityQueueOp::Peek(ordered_result()?)),
            _ => Ok(PriorityQueueOp::Size(call.size_result()?)),
        }
    }
}

impl PriorityQueue {
    /// Refuses an operation whose name says that the other end comes first, such as `delete-min` where the greatest does.
    fn check_end(&self, call: &CallReader<'_>) -> Result<(), DecodeError> {
        let is_named = |name: &str, end: &str| {
            let at = name.len().checked_sub(end.len());
            at.is_some_and(|at| name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(end))
        };
        let (end, named, first) = match self.first {
            PriorityOrder::Greatest => ("min", "least", "greatest"),
            PriorityOrder::Least => ("max", "greatest", "least"),
        };
        if !is_named(call.operation().name.as_str(), end) || !is_named(&call.name(), end) {
            return Ok(());
        }
        Err(call.error(DecodeProblem::OtherEnd {
            op: call.name(),
            named,
            first,
        }))
    }
}

impl NativeModel for PriorityQueue {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let choices = [
            ("greatest", PriorityOrder::Greatest),
            ("max", PriorityOrder::Greatest),
            ("least", PriorityOrder::Least),
            ("min", PriorityOrder::Least),
        ];
        let first = options
            .choice("first", &choices, "greatest or least")?
            .unwrap_or_default();
        Ok(Self {
            first,
            empty: empty_option(options),
        })
    }
}
