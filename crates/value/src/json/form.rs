//! Objects that denote sets, functions and model values. JSON and MessagePack share these rules.

use thiserror::Error;

use crate::build::{DuplicateKey, EntryBuffer};
use crate::value::{Value, ValueKind};

pub(crate) const SET: &str = "$set";
pub(crate) const FUNCTION: &str = "$fn";
pub(crate) const MODEL: &str = "$model";

/// An object or map that denotes no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormError {
    /// A duplicate key, in an object or among the pairs of `$fn`.
    #[error(transparent)]
    DuplicateKey(#[from] DuplicateKey),
    /// `$set` without an array.
    #[error("\"$set\" needs an array of elements, found {0}")]
    Set(Value),
    /// `$fn` without an array of pairs.
    #[error("\"$fn\" needs an array of [key, value] pairs, found {0}")]
    Function(Value),
    /// `$model` without a name.
    #[error("\"$model\" needs the name of a model value as a string, found {0}")]
    Model(Value),
}

/// The value that an object with these entries denotes.
#[inline]
pub(crate) fn from_object(entries: &mut EntryBuffer) -> Result<Value, FormError> {
    if let [(key, content)] = entries.as_slice() {
        match key.as_str() {
            Some(SET) => return set(content),
            Some(FUNCTION) => return function(content),
            Some(MODEL) => return model(content),
            _ => {}
        }
    }
    Ok(Value::from_entries(entries)?)
}

fn set(content: &Value) -> Result<Value, FormError> {
    let elements = content
        .as_tuple()
        .ok_or_else(|| FormError::Set(content.clone()))?;
    Ok(Value::set(elements.iter().cloned()))
}

fn function(content: &Value) -> Result<Value, FormError> {
    let malformed = || FormError::Function(content.clone());
    let pairs = content.as_tuple().ok_or_else(malformed)?;
    let entries: Option<EntryBuffer> = pairs
        .iter()
        .map(|pair| match pair.as_tuple() {
            Some([key, value]) => Some((key.clone(), value.clone())),
            _ => None,
        })
        .collect();
    Ok(Value::from_entries(&mut entries.ok_or_else(malformed)?)?)
}

fn model(content: &Value) -> Result<Value, FormError> {
    content
        .as_str()
        .map(Value::model)
        .ok_or_else(|| FormError::Model(content.clone()))
}

/// Whether this record, written as a plain object, would be read as another value.
pub(crate) fn needs_function_form(record: &Value) -> bool {
    debug_assert_eq!(record.kind(), ValueKind::Record);
    match record.as_entries() {
        Some([(key, _)]) => matches!(key.as_str(), Some(SET | FUNCTION | MODEL)),
        _ => false,
    }
}
