//! Arithmetic: within the range of the evaluator, or a trap.

use omnilink_tla_ir::Arithmetic;

use super::run::Run;
use crate::trap::Trap;
use crate::values::ValueWord;

impl Run<'_, '_, '_> {
    #[inline(never)]
    pub(super) fn calculate(&self, arithmetic: Arithmetic, left: i64, right: i64) -> Result<ValueWord, Trap> {
        let result = match arithmetic {
            Arithmetic::Plus => left.checked_add(right),
            Arithmetic::Minus => left.checked_sub(right),
            Arithmetic::Times => left.checked_mul(right),
            Arithmetic::Divide if right > 0 => Some(left.div_euclid(right)),
            Arithmetic::Modulo if right > 0 => Some(left.rem_euclid(right)),
            Arithmetic::Power if right >= 0 && (left, right) != (0, 0) => u32::try_from(right)
                .ok()
                .and_then(|right| left.checked_pow(right)),
            Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::Power => return Err(Trap::Domain),
        };
        let result = result.filter(|result| self.evaluator.in_range(*result).is_some());
        result.and_then(ValueWord::int).ok_or(Trap::Size)
    }
}
