//! How much evidence says beyond the verdict.

/// How much of a history its evidence keeps, so that it can be looked at without the input. Each includes those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The verdict with its reasons.
    #[default]
    Reasons,
    /// For a violation also the operations around it, and the steps of all explanations. A valid history costs nothing more.
    Violations,
    /// Also the explanation of a valid history that is not too long.
    ShortWitness,
    /// Also the end of the explanation of a long one.
    WitnessEnd,
}
