//! The position of a call in a test matrix.

use std::fmt;

use omnilink_evidence::ThreadName;

/// A thread of the matrix, or its initial or final calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The initial calls.
    Initial,
    /// One of the threads, counted from 0.
    Thread(u8),
    /// The final calls.
    Final,
}

impl Lane {
    /// A number for the engine and for drawings: initial calls, threads, final calls.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Initial => 0,
            Self::Thread(thread) => 1 + u32::from(thread),
            Self::Final => 1 + u32::from(u8::MAX) + 1,
        }
    }

    /// A thread of the matrix by its number, the main thread by what it does.
    pub(crate) fn thread_name(self) -> ThreadName {
        match self {
            Self::Thread(thread) => ThreadName::Number(u32::from(thread)),
            Self::Initial | Self::Final => ThreadName::Name(self.to_string()),
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

/// One call of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSlot {
    /// The lane of the call.
    pub lane: Lane,
    /// Its index in the lane, from 0.
    pub index: u8,
}

impl CallSlot {
    /// Code outside all calls, such as a destructor. Only crashes are observed there.
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
