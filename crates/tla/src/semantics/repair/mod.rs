//! Errors that one edit mends are one mistake.
//!
//! Most consequences of a mistake are known as such while a spec is resolved, and said with it: see [`super::mistake`]
//! and [`super::grouping`]. This is the net below. Where several errors are left, small edits of the text around them
//! are tried in memory, and the spec is analysed again with each. If two errors are gone after an edit and no new one is
//! there, then they had one cause, because one change removes both: they become one error, and the edit is its advice.
//! Two independent mistakes remain two errors by the same argument, since an edit that mends one leaves the other.
//!
//! That only holds for edits that cannot hide mistakes: none of them begins a proof, begins a comment that has no end
//! yet, ends a module where more than signs for its end stand in a line, or gives meaning to several names that may each
//! be misspelled.
//!
//! First come the edits that the kind of an error suggests: a name that is missing, a module, the head of a definition.
//! Then come all edits of one word near the errors ([`one_more`]), so that whatever slip it was, its inverse or something
//! of its kind is tried. Those are thousands, of which few are worth reading the spec again. An edit that makes nonsense
//! of its own definition is known from that alone ([`window`]). One that changes only the inside of a definition mends
//! no name elsewhere ([`skeleton`]), so it is tried on the whole only if several errors are within its reach.
//!
//! A text that cannot be parsed is not resolved, so an edit that mends its syntax has to leave a spec without any error:
//! otherwise the edit may just have made other nonsense of it. Definitions are parsed one by one, so an edit that is far
//! from one of the errors is not tried.
//!
//! A long text is first reduced to what its errors have to do with ([`reduced`]), on which an edit costs as much as on a
//! short one, whatever the length of the spec. What helps there is tried on the whole before it counts.
//!
//! Nothing of this costs anything for a spec with at most one error. For others what is read again is limited to
//! [`MAX_WORK`] in all, and as much for what is tried on the whole of a long text: a fraction of a second, and the same
//! on every machine.

mod edit;
mod glued;
mod heads;
mod lines;
mod modules;
mod names;
mod one_more;
mod reduced;
mod skeleton;
mod spoilt_text;
mod symbols;
mod trial;
mod window;

use std::path::Path;

use rustc_hash::FxHashSet;

use self::edit::Edit;
use self::reduced::Reduced;
use self::spoilt_text::SpoiltText;
use self::trial::{Joined, Trial};
use super::loader::Loaded;
use super::search_path::SearchPath;
use super::spec::Spec;
use crate::diagnostic::{Class, Diagnostic};
use crate::source::Sources;
use crate::syntax::ast::Tree;

/// More errors than these are not the consequences of one mistake that were overlooked.
const MAX_ERRORS: usize = 40;

/// How much is read again in all, in expressions: a third of a microsecond each.
const MAX_WORK: usize = 700_000;

/// So many bytes take as long as an expression, where they are none.
const BYTES_PER_EXPRESSION: usize = 64;

/// A spec with more text than this is too long to be read again for every edit.
const MAX_SPEC_BYTES: usize = 512 * 1024;

/// A text that is longer than this is reduced to what its errors have to do with, where that can be done.
const LONG_TEXT_BYTES: usize = 32 * 1024;

/// How many places of one mistake are shown.
const MAX_LABELS: usize = 8;

fn errors(loaded: &Loaded) -> Vec<usize> {
    let numbered = loaded.diagnostics.iter().enumerate();
    numbered
        .filter(|(_, diagnostic)| diagnostic.is_error())
        .map(|(number, _)| number)
        .collect()
}

/// The edits to be tried on texts with errors, the likeliest first.
fn repairs(texts: &[SpoiltText], spec: &Spec, search: &SearchPath) -> Vec<Edit> {
    let mut edits = Vec::new();
    for text in texts {
        if spec.root.is_some() {
            edits.extend(text.other_names());
            edits.extend(text.parameters());
            edits.extend(text.confused_symbols());
            edits.extend(text.primes());
            edits.extend(text.other_modules(spec));
            edits.extend(text.more_modules(search));
            edits.extend(text.heads(spec));
            edits.extend(text.other_heads());
            edits.extend(text.moved_lines());
            edits.extend(text.commented_lines());
            edits.extend(text.announcements());
            edits.extend(text.symbols_too_many());
            edits.extend(text.introductions());
            edits.extend(text.other_expressions());
            edits.extend(text.glued_words());
        } else {
            edits.extend(text.comments());
            edits.extend(text.module_ends());
            edits.extend(text.moved_lines());
            edits.extend(text.commented_lines());
            edits.extend(text.confused_symbols());
            edits.extend(text.symbols_too_many());
            edits.extend(text.glued_words());
        }
    }
    for text in texts {
        edits.extend(text.one_more_or_other());
    }
    let mut known = FxHashSet::default();
    edits.retain(|edit| known.insert(edit.clone()));
    edits
}

