//! What is known about the steps of an expression that go through an event.

/// The steps of something that go through an event.
#[derive(Clone, Debug)]
pub(crate) enum StepsThrough<T> {
    /// There are none: that is proved.
    NoStep,
    /// Exactly these.
    Restricted(T),
    /// Nothing is known: everything must be evaluated.
    Unsupported,
}

impl<T> StepsThrough<T> {
    /// The same, of something else that has these steps.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> StepsThrough<U> {
        match self {
            Self::NoStep => StepsThrough::NoStep,
            Self::Restricted(steps) => StepsThrough::Restricted(of(steps)),
            Self::Unsupported => StepsThrough::Unsupported,
        }
    }
}

/// Goes on with the restricted steps; returns what else it is.
macro_rules! restricted_or_return {
    ($steps:expr) => {
        match $steps {
            StepsThrough::Restricted(steps) => steps,
            StepsThrough::NoStep => return StepsThrough::NoStep,
            StepsThrough::Unsupported => return StepsThrough::Unsupported,
        }
    };
}

pub(crate) use restricted_or_return;
