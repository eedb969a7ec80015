//! When an operation ran.

/// A point on the trace's clock. The unit is the recorder's (ticks, nanoseconds, ranks): only the order matters.
pub type Time = i64;

/// The interval in which an operation took effect, if it took effect at all.
///
/// Invariant: `start <= end` where there is an end; readers refuse anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timebox {
    /// The call was made no later than this.
    pub start: Time,
    /// The return was seen no earlier than this; `None` when it was never seen: the operation is *pending*.
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

    /// The timebox of an operation that was called and never seen to return.
    pub fn pending(start: Time) -> Self {
        Self { start, end: None }
    }

    /// Whether the operation was never seen to return.
    pub fn is_pending(&self) -> bool {
        self.end.is_none()
    }

    /// Whether this operation was certainly over before `other` began. Strict: timeboxes that only touch overlap,
    /// because a clock cannot tell which of two equal readings came first.
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
