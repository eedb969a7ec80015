//! Parsing calls and results in the notation of Rust or C++ to values.
//!
//! The results of a component are texts, as Rust's `{:?}` prints them. A model needs values:
//! `None` is nothing, `Some(x)` and `Ok(x)` are `x`, `Ok(())` is true and `Err(…)` is false, `()` is no result at all; numbers,
//! truth values and quoted strings are themselves, `(1, 2)` and `[1, 2]` are tuples, `P { x: 1 }` is a record, and everything
//! else is a string. A number that does not fit into 64 bits is opaque: it equals only itself ([`is_huge`]). Nested options stay
//! different: `Some(None)` is a tuple of one null.

use omnilink_value::Value;

/// The name and the arguments of a call such as `push(1, "a")`.
pub(crate) fn call_of(text: &str) -> (&str, Vec<Value>) {
    let Some((name, rest)) = text.split_once('(') else {
        return (text.trim(), Vec::new());
    };
    let inside = rest.trim_end().strip_suffix(')').unwrap_or(rest);
    (
        name.trim(),
        split_arguments(inside).into_iter().map(argument).collect(),
    )
}

fn argument(text: &str) -> Value {
    value_of(text).unwrap_or_else(Value::null)
}

/// The value of a result, if it has one.
pub(crate) fn value_of(text: &str) -> Option<Value> {
    let text = text.trim();
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    match text {
        "" | "()" => None,
        "None" | "null" | "nullopt" => Some(Value::null()),
        "Ok(())" => Some(Value::bool(true)),
        _ if inside("Err").is_some() => Some(Value::bool(false)),
        _ => Some(match inside("Some").or_else(|| inside("Ok")) {
            Some(inner) if is_wrapped(inner) => Value::tuple([argument(inner)]),
            Some(inner) => argument(inner),
            None => plain(text),
        }),
    }
}

/// Whether `Some(…)` of this would have the same value without `Some`.
fn is_wrapped(text: &str) -> bool {
    let text = text.trim();
    matches!(text, "None" | "null" | "nullopt")
        || ["Some(", "Ok(", "Err("]
            .iter()
            .any(|start| text.starts_with(start))
}

fn plain(text: &str) -> Value {
    if let Ok(value) = Value::from_json(text.as_bytes()) {
        return value;
    }
    let between = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    if let Some(inside) = between('(', ')').or_else(|| between('[', ']')) {
        return Value::tuple(split_arguments(inside).into_iter().map(argument));
    }
    record(text).unwrap_or_else(|| Value::str(text))
}

/// `Point { x: 1, y: 2 }`.
fn record(text: &str) -> Option<Value> {
    let (name, inside) = text.strip_suffix('}')?.split_once('{')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let fields: Option<Vec<(&str, Value)>> = split_arguments(inside)
        .into_iter()
        .map(|field| {
            let (name, value) = field.split_once(": ")?;
            is_name(name.trim()).then(|| (name.trim(), argument(value)))
        })
        .collect();
    let fields = fields.filter(|_| is_name(name.trim()))?;
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let are_distinct = names.windows(2).all(|two| two.first() != two.last());
    are_distinct.then(|| Value::record(fields))
}

/// Whether a result is an integer that does not fit into 64 bits with a sign, which models and specifications use.
pub(crate) fn is_huge(value: &Value) -> bool {
    let Some(text) = value.as_model() else {
        return false;
    };
    (text.parse::<i128>().is_ok() || text.parse::<u128>().is_ok()) && text.parse::<i64>().is_err()
}

/// Splits at commas outside brackets and quotes.
fn split_arguments(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut depth = 0_i32;
    let mut is_quoted = false;
    let is_separator = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    };
    text.split(is_separator).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_are_read_as_they_are_written() {
        assert_eq!(call_of("pop()"), ("pop", vec![]));
        assert_eq!(call_of("len"), ("len", vec![]));
        let (name, arguments) = call_of("insert(1, \"a,b\", (2, 3))");
        assert_eq!(name, "insert");
        assert_eq!(
            arguments,
            [
                Value::int(1),
                Value::str("a,b"),
                Value::tuple([Value::int(2), Value::int(3)])
            ]
        );
        let read = |text| value_of(text).map(|value| value.to_json());
        assert_eq!(read("()"), None);
        assert_eq!(read("None").as_deref(), Some(Value::null().to_json().as_str()));
        assert_eq!(read("Some(7)").as_deref(), Some("7"));
        assert_eq!(read("Ok(())").as_deref(), Some("true"));
        assert_eq!(read("Err(Full)").as_deref(), Some("false"));
        assert_eq!(read("true").as_deref(), Some("true"));
        assert_eq!(read("Empty").as_deref(), Some("\"Empty\""));
        assert_eq!(value_of("1.5"), Value::number("1.5"));
        assert_eq!(
            value_of("Some((1, true))"),
            Some(Value::tuple([Value::int(1), Value::bool(true)]))
        );
        assert_ne!(value_of("Some(None)"), value_of("None"));
        assert_eq!(
            value_of("P { x: 1, y: [2] }"),
            Some(Value::record([
                ("x", Value::int(1)),
                ("y", Value::tuple([Value::int(2)]))
            ]))
        );
        let is_huge = |text| value_of(text).is_some_and(|value| is_huge(&value));
        assert!(is_huge("18446744073709551615") && is_huge("Some(340282366920938463463374607431768211455)"));
        assert!(is_huge("-9223372036854775809") && !is_huge("9223372036854775807") && !is_huge("1.5"));
    }
}
