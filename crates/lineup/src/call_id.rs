//! The number of a call.

/// A call of a component: a number into its [`Alphabet`](crate::Alphabet).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u16);
