//! Shared by the tests of the TLA+ crates: loading a module, and making mistakes in specs.

#![allow(
    dead_code,
    unused_imports,
    reason = "every test binary has its own copy and uses a part of it"
)]

pub mod corpus;
pub mod line_slip;
pub mod mutation;
pub mod slip;
#[path = "../../../../tla-syntax/tests/common/mod.rs"]
mod texts;

use std::path::Path;

use omnilink_tla_syntax::diagnostic::Diagnostic;
pub use texts::*;

/// Loads a module with the given body, called M.
pub fn load_body(body: &str) -> omnilink_tla_semantics::Loaded {
    let text = format!("---- MODULE M ----\n{body}\n====\n");
    omnilink_tla_semantics::load_text(Path::new("M.tla"), text, &Default::default())
}

/// All diagnostics of a module with the given body, as `line:column class: message`; lines are those of the body.
pub fn complaints(body: &str) -> Vec<String> {
    let loaded = load_body(body);
    let place = |d: &Diagnostic| loaded.spec.sources.get(d.source).line_column(d.span.start);
    loaded
        .diagnostics
        .iter()
        .map(|d| {
            format!(
                "{}:{} {}: {}",
                place(d).line - 1,
                place(d).column,
                d.class.word(),
                d.message
            )
        })
        .collect()
}

/// What the first diagnostic of a module with the given body advises.
pub fn advice(body: &str) -> String {
    load_body(body)
        .diagnostics
        .first()
        .and_then(|d| d.help.clone())
        .unwrap_or_default()
}
