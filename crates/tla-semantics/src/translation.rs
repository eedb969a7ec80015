//! Modules with a PlusCal algorithm: which translation of it is read.
//!
//! Without a translation in the file, the algorithm is translated in memory. A translation in the file is read if it is that of the algorithm. A stale
//! one, which differs from what the algorithm says now, is not: a new one is read in its place, and a warning says so. Either way, positions in the translation
//! are shown as positions in the algorithm.

use std::path::PathBuf;

use omnilink_pluscal::{
    AlgorithmError, AlgorithmPlace, Difference, DifferenceKind, Markers, StoredComparison, Translation,
    TranslationOptions, compare, find_algorithm, find_markers, has_algorithm, has_behaviour, has_translation,
    ignored_algorithm, is_unchecked, translate,
};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic, Severity};
use omnilink_tla_syntax::source::{Source, SourceId, Span};

/// Which translation of a PlusCal algorithm is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlusCal {
    /// The one in the file; a new one if there is none, or if it is stale.
    #[default]
    Auto,
    /// The one in the file, even if it is stale.
    Use,
    /// A new one, whatever the file has.
    Translate,
    /// The one in the file; a stale one is an error.
    Error,
}

/// The warning that the translation in a text is not that of its algorithm, or cannot be compared with it; `None` if there is none, or it is, or if that is an
/// error or no matter.
pub fn stale_translation(source: SourceId, text: &str, choice: PlusCal) -> Option<Diagnostic> {
    let read = Read::new(PathBuf::new(), text.to_owned(), choice);
    let mut warnings = read.diagnostics(source).into_iter();
    warnings.find(|warning| !warning.is_error())
}

/// A text that was read, and what is wrong with its algorithm.
pub(crate) struct Read {
    pub source: Source,
    faults: Vec<AlgorithmError>,
    stale: Option<Stale>,
    /// Why the translation in the file cannot be compared with the algorithm, and whether that is an error.
    incomparable: Option<(AlgorithmError, PlusCal)>,
    /// The line of the first marker of a translation whose `Spec` is fair in another way than the algorithm.
    fairness: Option<Span>,
    /// Another algorithm, which is not translated.
    ignored: Option<Span>,
}

struct Stale {
    /// The line of the first marker.
    span: Span,
    difference: Difference,
    choice: PlusCal,
}

impl Read {
    pub fn new(path: PathBuf, text: String, choice: PlusCal) -> Self {
        let mut read = Self {
            source: Source::new(path, text),
            faults: Vec::new(),
            stale: None,
            incomparable: None,
            fairness: None,
            ignored: None,
        };
        let text = read.source.text();
        if !has_algorithm(text) {
            return read;
        }
        read.ignored = ignored_algorithm(text);
        let text = read.source.text();
        // These are errors of the translator only: the module can be read without its algorithm.
        let (place, markers) = match (find_algorithm(text), find_markers(text)) {
            (Ok(place), Ok(markers)) => (place, markers),
            (Err(fault), _) | (_, Err(fault)) => {
                read.incomparable = Some((fault, choice));
                return read;
            }
        };
        let stored = markers.filter(|markers| has_translation(text, markers));
        match stored {
            Some(markers) if choice != PlusCal::Translate => read.with_stored(&markers, choice),
            Some(markers) => read.with_new(&place, Some(&markers)),
            None if choice == PlusCal::Use || has_behaviour(text) => read,
            None => {
                let markers = find_markers(text).ok().flatten();
                read.with_new(&place, markers.as_ref())
            }
        }
    }

    /// The text with a new translation.
    fn with_new(mut self, place: &AlgorithmPlace, markers: Option<&Markers>) -> Self {
        match translate(self.source.text(), &TranslationOptions::default()) {
            Ok(translation) => self.replaced(place, markers, &translation),
            Err(faults) => {
                self.faults = faults;
                self
            }
        }
    }

