//! Operations and states as text: `cas(1, 2) = true`, `dequeue() = empty`, `read() = ?`.

use std::fmt;

/// A result, or `?` if it is unknown.
pub(crate) struct Known<'a, T>(pub &'a Option<T>);

impl<T: fmt::Display> fmt::Display for Known<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(result) => result.fmt(f),
            None => f.write_str("?"),
        }
    }
}

/// An optional result, with the word for `None`, or `?` if it is unknown.
pub(crate) struct KnownOr<'a, T>(pub &'a Option<Option<T>>, pub &'static str);

impl<T: fmt::Display> fmt::Display for KnownOr<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Some(result)) => result.fmt(f),
            Some(None) => f.write_str(self.1),
            None => f.write_str("?"),
        }
    }
}

/// An optional value, with the word for `None`.
pub(crate) struct Or<'a, T>(pub Option<&'a T>, pub &'static str);

impl<T: fmt::Display> fmt::Display for Or<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str(self.1),
        }
    }
}

/// The number of elements of a very long state that are described; texts show fewer.
const SHOWN_MAX: usize = 4096;

/// A list in brackets, shortened if it is long.
pub(crate) fn list<T: fmt::Display>(items: impl Iterator<Item = T>, brackets: [&str; 2]) -> String {
    let mut text = String::from(brackets[0]);
    let mut left_out = 0;
    for (at, item) in items.enumerate() {
        if at >= SHOWN_MAX {
            left_out += 1;
            continue;
        }
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&item.to_string());
    }
    if left_out > 0 {
        text.push_str(&format!(", and {left_out} more"));
    }
    text.push_str(brackets[1]);
    text
}
