//! Tests of the monitors, one module per behaviour.

mod agrees_with_brute_force;
mod all_histories;
mod applicability;
mod brute_force;
mod confirmation;
mod random_histories;
