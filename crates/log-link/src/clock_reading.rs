//! Readings of clocks, so that they can be compared.

use omnilink_value::Value;

/// A reading of a clock: a number, or that of a hybrid logical clock, `[physical, logical]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClockReading(i128);

/// The most bits of the logical part of a hybrid clock.
const LOGICAL_BITS: u32 = 32;

impl ClockReading {
    /// The reading 0.
    pub const FIRST: Self = Self(0);

    /// The reading that a value is.
    pub fn of(value: &Value) -> Option<Self> {
        let physical = |value: &Value| value.as_int().map(|number| i128::from(number) << LOGICAL_BITS);
        match value.as_tuple() {
            Some([time, logical]) => {
                let logical = u32::try_from(logical.as_int()?).ok()?;
                Some(Self(physical(time)? + i128::from(logical)))
            }
            _ => physical(value).map(Self),
        }
    }

    /// A reading in nanoseconds, of a clock that counts something else.
    #[must_use]
    pub fn in_units_of(self, nanoseconds: i64) -> Self {
        let (time, logical) = (self.0 >> LOGICAL_BITS, self.0 & ((1 << LOGICAL_BITS) - 1));
        Self(((time * i128::from(nanoseconds)) << LOGICAL_BITS) + logical)
    }

    /// As many nanoseconds later.
    #[must_use]
    pub fn plus(self, nanoseconds: i128) -> Self {
        // A skew of ages leaves every order open, and so does the latest reading.
        let shifted = nanoseconds.checked_mul(1 << LOGICAL_BITS);
        Self(self.0.saturating_add(shifted.unwrap_or(i128::MAX)))
    }

    /// How many nanoseconds it is later than another; 0 if only the logical part differs.
    pub fn nanoseconds_after(self, other: Self) -> i128 {
        (self.0 >> LOGICAL_BITS) - (other.0 >> LOGICAL_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hybrid_clock_is_compared_by_its_parts() {
        let hybrid = |time: i64, logical: i64| ClockReading::of(&Value::tuple([time.into(), logical.into()]));
        let plain = |time: i64| ClockReading::of(&Value::int(time));
        assert!(hybrid(1, 0) < hybrid(1, 7) && hybrid(1, 7) < hybrid(2, 0));
        assert_eq!(hybrid(5, 0), plain(5));
        assert!(plain(i64::MIN) < plain(i64::MAX));
        assert_eq!(plain(3).map(|time| time.plus(5)), plain(8));
        let most = ClockReading::of(&Value::int(i64::MAX)).map(|time| time.in_units_of(1_000_000_000));
        assert!(most < most.map(|time| time.plus(1)) && most <= most.map(|time| time.plus(i128::MAX)));
        let seconds =
            |time: i64, logical: i64| hybrid(time, logical).map(|time| time.in_units_of(1_000_000_000));
        assert!(seconds(-2, 3) < seconds(-2, 4) && seconds(-2, 4) < seconds(-1, 0));
        assert_eq!(seconds(2, 7), hybrid(2_000_000_000, 7));
        assert_eq!(hybrid(1, -1), None);
        assert_eq!(ClockReading::of(&Value::str("now")), None);
        assert_eq!(ClockReading::of(&Value::tuple([1.into()])), None);
    }
}
