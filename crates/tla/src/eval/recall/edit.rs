//! Edits: how a next value is made from the current state.

use std::rc::Rc;

use omnilink_value::Value;

use crate::eval::membership::is_listed;

/// A next value, given the current state.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    /// As it is.
    Same,
    /// This value.
    Is(Value),
    /// Another variable's value.
    Copy(u32),
    /// A variable's value with other values at some paths, in order.
    Except(u32, Rc<[(Vec<Value>, Value)]>),
    /// A variable's value, a set, with the elements of another.
    Union(u32, Value),
    /// A variable's value, a set, without the elements of another.
    Difference(u32, Value),
}

impl Edit {
    /// The variable whose value it starts from, if it does. `own` is the variable that it gives a value to.
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

    /// The next value; `None` if the edit does not fit.
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
}

/// A function with another value at a path.
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
