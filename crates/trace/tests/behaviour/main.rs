//! What the readers and writers of traces do, behaviour by behaviour.

mod arbitrary;
mod cuts;
mod format1;
mod order;
mod refusals;
mod support;
mod writing;
