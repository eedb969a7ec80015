//! Values in logs, as JSON.

use crate::text::lossless;

/// A value in a log: what JSON has, and sets, functions and model values of TLA+.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogValue {
    /// Not known, or nothing.
    Null,
    /// TRUE or FALSE.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(String),
    /// A model value.
    Model(String),
    /// A sequence.
    List(Vec<LogValue>),
    /// A set.
    Set(Vec<LogValue>),
    /// A record.
    Record(Vec<(String, LogValue)>),
    /// A function, as its pairs.
    Function(Vec<(LogValue, LogValue)>),
}

impl LogValue {
    /// A record with these fields.
    pub fn record<N: Into<String>, V: Into<LogValue>>(fields: impl IntoIterator<Item = (N, V)>) -> Self {
        Self::Record(
            fields
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// A set of these elements.
    pub fn set<V: Into<LogValue>>(elements: impl IntoIterator<Item = V>) -> Self {
        Self::Set(elements.into_iter().map(Into::into).collect())
    }

    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Str(text) => write_text(out, text),
            Self::Model(name) => {
                out.push_str("{\"$model\":");
                write_text(out, name);
                out.push('}');
            }
            Self::List(items) => write_list(out, items),
            Self::Set(items) => {
                out.push_str("{\"$set\":");
                write_list(out, items);
                out.push('}');
            }
            Self::Record(fields) => {
                out.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(out, name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
            Self::Function(pairs) => {
                out.push_str("{\"$fn\":[");
                for (at, (key, value)) in pairs.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_list(out, &[key.clone(), value.clone()]);
                }
                out.push_str("]}");
            }
        }
    }
}

pub(crate) fn write_list(out: &mut String, items: &[LogValue]) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        item.write(out);
    }
    out.push(']');
}

pub(crate) fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for character in lossless(text.as_bytes()).chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            character if (character as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", character as u32)),
            character => out.push(character),
        }
    }
    out.push('"');
}

impl From<bool> for LogValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for LogValue {
    fn from(text: &str) -> Self {
        Self::Str(text.to_owned())
    }
}

impl From<String> for LogValue {
    fn from(text: String) -> Self {
        Self::Str(text)
    }
}

impl From<&String> for LogValue {
    fn from(text: &String) -> Self {
        Self::Str(text.clone())
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for LogValue {
            fn from(value: $integer) -> Self {
                Self::Int(i64::from(value))
            }
        })*
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32);

impl<V: Into<LogValue>> From<Vec<V>> for LogValue {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<LogValue>> From<Option<V>> for LogValue {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
