//! Check concurrent systems against their specifications, from Rust tests.
//!
//! This is the front door: the names a test needs, gathered from the crates that define them. The decision behind the
//! engine is to search for an *explanation*, an order of the observed operations that a sequential [`Model`] accepts
//! and that respects when each ran, and to answer with evidence either way.
//!
//! ```
//! use omnilink::models::{Register, RegisterOp};
//! use omnilink::{Options, TimedOp, Timebox, Value, check};
//!
//! // t0  |--write 1--|        |--write 2--|
//! // t1        |-------read 2-------|            valid: write 1, write 2, read 2
//! let history = [
//!     TimedOp::new(0, RegisterOp::Write(Value::int(1)), Timebox::new(0, 10)),
//!     TimedOp::new(1, RegisterOp::Read(Some(Value::int(2))), Timebox::new(5, 25)),
//!     TimedOp::new(0, RegisterOp::Write(Value::int(2)), Timebox::new(20, 30)),
//! ];
//! let register = Register { initial: Value::int(0) };
//! assert!(check(&register, history, Options::default())?.conclusion.is_valid());
//! # Ok::<(), omnilink::CheckError>(())
//! ```
//!
//! # Features
//!
//! A test that only wants linearizability compiles neither TLA+ nor zstd.
//!
//! | feature | module | what it adds |
//! |---|---|---|
//! | always | [`verify`], [`report`], [`models`], [`record`] | files and streams of any length, checked to [`evidence`], as text or JSON; the recorder |
//! | `compression` | | traces that were compressed with gzip or zstd |
//! | `tla` | `tla`, `link` | traces against TLA+ specifications: `verify::Validation` |
//! | `mc` | `mc` | the model checker for TLA+: `verify::mc` |
//! | `consistency` | `consistency`, `isolation` | weak levels and isolation levels: `verify::WeakCheck` |
//! | `lineup` | `lineup`, `sched` | components without a specification |
//! | `full` | | all of these |
//!
//! # Files
//!
//! [`verify`] does what the `omnilink` command does. It streams, so the length of a trace does not matter:
//!
//! ```
//! use omnilink::verify::{CheckRequest, Input, Keyed, ModelCheck, ProgressCounter};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("stale.ndjson");
//! # std::fs::write(&path, "{\"omnilink\":1}\n\
//! #   {\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":10}\n\
//! #   {\"thread\":1,\"op\":\"read\",\"ret\":0,\"start\":20,\"end\":30}\n")?;
//! let check = ModelCheck::new("register", Keyed::ByContent, CheckRequest::new("register"))?;
//! let input = Input::new(&path, Default::default(), None)?;
//! let evidence = check.check(&input, &ProgressCounter::default());
//! assert_eq!(evidence.verdict, omnilink::evidence::Verdict::Violation);
//! println!("{}", omnilink::report::text(&evidence, &Default::default()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Live systems
//!
//! [`LiveCheck`] checks calls and returns as they happen, and `isolation::LiveTransactionCheck` transactions. Or a system is recorded with [`record`], and what was recorded is
//! checked with [`check_trace`]:
//!
//! ```
//! use std::sync::Mutex;
//!
//! use omnilink::models::Counter;
//! use omnilink::record::{Recorder, record};
//!
//! let recorder = Recorder::in_memory()?;
//! let total = Mutex::new(0i64);
//! std::thread::scope(|scope| {
//!     for thread in 0..4 {
//!         let (recorder, total) = (&recorder, &total);
//!         scope.spawn(move || {
//!             let mut log = recorder.thread(thread).expect("a log");
//!             for _ in 0..100 {
//!                 record!(log, add(value = 1) => *total.lock().unwrap() += 1);
//!                 record!(log, read() => *total.lock().unwrap());
//!             }
//!         });
//!     }
//! });
//! let bytes = recorder.finish()?.into_trace().expect("recorded in memory");
//! let trace = omnilink::trace::Trace::from_bytes("counter", bytes, &Default::default())?;
//! let outcome = omnilink::check_trace(&Counter::default(), trace, omnilink::Options::default())?;
//! assert!(outcome.conclusion.is_valid());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check_evidence;
mod check_trace;

pub use check_evidence::check_evidence;
pub use check_trace::{CheckTraceError, check_trace};

pub use omnilink_engine::{
    CallEvent, CheckError, CheckOutcome, Checker, Components, Conclusion, Consistency, Counterexample,
    EventError, Footprint, Keys, Limits, Linearization, LiveCheck, MinimalCounterexample, Model, Options,
    Outcomes, Partitioning, Progress, Reductions, Strategy, TimedOp, Verdict, check, minimize,
};
pub use omnilink_trace::Timebox;
pub use omnilink_value::Value;

pub use omnilink_engine as engine;
pub use omnilink_evidence as evidence;
pub use omnilink_models as models;
pub use omnilink_record as record;
pub use omnilink_report as report;
pub use omnilink_trace as trace;
pub use omnilink_value as value;
pub use omnilink_verify as verify;

#[cfg(feature = "consistency")]
pub use omnilink_consistency as consistency;
#[cfg(feature = "consistency")]
pub use omnilink_isolation as isolation;
#[cfg(feature = "lineup")]
pub use omnilink_lineup as lineup;
#[cfg(feature = "tla")]
pub use omnilink_link as link;
#[cfg(feature = "mc")]
pub use omnilink_mc as mc;
#[cfg(feature = "lineup")]
pub use omnilink_sched as sched;
#[cfg(feature = "tla")]
pub use omnilink_tla as tla;
