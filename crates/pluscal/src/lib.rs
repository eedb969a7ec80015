//! PlusCal: reads an algorithm in either syntax and translates it to TLA+.
//!
//! The translation is that of the reference translator (`pcal.trans` 1.12) up to white space, and for each part of it [`Translation::origins`]
//! says which part of the algorithm it comes from. Two decisions follow from the original's meaning:
//!
//! - Expressions are not parsed. They are copied token by token, with primes behind variables that the step has assigned and with indexes behind
//!   variables of processes. Junction lists keep their meaning, because columns move together (`expression`).
//! - Labels decide what a step is, so nothing else is atomic, and what needs a label is an error or gets one (`label`).
//!
//! Mistakes are [`AlgorithmError`]s, several per run, and no input makes the translator panic.

mod action;
mod ast;
mod check;
mod compare;
mod expand;
mod expression;
mod fairness;
mod fault;
mod file;
mod formula;
mod initial;
mod label;
mod lexer;
mod locate;
mod next;
mod options;
mod outline;
mod parenthesis;
mod parser;
mod rename;
mod step;
mod token;
mod translate;
mod written;

use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::source::{Origin, Source, Span};

pub use compare::{Difference, DifferenceKind, StoredComparison, compare};
pub use fault::{AlgorithmError, AlgorithmErrorKind};
pub use file::{has_behaviour, has_translation, is_unchecked, with_translation};
pub use locate::{AlgorithmPlace, Markers, find_algorithm, find_markers, has_algorithm, ignored_algorithm};
pub use options::{FairnessOption, TranslationOptions};
pub use outline::{OutlinedProcess, OutlinedStep, outline};

/// The translation of an algorithm.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The lines between the two markers.
    pub text: String,
    /// Where each part of the text comes from, in order.
    pub origins: Vec<Origin>,
    /// The labels that were added, with their places.
    pub added_labels: Vec<(String, Span)>,
    /// The names that were changed.
    pub renamings: Vec<(String, String)>,
}

/// Translates the algorithm of a file.
pub fn translate(text: &str, options: &TranslationOptions) -> Result<Translation, Vec<AlgorithmError>> {
    deep_stack::run(|| translate_here(text, options))
}

fn translate_here(text: &str, options: &TranslationOptions) -> Result<Translation, Vec<AlgorithmError>> {
    let options = options.with_file(text).map_err(|fault| vec![fault])?;
    let place = find_algorithm(text).map_err(|fault| vec![fault])?;
    find_markers(text).map_err(|fault| vec![fault])?;
    let lexed = lexer::tokenize(text, place.start, place.end);
    if !lexed.faults.is_empty() {
        return Err(lexed.faults);
    }
    let mut algorithm = parser::parse(&lexed.tokens, &place)?;
    expand::expand_macros(&mut algorithm)?;
    let labelled = label::complete_labels(&mut algorithm, &options);
    let mut faults = check::check_names(&algorithm);
    let added = match labelled {
        Ok(added) => added,
        Err(missing) => {
            faults.extend(missing);
            Vec::new()
        }
    };
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.span.start);
        return Err(faults);
    }
    let renamings = rename::rename_clashes(&mut algorithm);
    let source = Source::new("", text);
    let written = translate::write(&algorithm, &renamings, &options, &source);
    Ok(Translation {
        text: written.text,
        origins: written.origins,
        added_labels: added
            .iter()
            .map(|label| (label.name.to_string(), label.span))
            .collect(),
        renamings: renamings
            .iter()
            .map(|renaming| (renaming.old.to_string(), renaming.new.to_string()))
            .collect(),
    })
}
