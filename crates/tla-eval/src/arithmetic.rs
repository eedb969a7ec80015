//! Integer arithmetic.

use omnilink_tla_ir::{Arithmetic, Node};
use omnilink_value::Value;

use super::error::{ErrorClass, Failure, Outcome, domain_error, type_error};
use super::evaluator::Evaluator;

impl<'p> Evaluator<'p> {
    /// An integer operand.
    #[inline]
    pub(crate) fn int(&mut self, operand: &'p Node, whole: &'p Node) -> Outcome<i64> {
        if let Some(value) = self.peek(operand)
            && let Some(int) = value.as_int()
        {
            return Ok(int);
        }
        let datum = self.eval(operand)?;
        match datum.as_value().and_then(Value::as_int) {
            Some(int) => Ok(int),
            None => Err(
                type_error(format!("{} is needed to be an integer here", self.short(&datum))).at(whole.at),
            ),
        }
    }

    /// The integer, if it is within the limits of the session.
    pub fn in_range(&self, int: i64) -> Option<i64> {
        (!self.session.is_32_bit() || i32::try_from(int).is_ok()).then_some(int)
    }

    /// Arithmetic: divisions round down, remainders are of positive divisors.
    #[inline(never)]
    pub(crate) fn calculate(&self, arithmetic: Arithmetic, left: i64, right: i64) -> Outcome<i64> {
        let (symbol, result) = match arithmetic {
            Arithmetic::Plus => ("+", left.checked_add(right)),
            Arithmetic::Minus => ("-", left.checked_sub(right)),
            Arithmetic::Times => ("*", left.checked_mul(right)),
            Arithmetic::Divide => {
                if right == 0 {
                    return Err(domain_error(format!(
                        "{left} \\div 0: a division by zero has no value"
                    )));
                }
                let quotient = left.checked_div(right).map(|quotient| {
                    if left % right != 0 && (left < 0) != (right < 0) {
                        quotient - 1
                    } else {
                        quotient
                    }
                });
                ("\\div", quotient)
            }
            Arithmetic::Modulo => {
                if right <= 0 {
                    return Err(domain_error(format!(
                        "{left} % {right}: the right operand of % must be positive"
                    )));
                }
                ("%", Some(left.rem_euclid(right)))
            }
            Arithmetic::Power => {
                if right < 0 {
                    return Err(domain_error(format!(
                        "{left} ^ {right}: the exponent must not be negative"
                    )));
                }
                if left == 0 && right == 0 {
                    return Err(domain_error("0 ^ 0 is not defined"));
                }
                let exponent = u32::try_from(right).unwrap_or(u32::MAX);
                let power = match left {
                    0 | 1 => Some(left),
                    -1 => Some(if right % 2 == 0 { 1 } else { -1 }),
                    _ => left.checked_pow(exponent),
                };
                ("^", power)
            }
        };
        result
            .and_then(|result| self.in_range(result))
            .ok_or_else(|| overflow(format!("{left} {symbol} {right}")))
    }
}

pub(crate) fn overflow(what: String) -> Box<Failure> {
    Failure::new(ErrorClass::Overflow, format!("{what} is too large an integer"))
}
