//! Trying edits on a spec.

use std::path::Path;

use super::edit::Edit;
use super::spoilt_text::SpoiltText;
use super::window::{Effect, can_be_parsed};
use super::work_of_spec;
use crate::diagnostic::{Class, Diagnostic};
use crate::semantics::loader::Loaded;
use crate::source::{SourceId, Sources, Span};

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

/// What edits have shown about errors.
#[derive(Debug)]
pub(super) struct Joined {
    /// The error that tells each one.
    pub teller: Vec<usize>,
    /// The edits that mend several, each with the error that tells them.
    pub changes: Vec<(usize, Edit)>,
}

impl Joined {
    /// Nothing about so many errors.
    pub fn nothing(errors: usize) -> Self {
        Self {
            teller: (0..errors).collect(),
            changes: Vec::new(),
        }
    }

    /// Whether all errors are one.
    fn is_one(&self) -> bool {
        self.teller.iter().all(|by| *by == 0)
    }
}

/// A spec with several errors, to be read again with edits.
pub(super) struct Trial<'l> {
    pub loaded: &'l Loaded,
    pub texts: &'l [SpoiltText<'l>],
    /// The errors: numbers of diagnostics.
    pub errors: &'l [usize],
    /// Analyses the spec with other words for one of its files.
    pub again: &'l dyn Fn(&Sources, &Path, &str) -> Loaded,
}

impl Trial<'_> {
    /// Tries edits until all errors are one or the budget is spent.
    pub fn join(&self, edits: Vec<Edit>, joined: &mut Joined, budget: &mut usize) {
        for edit in edits {
            if *budget == 0 || joined.is_one() {
                return;
            }
            let mended = self.mended(&edit, &joined.teller, budget);
            let tellers = mended.iter().filter_map(|at| joined.teller.get(*at).copied());
            let mut told: Vec<usize> = tellers.collect();
            told.sort_unstable();
            told.dedup();
            if let [first, others @ ..] = told.as_slice()
                && !others.is_empty()
            {
                for by in joined.teller.iter_mut().filter(|by| others.contains(by)) {
                    *by = *first;
                }
                joined.changes.push((*first, edit));
            }
        }
    }

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
