//! What the model checker answers: golden runs of TLC, temporal properties, searches, the memo.

mod cases;
mod common;
mod compiled;
mod compiled_checks;
mod compiled_disagreement;
mod compiled_errors;
mod compiled_initial;
mod compiled_layouts;
mod compiled_membership;
mod compiled_repeated;
mod compiled_scope;
mod fidelity;
mod found;
mod golden;
mod liveness;
mod memo;
mod mutations;
mod pairs;
mod pluscal;
mod pluscal_program;
mod pluscal_random;
mod random_calls;
mod random_spec;
mod random_temporal;
mod searches;
mod semantics;
