//! Numbers that are not 64-bit integers.
//!
//! TLA+ has integers, and a [`Value`] holds those of 64 bits. Files hold others: `1.5`, unsigned 64-bit hashes, integers of
//! any size, ratios. Rounding a number would change the observation, and refusing it would reject a file in which it may be
//! irrelevant. So such a number becomes a model value with the number as its name: equal to itself and to nothing else.
//! It has no order, and nothing can be computed from it.
//!
//! A number has one name, independent of its notation: `1.50`, `15e-1` and `1.5` are the same value, and so are `1e3`, `1000.0`
//! and the integer 1000.

use crate::value::Value;

/// The name of a number with more digits before or after the point has an exponent.
const PLAIN_DIGITS_MAX: i64 = 40;

impl Value {
    /// The number that `text` denotes in decimal, such as `12`, `-1.5` or `6.02e23`; `None` if it is not a number.
    pub fn number(text: &str) -> Option<Self> {
        let decimal = Decimal::parse(text)?;
        Some(match decimal.as_int() {
            Some(integer) => Self::int(integer),
            None => Self::model(&decimal.name()),
        })
    }

    /// The number of a float, by the shortest decimal that parses to it.
    pub fn float(float: f64) -> Self {
        match Self::not_finite(float) {
            Some(value) => value,
            None => Self::number(&float.to_string()).unwrap_or_else(Self::null),
        }
    }

    /// The number of a 32-bit float, by the shortest decimal that parses to it.
    pub fn float32(float: f32) -> Self {
        match Self::not_finite(f64::from(float)) {
            Some(value) => value,
            None => Self::number(&float.to_string()).unwrap_or_else(Self::null),
        }
    }

    fn not_finite(float: f64) -> Option<Self> {
        match float {
            _ if float.is_nan() => Some(Self::model("NaN")),
            f64::INFINITY => Some(Self::model("Infinity")),
            f64::NEG_INFINITY => Some(Self::model("-Infinity")),
            _ => None,
        }
    }

    /// The ratio of two decimal integers in lowest terms; `None` if it is not a ratio.
    pub fn ratio(numerator: &str, denominator: &str) -> Option<Self> {
        let (above, below) = (Decimal::parse(numerator)?, Decimal::parse(denominator)?);
        if below.digits.is_empty() {
            return None;
        }
        let (Some(above), Some(below)) = (above.as_int(), below.as_int()) else {
            return Some(Self::model(&format!("{}/{}", above.name(), below.name())));
        };
        let (above, below) = (i128::from(above), i128::from(below));
        let divisor = common_divisor(above, below) * below.signum();
        let (above, below) = (above / divisor, below / divisor);
        Some(match (i64::try_from(above), below) {
            (Ok(integer), 1) => Self::int(integer),
            (Err(_), 1) => Self::model(&above.to_string()),
            _ => Self::model(&format!("{above}/{below}")),
        })
    }
}

fn common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// `digits` times ten to the power of `exponent`. The digits neither begin nor end with a zero; zero has none.
struct Decimal<'a> {
    is_negative: bool,
    digits: std::borrow::Cow<'a, str>,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let is_negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = if fraction.is_empty() {
            std::borrow::Cow::Borrowed(whole)
        } else {
            std::borrow::Cow::Owned([whole, fraction].concat())
        };
        let significant = all.trim_end_matches('0');
        let dropped = (all.len() - significant.len()) as i64;
        let exponent = exponent
            .checked_sub(fraction.len() as i64)?
            .checked_add(dropped)?;
        let digits = significant.trim_start_matches('0').to_owned();
        Some(Self {
            is_negative: is_negative && !digits.is_empty(),
            exponent: if digits.is_empty() { 0 } else { exponent },
            digits: digits.into(),
        })
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }

    fn as_int(&self) -> Option<i64> {
        match (self.digits.is_empty(), usize::try_from(self.exponent)) {
            (true, _) => Some(0),
            (false, Ok(zeros @ 0..20)) => format!("{}{}{}", self.sign(), self.digits, "0".repeat(zeros))
                .parse()
                .ok(),
            _ => None,
        }
    }

    fn name(&self) -> String {
        let (sign, digits) = (self.sign(), self.digits.as_ref());
        let length = digits.len() as i64;
        // The number of digits before the point; if negative, the number of zeros after it.
        let whole = length.saturating_add(self.exponent);
        if digits.is_empty() {
            "0".to_owned()
        } else if self.exponent >= 0 && (whole <= PLAIN_DIGITS_MAX || self.exponent == 0) {
            format!("{sign}{digits}{}", "0".repeat(self.exponent as usize))
        } else if self.exponent < 0 && whole > 0 {
            let (before, after) = digits.split_at(whole as usize);
            format!("{sign}{before}.{after}")
        } else if self.exponent < 0 && whole > -PLAIN_DIGITS_MAX {
            format!("{sign}0.{}{digits}", "0".repeat(whole.unsigned_abs() as usize))
        } else {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{sign}{first}{point}{rest}e{}", whole.saturating_sub(1))
        }
    }
}
