//! Whole verdicts, compared with what is known about traces. See the library's page.

mod contract;
mod directed_implications;
mod directed_rules;
mod long;
mod long_traces;
mod metamorphic;
mod models;
mod oracle;
mod product;
mod random;
mod random_contract;
mod random_logs;
mod random_specs;
mod reproducer;
mod rounds;
mod shrink;
mod whole_command;
