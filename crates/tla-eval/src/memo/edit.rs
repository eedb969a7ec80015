//! Edits: next values as functions of the current state.

use std::sync::Arc;

use omnilink_value::Value;
use smallvec::SmallVec;

use super::trie::MemorySize;
use crate::membership::is_listed;

/// A next value, given the current state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    /// Unchanged.
    Same,
    /// A given value.
    Is(Value),
    /// Another variable's value.
    Copy(u32),
    /// The value of a variable, replaced at some paths, in order.
    Except(u32, Arc<[(Vec<Value>, Value)]>),
    /// The union of a variable's value with a set.
    Union(u32, Value),
    /// The difference of a variable's value and a set.
    Difference(u32, Value),
}

impl MemorySize for Edit {
    fn bytes(&self) -> usize {
        let held = match self {
            Edit::Same | Edit::Copy(_) => 0,
            Edit::Is(value) | Edit::Union(_, value) | Edit::Difference(_, value) => value.bytes(),
            Edit::Except(_, changes) => changes
                .iter()
                .map(|(path, value)| path.iter().map(MemorySize::bytes).sum::<usize>() + value.bytes())
                .sum(),
        };
        size_of::<Self>() + held
    }
}

impl Edit {
    /// The variable whose current value is edited, if any. `own` is the variable that is assigned.
    pub(super) fn source(&self, own: u32) -> Option<u32> {
        match self {
            Edit::Same => Some(own),
            Edit::Is(_) => None,
            Edit::Copy(source)
            | Edit::Except(source, _)
            | Edit::Union(source, _)
            | Edit::Difference(source, _) => Some(*source),
        }
    }

    /// The next value; `None` if the edit does not apply.
    pub(crate) fn apply(&self, own: u32, state: &[Value]) -> Option<Value> {
        let source = |variable: u32| state.get(variable as usize);
        match self {
            Edit::Same => source(own).cloned(),
            Edit::Is(value) => Some(value.clone()),
            Edit::Copy(variable) => source(*variable).cloned(),
            Edit::Except(variable, changes) => {
                let mut changes = changes.iter();
                let (path, value) = changes.next()?;
                let mut result = replaced(source(*variable)?, path, value)?;
                for (path, value) in changes {
                    result = replaced(&result, path, value)?;
                }
                Some(result)
            }
            Edit::Union(variable, more) => {
                let set = source(*variable)?;
                let (elements, more) = (set.as_set()?, more.as_set()?);
                let mut is_subset = true;
                for element in more {
                    is_subset &= is_listed(element, elements).ok()?;
                }
                Some(match is_subset {
                    true => set.clone(),
                    false => Value::union_of(elements, more),
                })
            }
            Edit::Difference(variable, less) => {
                let set = source(*variable)?;
                let (elements, less) = (set.as_set()?, less.as_set()?);
                let mut kept = Vec::with_capacity(elements.len());
                for element in elements {
                    if !is_listed(element, less).ok()? {
                        kept.push(element.clone());
                    }
                }
                Some(match kept.len() == elements.len() {
                    true => set.clone(),
                    false => Value::set_of_sorted(kept),
                })
            }
        }
    }

    /// The hash of the next value, without building it; `None` if that is not possible.
    pub(crate) fn hash(&self, own: u32, state: &[Value]) -> Option<u64> {
        let source = |variable: u32| state.get(variable as usize);
        match self {
            Edit::Same => source(own).map(Value::hash64),
            Edit::Is(value) => Some(value.hash64()),
            Edit::Copy(variable) => source(*variable).map(Value::hash64),
            Edit::Except(variable, changes) => {
                let function = source(*variable)?;
                let mut parts: SmallVec<[(usize, u64); 4]> = SmallVec::new();
                for (path, value) in &**changes {
                    let (index, new) = part_replaced(function, path, value)?;
                    if parts.iter().any(|(other, _)| *other == index) {
                        return None;
                    }
                    parts.push((index, new));
                }
                function.hash_with_entries(parts)
            }
            Edit::Union(variable, more) => {
                let set = source(*variable)?;
                let (elements, more) = (set.as_set()?, more.as_set()?);
                let mut new: SmallVec<[u64; 4]> = SmallVec::new();
                for element in more {
                    if !is_listed(element, elements).ok()? {
                        new.push(element.hash64());
                    }
                }
                set.hash_with_elements(new)
            }
            Edit::Difference(..) => None,
        }
    }
}

/// The part of a function that a path leads into, and its hash with the value at the end of the path replaced.
fn part_replaced(function: &Value, path: &[Value], value: &Value) -> Option<(usize, u64)> {
    let (key, rest) = path.split_first()?;
    let index = function.index_of(key)?;
    let new = match rest {
        [] => value.hash64(),
        rest => {
            let part = function.part(index)?;
            let inner = part_replaced(part, rest, value)?;
            part.hash_with_entries([inner])?
        }
    };
    Some((index, new))
}

/// A function with the value at a path replaced.
fn replaced(function: &Value, path: &[Value], value: &Value) -> Option<Value> {
    let Some((key, rest)) = path.split_first() else {
        return Some(value.clone());
    };
    let index = function.index_of(key)?;
    let new = match rest {
        [] => value.clone(),
        rest => replaced(function.part(index)?, rest, value)?,
    };
    function.with_entry(index, new)
}
