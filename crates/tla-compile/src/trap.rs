//! Traps: what compiled code does not decide.

/// Why compiled code gave up on a state. The evaluator decides instead, so a trap is never an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// Values of a kind that the operation does not expect, or that cannot be compared: perhaps an error of the spec.
    Type,
    /// An argument outside the domain, an empty sequence, no element to choose: perhaps an error of the spec.
    Domain,
    /// An integer beyond the limits, or a set too large to be listed.
    Size,
    /// An expression that is not compiled.
    NotCompiled,
    /// An action that leaves the next value of a variable open.
    Open,
    /// A value that does not fit the layout: its part of the layout.
    Layout(u32),
    /// The time is up.
    Time,
}
