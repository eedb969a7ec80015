//! Jepsen histories: maps of `:process`, `:type`, `:f` and `:value`, in EDN ([`edn`]), in JSON ([`json`]) or as the lines of a
//! text log ([`log`]). [`event`] converts one map, [`pairing`] turns invocations and completions into operations.

mod edn;
mod event;
mod history;
mod json;
mod log;
mod pairing;

pub(crate) use history::{JepsenHistory, JepsenScan};
pub(crate) use log::{JepsenLog, is_event_line};
