//! The embedded runtime, and the cache in which the linker finds it.

use super::BuildError;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/omnilink_runtime.o"));

/// The path of the runtime's object file. It is written once into the user's cache, under a name with a hash of its contents, so
/// that several versions can coexist.
///
/// # Errors
/// When this system is not supported, or the file cannot be written.
pub fn runtime_object() -> Result<PathBuf, BuildError> {
    if OBJECT.is_empty() {
        return Err(BuildError::Unsupported);
    }
    store("runtime", "o", OBJECT)
}

/// A directory in which `-ltsan` finds the runtime, and not the library of ThreadSanitizer.
pub(super) fn library_directory() -> Result<PathBuf, BuildError> {
    let script = format!("INPUT ( \"{}\" )\n", runtime_object()?.display());
    let directory = cache_directory().join(format!("link-{:016x}", hash(script.as_bytes())));
    store_at(directory.join("libtsan.so"), script.as_bytes())?;
    Ok(directory)
}

/// Writes a header, and returns the directory in which it is found under its name.
pub(super) fn store_header(name: &str, contents: &[u8]) -> Result<PathBuf, BuildError> {
    let directory = cache_directory().join(format!("include-{:016x}", hash(contents)));
    store_at(directory.join(name), contents)?;
    Ok(directory)
}

fn hash(contents: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    hasher.write(contents);
    hasher.finish()
}

/// The path of a file in the cache, which is written unless it is there.
pub(crate) fn store(name: &str, extension: &str, contents: &[u8]) -> Result<PathBuf, BuildError> {
    store_at(
        cache_directory().join(format!("{name}-{:016x}.{extension}", hash(contents))),
        contents,
    )
}

fn store_at(path: PathBuf, contents: &[u8]) -> Result<PathBuf, BuildError> {
    let directory = path.parent().map(PathBuf::from).unwrap_or_default();
    let failed = |source| BuildError::Store {
        path: path.clone(),
        source,
    };
    if std::fs::read(&path).is_ok_and(|stored| stored == contents) {
        return Ok(path);
    }
    std::fs::create_dir_all(&directory).map_err(failed)?;
    // Other processes may do the same concurrently: the file appears as a whole or not at all.
    let partial = path.with_extension(format!("{}.partial", std::process::id()));
    std::fs::write(&partial, contents).map_err(failed)?;
    std::fs::rename(&partial, &path).map_err(failed)?;
    Ok(path)
}

fn cache_directory() -> PathBuf {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("omnilink")
}
