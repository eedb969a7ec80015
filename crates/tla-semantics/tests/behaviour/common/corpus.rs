//! The specs that mistakes are made in: those of the tests, or others that the environment names.
//!
//! `OMNILINK_SPECS` names folders of specs and `OMNILINK_LIBRARIES` folders of modules they use, each separated as in
//! `PATH`; `OMNILINK_EDITS` says how many edits are made in each spec and `OMNILINK_SEED` which ones.

use std::path::{Path, PathBuf};

use omnilink_tla_semantics::search_path::SearchPath;
use omnilink_tla_semantics::{Loaded, load_text};
use omnilink_tla_syntax::diagnostic::Diagnostic;

use super::{files, golden};

/// Specs, and what is to be done to them.
pub struct Corpus {
    pub specs: Vec<PathBuf>,
    libraries: SearchPath,
    pub edits: usize,
    pub seed: u64,
}

/// A spec that has no mistakes, as long as nobody makes one.
pub struct Sound<'c> {
    corpus: &'c Corpus,
    pub path: &'c Path,
    pub text: String,
}

fn folders(variable: &str) -> Option<Vec<PathBuf>> {
    std::env::var_os(variable).map(|folders| std::env::split_paths(&folders).collect())
}

fn number<N: std::str::FromStr>(variable: &str, otherwise: N) -> N {
    let Some(text) = std::env::var_os(variable) else {
        return otherwise;
    };
    let text = text.to_string_lossy();
    text.parse()
        .unwrap_or_else(|_| panic!("{variable} is no number: {text}"))
}

impl Corpus {
    /// The golden specs.
    pub fn golden() -> Self {
        let mut specs = files(&golden("parse/accept"), ".tla");
        specs.extend(files(&golden("specs"), ".tla"));
        Self {
            specs,
            libraries: SearchPath::default(),
            edits: 120,
            seed: 20_261_115,
        }
    }

    /// The specs that the environment names, else the golden ones.
    pub fn given() -> Self {
        let golden = Self::golden();
        let named = folders("OMNILINK_SPECS");
        let named = named.map(|all| all.iter().flat_map(|folder| files(folder, ".tla")).collect());
        Self {
            specs: named.unwrap_or(golden.specs),
            libraries: SearchPath::new(folders("OMNILINK_LIBRARIES").unwrap_or_default()),
            edits: number("OMNILINK_EDITS", golden.edits),
            seed: number("OMNILINK_SEED", golden.seed),
        }
    }

    /// The specs that are accepted as they are.
    pub fn sound(&self) -> impl Iterator<Item = Sound<'_>> {
        self.specs.iter().filter_map(|path| {
            let text = std::fs::read_to_string(path).ok()?;
            let spec = Sound {
                corpus: self,
                path,
                text,
            };
            let is_ok = spec.load(spec.text.clone()).is_ok();
            is_ok.then_some(spec)
        })
    }
}

impl Sound<'_> {
    /// Loads another text in place of the spec's.
    pub fn load(&self, text: String) -> Loaded {
        let folder = self.path.parent().map(PathBuf::from).unwrap_or_default();
        load_text(self.path, text, &self.corpus.libraries.with_first(folder))
    }

    /// The errors of another text in place of the spec's.
    pub fn said(&self, text: String) -> Vec<String> {
        said(&self.load(text))
    }

    pub fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }
}

/// The errors of a spec, as `line:column class: message`.
pub fn said(loaded: &Loaded) -> Vec<String> {
    let place = |d: &Diagnostic| loaded.spec.sources.get(d.source).line_column(d.span.start);
    let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
    errors
        .map(|d| {
            let place = place(d);
            format!(
                "{}:{} {}: {}",
                place.line,
                place.column,
                d.class.word(),
                d.message
            )
        })
        .collect()
}
