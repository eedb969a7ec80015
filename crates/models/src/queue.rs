//! A first-in first-out queue, bounded or not, with bulk operations.
//!
//! A single enqueue or dequeue is a bulk operation of one, so there is one kind of each.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::describe::{Seen, SeenOr, list};
use crate::keys::whole;
use crate::sequence::Sequence;

/// A queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// How many elements fit; `None` for any number.
    pub capacity: Option<usize>,
}

/// The elements of one operation, from the front of the queue to its back.
pub type Batch = SmallVec<[Value; 1]>;

/// An operation on a [`Queue`]. Results that were not seen are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueueOp {
    /// These elements went to the back, all or none of them.
    Enqueue {
        /// The elements.
        values: Batch,
        /// Whether they fitted.
        fitted: Option<bool>,
    },
    /// As many elements as there are, but no more than asked for, left from the front.
    Dequeue {
        /// How many were asked for; `None` for some number that is not known.
        most: Option<usize>,
        /// The elements; none if the queue was empty.
        values: Option<Batch>,
    },
    /// The element at the front; `Some(None)` if the queue was empty.
    Peek(Option<Option<Value>>),
    /// How many elements there are.
    Size(Option<i64>),
}

impl QueueOp {
    /// Whether this may take elements away from a queue with `front` at its front.
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

    /// Whether a dequeue that asked for at most `most` elements may return `values`.
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
        match op {
            QueueOp::Peek(None) | QueueOp::Size(None) => Footprint::reads(Keys::none()),
            _ if self.is_pure(op) => Footprint::reads(whole()),
            _ => Footprint::updates(whole()),
        }
    }

    /// Elements join at the back and leave at the front, so the first operation that takes anything takes the present
    /// front. What is refused waits
    /// - for elements to leave, when the queue is too long or what it holds is not what was returned, as no enqueue
    ///   changes what is already there: some operation takes the present front;
    /// - for elements to join, when the queue holds a proper beginning of what was returned: if nothing leaves, the
    ///   element that is missing next joins, otherwise some operation takes the present front (an empty queue has none,
    ///   and there the first element returned joins);
    /// - for a longer queue, to which some operation adds.
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
                format!("dequeue({most}) = {}", Seen(&values))
            }
            QueueOp::Peek(front) => format!("peek() = {}", SeenOr(front, "empty")),
            QueueOp::Size(size) => format!("size() = {}", Seen(size)),
        }
    }

    fn state_bytes(&self, state: &Sequence) -> usize {
        state.heap_bytes()
    }
}
