//! The runtime as a file that a linker can read.

use super::BuildError;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/omnilink_runtime.o"));

/// The path of the runtime's object file. It is written once into the user's cache, under a name that its
/// contents decide, so that versions do not meet.
pub fn runtime_object() -> Result<PathBuf, BuildError> {
    if OBJECT.is_empty() {
        return Err(BuildError::Unsupported);
    }
    store("runtime", "o", OBJECT)
}

/// Writes a file into the cache unless it is there.
pub(crate) fn store(name: &str, extension: &str, contents: &[u8]) -> Result<PathBuf, BuildError> {
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    hasher.write(contents);
    let directory = cache_directory();
    let path = directory.join(format!("{name}-{:016x}.{extension}", hasher.finish()));
    let failed = |source| BuildError::Store {
        path: path.clone(),
        source,
    };
    if std::fs::read(&path).is_ok_and(|stored| stored == contents) {
        return Ok(path);
    }
    std::fs::create_dir_all(&directory).map_err(failed)?;
    // Others may do the same at the same time: the file appears whole or not at all.
    let partial = directory.join(format!("{name}-{}.partial", std::process::id()));
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
