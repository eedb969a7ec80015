//! Arguments of tools, and the schemas that describe them: both from one definition.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// A type of an argument.
pub(crate) trait ArgumentType {
    /// Whether the argument must be given.
    const IS_REQUIRED: bool = false;

    /// Its JSON schema, without a description.
    fn schema() -> Value;
}

/// Defines a struct of arguments. The comment of a field is its description. A field that is not given has the default value of its
/// type, and one that is not known is refused.
macro_rules! arguments {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[doc = $description:literal])+ $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        $visibility struct $name {
            $($(#[doc = $description])+ $field: $type),+
        }

        impl $crate::arguments::ArgumentType for $name {
            fn schema() -> serde_json::Value {
                use $crate::arguments::{ArgumentType, object};
                object(&[$((
                    stringify!($field),
                    <$type as ArgumentType>::IS_REQUIRED,
                    concat!($($description),+),
                    <$type as ArgumentType>::schema,
                )),+])
            }
        }
    };
}

/// A field: its name, whether it must be given, its description, and its type.
pub(crate) type Field = (&'static str, bool, &'static str, fn() -> Value);

/// The schema of an object of these fields.
pub(crate) fn object(fields: &[Field]) -> Value {
    let name = |field: &str| field.trim_start_matches("r#").to_owned();
    let mut properties = Map::new();
    for (field, _, description, schema) in fields {
        let mut schema = schema();
        schema["description"] = json!(description.trim());
        properties.insert(name(field), schema);
    }
    let required = fields.iter().filter(|(_, is_required, ..)| *is_required);
    let required: Vec<String> = required.map(|(field, ..)| name(field)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

impl ArgumentType for String {
    const IS_REQUIRED: bool = true;

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ArgumentType for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl ArgumentType for f64 {
    fn schema() -> Value {
        json!({ "type": "number" })
    }
}

macro_rules! counts {
    ($($type:ty),+) => {
        $(impl ArgumentType for $type {
            fn schema() -> Value {
                json!({ "type": "integer", "minimum": 0 })
            }
        })+
    };
}

counts!(u16, u32, u64, usize);

impl<T: ArgumentType> ArgumentType for Option<T> {
    fn schema() -> Value {
        T::schema()
    }
}

impl<T: ArgumentType> ArgumentType for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl<T: ArgumentType> ArgumentType for BTreeMap<String, T> {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": T::schema() })
    }
}

/// Any object.
impl ArgumentType for Map<String, Value> {
    fn schema() -> Value {
        json!({ "type": "object" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    arguments! {
        struct Example {
            /// Where it
            /// is
            path: String,
            /// How many
            r#async: Option<u64>,
            /// Their names
            names: BTreeMap<String, Vec<String>>,
        }
    }

    #[test]
    fn the_schema_says_what_is_read() {
        let expected = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Where it is" },
                "async": { "type": "integer", "minimum": 0, "description": "How many" },
                "names": {
                    "type": "object",
                    "additionalProperties": { "type": "array", "items": { "type": "string" } },
                    "description": "Their names",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        assert_eq!(Example::schema(), expected);
        let read: Example = serde_json::from_value(json!({ "path": "x", "async": 3 })).expect("it fits");
        assert_eq!(
            (read.path.as_str(), read.r#async, read.names.len()),
            ("x", Some(3), 0)
        );
        assert!(serde_json::from_value::<Example>(json!({ "path": "x", "other": 3 })).is_err());
    }
}
