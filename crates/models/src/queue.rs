//! A first-in first-out queue, bounded or not, with bulk operations.
//!
//! A single enqueue or dequeue is a bulk operation of one, so there is one kind of each.

use omnilink_engine::{CollectionKind, Footprint, Model, Observation, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::call_reader::CallReader;
use crate::container::{self, EMPTY, EMPTY_WORD, REMEDY, SIZE, empty_option};
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::display::{Known, KnownOr, list};
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::sequence::Sequence;

/// A queue.
#[derive(Clone, Debug)]
pub struct Queue {
    /// The capacity; `None` for an unbounded queue.
    pub capacity: Option<usize>,
    /// The result that stands for "empty", beside nil. It cannot be an element.
    pub empty: Value,
}

/// The elements of one operation, from the front of the queue to its back.
pub type Batch = SmallVec<[Value; 1]>;

/// An operation on a [`Queue`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueueOp {
    /// Appends these elements, all or none of them.
    Enqueue {
        /// The elements.
        values: Batch,
        /// Whether they fitted.
        fitted: Option<bool>,
    },
    /// Removes the first `most` elements, or all if there are fewer.
    Dequeue {
        /// The requested number; `None` if it is unknown.
        most: Option<usize>,
        /// The elements; none if the queue was empty.
        values: Option<Batch>,
    },
    /// The element at the front; `Some(None)` if the queue was empty.
    Peek(Option<Option<Value>>),
    /// The number of elements.
    Size(Option<i64>),
}

impl QueueOp {
    /// Whether this may remove elements from a queue with `front` at its front.
    fn may_take(&self, front: &Value) -> bool {
        match self {
            Self::Dequeue { most: Some(0), .. } => false,
            Self::Dequeue {
                values: Some(values), ..
            } => values.first() == Some(front),
            Self::Dequeue { values: None, .. } => true,
            _ => false,
        }
    }

    /// The elements that this may add.
    fn may_add(&self) -> &[Value] {
        match self {
            Self::Enqueue {
                values,
                fitted: None | Some(true),
            } => values,
            _ => &[],
        }
    }
}

impl Queue {
    fn fits(&self, state: &Sequence, more: usize) -> bool {
        self.capacity
            .is_none_or(|capacity| state.len().saturating_add(more) <= capacity)
    }

    /// Whether a dequeue of at most `most` elements may return `values`.
    fn may_return(state: &Sequence, most: Option<usize>, values: &[Value]) -> bool {
        let all = values.len() == state.len();
        let enough = match most {
            Some(most) => values.len() == most || (values.len() < most && all),
            None => !values.is_empty() || all,
        };
        enough && values.len() <= state.len() && values.iter().eq(state.iter().take(values.len()))
    }

    fn step_dequeue(
        &self,
        state: &Sequence,
        most: Option<usize>,
        values: Option<&Batch>,
        outcomes: &mut Outcomes<Sequence>,
    ) {
        let sizes = match (values, most) {
            (Some(values), _) if !Self::may_return(state, most, values) => {
                return outcomes.refuse(|| {
                    let returned = list(values.iter(), ["[", "]"]);
                    format!(
                        "dequeued {returned}, but the queue holds {}",
                        self.describe_state(state)
                    )
                });
            }
            (Some(values), _) => values.len()..=values.len(),
            (None, Some(most)) => most.min(state.len())..=most.min(state.len()),
            (None, None) => 1.min(state.len())..=state.len(),
        };
        let mut rest = state.clone();
        for taken in 0..=*sizes.end() {
            if sizes.contains(&taken) {
                outcomes.accept(rest.clone());
            }
            match rest.split_first() {
                Some((_, shorter)) => rest = shorter,
                None => break,
            }
        }
    }
}

impl Model for Queue {
    type State = Sequence;
    type Op = QueueOp;

    fn initial(&self) -> Vec<Sequence> {
        vec![Sequence::new()]
    }

