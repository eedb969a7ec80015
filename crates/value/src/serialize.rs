//! Serialisation with serde: reports and databases embed values in the form of the trace format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::json::{FUNCTION, MODEL, SET, needs_function_form};
use crate::value::{Value, ValueKind};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            ValueKind::Bool => serializer.serialize_bool(self.as_bool().unwrap_or_default()),
            ValueKind::Int => serializer.serialize_i64(self.as_int().unwrap_or_default()),
            ValueKind::Str => serializer.serialize_str(self.as_str().unwrap_or_default()),
            ValueKind::Model if self.is_null() => serializer.serialize_unit(),
            ValueKind::Model => one_entry(serializer, MODEL, self.as_model().unwrap_or_default()),
            ValueKind::Set => one_entry(serializer, SET, self.as_set().unwrap_or_default()),
            ValueKind::Tuple => serializer.collect_seq(self.as_tuple().unwrap_or_default()),
            ValueKind::Record if !needs_function_form(self) => serializer.collect_map(
                self.as_entries()
                    .unwrap_or_default()
                    .iter()
                    .map(|(key, value)| (key, value)),
            ),
            ValueKind::Record | ValueKind::Function => {
                one_entry(serializer, FUNCTION, self.as_entries().unwrap_or_default())
            }
        }
    }
}

fn one_entry<S: Serializer, V: Serialize + ?Sized>(
    serializer: S,
    key: &str,
    value: &V,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}
