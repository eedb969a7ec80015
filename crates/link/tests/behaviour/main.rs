//! What linking a trace to a spec does, told by small specs and traces.

mod binding;
mod examples;
mod link_file;
mod omnilink_setups;
mod purity;
mod random;
mod setbench;
mod steps;
mod world;
