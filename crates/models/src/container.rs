//! The common part of queues, stacks and priority queues: their footprint, their size, and the result for "empty".
//!
//! Nil always means "empty". Many harnesses write a number instead, usually -1. So -1 means "empty" as well, unless the option
//! `empty` names another value. That value cannot be an element, or results would be ambiguous.

use omnilink_engine::{Footprint, Keys};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode_error::DecodeError;
use crate::entry::{OpEntry, OptionEntry};
use crate::keys::whole;
use crate::options::ModelOptions;

pub(crate) const SIZE: OpEntry = OpEntry {
    name: "size",
    aliases: &["len", "length", "count"],
    arguments: "",
    result: "a number",
    meaning: "how many elements there are",
};

/// The footprint of an operation on a container: all of it, unless it is a read with an unknown result.
pub(crate) fn footprint(is_pure: bool, is_seen: bool) -> Footprint {
    match (is_pure, is_seen) {
        (true, false) => Footprint::reads(Keys::none()),
        (true, true) => Footprint::reads(whole()),
        (false, _) => Footprint::updates(whole()),
    }
}

pub(crate) const EMPTY: OptionEntry = OptionEntry {
    name: "empty",
    values: "a number, a text or nil",
    default: "-1",
    meaning: "the result that stands for \"empty\", beside nil; it cannot be an element",
};

/// The meaning of the value in messages.
pub(crate) const EMPTY_WORD: &str = "empty";
/// The remedy if the value is an element.
pub(crate) const REMEDY: &str = "the model option empty=nil";

pub(crate) fn empty_option(options: &mut ModelOptions) -> Value {
    options.value(EMPTY.name).unwrap_or_else(|| Value::int(-1))
}

impl CallReader<'_> {
    /// The element to add.
    pub(crate) fn element(&self, empty: &Value) -> Result<Value, DecodeError> {
        let element = self.argument(&["value", "element", "item"], 0, "the element")?;
        self.unreserved(element, empty, EMPTY_WORD, REMEDY)
    }

    /// The number of elements; `None` if the result is unknown.
    pub(crate) fn size_result(&self) -> Result<Option<i64>, DecodeError> {
        self.integer_result(&["size", "value"], 0, "a number")
    }

    /// The element returned; `Some(None)` for "empty", `None` if the result is unknown.
    pub(crate) fn element_result(
        &self,
        empty: &Value,
        position: usize,
    ) -> Result<Option<Option<Value>>, DecodeError> {
        let result = self.value_result(&["value", "element", "item"], position)?;
        Ok(result.map(|result| Some(result).filter(|result| !result.is_null() && result != empty)))
    }
}
