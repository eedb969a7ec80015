//! Tests of the engine against its definition, one module per behaviour.

mod agrees_with_naive;
mod calls_and_returns;
mod extremes;
mod minimal_counterexamples;
mod test_models;
