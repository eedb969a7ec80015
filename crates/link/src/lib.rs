//! Links recorded operations to a TLA+ specification: does some behaviour of the spec explain the trace?
//!
//! The decision of this crate is that **an operation is an action with its arguments**: `Insert(key: 3, value: 4)` of a
//! trace is the definition `Insert(key, value)` of the spec, and only that definition is ever evaluated, never the
//! next-state relation. So a spec becomes a [`Model`](omnilink_engine::Model) like any other, and everything that the engine
//! knows about searching serves it. There is no validation module to write or to generate; what is not default is said in
//! a [`LinkFile`], in TLA+ where it is logic.
//!
//! - [`Linked::load`] reads the spec, its configuration and the link file;
//! - [`TlaModel`] is the model, one for each search: [`TlaModel::bind`] turns operations of a trace into its own;
//! - [`CollectedConstants`] fills constants from what a trace holds.
//!
//! ```
//! use omnilink_link::{LinkOptions, Linked, TlaModel};
//! use omnilink_engine::Model as _;
//!
//! let text = "---- MODULE Light ----\nVARIABLE on\nInit == on = FALSE\nSwitch(was) == on = was /\\ on' = ~on\n====";
//! let linked = Linked::from_text("Light", text, &LinkOptions::default())?;
//! linked.run(|model| assert_eq!(model.initial().len(), 1))?;
//! # Ok::<(), omnilink_link::LinkError>(())
//! ```

mod action;
mod acts_as;
mod after_hidden;
mod algorithm;
mod arguments;
mod assignments;
mod audit;
mod audit_record;
mod bind;
mod binding;
mod binding_builder;
mod call_cache;
mod collect;
mod collection;
mod compile;
mod constants;
mod coverage;
mod coverage_counters;
mod declaration;
mod diagnostics;
mod effect_summary;
mod enabling_reason;
mod enabling_set;
mod error;
mod eval_session;
mod exact_step;
mod file_definitions;
mod footprint;
mod formula_action;
mod hidden_steps;
mod instance;
mod instance_cache;
mod invariant_parts;
mod known_step;
mod last_writer;
mod link_file;
mod link_options;
mod linked;
mod log_link;
mod model;
mod model_stack;
mod module;
mod mutant;
mod mutator;
mod omnilink_setup;
mod outcome_cache;
mod outline;
mod param;
mod plain_spec;
mod probe;
mod reasons;
mod run;
mod samples;
mod setup_names;
mod spec_reader;
mod state;
mod step_lanes;
mod step_part;
mod steps;
mod survey;
mod tag;
mod vacuity;
mod variant;

pub use action::SpecAction;
pub use acts_as::{ActsAs, OpActsAs};
pub use algorithm::AlgorithmLinkError;
pub use collect::CollectedConstants;
pub use compile::{Changes, Definition, compile, stale_translations};
pub use coverage::{ActionCoverage, BranchCoverage, Coverage, InvariantCoverage};
pub use effect_summary::EffectSummary;
pub use error::{BindError, BindProblem, LinkError};
pub use eval_session::EvalSession;
pub use instance::Instance;
pub use last_writer::{LastWrite, PlacedInstances};
pub use link_file::{HiddenLink, LinkFile, OpLink, ThreadEndLink};
pub use link_options::LinkOptions;
pub use linked::Linked;
pub use log_link::{ClockUnit, EventLink, HiddenActionLink, LogLink, LogOrder};
pub use model::TlaModel;
pub use module::identifiers;
pub use mutator::Mutator;
pub use omnilink_settings::toml_key;
pub use omnilink_tla_compile::Evaluators;
pub use outline::{Outline, declared};
pub use param::{is_result_name, is_thread_name};
pub use probe::{PartProbe, Probe, Thoroughness};
pub use reasons::Tagged;
pub use run::RunLabels;
pub use state::SpecState;
pub use survey::{OpSummary, Survey};
pub use vacuity::{Vacuity, VacuityKind};
