//! Nothing: what counts are the dependencies.
//!
//! Cargo builds a crate once for each set of features that it is asked for, and what it is asked for depends on the packages that are
//! named: `cargo test -p omnilink-engine` asks less of `syn` than the command does, and so would build everything above it, which is
//! everything, a second time. Every crate of the workspace has this one as a dependency of its tests. Then `cargo run`, `cargo test`
//! and `./test CRATE` share what they build.
