//! The `omnilink` command.
fn main() {}
