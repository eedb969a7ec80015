//! The files of a project.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use omnilink_sched::build::{BuildError, fences_header, runtime_object};

use crate::plan::{GenError, HarnessPlan};
use crate::sections::{Comment, MergeReport, Section, fresh, merged};
use crate::{cpp, rust};

/// In which language a harness is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C++17.
    Cpp,
    /// Rust.
    Rust,
}

impl FromStr for Language {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpp" | "c++" => Ok(Self::Cpp),
            "rust" => Ok(Self::Rust),
            other => Err(format!("\"{other}\": there are cpp and rust")),
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The file with the calls.
    pub system: PathBuf,
    /// The link file that validating the harness's traces needs, if it does.
    pub link: Option<PathBuf>,
    /// Whether the file with the calls was there before.
    pub was_there: bool,
    /// Sections that were added to it: `action Enqueue`.
    pub added: Vec<String>,
    /// Sections whose parameters have changed: name, before, now.
    pub changed: Vec<(String, String, String)>,
    /// Sections that the specification has no use for any more.
    pub orphaned: Vec<String>,
}

const RECORD_SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/record_sources.rs"));

/// Writes the project into a folder. What the user wrote stays.
///
/// # Errors
/// If a file cannot be written.
pub fn generate(plan: &HarnessPlan, language: Language, folder: &Path) -> Result<Generated, GenError> {
    let ours = folder.join("omnilink");
    let mut generated = match language {
        Language::Cpp => {
            write(
                &ours.join("omnilink.h"),
                include_bytes!("templates/cpp/omnilink.h"),
            )?;
            write(
                &ours.join("omnilink.hpp"),
                include_bytes!("templates/cpp/omnilink.hpp"),
            )?;
            write(
                &ours.join("harness.hpp"),
                include_bytes!("templates/cpp/harness.hpp"),
            )?;
            write(&ours.join("main.cpp"), include_bytes!("templates/cpp/main.cpp"))?;
            write(&ours.join("build.mk"), include_bytes!("templates/cpp/build.mk"))?;
            write(&ours.join("actions.hpp"), cpp::actions(plan).as_bytes())?;
            write(&ours.join("fences.h"), fences_header())?;
            write(&ours.join("runtime.o"), &runtime()?)?;
            keep(&folder.join("Makefile"), cpp::MAKEFILE)?;
            update(
                &folder.join("system.hpp"),
                &cpp::head(plan),
                &cpp::sections(plan),
                "",
                Comment::Slashes,
            )?
        }
        Language::Rust => {
            for (name, text) in RECORD_SOURCES {
                write(&ours.join("record/src").join(name), text.as_bytes())?;
            }
            write(&ours.join("record/Cargo.toml"), rust::RECORD_MANIFEST.as_bytes())?;
            write(
                &ours.join("harness.rs"),
                include_bytes!("templates/rust/harness.rs.in"),
            )?;
            write(&ours.join("main.rs"), include_bytes!("templates/rust/main.rs.in"))?;
            write(&ours.join("actions.rs"), rust::actions(plan).as_bytes())?;
            keep(&folder.join("Cargo.toml"), rust::MANIFEST)?;
            update(
                &folder.join("src/system.rs"),
                &rust::head(plan),
                &rust::sections(plan),
                "",
                Comment::Slashes,
            )?
        }
    };
    if let Some(text) = &plan.link {
        let path = ours.join("link.toml");
        write(&path, text.as_bytes())?;
        generated.link = Some(path);
    }
    Ok(generated)
}

/// The scheduler's runtime; empty where there is none.
fn runtime() -> Result<Vec<u8>, GenError> {
    match runtime_object() {
        Ok(path) => fs::read(&path).map_err(|error| GenError::Write { path, error }),
        Err(BuildError::Unsupported) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Writes a file whole, or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), GenError> {
    let failed = |error| GenError::Write {
        path: path.to_owned(),
        error,
    };
    if fs::read(path).is_ok_and(|old| old == bytes) {
        // Its time stays, and nothing is built again.
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Writes a file that is the user's from then on.
pub(crate) fn keep(path: &Path, text: &str) -> Result<(), GenError> {
    if path.exists() {
        Ok(())
    } else {
        write(path, text.as_bytes())
    }
}

/// Writes the user's file, or adds to it.
pub(crate) fn update(
    path: &Path,
    head: &str,
    sections: &[Section],
    tail: &str,
    comment: Comment,
) -> Result<Generated, GenError> {
    let was_there = path.exists();
    let (text, report) = if was_there {
        let old = fs::read_to_string(path).map_err(|error| GenError::Write {
            path: path.to_owned(),
            error,
        })?;
        merged(&old, sections, comment)
    } else {
        (fresh(head, sections, tail, comment), MergeReport::default())
    };
    write(path, text.as_bytes())?;
    Ok(Generated {
        system: path.to_owned(),
        link: None,
        was_there,
        added: report.added,
        changed: report.changed,
        orphaned: report.orphaned,
    })
}
