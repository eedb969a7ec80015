//! Small worlds of every shipped model, and random histories in them.
//!
//! A *workload* is a model with a handful of keys and values, and with every call and every result that these allow. It
//! is small enough for laws to be checked on all states and operations, and small worlds are where bugs of a checker
//! show: few values mean many operations that look alike.

mod decoding;
mod files;
mod histories;
mod rng;
mod workload;
mod worlds;

pub use decoding::{decoded, line};
pub use files::{check_file, check_text};
pub use histories::{Shape, random_history};
pub use rng::Rng;
pub use workload::{Visitor, Workload};
pub use worlds::each_workload;
