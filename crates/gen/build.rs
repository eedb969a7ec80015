//! Lists the sources of the Rust recorder, which generated Rust projects carry with them. The recorder is a build dependency, so
//! its sources are found in a workspace as well as in a published package.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let lib = Path::new(omnilink_record::SOURCE);
    let folder = lib.parent().unwrap_or(Path::new("."));
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        // A string never fails to be written to.
        let _ = writeln!(list, "    ({:?}, include_str!({:?})),", name, file);
    }
    list.push(']');
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let path = out.join("record_sources.rs");
    std::fs::write(&path, list).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files)
        } else {
            files.push(path)
        }
    }
}
