//! What specifications mean, and what the facade says about them.

mod checking;
#[path = "../../../tla-semantics/tests/behaviour/common/mod.rs"]
mod common;
mod composition;
mod counting;
mod effect_templates;
mod evaluating;
mod evaluation;
mod refuted_quantifiers;
mod robust_evaluation;
mod robustness;
mod selectors;
mod showing;
