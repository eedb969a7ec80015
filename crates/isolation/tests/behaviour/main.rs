//! Verdicts on recorded, random and hand-drawn transactions, and agreement with the definitions.

mod counters;
mod golden_levels;
mod isolation_agrees;
mod isolation_metamorphic;
mod isolation_rare;
mod isolation_scale;
mod list_append;
mod marked_reads;
mod transaction_monitor;
mod transactions;
