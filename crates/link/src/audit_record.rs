//! What an audit of earlier steps of an instance found: see [`crate::audit`].

use std::cell::RefCell;

use omnilink_value::Value;

/// What the cells of an instance held, and what came of it.
#[derive(Debug, Default)]
pub(crate) struct Audit(pub(crate) RefCell<Vec<(Contents, Vec<Contents>)>>);

/// What some cells hold.
pub(crate) type Contents = Vec<Option<Value>>;
