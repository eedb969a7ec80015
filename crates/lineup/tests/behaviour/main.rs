//! What a check says about components whose every interleaving is known.

mod counts;
mod machines;
mod papers_bugs;
