//! Numbers in EDN.

use omnilink_value::Value;

use super::EdnProblem;

/// The number of a token. `N` marks an integer of any size and `M` a decimal of any precision; a ratio has a slash.
pub(super) fn number(token: &str) -> Result<Value, EdnProblem> {
    let read = match token.split_once('/') {
        Some((above, below)) => Value::ratio(above, below),
        None => match hexadecimal(token) {
            Some(decimal) => Value::number(&decimal),
            None => Value::number(token.strip_suffix(['N', 'M']).unwrap_or(token)),
        },
    };
    read.ok_or_else(|| EdnProblem::BadNumber(token.to_owned()))
}

/// The decimal digits of a hexadecimal number. Clojure prints one in every `#object[java.lang.Thread 0x5e2f "…"]`.
fn hexadecimal(token: &str) -> Option<String> {
    let (sign, digits) = match token.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", token.strip_prefix('+').unwrap_or(token)),
    };
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    let digits = digits.strip_suffix('N').unwrap_or(digits);
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some(format!("{sign}{}", u128::from_str_radix(digits, 16).ok()?))
}

/// The value of `##` followed by a word.
pub(super) fn symbolic(word: &str) -> Option<Value> {
    Some(Value::float(match word {
        "NaN" => f64::NAN,
        "Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        _ => return None,
    }))
}
