//! JSON as TLC reads and writes it. Unlike in trace format 1, sets become arrays, which are read as sequences.
//!
//! Reading builds values directly, without a JSON tree.

use std::cell::Cell;
use std::fmt;

use omnilink_value::json::{write_int, write_string};
use omnilink_value::{Value, ValueKind};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::entries::pairs_of;
use crate::error::ErrorClass;

/// The JSON text of a value.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// The same for a sequence or a set; `None` for anything else.
pub(super) fn array_text(value: &Value) -> Option<String> {
    let parts = value.as_tuple().or_else(|| value.as_set())?;
    let mut out = String::new();
    write_array(&mut out, parts);
    Some(out)
}

/// A function as an object. The elements of a sequence are numbered from 0. `None` for other values.
pub(super) fn object_text(value: &Value) -> Option<String> {
    let mut out = String::new();
    match value.as_tuple() {
        Some(parts) => write_object(&mut out, (0i64..).map(Value::int).zip(parts.iter().cloned())),
        None => write_object(&mut out, pairs_of(value)?),
    }
    Some(out)
}

fn write(out: &mut String, value: &Value) {
    match value.kind() {
        ValueKind::Bool => out.push_str(if value.as_bool() == Some(true) {
            "true"
        } else {
            "false"
        }),
        ValueKind::Int => write_int(out, value.as_int().unwrap_or_default()),
        ValueKind::Str => write_string(out, value.as_str().unwrap_or_default()),
        ValueKind::Model => write_string(out, value.as_model().unwrap_or_default()),
        ValueKind::Set => write_array(out, value.as_set().unwrap_or_default()),
        ValueKind::Tuple => write_array(out, value.as_tuple().unwrap_or_default()),
        ValueKind::Record | ValueKind::Function => write_object(out, pairs_of(value).unwrap_or_default()),
    }
}

fn write_array(out: &mut String, parts: &[Value]) {
    out.push('[');
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, part);
    }
    out.push(']');
}

fn write_object(out: &mut String, entries: impl IntoIterator<Item = (Value, Value)>) {
    out.push('{');
    for (at, (key, value)) in entries.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        match key.as_str() {
            Some(name) => write_string(out, name),
            None => write_string(out, &key.to_string()),
        }
        out.push(':');
        write(out, &value);
    }
    out.push('}');
}

/// The value of a JSON text, or an error message.
pub(super) fn parse(text: &str, is_32_bit: bool) -> Result<Value, (ErrorClass, String)> {
    let class = Cell::new(ErrorClass::Io);
    let seed = Seed {
        is_32_bit,
        class: &class,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = seed
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|error| {
        (
            class.get(),
            format!("this is no JSON that has a TLA+ value: {error}"),
        )
    })
}

/// Reads one value. `class` is the error class for valid JSON that has no value.
#[derive(Clone, Copy)]
struct Seed<'c> {
    is_32_bit: bool,
    class: &'c Cell<ErrorClass>,
}

impl Seed<'_> {
    fn refuse<T, E: Error>(self, class: ErrorClass, message: impl fmt::Display) -> Result<T, E> {
        self.class.set(class);
        Err(E::custom(message))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value other than null")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        if self.is_32_bit && i32::try_from(value).is_err() {
            return self.refuse(
                ErrorClass::Overflow,
                format_args!("{value} is no integer of 32 bits, which were asked for"),
            );
        }
        Ok(Value::int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.refuse(
                ErrorClass::Overflow,
                format_args!("{value} is too large an integer"),
            ),
        }
    }

    /// Fractions are truncated, as in TLC.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        const LIMIT: f64 = 9.0e18;
        if value.abs() > LIMIT {
            return self.refuse(
                ErrorClass::Overflow,
                format_args!("{value} is too large an integer"),
            );
        }
        self.visit_i64(value as i64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::str(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.refuse(ErrorClass::Type, "null has no value in TLA+")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = parts.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::tuple(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some(name) = fields.next_key()? {
            entries.push((name, fields.next_value_seed(self)?));
        }
        Ok(Value::record(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, text};
    use crate::error::ErrorClass;

    #[test]
    fn what_is_written_is_read_back_except_that_sets_are_sequences() {
        let value = parse(r#"{"b":[1,-2,[]],"a":{"x":"q\"\n"},"c":true}"#, false).unwrap();
        assert_eq!(text(&value), r#"{"a":{"x":"q\"\n"},"b":[1,-2,[]],"c":true}"#);
        assert_eq!(parse(&text(&value), false).unwrap(), value);
    }

    #[test]
    fn what_has_no_value_is_refused_with_its_class() {
        assert_eq!(parse("[null]", false).unwrap_err().0, ErrorClass::Type);
        assert_eq!(parse("2147483648", true).unwrap_err().0, ErrorClass::Overflow);
        assert_eq!(
            parse("18446744073709551615", false).unwrap_err().0,
            ErrorClass::Overflow
        );
        assert_eq!(parse("[1", false).unwrap_err().0, ErrorClass::Io);
        assert_eq!(parse("1 2", false).unwrap_err().0, ErrorClass::Io);
    }
}
