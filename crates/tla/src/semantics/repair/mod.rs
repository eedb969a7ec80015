//! Errors that one edit mends are one mistake.
//!
//! Most consequences of a mistake are known as such while a spec is resolved, and said with it: see [`super::mistake`]
//! and [`super::grouping`]. This is the net below. Where several errors are left, small edits of the text around them
//! are tried in memory, and the spec is analysed again with each. If two errors are gone after an edit and no new one is
//! there, then they had one cause, because one change removes both: they become one error, and the edit is its advice.
//! Two independent mistakes remain two errors by the same argument, since an edit that mends one leaves the other.
//!
//! That only holds for edits that cannot hide mistakes: none of them ends a module, begins a proof, begins a comment
//! that has no end yet, or gives meaning to several names that may each be misspelled.
//!
//! A text that cannot be parsed is not resolved, so an edit that mends its syntax has to leave a spec without any error:
//! otherwise the edit may just have made other nonsense of it. Most edits there fail to parse, which is found out without
//! reading the rest of the spec.
//!
//! Nothing of this costs anything for a spec with at most one error. For others the texts that are read again are
//! limited to [`MAX_BYTES`] in all, which is a fraction of a second.

mod edit;
mod heads;
mod modules;
mod names;
mod spoilt_text;
mod symbols;

use std::path::Path;

use rustc_hash::FxHashSet;

use self::edit::Edit;
use self::spoilt_text::SpoiltText;
use super::loader::Loaded;
use super::search_path::SearchPath;
use crate::diagnostic::{Class, Diagnostic};
use crate::names::Names;
use crate::source::{SourceId, Sources};
use crate::syntax::parser::parse;

/// More errors than these are not the consequences of one mistake that were overlooked.
const MAX_ERRORS: usize = 12;

/// How much text is read again in all.
const MAX_BYTES: usize = 6 * 1024 * 1024;

/// A spec with more text than this is too long to be read again.
const MAX_SPEC_BYTES: usize = 512 * 1024;

/// How many places of one mistake are shown.
const MAX_LABELS: usize = 8;

/// What an error is told from others by, in whatever order files are read.
#[derive(Debug)]
struct Place<'s> {
    path: &'s Path,
    class: Class,
    /// Where it begins, and where its further places do.
    starts: Vec<u32>,
}

impl<'s> Place<'s> {
    fn of(diagnostic: &Diagnostic, sources: &'s Sources) -> Self {
        let labels = diagnostic.labels.iter();
        let labels = labels.filter(|label| label.source == diagnostic.source);
        Self {
            path: sources.get(diagnostic.source).path(),
            class: diagnostic.class,
            starts: std::iter::once(diagnostic.span.start)
                .chain(labels.map(|label| label.span.start))
                .collect(),
        }
    }

    /// Whether an error of the edited text is this one, perhaps told at another of its places.
    fn is(&self, after: &Place, edit: &Edit, edited: &Path) -> bool {
        let moved = |start: &u32| {
            if self.path == edited {
                edit.moved(*start)
            } else {
                *start
            }
        };
        let mut starts = self.starts.iter().map(moved);
        let first = after.starts.first();
        self.path == after.path && self.class == after.class && starts.any(|start| Some(&start) == first)
    }
}

fn errors(loaded: &Loaded) -> Vec<usize> {
    let numbered = loaded.diagnostics.iter().enumerate();
    numbered
        .filter(|(_, diagnostic)| diagnostic.is_error())
        .map(|(number, _)| number)
        .collect()
}

/// The edits to be tried on a spec with the given errors, the likeliest first.
fn repairs(loaded: &Loaded, errors: &[usize], search: &SearchPath) -> Vec<Edit> {
    let mut edits = Vec::new();
    for text in SpoiltText::all(loaded, errors) {
        if loaded.spec.root.is_some() {
            edits.extend(text.other_names());
            edits.extend(text.parameters());
            edits.extend(text.confused_symbols());
            edits.extend(text.primes());
            edits.extend(text.other_modules());
            edits.extend(text.more_modules(search));
            edits.extend(text.heads());
            edits.extend(text.other_heads());
            edits.extend(text.symbols_too_many());
            edits.extend(text.introductions());
            edits.extend(text.other_expressions());
        } else {
            edits.extend(text.comments());
            edits.extend(text.confused_symbols());
            edits.extend(text.symbols_too_many());
            edits.extend(text.other_symbols());
        }
    }
    let mut known = FxHashSet::default();
    edits.retain(|edit| known.insert(edit.clone()));
    edits
}

