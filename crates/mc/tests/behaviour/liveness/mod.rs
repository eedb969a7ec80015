//! Temporal properties.

mod forms;
mod golden;
mod random_specs;
mod resumed;
mod view;
