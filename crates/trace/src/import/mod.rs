//! Other tools' logs and histories, one module per format. `docs/trace-format.md` says what becomes of each.

mod edn;
mod edn_events;
mod events;
mod fastlin;
mod jepsen_event;
mod jepsen_history;
mod jepsen_log;
mod json_elements;
mod json_events;
mod limo;
mod omnilink;
mod porcupine;

pub use edn::{EdnError, EdnProblem};
pub(crate) use fastlin::{FastlinRecords, has_processes as is_fptlin_line, is_title as is_fastlin_title};
pub(crate) use jepsen_history::{JepsenRecords, Survey as JepsenSurvey};
pub(crate) use jepsen_log::{JepsenLogRecords, is_event_line as is_jepsen_line};
pub(crate) use json_elements::JsonElements;
pub(crate) use limo::{LimoRecords, is_title as is_limo_title};
pub(crate) use omnilink::OmniLinkRecords;
pub(crate) use porcupine::{PorcupineRecords, is_key as is_porcupine_key};
