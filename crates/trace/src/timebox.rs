//! Timeboxes: when an operation ran.

/// A reading of the trace's clock. The recorder chooses the unit (ticks, nanoseconds, ranks): only the order matters.
pub type Time = i64;

/// The interval in which an operation took effect, if it took effect at all.
///
/// Invariant: `start <= end` where there is an end; readers refuse anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timebox {
    /// The call was made no later than this.
    pub start: Time,
    /// The return was observed no earlier than this; `None` if it was never observed: the operation is *pending*.
    pub end: Option<Time>,
}

impl Timebox {
    /// A finished operation's timebox.
    pub fn new(start: Time, end: Time) -> Self {
        debug_assert!(start <= end);
        Self {
            start,
            end: Some(end),
        }
    }

    /// The timebox of an operation whose return was never observed.
    pub fn pending(start: Time) -> Self {
        Self { start, end: None }
    }

    /// Whether the return was never observed.
    pub fn is_pending(&self) -> bool {
        self.end.is_none()
    }

    /// Whether this operation certainly ended before `other` began. Strict: timeboxes that touch overlap, because two equal
    /// clock readings have no order.
    pub fn precedes(&self, other: &Self) -> bool {
        self.end.is_some_and(|end| end < other.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_timeboxes_overlap() {
        let a = Timebox::new(0, 5);
        assert!(!a.precedes(&Timebox::new(5, 9)));
        assert!(a.precedes(&Timebox::new(6, 9)));
        assert!(!Timebox::pending(0).precedes(&Timebox::new(6, 9)));
    }
}
