//! Tests of whole verdicts. There is no code here: see `tests/soundness`.
//!
//! The tests of the other crates compare the search with a naive one on small histories, and both evaluate a specification with the same
//! code. What lives as long as a trace (a memo, an interned state) goes wrong in long traces with few distinct values, and what the
//! analysis gets wrong goes wrong in both. So here
//!
//! - objects are simulated, which gives long traces whose verdict is known by construction (`long`),
//! - specifications are random, and an interpreter and a search of their own decide about short traces (`random`, `oracle`), and
//! - what the model of a random specification promises the engine is compared with its steps (`contract`).
