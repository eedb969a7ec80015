//! Verdicts on recorded, random and hand-drawn transactions, and agreement with the definitions.

mod counters;
mod golden_levels;
mod isolation_agrees;
mod isolation_metamorphic;
mod isolation_rare;
mod isolation_scale;
mod list_append;
mod live_transactions;
mod marked_reads;
mod read_meanings;
mod transactions;
mod workloads;
