//! Values of compiled code: words, and the store that they refer to.

mod operation_memo;
mod operations;
mod order;
mod signatures;
mod store;
#[cfg(test)]
mod tests;
mod word;

pub use store::Store;
pub use word::{Word, WordContent};
