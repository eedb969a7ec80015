//! Static analysis of programs that needs no evaluator: branches of actions, use of parameters, side effects.

mod branches;
mod parameters;
mod side_effects;
mod variables;
