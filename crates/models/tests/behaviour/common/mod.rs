//! Small workloads of every native model, and random histories of them.
//!
//! A *workload* is a model with a few keys and values, and with every call and every result that these allow. It is small
//! enough to check laws on all states and operations. With few values, many operations are equal or conflict, which is
//! where bugs of a checker show.

mod decoding;
mod files;
mod histories;
mod workload;
mod workloads;

pub use decoding::{decoded, line};
pub use files::{check_file, check_text};
pub use histories::{Shape, random_history};
pub use workload::{Visitor, Workload};
pub use workloads::each_workload;
