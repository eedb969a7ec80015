//! Values read back from other serialised data: the inverse of their `Serialize` form.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::build::{ElementBuffer, EntryBuffer};
use crate::json::from_object;
use crate::value::Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Value::number(&value.to_string()).ok_or_else(|| E::custom("a number that is none"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::str(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::null())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut buffer = ElementBuffer::new();
        while let Some(element) = elements.next_element()? {
            buffer.push(element);
        }
        Ok(Value::from_elements(&mut buffer))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut buffer = EntryBuffer::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            buffer.push((Value::str(&key), value));
        }
        from_object(&mut buffer).map_err(A::Error::custom)
    }
}
