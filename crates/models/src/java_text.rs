//! Results as Java prints them.

use std::fmt::{self, Write};

use omnilink_value::Value;

/// The part of an entry that a method returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryPart {
    /// Its key.
    Key,
    /// The whole entry.
    Entry,
}

/// A value as Java prints it.
pub(crate) fn java_text(value: &Value) -> String {
    let mut text = String::new();
    write_java(&mut text, value);
    text
}

pub(crate) fn write_java(text: &mut String, value: &Value) {
    let written = if value.is_null() {
        text.write_str("null")
    } else if let Some(flag) = value.as_bool() {
        write!(text, "{flag}")
    } else if let Some(word) = value.as_str() {
        text.write_str(word)
    } else if let Some(elements) = value.as_tuple() {
        write_list(text, elements, ["[", "]"], write_java);
        Ok(())
    } else {
        write!(text, "{value}")
    };
    // Writing to a `String` never fails.
    debug_assert_eq!(written, fmt::Result::Ok(()));
}

pub(crate) fn write_list<T>(
    text: &mut String,
    items: impl IntoIterator<Item = T>,
    brackets: [&str; 2],
    mut write_item: impl FnMut(&mut String, T),
) {
    text.push_str(brackets[0]);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        write_item(text, item);
    }
    text.push_str(brackets[1]);
}

pub(crate) fn write_entry(text: &mut String, (key, value): (&Value, &Value)) {
    write_java(text, key);
    text.push('=');
    write_java(text, value);
}

pub(crate) fn map_text<'a>(entries: impl IntoIterator<Item = (&'a Value, &'a Value)>) -> String {
    let mut text = String::new();
    write_list(&mut text, entries, ["{", "}"], write_entry);
    text
}

pub(crate) fn collection_text<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let mut text = String::new();
    write_list(&mut text, values, ["[", "]"], write_java);
    text
}

pub(crate) fn entry_text(entry: Option<(&Value, &Value)>, part: EntryPart) -> String {
    let mut text = String::new();
    match (entry, part) {
        (None, _) => text.push_str("null"),
        (Some((key, _)), EntryPart::Key) => write_java(&mut text, key),
        (Some(entry), EntryPart::Entry) => write_entry(&mut text, entry),
    }
    text
}

pub(crate) fn or_null(value: Option<&Value>) -> String {
    value.map_or_else(|| "null".to_owned(), java_text)
}
