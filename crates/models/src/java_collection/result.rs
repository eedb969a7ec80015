//! What a method returned, in one spelling for methods that do the same.

use super::call::JavaCollectionCall;
use crate::java_text::java_text;
use omnilink_value::Value;

/// The result as this model spells it: `add` that throws because there is no room is `offer` that returns false, and `remove()` that
/// finds nothing is `poll`. Otherwise the results that the method has.
pub(super) fn normal_text(call: &JavaCollectionCall, found: &Value) -> Result<String, &'static str> {
    let text = java_text(found);
    let text = text.strip_prefix("java.util.").unwrap_or(&text);
    let text = text.strip_prefix("java.lang.").unwrap_or(text);
    let (normal, expected) = match call {
        JavaCollectionCall::Insert { .. } => (
            match text {
                "true" | "void" | "null" | "" => Some("true"),
                "false" | "IllegalStateException" => Some("false"),
                _ => None,
            },
            "true, false, nothing (\"void\") or IllegalStateException",
        ),
        JavaCollectionCall::InsertAll(_) => (
            matches!(text, "true" | "false" | "IllegalStateException").then_some(text),
            "true, false or IllegalStateException",
        ),
        JavaCollectionCall::InsertIfAbsent(_)
        | JavaCollectionCall::Remove(..)
        | JavaCollectionCall::RemoveAll(_)
        | JavaCollectionCall::RetainAll(_)
        | JavaCollectionCall::Contains(_)
        | JavaCollectionCall::ContainsAll(_)
        | JavaCollectionCall::IsEmpty => (matches!(text, "true" | "false").then_some(text), "true or false"),
        JavaCollectionCall::Clear => (
            matches!(text, "void" | "null" | "").then_some("void"),
            "nothing (\"void\")",
        ),
        JavaCollectionCall::Size
        | JavaCollectionCall::RemainingCapacity
        | JavaCollectionCall::IndexOf(..) => (text.parse::<i64>().is_ok().then_some(text), "a number"),
        JavaCollectionCall::All(_) | JavaCollectionCall::Between(..) | JavaCollectionCall::Drain(_) => (
            (text.starts_with('[') && text.ends_with(']')).then_some(text),
            "the elements, such as [1, 2]",
        ),
        JavaCollectionCall::Take { .. }
        | JavaCollectionCall::Peek(_)
        | JavaCollectionCall::Index(..)
        | JavaCollectionCall::Neighbour(..) => (
            Some(if text == "NoSuchElementException" {
                "null"
            } else {
                text
            }),
            "",
        ),
    };
    normal.map(str::to_owned).ok_or(expected)
}
