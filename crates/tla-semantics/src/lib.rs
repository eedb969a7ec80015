//! Semantics: which module, which definition, which level.
//!
//! [`load`] reads a spec and everything it uses, then resolves every name once to an [`entity::EntityId`] and works out
//! every definition's level. Resolution and levels are one walk: in TLA+ what is used has been defined before (RECURSIVE
//! announces the exceptions), so the level of everything an expression mentions is known when it is met.
//!
//! Instances are not copied here. A name that goes through an instance resolves to the definition itself plus the
//! instances on the way ([`entity::Reference`]); what evaluates a spec specialises them with the substitutions in
//! [`spec::InstanceInfo`].

pub mod actions;
mod analyzer;
mod application;
mod built_in;
pub mod config;
pub mod entity;
mod expression;
mod grouping;
mod instance;
pub mod level;
mod level_cause;
mod loader;
mod operators;
mod path;
mod reported;
mod scope;
pub mod search_path;
mod selection;
pub mod spec;
mod theorem;
mod unit;
mod unknown;
mod weightless;

pub use loader::{Loaded, load, load_text};