/// How much text a spec and everything it uses have.
fn spec_bytes(loaded: &Loaded) -> usize {
    let sources = loaded.spec.sources.iter();
    sources.map(|(_, source)| source.text().len()).sum()
}

/// What it takes to read a tree again.
fn work_of(tree: &Tree, text: &str) -> usize {
    tree.exprs.len() + text.len() / BYTES_PER_EXPRESSION
}

/// What it takes to read a spec again, with everything it uses.
fn work_of_spec(loaded: &Loaded) -> usize {
    let spec = &loaded.spec;
    let trees = spec.trees.iter();
    trees
        .map(|tree| work_of(tree, spec.sources.get(tree.source).text()))
        .sum()
}

/// Puts the errors together that one edit mends; `again` analyses the spec with other words for one of its files.
pub(super) fn join(
    loaded: &mut Loaded,
    search: &SearchPath,
    again: impl Fn(&Sources, &Path, &str) -> Loaded,
) {
    let errors = errors(loaded);
    if !(2..=MAX_ERRORS).contains(&errors.len()) {
        return;
    }
    let texts = SpoiltText::all(loaded, &errors);
    let trial = Trial {
        loaded,
        texts: &texts,
        errors: &errors,
        again: &again,
    };
    let mut joined = Joined::nothing(errors.len());
    let mut budget = MAX_WORK;
    if let [text] = texts.as_slice()
        && text.text.len() > LONG_TEXT_BYTES
    {
        let likely = likely(&trial, text, search, &mut budget);
        let mut budget_for_whole = MAX_WORK;
        trial.join(likely, &mut joined, &mut budget_for_whole);
    }
    if spec_bytes(loaded) <= MAX_SPEC_BYTES {
        trial.join(repairs(&texts, &loaded.spec, search), &mut joined, &mut budget);
    }
    let Joined { teller, changes } = joined;
    let advice = changes
        .iter()
        .map(|(at, edit)| (*at, edit.advice(&loaded.spec.sources)));
    let advice: Vec<(usize, String)> = advice.collect();
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

/// The edits of a long text that help where it is reduced to what the errors have to do with.
fn likely(trial: &Trial, text: &SpoiltText, search: &SearchPath, budget: &mut usize) -> Vec<Edit> {
    let sources = &trial.loaded.spec.sources;
    let reduced = text.reduced();
    let loaded = (trial.again)(sources, sources.get(text.source).path(), &reduced.text);
    *budget = budget.saturating_sub(work_of_spec(&loaded));
    let errors = errors(&loaded);
    if spec_bytes(&loaded) > MAX_SPEC_BYTES || !has_same_errors(trial, &loaded, &errors, &reduced) {
        return Vec::new();
    }
    let texts = SpoiltText::all(&loaded, &errors);
    let small = Trial {
        loaded: &loaded,
        texts: &texts,
        errors: &errors,
        again: trial.again,
    };
    let mut joined = Joined::nothing(errors.len());
    small.join(repairs(&texts, &loaded.spec, search), &mut joined, budget);
    let edits = joined
        .changes
        .iter()
        .filter_map(|(_, edit)| reduced.whole_edit(edit));
    let edits = edits.map(|edit| Edit {
        source: text.source,
        ..edit
    });
    edits.collect()
}

/// Whether a spec whose text is reduced has the same errors as the whole.
fn has_same_errors(whole: &Trial, loaded: &Loaded, errors: &[usize], reduced: &Reduced) -> bool {
    let known = whole
        .errors
        .iter()
        .filter_map(|number| whole.loaded.diagnostics.get(*number));
    let known: Vec<(Class, u32)> = known.map(|error| (error.class, error.span.start)).collect();
    let errors = errors.iter().filter_map(|number| loaded.diagnostics.get(*number));
    let found: Option<Vec<(Class, u32)>> = errors
        .map(|error| Some((error.class, reduced.whole(error.span.start)?)))
        .collect();
    found.as_ref() == Some(&known)
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
