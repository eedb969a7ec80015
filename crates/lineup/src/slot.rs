//! Where a call stands in a test matrix.

use std::fmt;

/// Who makes a call: the beginning, one of the threads, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Before any thread runs.
    Initial,
    /// One of the threads, counted from 0.
    Thread(u8),
    /// After every thread has come to its end.
    Final,
}

impl Lane {
    /// A number for the engine and for drawings: the beginning, the threads, the end.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Initial => 0,
            Self::Thread(thread) => 1 + u32::from(thread),
            Self::Final => 1 + u32::from(u8::MAX) + 1,
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial => f.write_str("initially"),
            Self::Thread(thread) => write!(f, "thread {thread}"),
            Self::Final => f.write_str("finally"),
        }
    }
}

/// One call of a matrix: whose, and which of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSlot {
    /// Who makes it.
    pub lane: Lane,
    /// Which of their calls, counted from 0.
    pub index: u8,
}

impl CallSlot {
    /// What runs outside all calls (a destructor, say). Nothing but a crash is ever observed of it.
    pub const OUTSIDE: Self = Self {
        lane: Lane::Final,
        index: u8::MAX,
    };

    /// The `index`-th call of a thread.
    pub fn of_thread(thread: u8, index: u8) -> Self {
        Self {
            lane: Lane::Thread(thread),
            index,
        }
    }
}
