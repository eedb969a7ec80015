//! Readers of other tools' logs and histories, one module per tool. `docs/trace-format.md` documents the conversions.
//!
//! | input | module |
//! |---|---|
//! | Jepsen, Knossos and Elle histories in EDN | [`jepsen::edn`](jepsen), over the notation in [`edn`] |
//! | Elle's histories in JSON (elle-cli) | [`jepsen::json`](jepsen) |
//! | Jepsen text logs (`jepsen.log`, `history.txt`) | [`jepsen::log`](jepsen) |
//! | Porcupine operations and events in JSON | [`porcupine`] |
//! | fastlin, PolyLin and fptlin test cases | [`fastlin`] |
//! | Violin and LiMo histories | [`limo`] |
//! | OmniLink's per-thread logs | [`omnilink`] |
//! | PolySI, Plume, IsoVista, dbcop and AWDIT texts of transactions, CSV | [`session_transactions`], [`session_csv`] |
//! | Cobra's logs and dbcop's bincode | [`session_log`] |
//! | dbcop's and Viper's JSON | [`session_json`] |
//! | OpenTelemetry, Jaeger, Zipkin and Chrome trace events | [`spans`] |

mod edn;
mod event_history;
mod fastlin;
mod jepsen;
mod limo;
mod omnilink;
mod porcupine;
mod session_assembly;
mod session_csv;
mod session_json;
mod session_log;
mod session_transactions;
mod spans;

pub use edn::{EdnError, EdnProblem};
pub(crate) use event_history::EventHistory;
pub(crate) use fastlin::{FastlinReader, is_fptlin_line, is_title as is_fastlin_title};
pub(crate) use jepsen::{JepsenHistory, JepsenLog, JepsenScan, is_event_line as is_jepsen_line};
pub(crate) use limo::{LimoHistory, is_event_line as is_limo_line, is_title as is_limo_title};
pub(crate) use omnilink::OmniLinkReader;
pub(crate) use porcupine::{PorcupineHistory, is_key as is_porcupine_key};
pub(crate) use session_json::SessionJson;
pub(crate) use session_log::{SessionLog, transaction_log_format};
pub(crate) use session_transactions::{SessionTransactions, transactions_format};
pub(crate) use spans::{CHROME_KEY, SpanReader, SpanSurvey, is_otlp_message, span_source};
pub use spans::{SpanErrors, SpanOrder, SpanRuleError, SpanRules, SpanThreads};
