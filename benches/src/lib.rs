//! Benchmarks against the tools a user would otherwise pick.