    fn step(&self, state: &Sequence, op: &QueueOp, outcomes: &mut Outcomes<Sequence>) {
        match op {
            QueueOp::Enqueue { values, fitted } => {
                let fits = self.fits(state, values.len());
                if fitted.is_some_and(|fitted| fitted != fits) {
                    outcomes.refuse(|| {
                        let does = if fits { "there is room" } else { "there is no room" };
                        format!(
                            "{}, but {does}: the queue holds {}",
                            self.describe_op(op),
                            state.len()
                        )
                    });
                } else if fits {
                    outcomes.accept(
                        values
                            .iter()
                            .fold(state.clone(), |longer, value| longer.pushed(value)),
                    );
                } else {
                    outcomes.accept(state.clone());
                }
            }
            QueueOp::Dequeue { most, values } => self.step_dequeue(state, *most, values.as_ref(), outcomes),
            QueueOp::Peek(Some(seen)) if seen.as_ref() != state.first() => {
                outcomes.refuse(|| {
                    format!(
                        "{}, but the queue holds {}",
                        self.describe_op(op),
                        self.describe_state(state)
                    )
                });
            }
            QueueOp::Size(Some(size)) if *size != state.len() as i64 => {
                outcomes.refuse(|| format!("size {size}, but the queue holds {} elements", state.len()));
            }
            QueueOp::Peek(_) | QueueOp::Size(_) => outcomes.accept(state.clone()),
        }
    }

    fn is_pure(&self, op: &QueueOp) -> bool {
        match op {
            QueueOp::Enqueue { values, fitted } => values.is_empty() || *fitted == Some(false),
            QueueOp::Dequeue { most, values } => {
                *most == Some(0) || values.as_ref().is_some_and(|v| v.is_empty())
            }
            QueueOp::Peek(_) | QueueOp::Size(_) => true,
        }
    }

    fn footprint(&self, op: &QueueOp) -> Footprint {
        let is_seen = !matches!(op, QueueOp::Peek(None) | QueueOp::Size(None));
        container::footprint(self.is_pure(op), is_seen)
    }

    /// The first operation that removes anything removes the current front. A refused operation needs
    /// - elements to be removed, if the queue is too long or its elements differ from those returned, because no enqueue
    ///   changes the elements inside: some operation removes the current front;
    /// - elements to be added, if the queue is a proper prefix of the elements returned: if nothing is removed, some
    ///   operation adds the next missing element; otherwise some operation removes the current front (an empty queue has
    ///   none, so there some operation adds the first element returned);
    /// - a longer queue: some operation adds elements.
    fn may_enable(&self, state: &Sequence, refused: &QueueOp, helper: &QueueOp) -> bool {
        let takes_front = || state.first().is_some_and(|front| helper.may_take(front));
        let waits_for_values = |values: &[Value]| {
            let matches = state.iter().eq(values.iter().take(state.len()));
            match values.get(state.len()) {
                Some(next) if matches => takes_front() || helper.may_add().contains(next),
                _ => takes_front(),
            }
        };
        match refused {
            QueueOp::Enqueue {
                values,
                fitted: Some(true),
            } => self.capacity.is_some_and(|capacity| values.len() <= capacity) && takes_front(),
            QueueOp::Enqueue {
                fitted: Some(false), ..
            } => self.capacity.is_some() && !helper.may_add().is_empty(),
            QueueOp::Dequeue {
                values: Some(values), ..
            } => waits_for_values(values),
            QueueOp::Peek(Some(front)) => waits_for_values(front.as_slice()),
            QueueOp::Size(Some(size)) if (state.len() as i64) < *size => !helper.may_add().is_empty(),
            QueueOp::Size(Some(_)) => takes_front(),
            QueueOp::Enqueue { fitted: None, .. }
            | QueueOp::Dequeue { values: None, .. }
            | QueueOp::Peek(None)
            | QueueOp::Size(None) => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Queue)
    }

