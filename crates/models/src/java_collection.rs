//! A queue, deque, list, set or priority queue of the Java library, with results as Java prints them.
//!
//! They differ in two things: where an element goes, and whether it may be there twice. Bulk operations, iterators and views are
//! atomic here. Those of `java.util.concurrent` are not; weaker consistency criteria describe them.

mod call;
mod decode;
mod methods;
mod op;
mod result;

use std::sync::Arc;

use omnilink_engine::{Footprint, Model, Outcomes};
use omnilink_value::Value;

pub use self::call::{CollectionEnd, IndexMethod, JavaCollectionCall, JavaCollectionError, Near};
pub use self::op::JavaCollectionOp;
use crate::container;
use crate::java_text::{collection_text, java_text, or_null};

/// The elements, from the first to the last.
type Elements = Arc<[Value]>;

/// Where an element goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// To the end that the method says.
    Insertion,
    /// Before all that are greater.
    Sorted,
}

/// A collection of the Java library.
#[derive(Clone, Debug)]
pub struct JavaCollection {
    /// Where an element goes.
    pub order: ElementOrder,
    /// Whether an element may be there twice.
    pub has_duplicates: bool,
    /// How many elements there is room for.
    pub capacity: Option<usize>,
}

/// What a call returns, and the elements after it; `None` if it waits.
type Returned = Option<(String, Elements)>;

fn without(elements: &Elements, at: usize) -> Elements {
    let mut rest = elements.to_vec();
    rest.remove(at);
    rest.into()
}

fn at_end(elements: &Elements, end: CollectionEnd) -> Option<usize> {
    match end {
        CollectionEnd::First => (!elements.is_empty()).then_some(0),
        CollectionEnd::Last => elements.len().checked_sub(1),
    }
}

fn index_of(elements: &Elements, end: CollectionEnd, element: &Value) -> Option<usize> {
    match end {
        CollectionEnd::First => elements.iter().position(|held| held == element),
        CollectionEnd::Last => elements.iter().rposition(|held| held == element),
    }
}

fn index_text(at: Option<usize>) -> String {
    at.map_or_else(|| "-1".to_owned(), |at| at.to_string())
}

fn is_between(element: &Value, low: Option<&(Value, bool)>, high: Option<&(Value, bool)>) -> bool {
    low.is_none_or(|(low, is_included)| element > low || *is_included && element == low)
        && high.is_none_or(|(high, is_included)| element < high || *is_included && element == high)
}

impl JavaCollection {
    /// What `call` returns on these elements, as Java prints it; `None` if it waits for others.
    pub fn result_of(&self, elements: &[Value], call: &JavaCollectionCall) -> Option<String> {
        self.run(&elements.into(), call).map(|(returned, _)| returned)
    }

    fn is_full(&self, elements: &Elements) -> bool {
        self.capacity.is_some_and(|capacity| elements.len() >= capacity)
    }

    /// The elements with one more; `None` if it is not taken.
    fn with(&self, elements: &Elements, end: CollectionEnd, element: &Value) -> Option<Elements> {
        if self.is_full(elements) || !self.has_duplicates && elements.contains(element) {
            return None;
        }
        let at = match (self.order, end) {
            (ElementOrder::Sorted, _) => elements.partition_point(|held| held <= element),
            (ElementOrder::Insertion, CollectionEnd::First) => 0,
            (ElementOrder::Insertion, CollectionEnd::Last) => elements.len(),
        };
        let mut more = elements.to_vec();
        more.insert(at, element.clone());
        Some(more.into())
    }

    /// Elements are added one by one, until there is no room.
    fn with_all(&self, elements: &Elements, added: &[Value]) -> (String, Elements) {
        let mut all = elements.clone();
        for element in added {
            match self.with(&all, CollectionEnd::Last, element) {
                Some(more) => all = more,
                None if self.is_full(&all) => return ("IllegalStateException".to_owned(), all),
                None => {}
            }
        }
        ((all.len() > elements.len()).to_string(), all)
    }

