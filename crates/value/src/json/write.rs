//! Writing values as JSON.

use std::fmt::Write;

use super::{FUNCTION, MODEL, SET, needs_function_form};
use crate::value::{Value, ValueKind};

impl Value {
    /// This value as JSON text on one line, without spaces.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self);
        out
    }
}

/// Appends `value` as JSON text.
pub fn write_value(out: &mut String, value: &Value) {
    match value.kind() {
        ValueKind::Bool => out.push_str(if value.as_bool() == Some(true) {
            "true"
        } else {
            "false"
        }),
        ValueKind::Int => write_int(out, value.as_int().unwrap_or_default()),
        ValueKind::Str => write_string(out, value.as_str().unwrap_or_default()),
        ValueKind::Model if value.is_null() => out.push_str("null"),
        ValueKind::Model => write_form(out, MODEL, |out| {
            write_string(out, value.as_model().unwrap_or_default())
        }),
        ValueKind::Set => write_form(out, SET, |out| {
            write_array(out, value.as_set().unwrap_or_default())
        }),
        ValueKind::Tuple => write_array(out, value.as_tuple().unwrap_or_default()),
        ValueKind::Record if !needs_function_form(value) => {
            write_list(
                out,
                '{',
                value.as_entries().unwrap_or_default(),
                '}',
                |out, (key, value)| {
                    write_value(out, key);
                    out.push(':');
                    write_value(out, value);
                },
            );
        }
        ValueKind::Record | ValueKind::Function => write_form(out, FUNCTION, |out| {
            write_list(
                out,
                '[',
                value.as_entries().unwrap_or_default(),
                ']',
                |out, (key, value)| {
                    out.push('[');
                    write_value(out, key);
                    out.push(',');
                    write_value(out, value);
                    out.push(']');
                },
            );
        }),
    }
}

/// Appends an integer.
pub fn write_int(out: &mut String, value: i64) {
    // Formatting into a string cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends `text` as a JSON string.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest
        .bytes()
        .position(|byte| byte == b'"' || byte == b'\\' || byte < 0x20)
    {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn write_form(out: &mut String, form: &str, content: impl FnOnce(&mut String)) {
    out.push('{');
    write_string(out, form);
    out.push(':');
    content(out);
    out.push('}');
}

fn write_array(out: &mut String, elements: &[Value]) {
    write_list(out, '[', elements, ']', write_value);
}

fn write_list<T>(out: &mut String, open: char, items: &[T], close: char, write: impl Fn(&mut String, &T)) {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}
