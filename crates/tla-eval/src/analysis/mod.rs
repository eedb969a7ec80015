//! Static analysis of actions by partial evaluation: effects, branches taken, enumerations of big sets.
//!
//! These analyses evaluate the constant parts of an action, so they are methods of the evaluator. Those that need none are in
//! `omnilink_tla_ir`.

mod branches_taken;
mod effects;
mod enumerations;

pub(crate) use effects::argument_step;
pub use effects::{
    Cell, CellStep, Condition, Content, Direction, EffectTemplates, Effects, Few, Layout, Left,
    PartialElement, Path, Selector, Sum, Tally, Write,
};
pub use enumerations::Enumeration;
