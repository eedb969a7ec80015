//! Translations, mistakes, and inputs that make no sense.

mod faults;
mod golden;
mod layout;
mod random;
mod stored;
mod text;

use omnilink_pluscal::{AlgorithmError, Translation, TranslationOptions, translate};
use omnilink_tla_syntax::source::Source;

/// The translation of a module.
fn translated(text: &str) -> Translation {
    match translate(text, &TranslationOptions::default()) {
        Ok(translation) => translation,
        Err(faults) => panic!("{}\n{text}", told(text, &faults)),
    }
}

/// The module of an algorithm.
fn module(algorithm: &str) -> String {
    format!("---- MODULE M ----\nEXTENDS Naturals, Sequences, TLC\n(* {algorithm} *)\n====\n")
}

/// Mistakes as `line:column kind: message`.
fn told(text: &str, faults: &[AlgorithmError]) -> String {
    let source = Source::new("M.tla", text);
    let lines = faults.iter().map(|fault| {
        let place = source.line_column(fault.span.start);
        format!(
            "{}:{} {}: {}\n",
            place.line,
            place.column,
            fault.kind.word(),
            fault.message
        )
    });
    lines.collect()
}
