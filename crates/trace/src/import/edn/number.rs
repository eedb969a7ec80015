//! Numbers in EDN.

use omnilink_value::Value;

use super::EdnProblem;

/// The number of a token. `N` marks an integer of any size and `M` a decimal of any precision; a ratio has a slash.
pub(super) fn number(token: &str) -> Result<Value, EdnProblem> {
    let read = match token.split_once('/') {
        Some((above, below)) => Value::ratio(above, below),
        None => Value::number(token.strip_suffix(['N', 'M']).unwrap_or(token)),
    };
    read.ok_or_else(|| EdnProblem::BadNumber(token.to_owned()))
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
