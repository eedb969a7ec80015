//! TLA+ specs: reading, checking, describing, evaluating, compiling.
//!
//! This is the facade over four layers, each a crate that uses only those before it:
//!
//! - [`syntax`]: lexer, parser, printer, trees, source spans, diagnostics;
//! - [`semantics`]: modules, instances, names, levels, and configuration files ([`config`]);
//! - [`ir`]: the intermediate representation, lowering ([`lower`]), static analysis;
//! - [`eval`]: evaluation, successor states, native modules, memo.
//!
//! On top of them, [`check()`] reads a spec with its configuration, [`show()`] describes it, [`evaluate()`] evaluates one
//! expression, [`Repl`] keeps definitions between expressions, and [`model::build`] compiles a spec for a checker.
//!
//! Errors in a spec are [`diagnostic::Diagnostic`]s with a source span and advice. Nothing here panics on user input.
//!
//! ```
//! use std::path::Path;
//! use omnilink_tla::semantics::{load_text, search_path::SearchPath};
//!
//! let text = "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE hr\nNext == hr' = (hr % 12) + 1\n====";
//! let loaded = load_text(Path::new("Clock.tla"), text.into(), &SearchPath::default());
//! assert!(loaded.is_ok());
//! ```

mod check;
mod evaluate;
mod expressions;
pub mod model;
mod repl;
mod show;

pub use omnilink_tla_eval as eval;
pub use omnilink_tla_eval::Enumeration;
pub use omnilink_tla_ir as ir;
pub use omnilink_tla_ir::lower;
pub use omnilink_tla_semantics as semantics;
pub use omnilink_tla_semantics::{actions, config};
pub use omnilink_tla_syntax as syntax;
pub use omnilink_tla_syntax::{deep_stack, diagnostic, names, source};

pub use check::{
    CheckKind, Checked, GivenCheck, SpecOptions, check, render_json as render_check_json,
    render_text as render_check_text,
};
pub use evaluate::{EvaluateError, EvaluateOptions, Evaluated, MODULES, evaluate};
pub use repl::{Entered, Repl};
pub use show::{
    Declared, Defined, OperatorParameter, Show, next_relation, render_json as render_show_json,
    render_text as render_show_text, show,
};