    fn replaced(
        mut self,
        place: &AlgorithmPlace,
        markers: Option<&Markers>,
        translation: &Translation,
    ) -> Self {
        let span = match markers {
            Some(markers) => markers.between.clone(),
            None => place.next_line..place.next_line,
        };
        let span = Span::new(span.start as u32, span.end as u32);
        self.source = self
            .source
            .with_replacement(span, &translation.text, &translation.origins);
        self
    }

    /// The text with the translation that it has, or with a new one if that is stale.
    fn with_stored(mut self, markers: &Markers, choice: PlusCal) -> Self {
        let text = self.source.text();
        if is_unchecked(text, markers) && has_behaviour(&text[markers.between.clone()]) {
            return self;
        }
        // Missing labels may have been added on the command line of the translator.
        let options = TranslationOptions {
            adds_labels: true,
            ..TranslationOptions::default()
        };
        let translated = translate(text, &options).map_err(|faults| faults.into_iter().next());
        let (translation, place) = match (translated, find_algorithm(text)) {
            (Ok(translation), Ok(place)) => (translation, place),
            // What the stored translation is of cannot be told.
            (Err(fault), _) => {
                self.incomparable = fault.map(|fault| (fault, choice));
                return self;
            }
            (_, Err(fault)) => {
                self.incomparable = Some((fault, choice));
                return self;
            }
        };
        let StoredComparison {
            difference,
            has_other_fairness,
            origins,
        } = compare(text, markers, &translation);
        let span = Span::new(markers.begin.start as u32, markers.begin.end as u32);
        let Some(difference) = difference else {
            self.fairness = has_other_fairness.then_some(span);
            self.source = self.source.with_origins(origins);
            return self;
        };
        self.stale = Some(Stale {
            span,
            difference,
            choice,
        });
        match choice {
            PlusCal::Auto | PlusCal::Translate => self.replaced(&place, Some(markers), &translation),
            PlusCal::Use | PlusCal::Error => self,
        }
    }

    /// What is wrong with the algorithm and its translation.
    pub fn diagnostics(&self, id: SourceId) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self.faults.iter().map(|fault| fault.diagnostic(id)).collect();
        all.extend(self.stale.as_ref().map(|stale| stale.diagnostic(id)));
        all.extend(self.incomparable.as_ref().map(|(fault, choice)| {
            let mut diagnostic = fault.diagnostic(id);
            if *choice != PlusCal::Error {
                diagnostic.severity = Severity::Warning;
            }
            let message = "the translation in the file is read, and nobody can tell whether it is that of the algorithm";
            diagnostic.message = format!("{}; {message}", fault.message);
            diagnostic
        }));
        all.extend(self.fairness.map(|span| {
            let message = "`Spec` of the translation demands other fairness than the algorithm";
            Diagnostic::warning(Class::Translation, id, span, message).help(
                "if an option of the translator demands it, write that into the file, as `PlusCal options (-wf)`; else translate again",
            )
        }));
        all.extend(self.ignored.map(|span| {
            let message = "this algorithm is not translated: it is the second one of this file";
            Diagnostic::warning(Class::Translation, id, span, message)
                .help("move it into a module of its own")
        }));
        all
    }
}

impl Stale {
    fn diagnostic(&self, id: SourceId) -> Diagnostic {
        let Difference { name, kind } = &self.difference;
        let how = match kind {
            DifferenceKind::OnlyStored => format!("it defines `{name}`, and the algorithm has no such part"),
            DifferenceKind::OnlyNew => format!("it does not define `{name}`"),
            DifferenceKind::Changed => format!("its definition of `{name}` is another one"),
        };
        let used = match self.choice {
            PlusCal::Auto | PlusCal::Translate => "; the algorithm was translated again for this run",
            PlusCal::Use => "; it is used as it is",
            PlusCal::Error => "",
        };
        let message = format!("the translation is not that of the algorithm: {how}{used}");
        let diagnostic = match self.choice {
            PlusCal::Error => Diagnostic::error(Class::Translation, id, self.span, message),
            _ => Diagnostic::warning(Class::Translation, id, self.span, message),
        };
        diagnostic.help("`omnilink tla translate` writes the translation of the algorithm into the file")
    }
}
