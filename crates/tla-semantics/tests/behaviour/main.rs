//! What the front end accepts, and what it says about mistakes.

mod common;
mod configuration;
mod golden_parse;
mod meaning;
mod mistakes;
mod one_mistake;
mod pluscal;
mod two_mistakes;
