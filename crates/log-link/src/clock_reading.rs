//! Readings of clocks, so that they can be compared.

use omnilink_value::Value;

/// A reading of a clock: a number, or that of a hybrid logical clock, `[physical, logical]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClockReading(i128);

/// The most bits of the logical part of a hybrid clock.
const LOGICAL_BITS: u32 = 32;

impl ClockReading {
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

    /// As much later.
    #[must_use]
    pub fn plus(self, units: i64) -> Self {
        Self(self.0 + (i128::from(units) << LOGICAL_BITS))
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
        assert_eq!(plain(3).map(|time| time.plus(-5)), plain(-2));
        assert_eq!(hybrid(1, -1), None);
        assert_eq!(ClockReading::of(&Value::str("now")), None);
        assert_eq!(ClockReading::of(&Value::tuple([1.into()])), None);
    }
}
