//! What a check says about components whose every interleaving is known.

mod campaigns;
mod counts;
mod machines;
mod pages;
mod papers_bugs;
mod specifications;
