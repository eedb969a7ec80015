//! The source lines of code addresses.

use std::path::{Path, PathBuf};

use addr2line::Loader;

/// The source lines of a program.
pub(crate) struct SourceLines {
    program: PathBuf,
    /// Read on first use: a check that finds nothing needs no source lines.
    loader: Option<Option<Loader>>,
}

impl SourceLines {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "no other system can start a harness")
    )]
    pub(crate) fn of(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            loader: None,
        }
    }

    /// The source line of the call that returns to `code`, such as `src/queue.rs:33`. If it was inlined, its callers follow:
    /// `atomic.rs:376 in base.rs:1021`. `None` if the program has no debug information for it.
    pub(crate) fn find(&mut self, code: u64) -> Option<String> {
        let loader = self
            .loader
            .get_or_insert_with(|| Loader::new(&self.program).ok())
            .as_ref()?;
        // The address is that after the call: the call itself is before it.
        let address = code.checked_sub(1)?;
        let mut frames = loader.find_frames(address).ok()?;
        let (mut shown, mut of_library) = (Vec::new(), None);
        while let Ok(Some(frame)) = frames.next() {
            let place = frame
                .location
                .and_then(|location| Some((location.file?, location.line?)));
            let Some((file, line)) = place else { continue };
            let text = format!("{}:{line}", shortened(file));
            // Inlined functions of the standard library mean little to a reader: their callers are shown.
            if is_library(file) {
                of_library.get_or_insert(text);
            } else if shown.len() < Self::INLINED_MAX && shown.last() != Some(&text) {
                shown.push(text);
            }
        }
        match shown.is_empty() {
            true => of_library,
            false => Some(shown.join(" in ")),
        }
    }

    /// The most inlined functions that are shown.
    const INLINED_MAX: usize = 3;
}

fn is_library(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/rustlib/src/") || file.starts_with("/usr/include/c++/")
}

/// The file of a crate without the directory of the registry: `crossbeam-skiplist-0.1.3/src/base.rs`.
fn shortened(file: &str) -> &str {
    let after_registry = file
        .split_once("/registry/src/")
        .and_then(|(_, rest)| rest.split_once('/'));
    after_registry.map_or(file, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_dependency_is_named_by_its_crate() {
        let file = "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/heapless-0.9.1/src/mpmc.rs";
        assert_eq!(shortened(file), "heapless-0.9.1/src/mpmc.rs");
        assert_eq!(shortened("src/main.rs"), "src/main.rs");
    }

    #[test]
    fn a_program_without_debug_information_has_no_source_lines() {
        assert_eq!(SourceLines::of(Path::new("/nonexistent")).find(42), None);
    }
}
