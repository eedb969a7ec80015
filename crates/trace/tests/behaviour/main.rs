//! Integration tests of the readers and writers of traces, one module per behaviour.

mod arbitrary;
mod cuts;
mod ends;
mod fastlin;
mod format1;
mod jepsen;
mod nonsense;
mod omnilink;
mod order;
mod other_spans;
mod porcupine;
mod refusals;
mod retime;
mod session_transactions;
mod spans;
mod spans_protobuf;
mod statistics;
mod support;
mod writing;
