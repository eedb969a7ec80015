//! TLA+: from text to resolved, levelled modules.
//!
//! The front end is written here, not adopted, and made of three layers, each usable on its own:
//!
//! - [`syntax`]: a byte lexer, a parser that climbs precedence *ranges* and reads junction lists by column, trees as flat
//!   arrays, and a printer whose output reads back as the same tree;
//! - [`semantics`]: modules and where they are found, every name resolved once, arities, instances and their
//!   substitutions, levels of every expression, labels and subexpressions;
//! - [`config`]: the `.cfg` files that say what the spec is and what its constants are.
//!
//! What is understood is lowered ([`lower`]) and evaluated ([`eval`]); [`evaluate()`] does both for one expression.
//!
//! What is wrong is a [`diagnostic::Diagnostic`] with its place and what to do about it; nothing in here panics on what
//! a user wrote. [`check()`] and [`show()`] are what the command line shows.
//!
//! ```
//! use std::path::Path;
//! use omnilink_tla::semantics::{load_text, search_path::SearchPath};
//!
//! let text = "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE hr\nNext == hr' = (hr % 12) + 1\n====";
//! let loaded = load_text(Path::new("Clock.tla"), text.into(), &SearchPath::default());
//! assert!(loaded.is_ok());
//! ```

pub mod actions;
mod branches;
mod check;
pub mod config;
mod counts;
pub mod deep_stack;
pub mod diagnostic;
mod enumerations;
pub mod eval;
mod evaluate;
pub mod ir;
pub mod lower;
pub mod model;
pub mod names;
mod params;
mod scratchpad;
pub mod semantics;
mod show;
pub mod source;
pub mod syntax;

pub use check::{
    Checked, Options, check, render_json as render_check_json, render_text as render_check_text,
};
pub use counts::{Count, Counts};
pub use enumerations::Enumeration;
pub use evaluate::{EvaluateError, EvaluateOptions, Evaluated, MODULES, evaluate};
pub use scratchpad::{Entered, Scratchpad};
pub use show::{
    Declared, Defined, Parameter, Show, next_relation, render_json as render_show_json,
    render_text as render_show_text, show,
};
