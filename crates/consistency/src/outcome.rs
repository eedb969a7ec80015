//! What a check has to show.

use omnilink_engine::Exhausted;

use crate::op_set::OpSet;

/// The answer to a check. Operations are named by their position in the history.
#[derive(Clone, Debug)]
pub struct WeakOutcome {
    /// Is there a linearization with a visibility that satisfies the criterion?
    pub verdict: WeakVerdict,
    /// What it took to find out.
    pub figures: WeakFigures,
}

/// Is there a linearization with a visibility that satisfies the criterion?
#[derive(Clone, Debug)]
pub enum WeakVerdict {
    /// Yes: here is one.
    Valid(Explanation),
    /// No: here is what cannot be explained.
    Violation(Box<Refutation>),
    /// A limit was reached first.
    Unknown(Unfinished),
}

impl WeakVerdict {
    /// Whether the history satisfies the criterion.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// Whether the history does not satisfy the criterion.
    pub fn is_violation(&self) -> bool {
        matches!(self, Self::Violation(_))
    }

    /// `valid`, `violation` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Valid(_) => "valid",
            Self::Violation(_) => "violation",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// A linearization with a visibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The operations in the order in which they took effect. Optional operations that did not happen are left out.
    pub linearization: Vec<usize>,
    /// What each operation sees, by the operation's position in the history.
    pub visible: Vec<OpSet>,
}

impl Explanation {
    /// Whether everyone sees everything before them.
    pub fn is_complete(&self) -> bool {
        let mut before = OpSet::EMPTY;
        self.linearization.iter().all(|op| {
            let sees_all = self.visible[*op] == before;
            before = before.with(*op);
            sees_all
        })
    }
}

/// Why there is no explanation.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The most that can be explained: operations in an order that goes no further.
    pub explained: Vec<usize>,
    /// What each of them sees there, by the operation's position in the history.
    pub visible: Vec<OpSet>,
    /// The operation that would be next and has no admissible visibility.
    pub op: usize,
    /// What it could have seen, and why that does not explain its return; the closest first.
    pub candidates: Vec<Candidate>,
    /// Returns that cannot be explained together: with any one of them forgotten, the rest can. `None` if it was not
    /// asked for or a limit was reached.
    pub core: Option<OpSet>,
}

/// Something that an operation could have seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The operations that it would see.
    pub sees: OpSet,
    /// The state that they lead to, in the model's words.
    pub state: String,
    /// Why the model refuses the operation there, if it says so.
    pub reason: Option<String>,
}

/// How far a check got before a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Which limit.
    pub limit: Exhausted,
    /// The most that was explained until then.
    pub explained: Vec<usize>,
}

/// What a check took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeakFigures {
    /// Operations in the history.
    pub operations: u64,
    /// Configurations explored.
    pub configurations: u64,
    /// Sets of operations that were tried as what an operation sees.
    pub visibilities: u64,
    /// Steps that the model computed.
    pub model_steps: u64,
}
