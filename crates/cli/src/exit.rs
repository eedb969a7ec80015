//! Exit codes: a contract with scripts.

use std::process::ExitCode;

use omnilink_report::Judgement;

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
    /// The exit of a report.
    pub(crate) fn of(judgement: Judgement) -> Self {
        match judgement {
            Judgement::Valid => Self::Valid,
            Judgement::Violation => Self::Violation,
            Judgement::Unknown => Self::Unknown,
            Judgement::Error => Self::BadInput,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Valid => 0,
            Exit::Violation => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 3,
            // What shells say of a program that SIGINT ended.
            Exit::Interrupted => 130,
        })
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