    fn run(&self, elements: &Elements, call: &JavaCollectionCall) -> Returned {
        let same = || elements.clone();
        let kept = |keep: &dyn Fn(&Value) -> bool| -> (String, Elements) {
            let rest: Elements = elements.iter().filter(|element| keep(element)).cloned().collect();
            ((rest.len() < elements.len()).to_string(), rest)
        };
        Some(match call {
            JavaCollectionCall::Insert { end, element, waits } => match self.with(elements, *end, element) {
                Some(more) => ("true".to_owned(), more),
                None if *waits => return None,
                None => ("false".to_owned(), same()),
            },
            JavaCollectionCall::InsertIfAbsent(element) if elements.contains(element) => {
                ("false".to_owned(), same())
            }
            JavaCollectionCall::InsertIfAbsent(element) => {
                match self.with(elements, CollectionEnd::Last, element) {
                    Some(more) => ("true".to_owned(), more),
                    None => ("false".to_owned(), same()),
                }
            }
            JavaCollectionCall::InsertAll(added) => self.with_all(elements, added),
            JavaCollectionCall::Take { end, waits } => match at_end(elements, *end) {
                Some(at) => (java_text(&elements[at]), without(elements, at)),
                None if *waits => return None,
                None => ("null".to_owned(), same()),
            },
            JavaCollectionCall::Peek(end) => {
                (or_null(at_end(elements, *end).map(|at| &elements[at])), same())
            }
            JavaCollectionCall::Remove(end, element) => match index_of(elements, *end, element) {
                Some(at) => ("true".to_owned(), without(elements, at)),
                None => ("false".to_owned(), same()),
            },
            JavaCollectionCall::RemoveAll(removed) => kept(&|element| !removed.contains(element)),
            JavaCollectionCall::RetainAll(retained) => kept(&|element| retained.contains(element)),
            JavaCollectionCall::Drain(most) => {
                let count = most.unwrap_or(usize::MAX).min(elements.len());
                (
                    collection_text(&elements[..count]),
                    elements[count..].to_vec().into(),
                )
            }
            JavaCollectionCall::Clear => ("void".to_owned(), Arc::new([])),
            JavaCollectionCall::Contains(element) => (elements.contains(element).to_string(), same()),
            JavaCollectionCall::ContainsAll(wanted) => {
                let has_all = wanted.iter().all(|element| elements.contains(element));
                (has_all.to_string(), same())
            }
            JavaCollectionCall::Size => (elements.len().to_string(), same()),
            JavaCollectionCall::IsEmpty => (elements.is_empty().to_string(), same()),
            JavaCollectionCall::RemainingCapacity => {
                let room = self.capacity.map_or(i32::MAX as usize, |capacity| {
                    capacity.saturating_sub(elements.len())
                });
                (room.to_string(), same())
            }
            JavaCollectionCall::All(CollectionEnd::First) => (collection_text(elements.iter()), same()),
            JavaCollectionCall::All(CollectionEnd::Last) => (collection_text(elements.iter().rev()), same()),
            JavaCollectionCall::Index(method, at) => match (method, elements.get(*at)) {
                (_, None) => ("IndexOutOfBoundsException".to_owned(), same()),
                (IndexMethod::Get, Some(held)) => (java_text(held), same()),
                (IndexMethod::Set(element), Some(held)) => {
                    let mut changed = elements.to_vec();
                    changed[*at] = element.clone();
                    (java_text(held), changed.into())
                }
            },
            JavaCollectionCall::IndexOf(end, element) => {
                (index_text(index_of(elements, *end, element)), same())
            }
            JavaCollectionCall::Neighbour(near, element) => {
                let found = match near {
                    Near::Lower => elements.iter().rev().find(|held| *held < element),
                    Near::Floor => elements.iter().rev().find(|held| *held <= element),
                    Near::Ceiling => elements.iter().find(|held| *held >= element),
                    Near::Higher => elements.iter().find(|held| *held > element),
                };
                (or_null(found), same())
            }
            JavaCollectionCall::Between(low, high) => {
                let inside = elements
                    .iter()
                    .filter(|element| is_between(element, low.as_ref(), high.as_ref()));
                (collection_text(inside), same())
            }
        })
    }
}

impl Model for JavaCollection {
    type State = Elements;
    type Op = JavaCollectionOp;

    fn initial(&self) -> Vec<Elements> {
        vec![Arc::new([])]
    }

    fn step(&self, state: &Elements, op: &JavaCollectionOp, outcomes: &mut Outcomes<Elements>) {
        let Some((returned, next)) = self.run(state, &op.call) else {
            return outcomes.refuse(|| {
                let on = collection_text(state.iter());
                format!("{} would wait on {on}", op.call)
            });
        };
        match op.result.as_ref().and_then(Value::as_str) {
            Some(observed) if observed != returned => outcomes.refuse(|| {
                let on = collection_text(state.iter());
                format!("returned {observed}, but would return {returned} on {on}")
            }),
            _ => outcomes.accept(next),
        }
    }

    /// Besides the methods that only read: one that found nothing to take out, or no room, and a `set` to what was there.
    fn is_pure(&self, op: &JavaCollectionOp) -> bool {
        let Some(result) = op.result.as_ref().and_then(Value::as_str) else {
            return !op.call.writes();
        };
        match &op.call {
            JavaCollectionCall::Insert { .. }
            | JavaCollectionCall::InsertIfAbsent(_)
            | JavaCollectionCall::InsertAll(_)
            | JavaCollectionCall::Remove(..)
            | JavaCollectionCall::RemoveAll(_)
            | JavaCollectionCall::RetainAll(_) => result == "false",
            // Null is no element of a collection that elements are taken from.
            JavaCollectionCall::Take { .. } => result == "null",
            JavaCollectionCall::Drain(_) => result == "[]",
            JavaCollectionCall::Index(IndexMethod::Set(element), _) => {
                result == java_text(element) || result == "IndexOutOfBoundsException"
            }
            call => !call.writes(),
        }
    }

    fn footprint(&self, op: &JavaCollectionOp) -> Footprint {
        container::footprint(self.is_pure(op), op.result.is_some())
    }

    fn describe_state(&self, state: &Elements) -> String {
        collection_text(state.iter())
    }

    fn describe_op(&self, op: &JavaCollectionOp) -> String {
        let result = op.result.as_ref().and_then(Value::as_str).unwrap_or("?");
        format!("{} = {result}", op.call)
    }

    fn state_bytes(&self, state: &Elements) -> usize {
        size_of_val::<[Value]>(state)
    }
}
