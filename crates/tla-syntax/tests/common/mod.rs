//! Shared by the tests of the TLA+ crates: parsing a text, and the specs that come with the tests.

#![allow(
    dead_code,
    reason = "every test binary has its own copy and uses a part of it"
)]

use std::path::{Path, PathBuf};

use omnilink_tla_syntax::ast::Tree;
use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::diagnostic::Diagnostic;
use omnilink_tla_syntax::names::Names;
use omnilink_tla_syntax::parser::parse;
use omnilink_tla_syntax::source::{Source, SourceId, Sources};

/// A text that has been read.
pub struct Read {
    pub tree: Tree,
    pub names: Names,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

/// Reads a text.
pub fn read(text: &str) -> Read {
    read_with(Names::default(), text)
}

/// Reads a text, continuing a table of names.
pub fn read_with(mut names: Names, text: &str) -> Read {
    let mut sources = Sources::default();
    let id: SourceId = sources.add(Source::new("Test.tla", text));
    let mut diagnostics = Vec::new();
    let tree = deep_stack::run(|| parse(id, text, &mut names, &mut diagnostics));
    Read {
        tree,
        names,
        diagnostics,
        sources,
    }
}

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A part of the golden corpus: from the folder in `OMNILINK_GOLDEN` if it has that part, else the repository's own.
pub fn golden(part: &str) -> PathBuf {
    let given = std::env::var_os("OMNILINK_GOLDEN").map(|folder| PathBuf::from(folder).join(part));
    let own = crates().join("tla/tests/golden").join(part);
    given.filter(|path| path.exists()).unwrap_or(own)
}

/// All files below a folder whose name ends so, in order.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All specs that come with the tests: the accepted snippets, the golden specs and the built-in modules.
pub fn accepted_specs() -> Vec<PathBuf> {
    let mut all = files(&golden("parse/accept"), ".tla");
    all.extend(files(&golden("specs"), ".tla"));
    all.extend(files(&crates().join("tla-semantics/src/modules"), ".tla"));
    assert!(all.len() > 20, "the golden corpus is missing");
    all
}
