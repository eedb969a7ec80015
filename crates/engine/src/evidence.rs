//! What a check has to show: a witness, a counterexample, or how far it got.

use omnilink_trace::{Time, Timebox};

use crate::budget::Exhausted;
use crate::part_search::Decider;

/// The answer to a check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Does some behaviour of the model explain the history?
    pub verdict: Verdict,
    /// What it took to find out.
    pub figures: Figures,
}

/// Does some behaviour of the model explain the history?
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Yes: here is one.
    Valid(Witness),
    /// No: this is where every explanation ends.
    Violation(Box<Counterexample>),
    /// A limit was reached first.
    Unknown(Box<Unfinished>),
}

impl Verdict {
    /// Whether the history is explained.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// Whether the history cannot be explained.
    pub fn is_violation(&self) -> bool {
        matches!(self, Self::Violation(_))
    }
}

/// An order of the operations that the model accepts and that respects their timeboxes.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// How many operations were placed and replayed through the model, step by step, outside the search.
    pub replayed: u64,
    /// The operations (by position in the input) in the order in which they took effect, where it was asked for. Each
    /// comes with a point in its timebox at which it may have done so; the points never decrease.
    pub order: Option<Vec<Placement>>,
}

/// One operation of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The operation's position in the input.
    pub op: u64,
    /// A moment in its timebox.
    pub at: Time,
}

/// An operation as reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpView {
    /// Its position in the input.
    pub id: u64,
    /// Who called it.
    pub thread: u32,
    /// Name, arguments and result, in the model's words.
    pub text: String,
    /// When it ran.
    pub timebox: Timebox,
}

/// Why there is no explanation.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The operation whose return cannot be explained, although everything that returned before can.
    pub op: OpView,
    /// Every way to explain what came before, up to [`Counterexample::SHOWN`].
    pub alternatives: Vec<Alternative>,
    /// How many ways there are, after reductions.
    pub alternatives_total: u64,
    /// Up to where all of them are one; `None` where that is not known.
    pub agreed: Option<Agreed>,
    /// The rule that is broken, where a monitor decided. The alternatives are then those of its operations alone.
    pub broken: Option<BrokenRule>,
}

/// The beginning that all explanations share.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The states that it may leave, in the model's words: several only if its last operations have several outcomes.
    pub states: Vec<String>,
    /// How many operations it consists of.
    pub placed: u64,
    /// The last of them.
    pub last: Option<OpView>,
    /// The operations that some explanation places after it, in the order of the input.
    pub since: Vec<OpView>,
}

/// A rule of collections that a few operations break, whatever the others did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// In words.
    pub rule: String,
    /// The operations, in order of start.
    pub operations: Vec<OpView>,
}

impl Counterexample {
    /// Gives operations other numbers.
    pub(crate) fn renumber(&mut self, number: impl Fn(u64) -> u64) {
        let mut ops: Vec<&mut OpView> = vec![&mut self.op];
        for alternative in &mut self.alternatives {
            ops.extend(&mut alternative.recent);
            ops.extend(&mut alternative.placed);
            ops.extend(
                alternative
                    .candidates
                    .iter_mut()
                    .map(|candidate| &mut candidate.op),
            );
        }
        for op in ops {
            op.id = number(op.id);
        }
    }

    /// How many alternatives are described.
    pub const SHOWN: usize = 64;
}

/// One way to explain everything before the operation that cannot be explained.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The model's state, in its own words.
    pub state: String,
    /// The last operations placed, oldest first, up to [`Alternative::RECENT`].
    pub recent: Vec<OpView>,
    /// Operations that had not returned yet and have taken effect already.
    pub placed: Vec<OpView>,
    /// Operations that could come next, and what becomes of each. The unexplained operation comes first.
    pub candidates: Vec<Candidate>,
}

impl Alternative {
    /// How many of the operations placed are shown: where there are so many, others may come before them.
    pub const RECENT: usize = 16;
}

/// An operation that could come next.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Which one.
    pub op: OpView,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of an operation that could come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The model refuses it, for this reason if it gives one.
    Refused(Option<String>),
    /// The model accepts it, but no way of going on from there explains the operation in question.
    LeadsTo(Vec<String>),
}

/// How far a check got before a limit.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// Which limit.
    pub limit: Exhausted,
    /// So many operations had returned and were explained.
    pub explained: u64,
    /// The return at which the search stopped, if it was at one.
    pub at: Option<OpView>,
    /// How many configurations were alive there.
    pub frontier: u64,
    /// Some of them.
    pub alternatives: Vec<Alternative>,
}

/// What a check took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Operations given.
    pub operations: u64,
    /// Of these, pending ones.
    pub pending: u64,
    /// Configurations explored.
    pub configurations: u64,
    /// The most configurations alive after a return.
    pub frontier_max: u64,
    /// Configurations alive after a return, summed over returns.
    pub frontier_sum: u64,
    /// Returns processed by the sweep.
    pub returns: u64,
    /// Steps that the model computed.
    pub model_steps: u64,
    /// Parts of the history that were checked apart from each other.
    pub partitions: u64,
    /// Which search had the last word.
    pub decider: Option<Decider>,
}
