//! The source lines of code addresses, and what the source calls what is accessed there.

mod expression;

use std::path::{Path, PathBuf};

use addr2line::Loader;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expression::expression_at;

/// The source lines of a program.
pub struct SourceLines {
    program: PathBuf,
    /// Read on first use: a check that finds nothing needs no source lines.
    loader: Option<Option<Loader>>,
    /// The lines of each file that was read; none if it is not there.
    sources: FxHashMap<String, Option<Vec<String>>>,
}

impl std::fmt::Debug for SourceLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SourceLines").field(&self.program).finish()
    }
}

impl SourceLines {
    /// Those of this program.
    pub fn of(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            loader: None,
            sources: FxHashMap::default(),
        }
    }

    /// The source line of the call that returns to `code`, such as `src/queue.rs:33`. If it was inlined, its callers follow:
    /// `atomic.rs:376 in base.rs:1021`. `None` if the program has no debug information for it.
    pub fn find(&mut self, code: u64) -> Option<String> {
        self.frames(code).map(|frames| frames.text(false))
    }

    /// The same, and what the source calls the location that is accessed there: `src/queue.rs:33 (self.head)`.
    pub fn find_named(&mut self, code: u64) -> Option<String> {
        let frames = self.frames(code)?;
        Some(match self.name(&frames) {
            Some(name) => format!("{} ({name})", frames.text(false)),
            None => frames.text(false),
        })
    }

    /// The source lines of several accesses, and what the source calls their locations. Where two of them are on the same lines but in
    /// different columns, they have these too: `src/queue.rs:33:17`.
    pub fn find_apart(&mut self, codes: &[u64]) -> Vec<(Option<String>, Option<String>)> {
        let places: Vec<Option<Frames>> = codes.iter().map(|code| self.frames(*code)).collect();
        let mut columns: FxHashMap<String, FxHashSet<Option<u32>>> = FxHashMap::default();
        for place in places.iter().flatten() {
            columns
                .entry(place.text(false))
                .or_default()
                .insert(place.column());
        }
        let mut found = |place: &Frames| {
            let line = place.text(false);
            let has_others = columns.get(&line).is_some_and(|columns| columns.len() > 1);
            (Some(place.text(has_others)), self.name(place))
        };
        let places = places.iter().map(Option::as_ref);
        places
            .map(|place| place.map_or((None, None), &mut found))
            .collect()
    }

    /// As [`find`](Self::find), but `None` for what is not the component's: functions of libraries, and of harnesses in our own crates.
    pub fn find_own(&mut self, code: u64) -> Option<String> {
        let frames = self.frames(code)?;
        frames.0.iter().any(Frame::is_own).then(|| frames.text(false))
    }

    /// The functions at an address, those that were inlined into others first.
    pub fn functions(&mut self, code: u64) -> Vec<Function> {
        let frames = self.frames(code);
        let frames = frames.into_iter().flat_map(|frames| frames.0);
        frames
            .map(|frame| Function {
                line: format!("{}:{}", shortened(&frame.file), frame.line),
                is_own: frame.is_own(),
                name: frame.function.filter(|name| !name.starts_with("_Z")),
            })
            .collect()
    }

    /// What the source calls the location that is accessed in the innermost function that is shown.
    fn name(&mut self, frames: &Frames) -> Option<String> {
        let frame = frames.shown().next()?;
        let lines = self.sources.entry(frame.file.clone()).or_insert_with(|| {
            let text = std::fs::read_to_string(&frame.file).ok()?;
            Some(text.lines().map(str::to_owned).collect())
        });
        let line = usize::try_from(frame.line).ok()?.checked_sub(1)?;
        expression_at(lines.as_ref()?.get(line)?, frame.column?)
    }

    /// The functions at an address, those that were inlined into others first.
    fn frames(&mut self, code: u64) -> Option<Frames> {
        let loader = self
            .loader
            .get_or_insert_with(|| Loader::new(&self.program).ok())
            .as_ref()?;
        // The address is that after the call: the call itself is before it.
        let address = code.checked_sub(1)?;
        let mut found = loader.find_frames(address).ok()?;
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            let place = frame.location;
            if let Some((file, line, column)) =
                place.and_then(|place| Some((place.file?, place.line?, place.column)))
            {
                let function = frame.function.as_ref();
                frames.push(Frame {
                    function: function.and_then(|name| name.demangle().ok().map(String::from)),
                    file: file.to_owned(),
                    line,
                    column: column.filter(|column| *column > 0),
                });
            }
        }
        (!frames.is_empty()).then_some(Frames(frames))
    }
}

