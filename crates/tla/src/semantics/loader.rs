//! Reading a spec and all files it needs.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::entity::TreeId;
use super::search_path::{SearchPath, read_text};
use super::spec::Spec;
use crate::deep_stack;
use crate::diagnostic::{Class, Diagnostic};
use crate::names::Name;
use crate::source::{Source, SourceId, Span};
use crate::syntax::ast::UnitKind;
use crate::syntax::parser::parse;

/// A spec and what is wrong with it. The spec is complete if nothing is an error.
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
            let message = format!("cannot read {}: {error}", path.display());
            let diagnostic = Diagnostic::error(Class::Module, source, Span::default(), message)
                .help("give the path of a `.tla` file");
            Loaded {
                spec,
                diagnostics: vec![diagnostic],
            }
        }
    }
}

/// Like [`load`], for a text that is at hand; `path` is what messages call it, and its stem the module's name.
pub fn load_text(path: &Path, text: String, search: &SearchPath) -> Loaded {
    deep_stack::run(|| {
        let mut loader = Loader {
            spec: Spec::default(),
            files: FxHashMap::default(),
            diagnostics: Vec::new(),
            search,
            pending: Vec::new(),
        };
        let tree = loader.read(Source::new(path, text));
        loader.check_name(tree, path);
        while let Some((name, source, span)) = loader.pending.pop() {
            loader.find(name, source, span);
        }
        loader.finish(tree)
    })
}

struct Loader<'a> {
    spec: Spec,
    files: FxHashMap<Name, TreeId>,
    diagnostics: Vec<Diagnostic>,
    search: &'a SearchPath,
    pending: Vec<(Name, SourceId, Span)>,
}

impl Loader<'_> {
    /// Parses a text and notes the modules it uses.
    fn read(&mut self, source: Source) -> TreeId {
        let id = self.spec.sources.add(source);
        let text = self.spec.sources.get(id).text();
        let tree = parse(id, text, &mut self.spec.names, &mut self.diagnostics);
        let tree_id = TreeId(self.spec.trees.len() as u32);
        let inside: Vec<Name> = tree.modules.iter().skip(1).map(|m| m.name.name).collect();
        let extended = tree.modules.iter().flat_map(|m| m.extends.iter());
        let instantiated = tree.units.iter().filter_map(|unit| match &unit.kind {
            UnitKind::Instance(instance) | UnitKind::NamedInstance { instance, .. } => Some(&instance.module),
            _ => None,
        });
        for module in extended.chain(instantiated) {
            if !inside.contains(&module.name) {
                self.pending.push((module.name, id, module.span));
            }
        }
        if let Some(root) = tree.root {
            self.files.insert(tree.module(root).name.name, tree_id);
        }
        self.spec.trees.push(tree);
        tree_id
    }

    /// Reads the file of a module, once. That there is none is no mistake yet: the module may be inside another.
    fn find(&mut self, name: Name, source: SourceId, span: Span) {
        if self.files.contains_key(&name) {
            return;
        }
        let module = self.spec.names.text(name).to_owned();
        match self.search.find(&module) {
            Ok(Some(found)) => {
                let path = found.path.clone();
                let tree = self.read(Source::new(found.path, found.text));
                self.check_name(tree, &path);
                self.files.insert(name, tree);
            }
            Ok(None) => {}
            Err(error) => {
                let message = format!("cannot read module {module}: {error}");
                self.diagnostics
                    .push(Diagnostic::error(Class::Module, source, span, message));
            }
        }
    }

    /// A file is called like its module.
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

    /// Resolves what was read, unless it could not be read properly.
    fn finish(mut self, root: TreeId) -> Loaded {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Loaded {
                spec: self.spec,
                diagnostics: self.diagnostics,
            };
        }
        let trees = std::mem::take(&mut self.spec.trees);
        let mut analyzer = Analyzer::new(&trees, self.spec, self.files, self.diagnostics);
        let module = analyzer.file(root);
        let (mut spec, diagnostics) = analyzer.finish();
        spec.root = module;
        spec.trees = trees;
        Loaded { spec, diagnostics }
    }
}
