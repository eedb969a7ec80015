//! Checks of state machines, all of whose interleavings are known.

mod campaigns;
mod counts;
mod machines;
mod pages;
mod papers_bugs;
mod specifications;
