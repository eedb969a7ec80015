//! Campaigns over harnesses that are shell scripts, with a check that counts lines.

mod disks;
mod endings;
mod knobs;
mod limits;
mod stores;
mod toy;
