//! Linking traces to specs: small specs, small traces, and the verdict beside them.

mod algorithms;
mod attacks;
mod binding;
mod coverage;
mod diagnostics;
mod exact_steps;
mod examples;
mod link_file;
mod objects;
mod omnilink_setups;
mod other_objects;
mod purity;
mod random;
mod random_examples;
mod random_specs;
mod setbench;
mod steps;
mod styles;
mod thread_ends;
mod world;
