//! Writing values as MessagePack.

use rmp::encode;

use crate::json::{FUNCTION, MODEL, SET, needs_function_form};
use crate::value::{Value, ValueKind};

impl Value {
    /// This value as MessagePack.
    pub fn to_msgpack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_value(&mut out, self);
        out
    }
}

/// Appends `value`.
///
/// # Panics
/// When a collection or text has 2³² parts or more, which MessagePack cannot represent.
pub fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value.kind() {
        ValueKind::Bool => out.push(if value.as_bool() == Some(true) { 0xc3 } else { 0xc2 }),
        ValueKind::Int => write_int(out, value.as_int().unwrap_or_default()),
        ValueKind::Str => write_str(out, value.as_str().unwrap_or_default()),
        ValueKind::Model if value.is_null() => out.push(0xc0),
        ValueKind::Model => {
            write_form(out, MODEL);
            write_str(out, value.as_model().unwrap_or_default());
        }
        ValueKind::Set => {
            write_form(out, SET);
            write_array(out, value.as_set().unwrap_or_default());
        }
        ValueKind::Tuple => write_array(out, value.as_tuple().unwrap_or_default()),
        ValueKind::Record if !needs_function_form(value) => {
            let entries = value.as_entries().unwrap_or_default();
            write_map_len(out, entries.len());
            for (key, value) in entries {
                write_value(out, key);
                write_value(out, value);
            }
        }
        ValueKind::Record | ValueKind::Function => {
            write_form(out, FUNCTION);
            let entries = value.as_entries().unwrap_or_default();
            write_array_len(out, entries.len());
            for (key, value) in entries {
                write_array_len(out, 2);
                write_value(out, key);
                write_value(out, value);
            }
        }
    }
}

/// Appends an integer in its shortest form.
pub fn write_int(out: &mut Vec<u8>, value: i64) {
    infallible(encode::write_sint(out, value));
}

/// Appends a string.
///
/// # Panics
/// When it has 2³² bytes or more.
pub fn write_str(out: &mut Vec<u8>, text: &str) {
    length(text.len());
    infallible(encode::write_str(out, text));
}

/// Appends the length of a map; that many keys and values must follow alternately.
///
/// # Panics
/// When it is 2³² or more.
pub fn write_map_len(out: &mut Vec<u8>, len: usize) {
    infallible(encode::write_map_len(out, length(len)));
}

fn write_array_len(out: &mut Vec<u8>, len: usize) {
    infallible(encode::write_array_len(out, length(len)));
}

fn write_array(out: &mut Vec<u8>, elements: &[Value]) {
    write_array_len(out, elements.len());
    for element in elements {
        write_value(out, element);
    }
}

fn write_form(out: &mut Vec<u8>, form: &str) {
    write_map_len(out, 1);
    write_str(out, form);
}

fn length(len: usize) -> u32 {
    u32::try_from(len).expect("a value with 2^32 parts needs 64 GB and cannot be written as MessagePack")
}

/// Writing into memory cannot fail.
fn infallible<T, E>(result: Result<T, E>) {
    debug_assert!(result.is_ok());
}
