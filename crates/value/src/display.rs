//! Printing values as TLA+ expressions.

use std::fmt::{self, Display, Formatter, Write};

use crate::value::{Value, ValueKind};

/// Prints a TLA+ expression that denotes this value.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ValueKind::Model => f.write_str(self.as_model().unwrap_or_default()),
            ValueKind::Bool => f.write_str(if self.as_bool() == Some(true) {
                "TRUE"
            } else {
                "FALSE"
            }),
            ValueKind::Int => Display::fmt(&self.as_int().unwrap_or_default(), f),
            ValueKind::Str => write_string(f, self.as_str().unwrap_or_default()),
            ValueKind::Set => write_list(f, "{", self.as_set().unwrap_or_default(), "}"),
            ValueKind::Tuple => write_list(f, "<<", self.as_tuple().unwrap_or_default(), ">>"),
            ValueKind::Record => write_record(f, self.as_entries().unwrap_or_default()),
            ValueKind::Function => write_function(f, self.as_entries().unwrap_or_default()),
        }
    }
}

/// The same as `Display`: a derived form would show the representation, which is hard to read in a failed test.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

fn write_list(f: &mut Formatter<'_>, open: &str, elements: &[Value], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        Display::fmt(element, f)?;
    }
    f.write_str(close)
}

fn write_record(f: &mut Formatter<'_>, entries: &[(Value, Value)]) -> fmt::Result {
    // The bracket notation requires identifiers as field names.
    if !entries
        .iter()
        .all(|(key, _)| is_identifier(key.as_str().unwrap_or_default()))
    {
        return write_function(f, entries);
    }
    f.write_str("[")?;
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{} |-> {value}", key.as_str().unwrap_or_default())?;
    }
    f.write_str("]")
}

fn write_function(f: &mut Formatter<'_>, entries: &[(Value, Value)]) -> fmt::Result {
    f.write_str("(")?;
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            f.write_str(" @@ ")?;
        }
        write!(f, "{key} :> {value}")?;
    }
    f.write_str(")")
}

fn is_identifier(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_word) && name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn write_string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{c}' => f.write_str("\\f")?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}