    fn observe<'a>(&self, op: &'a QueueOp) -> Observation<'a> {
        match op {
            QueueOp::Enqueue {
                fitted: Some(false), ..
            } => Observation::Look,
            // Whether it fitted is not known.
            QueueOp::Enqueue { fitted: None, .. } if self.capacity.is_some() => Observation::Other,
            QueueOp::Enqueue { values, .. } => match values.as_slice() {
                [value] => Observation::Add(value),
                values => Observation::AddAll(values),
            },
            QueueOp::Dequeue { most: Some(0), .. } => Observation::Look,
            QueueOp::Dequeue {
                most,
                values: Some(values),
            } => match (values.as_slice(), *most) {
                ([], _) => Observation::FindEmpty,
                ([value], None | Some(1)) => Observation::Remove(value),
                (values, most) => Observation::RemoveAll {
                    values,
                    rest: most.is_none_or(|most| most <= values.len()),
                },
            },
            QueueOp::Dequeue {
                most: Some(1),
                values: None,
            } => Observation::RemoveAny,
            QueueOp::Peek(Some(front)) => front.as_ref().map_or(Observation::FindEmpty, Observation::Peek),
            QueueOp::Size(Some(0)) => Observation::FindEmpty,
            QueueOp::Size(Some(_)) => Observation::Look,
            QueueOp::Peek(None) | QueueOp::Size(None) => Observation::Nothing,
            QueueOp::Dequeue { values: None, .. } => Observation::Other,
        }
    }

    fn describe_state(&self, state: &Sequence) -> String {
        list(state.iter(), ["[", "]"])
    }

    fn describe_op(&self, op: &QueueOp) -> String {
        match op {
            QueueOp::Enqueue { values, fitted } => {
                let result = match fitted {
                    Some(true) => "",
                    Some(false) => " = full",
                    None if self.capacity.is_some() => " = ?",
                    None => "",
                };
                match values.as_slice() {
                    [single] => format!("enqueue({single}){result}"),
                    several => format!("enqueue({}){result}", list(several.iter(), ["[", "]"])),
                }
            }
            QueueOp::Dequeue {
                most: Some(1),
                values,
            } => match values.as_deref() {
                Some([]) => "dequeue() = empty".to_owned(),
                Some([single]) => format!("dequeue() = {single}"),
                Some(several) => format!("dequeue() = {}", list(several.iter(), ["[", "]"])),
                None => "dequeue() = ?".to_owned(),
            },
            QueueOp::Dequeue { most, values } => {
                let most = most.map_or_else(String::new, |most| format!("at most {most}"));
                let values = values.as_ref().map(|values| list(values.iter(), ["[", "]"]));
                format!("dequeue({most}) = {}", Known(&values))
            }
            QueueOp::Peek(front) => format!("peek() = {}", KnownOr(front, "empty")),
            QueueOp::Size(size) => format!("size() = {}", Known(size)),
        }
    }

    fn state_bytes(&self, state: &Sequence) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Queue {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "queue",
        summary: "A first-in first-out queue, bounded or not, also with bulk operations.",
        ops: operations! {
            "enqueue" | "enq" | "push" | "add" | "put" | "send": ("value") -> "false if it did not fit",
                "value is now at the back";
            "dequeue" | "deq" | "pop" | "poll" | "take" | "remove" | "receive": () -> "value, or empty",
                "value was at the front and has left";
            "peek" | "front" | "head": () -> "value, or empty", "value is at the front";
            "try-enqueue" | "offer" | "try-push" | "try-send": ("value") -> "true or false",
                "value is now at the back, if it fitted";
            "enqueue-many" | "enqueue-bulk" | "enqueue-all" | "push-many":
                ("values (a list)") -> "false if they did not fit",
                "values are now at the back, in this order, all or none";
            "dequeue-many" | "dequeue-bulk" | "pop-many": ("max") -> "values (a list)",
                "values were at the front and have left: max of them, or all that there were";
            "drain" | "dequeue-all": () -> "values (a list)", "values were all that there was and have left";
            + SIZE
        },
        options: &[
            OptionEntry {
                name: "capacity",
                values: "a number",
                default: "none",
                meaning: "how many elements fit",
            },
            EMPTY,
        ],
        example: r#"{"thread":0,"op":"enqueue","args":{"value":1},"start":0,"end":4}
{"thread":1,"op":"enqueue","args":{"value":2},"start":2,"end":9}
{"thread":0,"op":"dequeue","ret":2,"start":6,"end":12}
{"thread":0,"op":"dequeue","ret":1,"start":14,"end":18}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<QueueOp, DecodeError> {
        match call.op() {
            "enqueue" | "try-enqueue" => {
                let values = Batch::from_iter([call.element(&self.empty)?]);
                Ok(QueueOp::Enqueue {
                    values,
                    fitted: self.decode_fitted(call)?,
                })
            }
            "enqueue-many" => {
                let listed = call.argument(MANY, 0, "a list of elements")?;
                let elements = listed
                    .as_tuple()
                    .ok_or_else(|| call.wrong("values", listed, "a list of elements"))?;
                let elements = elements
                    .iter()
                    .map(|element| call.unreserved(element, &self.empty, EMPTY_WORD, REMEDY));
                let values = elements.collect::<Result<Batch, _>>()?;
                Ok(QueueOp::Enqueue {
                    values,
                    fitted: self.decode_fitted(call)?,
                })
            }
            "dequeue" => {
                let values = call
                    .element_result(&self.empty, 0)?
                    .map(|front| front.into_iter().collect());
                Ok(QueueOp::Dequeue {
                    most: Some(1),
                    values,
                })
            }
            "dequeue-many" => {
                let most = call.find(&["max", "most", "count", "n"], 0);
                let most = most.map(|most| {
                    let number = most.as_int().and_then(|number| usize::try_from(number).ok());
                    number.ok_or_else(|| call.wrong("max", most, "how many elements to take at most"))
                });
                Ok(QueueOp::Dequeue {
                    most: most.transpose()?,
                    values: decode_batch(call, 1)?,
                })
            }
            "drain" => Ok(QueueOp::Dequeue {
                most: Some(usize::MAX),
                values: decode_batch(call, 0)?,
            }),
            "peek" => Ok(QueueOp::Peek(call.element_result(&self.empty, 0)?)),
            _ => Ok(QueueOp::Size(call.size_result()?)),
        }
    }
}

