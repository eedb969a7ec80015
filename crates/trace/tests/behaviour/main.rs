//! What the readers and writers of traces do, behaviour by behaviour.

mod arbitrary;
mod cuts;
mod fastlin;
mod format1;
mod jepsen;
mod omnilink;
mod order;
mod porcupine;
mod refusals;
mod retime;
mod statistics;
mod support;
mod writing;
