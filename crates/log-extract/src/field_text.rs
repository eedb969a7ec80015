//! What the text of a field means.

use serde_json::Value;

/// A whole number, a truth value, JSON in brackets, or the text itself. Numbers with leading zeros are names: `007`. So are `None` and `null`, unless the rules say
/// otherwise ([`ExtractionRules::nulls`](crate::ExtractionRules)).
pub(crate) fn value_of(text: &str) -> Value {
    match text {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
        && !digits.is_empty();
    if is_number && let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    if text.starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str(text)
    {
        return value;
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_and_json_are_recognised_and_names_are_kept() {
        assert_eq!(value_of("12"), json!(12));
        assert_eq!(value_of("-3"), json!(-3));
        assert_eq!(value_of("0"), json!(0));
        assert_eq!(value_of("007"), json!("007"));
        assert_eq!(value_of("rm-1"), json!("rm-1"));
        assert_eq!(value_of("-"), json!("-"));
        for text in ["None", "nil", "null", "<nil>"] {
            assert_eq!(value_of(text), json!(text));
        }
        assert_eq!(value_of(""), json!(""));
        assert_eq!(value_of("[1,2]"), json!([1, 2]));
        assert_eq!(value_of("[main]"), json!("[main]"));
        assert_eq!(value_of("99999999999999999999"), json!("99999999999999999999"));
    }
}
