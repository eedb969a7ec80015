//! Recorded histories: operations, whatever their model, with the source of their order.
//!
//! Checks of single operations and of transactions begin here: a history is [read](read_histories) or
//! [taken from a trace](RecordedHistory::from_operations), its order is a relation over a [set of operations](OpSet) where it
//! is short, and a [graph](order_graph) whose edges have reasons where it is not.

mod budget;
mod history_error;
mod history_file;
mod op_names;
mod op_set;
mod order;
pub mod order_graph;
mod recorded_history;
mod vector_clocks;

pub use budget::Budget;
pub use history_error::{HistoryError, HistoryProblem};
pub use history_file::{is_history_line, read_histories};
pub use op_set::OpSet;
pub use order::{Order, OrderError, close, program_order};
pub use recorded_history::{OrderSource, RecordedHistory, label_of};
pub use vector_clocks::VectorClocks;
