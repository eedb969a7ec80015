//! The memory of this process: what it holds, what it held at most, and what it may hold.
//!
//! A hard question can take any amount of memory, and the system kills a process that uses too much without a message. So every search has a
//! limit: the user's, or [`default_limit_bytes`]. Linux has files for these numbers. On other systems, only the user's limit and the size of
//! tables count.
//!
//! [`guard`] is the one mechanism by which limits hold where a search does not look at them itself.

pub mod guard;
mod leftovers;
mod limit;
mod resident;

pub use leftovers::{HalfWritten, remove_half_written, without_name};
pub use limit::default_limit_bytes;
pub use resident::{peak_bytes, resident_bytes};
