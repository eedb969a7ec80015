//! Exit codes: a contract with scripts.

use std::io::{self, Write};

use omnilink_evidence::Verdict;

use crate::scratch;

/// How a command ended. Where several inputs are given the worst wins, so the order of the variants is the contract's:
/// bad input makes every other answer doubtful, and a violation is certain whatever else was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything is valid.
    Valid,
    /// A limit was reached before there was an answer.
    Unknown,
    /// A violation was found.
    Violation,
    /// Bad usage or bad input.
    BadInput,
    /// Someone pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The exit of a verdict.
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Valid,
            Verdict::Violation => Self::Violation,
            Verdict::Unknown => Self::Unknown,
            Verdict::Error => Self::BadInput,
        }
    }
}

impl Exit {
    fn code(self) -> i32 {
        match self {
            Self::Valid => 0,
            Self::Violation => 1,
            Self::BadInput => 2,
            Self::Unknown => 3,
            // What shells say of a program that SIGINT ended.
            Self::Interrupted => 130,
        }
    }

    /// Ends the process with this code.
    pub(crate) fn leave(self) -> ! {
        // A closed pipe is no error: the reader has seen what it wanted.
        let _ = io::stdout().flush();
        scratch::remove();
        std::process::exit(self.code())
    }

    /// The same while other threads work: nothing is flushed, and nobody is waited for.
    pub(crate) fn leave_at_once(self) -> ! {
        #[cfg(unix)]
        // SAFETY: it does not return, and runs nothing of this process.
        unsafe {
            libc::_exit(self.code())
        }
        #[cfg(not(unix))]
        std::process::exit(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_worst_wins() {
        let worst = |exits: &[Exit]| exits.iter().copied().max();
        assert_eq!(worst(&[Exit::Valid, Exit::Unknown]), Some(Exit::Unknown));
        assert_eq!(
            worst(&[Exit::Violation, Exit::Unknown, Exit::Valid]),
            Some(Exit::Violation)
        );
        assert_eq!(worst(&[Exit::Violation, Exit::BadInput]), Some(Exit::BadInput));
    }
}
