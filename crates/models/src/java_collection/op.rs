//! A call on a Java collection, with its result.

use omnilink_value::Value;

use super::call::{JavaCollectionCall, JavaCollectionError};
use super::result::normal_text;

/// A call on a [`JavaCollection`](super::JavaCollection), with its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JavaCollectionOp {
    /// The call.
    pub call: JavaCollectionCall,
    /// The result as Java prints it; `None` where it was not seen.
    pub result: Option<Value>,
}

impl JavaCollectionOp {
    /// The call of `method` with `arguments` that returned `result`, as Java prints it or as a plain value.
    ///
    /// # Errors
    /// If there is no such method, it takes other arguments, or it cannot have such a result.
    pub fn new(
        method: &str,
        arguments: &[Value],
        result: Option<&Value>,
    ) -> Result<Self, JavaCollectionError> {
        let call = JavaCollectionCall::new(method, arguments)?;
        let result = match result {
            None => None,
            Some(found) => {
                let text = normal_text(&call, found).map_err(|expected| JavaCollectionError::Result {
                    method: method.to_owned(),
                    expected,
                    found: found.clone(),
                })?;
                Some(Value::str(&text))
            }
        };
        Ok(Self { call, result })
    }
}
