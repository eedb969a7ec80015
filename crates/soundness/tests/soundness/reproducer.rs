//! Disagreements as files that the command can be run on.

use std::path::PathBuf;

use crate::oracle::timed_call::ndjson;
use crate::shrink::Case;

/// Writes a case into a folder of its own, and returns the folder. `OMNILINK_FOUND` says where; otherwise it is below `target`.
pub fn written(name: &str, case: &Case, about: &str) -> PathBuf {
    let root = match std::env::var_os("OMNILINK_FOUND") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("found"),
    };
    let folder = root.join(name);
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    };
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    write("Random.tla", &case.spec.text());
    write("Random.toml", &case.spec.link());
    write("trace.ndjson", &ndjson(&case.spec, &case.calls));
    let flag = if case.is_async { " --async" } else { "" };
    write(
        "README.md",
        &format!("    omnilink validate Random.tla trace.ndjson{flag}\n\n{about}\n"),
    );
    folder
}
