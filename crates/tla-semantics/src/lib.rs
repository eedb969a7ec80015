//! TLA+ semantics: modules, instances, names, levels and configuration files.
//!
//! [`load`] reads a spec and everything it uses, resolves every name once to an [`entity::EntityId`], and computes the level of
//! every expression. Both happen in one traversal: in TLA+ a definition comes before its uses (RECURSIVE announces the exceptions),
//! so the levels of all operands are known.
//!
//! Instances are not copied here. A name that goes through an instance resolves to the definition and the instances on the way
//! ([`entity::Reference`]); lowering specialises them with the substitutions in [`spec::InstanceInfo`].

pub mod actions;
mod analyzer;
mod application;
mod argument;
mod built_in;
pub mod config;
mod definition;
pub mod entity;
mod expression;
mod grouping;
mod instance;
pub mod level;
mod level_cause;
mod level_exempt;
mod level_rule;
mod loader;
mod module;
mod part;
mod path;
mod recursion;
mod reported;
mod resolution;
mod scope;
pub mod search_path;
mod selection;
pub mod spec;
mod stuttering;
mod theorem;
mod translation;
mod unknown;

pub use omnilink_pluscal as pluscal;

pub use loader::{Loaded, add_module, load, load_text};
pub use translation::{PlusCal, stale_translation};
