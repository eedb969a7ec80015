//! The loader: reads a spec and all files it needs.

use std::path::{Path, PathBuf};

use omnilink_tla_syntax::ast::UnitKind;
use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::find_module;
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::parser::parse_source;
use omnilink_tla_syntax::source::{Source, SourceId, Span};

use super::analyzer::Analyzer;
use super::entity::TreeId;
use super::resolution::Files;
use super::search_path::{SearchPath, built_in, read_text, unreadable};
use super::spec::Spec;
use super::translation::Read;

/// The maximum number of diagnostics shown.
const MAX_DIAGNOSTICS: usize = 200;

/// A spec and its diagnostics. The spec is complete if none of them is an error.
#[derive(Debug)]
pub struct Loaded {
    /// The spec.
    pub spec: Spec,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Whether there is no error.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads a file and everything it uses. Modules are looked for next to the file, then along the search path.
pub fn load(path: &Path, search: &SearchPath) -> Loaded {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    match read_text(path) {
        Ok(text) => load_text(path, text, &search.with_first(folder)),
        Err(error) => {
            let mut spec = Spec::default();
            let source = spec.sources.add(Source::new(path, ""));
            let message = unreadable(path, &error);
            let meant = path.with_extension("tla");
            let help = if meant != path && meant.is_file() {
                format!("did you mean {}?", meant.display())
            } else {
                "give the path of a `.tla` file".to_owned()
            };
            let diagnostic = Diagnostic::error(Class::Module, source, Span::default(), message).help(help);
            Loaded {
                spec,
                diagnostics: vec![diagnostic],
            }
        }
    }
}

/// Like [`load`], for a given text. `path` is shown in messages, and its stem must be the module's name.
pub fn load_text(path: &Path, text: String, search: &SearchPath) -> Loaded {
    add_module(Spec::default(), path, text, search)
}

/// Adds a module to a spec and makes it the root, such as one that extends the root so far. What is resolved is not read again.
///
/// `path` is shown in messages.
pub fn add_module(spec: Spec, path: &Path, text: String, search: &SearchPath) -> Loaded {
    deep_stack::run(|| {
        let mut loaded = analyse(spec, path, text, search);
        limit(&mut loaded.diagnostics);
        loaded
    })
}

/// Reads and resolves a module and everything that it uses.
fn analyse(mut spec: Spec, path: &Path, text: String, search: &SearchPath) -> Loaded {
    let mut loader = Loader {
        files: std::mem::take(&mut spec.resolution.files),
        spec,
        diagnostics: Vec::new(),
        search,
        pending: Vec::new(),
    };
    let tree = loader.read(path.to_owned(), text, false);
    loader.check_name(tree, path);
    while let Some(wanted) = loader.pending.pop() {
        loader.find(wanted);
    }
    loader.finish(tree)
}

/// Truncates the list of diagnostics and says so.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    let more = diagnostics.len().saturating_sub(MAX_DIAGNOSTICS);
    if more > 0 {
        // Errors first: warnings alone do not reject a spec.
        diagnostics.sort_by_key(|diagnostic| !diagnostic.is_error());
        let severe = diagnostics.get(MAX_DIAGNOSTICS).is_some_and(Diagnostic::is_error);
        diagnostics.truncate(MAX_DIAGNOSTICS);
        if let Some(last) = diagnostics.last() {
            let message = format!("{more} more diagnostics are not shown");
            let diagnostic = if severe {
                Diagnostic::error
            } else {
                Diagnostic::warning
            };
            let diagnostic = diagnostic(Class::Limit, last.source, last.span, message);
            diagnostics.push(diagnostic.help("fix the first ones and check again"));
        }
    }
}

/// A module that a text uses.
#[derive(Clone, Copy)]
struct Wanted {
    name: Name,
    from: TreeId,
    source: SourceId,
    span: Span,
}

struct Loader<'a> {
    spec: Spec,
    files: Files,
    diagnostics: Vec<Diagnostic>,
    search: &'a SearchPath,
    pending: Vec<Wanted>,
}

