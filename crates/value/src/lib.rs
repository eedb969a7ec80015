//! TLA+ values: immutable, canonical, hashed, totally ordered.
