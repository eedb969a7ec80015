//! Values of compiled code: words, and the store that they refer to.

mod bags;
mod conversion;
mod growth;
mod operation_memo;
mod operations;
mod order;
mod signatures;
mod store;
#[cfg(test)]
mod tests;
mod word;

pub use store::ValueStore;
pub use word::{ValueWord, WordContent};
