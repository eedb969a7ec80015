//! Verdicts on recorded, random and hand-drawn histories, and agreement with the definitions.

#[allow(
    dead_code,
    unused_imports,
    reason = "the workloads are shared with the tests of the models, which use more of them"
)]
#[path = "../../../models/tests/behaviour/common/mod.rs"]
mod common;

mod agrees_with_naive;
mod guarantees;
mod recorded_order;
mod registers;
mod scale;
mod skiplistmap;
mod specification;
mod stale;