/// A spec with several errors, to be read again with edits.
struct Trial<'l, A> {
    loaded: &'l Loaded,
    /// The errors: numbers of diagnostics.
    errors: &'l [usize],
    /// Analyses the spec with other words for one of its files.
    again: A,
}

impl<A: Fn(&Sources, &Path, &str) -> Loaded> Trial<'_, A> {
    /// Which of the errors an edit mends: none if a new one comes with it.
    fn mended(&self, edit: &Edit, budget: &mut usize) -> Vec<usize> {
        let sources = &self.loaded.spec.sources;
        let source = sources.get(edit.source);
        let Some(text) = edit.applied(source.text()) else {
            return Vec::new();
        };
        let is_parsed = self.loaded.spec.root.is_some();
        if !is_parsed {
            *budget = budget.saturating_sub(text.len());
            if !can_be_parsed(edit.source, &text) {
                return Vec::new();
            }
        }
        *budget = budget.saturating_sub(spec_bytes(self.loaded));
        let after = (self.again)(sources, source.path(), &text);
        let mut left: Vec<usize> = Vec::new();
        for diagnostic in after.diagnostics.iter().filter(|d| d.is_error()) {
            let place = Place::of(diagnostic, &after.spec.sources);
            let known = self.errors.iter().position(|number| {
                let known = self.loaded.diagnostics.get(*number);
                known.is_some_and(|known| Place::of(known, sources).is(&place, edit, source.path()))
            });
            match known {
                Some(known) if is_parsed => left.push(known),
                _ => return Vec::new(),
            }
        }
        (0..self.errors.len()).filter(|at| !left.contains(at)).collect()
    }
}

/// How much text a spec and everything it uses have.
fn spec_bytes(loaded: &Loaded) -> usize {
    let sources = loaded.spec.sources.iter();
    sources.map(|(_, source)| source.text().len()).sum()
}

fn can_be_parsed(source: SourceId, text: &str) -> bool {
    let mut diagnostics = Vec::new();
    parse(source, text, &mut Names::default(), &mut diagnostics);
    !diagnostics.iter().any(Diagnostic::is_error)
}

/// Puts the errors together that one edit mends; `again` analyses the spec with other words for one of its files.
pub(super) fn join(
    loaded: &mut Loaded,
    search: &SearchPath,
    again: impl Fn(&Sources, &Path, &str) -> Loaded,
) {
    let errors = errors(loaded);
    if !(2..=MAX_ERRORS).contains(&errors.len()) || spec_bytes(loaded) > MAX_SPEC_BYTES {
        return;
    }
    let mut budget = MAX_BYTES;
    // The error that tells each one.
    let mut teller: Vec<usize> = (0..errors.len()).collect();
    let trial = Trial {
        loaded,
        errors: &errors,
        again,
    };
    let mut advice: Vec<(usize, String)> = Vec::new();
    for edit in repairs(loaded, &errors, search) {
        let mended = trial.mended(&edit, &mut budget);
        let mut told: Vec<usize> = mended.iter().filter_map(|at| teller.get(*at).copied()).collect();
        told.sort_unstable();
        told.dedup();
        if let [first, others @ ..] = told.as_slice()
            && !others.is_empty()
        {
            for by in teller.iter_mut().filter(|by| others.contains(by)) {
                *by = *first;
            }
            advice.push((*first, edit.advice(&loaded.spec.sources)));
        }
        if budget == 0 || teller.iter().all(|by| *by == 0) {
            break;
        }
    }
    let pairs = errors.iter().zip(&teller);
    let told: Vec<(usize, usize)> = pairs
        .filter_map(|(number, by)| Some((*number, *errors.get(*by)?)))
        .filter(|(number, by)| number != by)
        .collect();
    for (number, by) in &told {
        tell(&mut loaded.diagnostics, *by, *number);
    }
    for (at, advice) in advice {
        let number = errors.get(at).copied();
        if let Some(diagnostic) = number.and_then(|number| loaded.diagnostics.get_mut(number)) {
            diagnostic.help = Some(advice);
        }
    }
    let mut number = 0..;
    let mut is_told = || {
        number
            .next()
            .is_some_and(|number| told.iter().any(|(told, _)| *told == number))
    };
    loaded.diagnostics.retain(|_| !is_told());
}

/// Makes an error a further place of another.
fn tell(diagnostics: &mut [Diagnostic], to: usize, from: usize) {
    let Some(from) = diagnostics.get(from).cloned() else {
        return;
    };
    if let Some(to) = diagnostics.get_mut(to).filter(|to| to.labels.len() < MAX_LABELS) {
        *to = to.clone().label(from.source, from.span, from.message);
    }
}
