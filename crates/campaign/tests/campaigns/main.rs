//! Campaigns over harnesses that are shell scripts, with a check that counts lines.

mod endings;
mod limits;
mod stores;
mod toy;
