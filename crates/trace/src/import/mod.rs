//! Other tools' logs and histories, one module per format. `docs/trace-format.md` says what becomes of each.

mod edn;
mod edn_events;
mod events;
mod fastlin;
mod jepsen_edn;
mod jepsen_log;
mod json_elements;
mod omnilink;
mod porcupine;

pub use edn::{EdnError, EdnProblem};
pub(crate) use fastlin::{FastlinRecords, is_title as is_fastlin_title};
pub(crate) use jepsen_edn::{JepsenEdnRecords, clock as jepsen_clock};
pub(crate) use jepsen_log::{JepsenLogRecords, is_event_line as is_jepsen_line};
pub(crate) use omnilink::OmniLinkRecords;
pub(crate) use porcupine::{PorcupineRecords, is_key as is_porcupine_key};
