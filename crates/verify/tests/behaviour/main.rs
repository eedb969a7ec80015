//! What a check does besides the search.

mod disagreements;
mod inputs;
