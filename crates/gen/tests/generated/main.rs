//! Generated harnesses: what is seen in a specification, and projects that build and run.

mod plans;
mod projects;
mod specs;
