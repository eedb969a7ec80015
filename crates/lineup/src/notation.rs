//! Calls and results as they are written in Rust or C++, read as values.
//!
//! A component's results are texts: what Rust's `{:?}` prints. A model wants values. The reading is the obvious one:
//! `None` is nothing, `Some(x)` and `Ok(x)` are `x`, `Ok(())` is true and `Err(…)` is false, `()` is no result at all; numbers,
//! truth values and quoted strings are themselves, and everything else is a string.

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

/// The value that a result stands for, if it stands for one.
pub(crate) fn value_of(text: &str) -> Option<Value> {
    let text = text.trim();
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    match text {
        "" | "()" => None,
        "None" | "null" | "nullopt" => Some(Value::null()),
        "Ok(())" => Some(Value::bool(true)),
        _ if inside("Err").is_some() => Some(Value::bool(false)),
        _ => Some(match inside("Some").or_else(|| inside("Ok")) {
            Some(inner) => argument(inner),
            None => Value::from_json(text.as_bytes()).unwrap_or_else(|_| Value::str(text)),
        }),
    }
}

/// Cuts at commas outside brackets and quotes.
fn split_arguments(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut depth = 0_i32;
    let mut is_quoted = false;
    let is_cut = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    };
    text.split(is_cut).collect()
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
            [Value::int(1), Value::str("a,b"), Value::str("(2, 3)")]
        );
        let read = |text| value_of(text).map(|value| value.to_json());
        assert_eq!(read("()"), None);
        assert_eq!(read("None").as_deref(), Some(Value::null().to_json().as_str()));
        assert_eq!(read("Some(7)").as_deref(), Some("7"));
        assert_eq!(read("Ok(())").as_deref(), Some("true"));
        assert_eq!(read("Err(Full)").as_deref(), Some("false"));
        assert_eq!(read("true").as_deref(), Some("true"));
        assert_eq!(read("Empty").as_deref(), Some("\"Empty\""));
    }
}
