//! Whole verdicts, compared with what is known about traces. See the library's page.

mod long;
mod metamorphic;
mod models;
mod random_logs;
mod long_traces;
mod oracle;
mod product;
mod random;
mod random_specs;
mod reproducer;
mod rounds;
mod shrink;
