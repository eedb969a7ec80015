//! Of which kind the values of a parameter are.

use std::fmt;

use omnilink_value::{Value, ValueKind};

/// Of which kind the values of a parameter are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// The specification does not show it.
    Unknown,
    /// Integers.
    Int,
    /// Booleans.
    Bool,
    /// Strings.
    Str,
    /// Model values.
    Model,
    /// Sequences.
    Seq(Box<ParameterType>),
    /// Sets.
    Set(Box<ParameterType>),
    /// Records with these fields.
    Record(Vec<(String, ParameterType)>),
}

impl ParameterType {
    /// The kind of a value.
    pub fn of(value: &Value) -> Self {
        match value.kind() {
            ValueKind::Int => Self::Int,
            ValueKind::Bool => Self::Bool,
            ValueKind::Str => Self::Str,
            ValueKind::Model => Self::Model,
            ValueKind::Tuple => Self::Seq(Box::new(Self::of_all(value.as_tuple().unwrap_or_default()))),
            ValueKind::Set => Self::Set(Box::new(Self::of_all(value.as_set().unwrap_or_default()))),
            ValueKind::Record => {
                let fields = value.as_record();
                let fields = fields.iter().flat_map(|fields| fields.iter());
                Self::Record(
                    fields
                        .map(|(name, value)| (name.to_owned(), Self::of(value)))
                        .collect(),
                )
            }
            _ => Self::Unknown,
        }
    }

    /// The kind that all values have, leaving out null; unknown if there are several.
    pub fn of_all(values: &[Value]) -> Self {
        let mut kinds = values.iter().filter(|value| !value.is_null()).map(Self::of);
        let Some(first) = kinds.next() else {
            return Self::Unknown;
        };
        kinds.fold(first, Self::joined)
    }

    /// The kind of values of both kinds: a sequence of nothing that is known is also one of integers.
    fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Seq(a), Self::Seq(b)) => Self::Seq(Box::new(a.or_known(*b))),
            (Self::Set(a), Self::Set(b)) => Self::Set(Box::new(a.or_known(*b))),
            (Self::Record(a), Self::Record(b))
                if a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name)) =>
            {
                let fields = a.into_iter().zip(b);
                Self::Record(fields.map(|((name, a), (_, b))| (name, a.joined(b))).collect())
            }
            (a, b) if a == b => a,
            _ => Self::Unknown,
        }
    }

    /// For elements of collections, of which empty ones show nothing.
    fn or_known(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (a, b) => a.joined(b),
        }
    }
}

impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("a value of a kind that the specification does not show"),
            Self::Int => f.write_str("an integer"),
            Self::Bool => f.write_str("a boolean"),
            Self::Str => f.write_str("a string"),
            Self::Model => f.write_str("a model value"),
            Self::Seq(_) => f.write_str("a sequence"),
            Self::Set(_) => f.write_str("a set"),
            Self::Record(_) => f.write_str("a record"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_set_is_that_of_all_its_elements() {
        let ints = [Value::int(1), Value::int(2)];
        assert_eq!(ParameterType::of_all(&ints), ParameterType::Int);
        assert_eq!(
            ParameterType::of_all(&[Value::int(1), Value::str("a")]),
            ParameterType::Unknown
        );
        let sequences = [Value::tuple([]), Value::tuple(ints)];
        assert_eq!(
            ParameterType::of_all(&sequences),
            ParameterType::Seq(Box::new(ParameterType::Int))
        );
    }
}
