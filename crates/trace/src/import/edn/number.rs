//! Numbers.

use super::EdnProblem;

/// The integer that a token denotes. `N` marks an integer of any size; `M`, a point, an exponent or a slash mark what is
/// no integer.
pub(super) fn integer(token: &str) -> Result<i64, EdnProblem> {
    let digits = token.strip_suffix('N').unwrap_or(token);
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits
            .parse()
            .map_err(|_| EdnProblem::NotAnInteger(token.to_owned()));
    }
    let is_number_byte = |byte: u8| byte.is_ascii_digit() || b".eE+-/M".contains(&byte);
    match token.bytes().all(is_number_byte) {
        true => Err(EdnProblem::NotAnInteger(token.to_owned())),
        false => Err(EdnProblem::BadNumber(token.to_owned())),
    }
}