impl Loader<'_> {
    /// Parses a text and records the modules it uses.
    fn read(&mut self, path: PathBuf, text: String, library: bool) -> TreeId {
        if library {
            let id = self.spec.sources.add(Source::new(path, text));
            return self.read_module(id, 0, library);
        }
        let mut read = Read::new(path, text, self.search.pluscal());
        let source = std::mem::replace(&mut read.source, Source::new("", ""));
        let id = self.spec.sources.add(source);
        self.diagnostics.extend(read.diagnostics(id));
        self.read_module(id, 0, library)
    }

    /// Parses the first module of a text at or after a byte.
    fn read_module(&mut self, id: SourceId, from: usize, library: bool) -> TreeId {
        let source = self.spec.sources.get(id);
        let tree = parse_source(id, source, from, &mut self.spec.names, &mut self.diagnostics);
        let tree_id = TreeId(self.spec.trees.len() as u32);
        let inside: Vec<Name> = tree.modules.iter().skip(1).map(|m| m.name.name).collect();
        let extended = tree.modules.iter().flat_map(|m| m.extends.iter());
        let instantiated = tree.units.iter().filter_map(|unit| match &unit.kind {
            UnitKind::Instance(instance) | UnitKind::NamedInstance { instance, .. } => Some(&instance.module),
            _ => None,
        });
        for module in extended.chain(instantiated) {
            if !inside.contains(&module.name) {
                let (name, span) = (module.name, module.span);
                self.pending.push(Wanted {
                    name,
                    from: tree_id,
                    source: id,
                    span,
                });
            }
        }
        if let Some(root) = tree.root {
            let files = if library {
                &mut self.files.library
            } else {
                &mut self.files.user
            };
            files.insert(tree.module(root).name.name, tree_id);
        }
        self.files.is_library.push(library);
        self.spec.trees.push(tree);
        tree_id
    }

    /// Reads the file of a module, once. A missing file is not an error yet: the module may be nested in another.
    fn find(&mut self, wanted: Wanted) {
        if self.files.get(wanted.from, wanted.name).is_some() {
            return;
        }
        let module = self.spec.names.text(wanted.name).to_owned();
        let from_library = self.files.is_library.get(wanted.from.0 as usize) == Some(&true);
        let found = if from_library {
            Ok(built_in(&module))
        } else {
            self.search.find(&module)
        };
        match found {
            Ok(Some(found)) => {
                let known = self
                    .files
                    .library
                    .get(&wanted.name)
                    .filter(|_| found.built_in)
                    .copied();
                let tree = known.unwrap_or_else(|| {
                    let path = found.path.clone();
                    let tree = self.read(found.path, found.text, found.built_in);
                    self.check_name(tree, &path);
                    tree
                });
                let files = if from_library {
                    &mut self.files.library
                } else {
                    &mut self.files.user
                };
                files.insert(wanted.name, tree);
            }
            Ok(None) => {
                if let Some(tree) = self.find_below(&module, wanted.from) {
                    self.files.user.insert(wanted.name, tree);
                }
            }
            Err(error) => {
                let message = format!("cannot read module {module}: {error}");
                self.diagnostics.push(Diagnostic::error(
                    Class::Module,
                    wanted.source,
                    wanted.span,
                    message,
                ));
            }
        }
    }

    /// A module without a file may be in the same text as the module that uses it, below the file's own module.
    fn find_below(&mut self, module: &str, from: TreeId) -> Option<TreeId> {
        let source = self.spec.trees.get(from.0 as usize)?.source;
        let first = self.spec.trees.iter().find(|tree| tree.source == source)?;
        let end = first.modules.first()?.span.end as usize;
        let at = find_module(self.spec.sources.get(source).text(), module, end)?;
        Some(self.read_module(source, at, false))
    }

    /// Checks that the file has the module's name.
    fn check_name(&mut self, tree: TreeId, path: &Path) {
        let tree = &self.spec.trees[tree.0 as usize];
        let (Some(root), Some(stem)) = (tree.root, path.file_stem()) else {
            return;
        };
        let ident = tree.module(root).name;
        let (stem, name) = (stem.to_string_lossy(), self.spec.names.text(ident.name));
        if stem != name && !name.is_empty() {
            let message = format!("module {name} is in a file called {}", path.display());
            let help = format!("rename the file to {name}.tla or the module to {stem}");
            let diagnostic = Diagnostic::error(Class::Module, tree.source, ident.span, message).help(help);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Resolves the parsed files, unless there were errors.
    fn finish(mut self, root: TreeId) -> Loaded {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Loaded {
                spec: self.spec,
                diagnostics: self.diagnostics,
            };
        }
        let trees = std::mem::take(&mut self.spec.trees);
        self.spec.resolution.files = self.files;
        let mut analyzer = Analyzer::new(&trees, self.spec, self.diagnostics);
        let module = analyzer.file(root);
        let (mut spec, diagnostics) = analyzer.finish();
        spec.root = module;
        spec.trees = trees;
        Loaded { spec, diagnostics }
    }
}
