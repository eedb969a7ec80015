//! Logs of distributed programs against TLA+ specifications, without a trace specification to write.
//!
//! A line of a log is a partial observation of a step: perhaps the name of an action, perhaps arguments, perhaps what happened to some
//! variables. What is absent is unknown. A log is accepted if some behaviour of the specification explains every line, in an order that
//! respects what is known about the order of lines.
//!
//! - [`LogSpec`] is a specification made ready: the next-state relation, cut into the actions that events name (`event_action`, `restriction`), the types of
//!   its variables (`types`), which decide what JSON means, and identities that it does not tell apart (`interchange`).
//! - [`check_log`] reads lines, gives them their meaning (`prepared_line`) and searches for an explanation (`search`). What a line fixes is
//!   bound before anything is enumerated.
//! - The answer is [`Evidence`](omnilink_evidence::Evidence): the verdict, the first line that no explanation goes beyond, for every state before it
//!   the first false conjunct, and what would have to be different.

mod attempt;
mod batch;
mod budget_session;
mod clock_order;
mod clock_reading;
mod confirmation;
mod constants_file;
mod counterexample;
mod error;
mod event_action;
mod event_reach;
mod expansion;
mod fields_read;
mod formula;
mod guess;
mod hidden_steps;
mod independence;
mod interchange;
mod layer;
mod line_context;
mod line_filter;
mod line_footprint;
mod line_order;
mod line_stream;
mod line_times;
mod lines;
mod log_check;
mod log_input;
mod log_spec;
mod log_survey;
mod meaning;
mod message_order;
mod mutant;
mod needless_hidden;
mod ordered_lines;
mod plain_lines;
mod plain_step;
mod prepared_line;
mod rank;
mod raw_line;
mod read;
mod refusal;
mod replay;
mod restricted_quantifier;
mod restriction;
mod search;
mod settings_used;
mod span_lines;
mod stage_action;
mod step_lines;
mod steps_through;
mod stream_order;
mod types;
mod update;
mod value_type;
mod witness;

pub use constants_file::constants_of_file;
pub use error::LogError;
pub use log_check::{LogCheck, check_log, follow_log};
pub use log_spec::LogSpec;
pub use log_survey::LogSurvey;
pub use raw_line::{Place, RawLine};
pub use read::{LineReader, is_log, log_files};
