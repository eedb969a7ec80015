//! Check concurrent systems against their specifications, from Rust tests.