const MANY: &[&str] = &["values", "items", "elements", "value"];

impl Queue {
    /// Whether the elements fitted. In an unbounded queue they always do, so all enqueues of a value form one class, pending
    /// or not. An enqueue that returns null has returned nothing, as one that waits for room does.
    fn decode_fitted(&self, call: &CallReader<'_>) -> Result<Option<bool>, DecodeError> {
        const NAMES: &[&str] = &["fitted"];
        let seen = match call.op() {
            "try-enqueue" => call.bool_result(NAMES, 1)?,
            _ => call.bool_or_nothing(Some(true), NAMES, 1)?,
        };
        Ok(seen.or(self.capacity.is_none().then_some(true)))
    }
}

fn decode_batch(call: &CallReader<'_>, position: usize) -> Result<Option<Batch>, DecodeError> {
    let Some(result) = call.value_result(MANY, position)? else {
        return Ok(None);
    };
    match result.as_tuple() {
        Some(values) => Ok(Some(values.iter().cloned().collect())),
        None if result.is_null() => Ok(Some(Batch::new())),
        None => Err(call.wrong(THE_RESULT, &result, "a list of elements")),
    }
}

impl NativeModel for Queue {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let capacity = options.integer("capacity", 0, "a number of elements")?;
        Ok(Self {
            capacity: capacity.map(|capacity| usize::try_from(capacity).unwrap_or(usize::MAX)),
            empty: empty_option(options),
        })
    }
}
