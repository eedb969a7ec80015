//! Model checker for TLA+: explores the states of a specification and shows how a property is violated.
//!
//! Two decisions shape this crate.
//!
//! **The result does not depend on the number of workers.** The breadth-first search commits states in the order in which a
//! single worker would find them. Counts, levels and counterexamples are therefore the same in every run, and can be compared
//! with TLC's. The cost is that segments of the frontier are committed in order; see the page of the `bfs` module.
//!
//! **Only fingerprints are kept.** The seen set stores 64 bits per state and half of its parent's fingerprint: 15 to 23 bytes per
//! state. Queued states are encoded as bytes, in memory or on disk. A counterexample is recomputed from the initial states. The
//! trade-off: states whose fingerprints collide count as one, as in TLC.
//!
//! The searches ([`breadth_first`], [`depth_first`], [`simulate`]) explore any [`TransitionSystem`]. [`check`] builds one from a
//! TLA+ model and adds assumptions, counterexamples and postconditions.
//!
//! ```
//! use omnilink_mc::{CheckOptions, SearchProgress, check, report::Verdict};
//! use omnilink_tla::model::{BuildOptions, build};
//! use omnilink_tla::semantics::{load_text, search_path::SearchPath};
//!
//! let text = "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE hr\nInit == hr = 1\nNext == hr' = (hr % 12) + 1\n====";
//! let loaded = load_text("Clock.tla".as_ref(), text.into(), &SearchPath::default());
//! let model = build(loaded.spec, &Default::default(), &BuildOptions::default()).expect("a correct spec");
//! let report = check(&model, "Clock", &CheckOptions::default(), &SearchProgress::default(), &|_| {}, None)?;
//! assert_eq!(report.verdict(), Verdict::Valid);
//! assert_eq!(report.figures.distinct, 12);
//! # Ok::<(), omnilink_mc::ModelCheckError>(())
//! ```

mod alias;
mod bfs;
mod check;
mod checkpoint_error;
mod codec;
mod compiled;
mod counterexample;
mod dedup;
mod depth_first;
mod dump;
mod expand;
mod expand_compiled;
mod expand_initial;
mod explorer;
mod fingerprint;
mod fingerprint_set;
mod limits;
mod liveness;
mod outcome;
mod path;
mod progress;
mod random;
pub mod report;
mod segment_result;
mod session;
mod simulation;
mod slot_memory;
mod small_graph;
mod source_line;
mod spec_record;
mod statistics;
mod symmetry;
mod tally;
mod tla_system;
mod trace_file;
mod transition_system;
mod viewed_variables;

pub use bfs::{CheckpointContext, Checkpoints, breadth_first, breadth_first_with};
pub use check::{
    CheckOptions, CheckpointOptions, Disagreement, Evaluators, Layouts, ModelCheckError, SearchMode, check,
};
pub use checkpoint_error::CheckpointError;
pub use codec::StateDecodeError;
pub use depth_first::depth_first;
pub use dump::{Dump, DumpFormat, GraphSink};
pub use explorer::{ExploredStep, Explorer, ExplorerError, ExplorerOptions, explore};
pub use fingerprint::{Fingerprint, Tag};
pub use fingerprint_set::FingerprintSet;
pub use limits::{Limit, SearchLimits, SearchOptions};
pub use outcome::{PassedViolation, SearchEnd, SearchError, SearchOutcome, SearchViolation, ViolationKind};
pub use path::{PathState, path_to};
pub use progress::SearchProgress;
pub use simulation::{
    Lengths, SimulationEnd, SimulationOptions, SimulationOutcome, SimulationViolation, simulate,
};
pub use small_graph::SmallGraph;
pub use statistics::{ActionCount, SearchStatistics};
pub use symmetry::{Symmetry, SymmetryError};
pub use trace_file::{
    RecordedStep, RecordedTrace, RecordedValue, TraceFileError, TraceFormat, itf_text, plain_json,
};
pub use transition_system::{
    CompiledExpansion, InitialPart, State, StateVisitor, SuccessorVisitor, TransitionSystem,
};
