//! Level rules of the built-in operators: the levels allowed for operands and the level of the result.

use omnilink_tla_syntax::operators::Op;

use super::level::Level;

/// The level rule of a built-in operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The level of the result if all operands are constant.
    pub level: Level,
    /// The highest level an operand may have.
    pub max: Level,
    /// Whether the result has at least the levels of the operands. If not, the operator is not Leibniz either: equal operands
    /// may give different results.
    pub passes: bool,
}

/// The level rule of an operator that the language defines.
pub(super) fn rule(op: Op) -> Rule {
    use Level::*;
    let (level, max, passes) = match op {
        Op::Prime => (Action, State, false),
        Op::Unchanged => (Action, State, false),
        Op::Enabled => (State, Action, false),
        Op::Cdot => (Action, Action, false),
        Op::Always | Op::Eventually | Op::LeadsTo | Op::PlusArrow => (Temporal, Temporal, false),
        Op::Not | Op::And | Op::Or | Op::Implies | Op::Equiv => (Constant, Temporal, true),
        _ => (Constant, Action, true),
    };
    Rule { level, max, passes }
}