/// A function, where it calls the next one or makes an access.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name, with the modules that it is in if the linker needs them; none of functions of C++ whose names it changes.
    pub name: Option<String>,
    /// The source line, as it is known where the command was started.
    pub line: String,
    /// Whether it is neither of a standard library nor of what calls a component.
    pub is_own: bool,
}

struct Frame {
    /// Its name with the modules that it is in.
    function: Option<String>,
    file: String,
    line: u32,
    column: Option<u32>,
}

impl Frame {
    /// Whether it is the component's: neither of a standard library nor of what calls the component.
    fn is_own(&self) -> bool {
        !is_library(&self.file) && !is_harness(&self.file)
    }
}

/// The functions at an address, those that were inlined into others first. There is at least one.
struct Frames(Vec<Frame>);

impl Frames {
    /// The most inlined functions that are shown.
    const INLINED_MAX: usize = 3;

    /// Inlined functions of the standard library mean little to a reader: their callers are shown. Those of harnesses mean nothing.
    fn shown(&self) -> impl Iterator<Item = &Frame> {
        let any_own = self.0.iter().any(Frame::is_own);
        let most = if any_own { usize::MAX } else { 1 };
        let frames = self.0.iter();
        frames.filter(move |frame| !any_own || frame.is_own()).take(most)
    }

    /// The column of the innermost function that is shown.
    fn column(&self) -> Option<u32> {
        self.shown().next()?.column
    }

    fn text(&self, with_column: bool) -> String {
        let mut lines: Vec<String> = Vec::new();
        for frame in self.shown() {
            let mut line = format!("{}:{}", shortened(&frame.file), frame.line);
            if let (true, 0, Some(column)) = (with_column, lines.len(), frame.column) {
                line.push_str(&format!(":{column}"));
            }
            if lines.len() < Self::INLINED_MAX && lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        lines.join(" in ")
    }
}

fn is_library(file: &str) -> bool {
    let is_of_cpp = file.starts_with("/usr/include/") && file.contains("/c++/");
    is_of_cpp || file.starts_with("/rustc/") || file.contains("/rustlib/src/")
}

/// Whether a file belongs to what calls the component: the header for C++ and the crate `omnilink-harness`.
fn is_harness(file: &str) -> bool {
    file.ends_with("/lineup.hpp")
        || file.contains("/omnilink-harness-")
        || file.ends_with("crates/harness/src/component.rs")
        || file.ends_with("crates/harness/src/serve.rs")
}

/// A file as it is known where the command was started: without that folder, and that of a crate without the directory of the registry,
/// `crossbeam-skiplist-0.1.3/src/base.rs`; that of the standard library without the place where it was built.
fn shortened(file: &str) -> &str {
    let after_registry = file
        .split_once("/registry/src/")
        .and_then(|(_, rest)| rest.split_once('/'));
    if let Some((_, rest)) = after_registry {
        return rest;
    }
    // A file of Rust's standard library: `/rustc/` and a long number come before it.
    if let (true, Some((_, rest))) = (file.starts_with("/rustc/"), file.split_once("/library/")) {
        return rest;
    }
    let here = std::env::current_dir().ok();
    let inside = here.and_then(|here| Path::new(file).strip_prefix(here).ok());
    inside.and_then(Path::to_str).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_dependency_is_named_by_its_crate() {
        let file = "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/heapless-0.9.1/src/mpmc.rs";
        assert_eq!(shortened(file), "heapless-0.9.1/src/mpmc.rs");
        assert_eq!(shortened("src/main.rs"), "src/main.rs");
        let library = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/sync/once.rs";
        assert_eq!(shortened(library), "std/src/sync/once.rs");
        let here = std::env::current_dir().unwrap();
        let inside = here.join("src/queue.cpp");
        assert_eq!(shortened(inside.to_str().unwrap()), "src/queue.cpp");
        assert_eq!(shortened("/elsewhere/queue.cpp"), "/elsewhere/queue.cpp");
    }

    #[test]
    fn a_program_without_debug_information_has_no_source_lines() {
        assert_eq!(SourceLines::of(Path::new("/nonexistent")).find(42), None);
    }
}
