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
//! Nothing of this costs anything for a spec with at most one error. For others what is read again is limited to
//! [`MAX_WORK`] in all, which is a fraction of a second and the same on every machine.

mod edit;
mod glued;
mod heads;
mod modules;
mod names;
mod one_more;
mod skeleton;
mod spoilt_text;
mod symbols;
mod window;

use std::path::Path;

use rustc_hash::FxHashSet;

use self::edit::Edit;
use self::spoilt_text::SpoiltText;
use self::window::{Effect, can_be_parsed};
use super::loader::Loaded;
use super::search_path::SearchPath;
use crate::diagnostic::{Class, Diagnostic};
use crate::source::{SourceId, Sources, Span};
use crate::syntax::ast::Tree;

/// More errors than these are not the consequences of one mistake that were overlooked.
const MAX_ERRORS: usize = 40;

/// How much is read again in all, in expressions: a third of a microsecond each.
const MAX_WORK: usize = 700_000;

/// So many bytes take as long as an expression, where they are none.
const BYTES_PER_EXPRESSION: usize = 64;

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

/// The edits to be tried on texts with errors, the likeliest first.
fn repairs(texts: &[SpoiltText], is_parsed: bool, search: &SearchPath) -> Vec<Edit> {
    let mut edits = Vec::new();
    for text in texts {
        if is_parsed {
            edits.extend(text.other_names());
            edits.extend(text.parameters());
            edits.extend(text.confused_symbols());
            edits.extend(text.primes());
            edits.extend(text.other_modules());
            edits.extend(text.more_modules(search));
            edits.extend(text.heads());
            edits.extend(text.other_heads());
            edits.extend(text.announcements());
            edits.extend(text.symbols_too_many());
            edits.extend(text.introductions());
            edits.extend(text.other_expressions());
            edits.extend(text.glued_words());
        } else {
            edits.extend(text.comments());
            edits.extend(text.module_ends());
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

/// A spec with several errors, to be read again with edits.
struct Trial<'l, A> {
    loaded: &'l Loaded,
    texts: &'l [SpoiltText<'l>],
    /// The errors: numbers of diagnostics.
    errors: &'l [usize],
    /// Analyses the spec with other words for one of its files.
    again: A,
}

impl<A: Fn(&Sources, &Path, &str) -> Loaded> Trial<'_, A> {
    /// Whether several errors may be gone after a change inside the definitions of a part of a text. A level may be wrong
    /// because of it wherever a definition is used; what is not defined or taken elsewhere remains so.
    fn has_several(&self, source: SourceId, window: Span, teller: &[usize]) -> bool {
        let is_inside =
            |at: SourceId, span: Span| at == source && window.start <= span.start && span.start < window.end;
        let can_be_gone = |error: &Diagnostic| {
            let has_place = || {
                let mut labels = error.labels.iter();
                is_inside(error.source, error.span) || labels.any(|label| is_inside(label.source, label.span))
            };
            let is_of_names = matches!(
                error.class,
                Class::Undefined | Class::Redefined | Class::Arity | Class::Module
            );
            !is_of_names || has_place()
        };
        let errors = self.errors.iter().zip(teller);
        let mut tellers = errors.filter_map(|(number, teller)| {
            let error = self.loaded.diagnostics.get(*number)?;
            can_be_gone(error).then_some(*teller)
        });
        let first = tellers.next();
        tellers.any(|teller| Some(teller) != first)
    }

    /// Which of the errors an edit mends, if they have different tellers: none if a new one comes with it.
    fn mended(&self, edit: &Edit, teller: &[usize], budget: &mut usize) -> Vec<usize> {
        let sources = &self.loaded.spec.sources;
        let source = sources.get(edit.source);
        let is_parsed = self.loaded.spec.root.is_some();
        let spoilt = self.texts.iter().find(|text| text.source == edit.source);
        if let Some(spoilt) = spoilt.filter(|_| !edit.reaches_far()) {
            if !is_parsed && !spoilt.is_near_all_errors(edit) {
                return Vec::new();
            }
            match spoilt.effect(edit, budget) {
                Effect::Nonsense => return Vec::new(),
                Effect::Inside(window) if !self.has_several(edit.source, window, teller) => {
                    return Vec::new();
                }
                Effect::Inside(_) | Effect::Anywhere => {}
            }
        }
        let Some(text) = edit.applied(source.text()) else {
            return Vec::new();
        };
        if !is_parsed && !can_be_parsed(edit.source, &text, budget) {
            return Vec::new();
        }
        let after = (self.again)(sources, source.path(), &text);
        *budget = budget.saturating_sub(work_of_spec(&after));
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
    if !(2..=MAX_ERRORS).contains(&errors.len()) || spec_bytes(loaded) > MAX_SPEC_BYTES {
        return;
    }
    let mut budget = MAX_WORK;
    // The error that tells each one.
    let mut teller: Vec<usize> = (0..errors.len()).collect();
    let texts = SpoiltText::all(loaded, &errors);
    let trial = Trial {
        loaded,
        texts: &texts,
        errors: &errors,
        again,
    };
    let mut advice: Vec<(usize, String)> = Vec::new();
    for edit in repairs(&texts, loaded.spec.root.is_some(), search) {
        let mended = trial.mended(&edit, &teller, &mut budget);
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
