//! Traces of a real and a simulated map, with known verdicts, through the map of the examples.

use std::path::{Path, PathBuf};

use crate::world::verdict_on;

fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn assert_verdict(file: &Path, expected_valid: bool) {
    let verdict = verdict_on("map/Map.tla", file, &["Keys=key,lo,hi"], &[("NoValue", "0")]);
    assert_eq!(verdict.is_valid(), expected_valid, "{}", file.display());
    assert_eq!(verdict.is_violation(), !expected_valid, "{}", file.display());
}

#[test]
fn every_trace_gets_its_known_verdict() {
    let mut files = 0;
    for folder in ["trace/tests/data/setbench", "models/tests/data/setbench"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(data(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains(".ndjson"))
            .collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert_verdict(&path, name.contains("_ok"));
            files += 1;
        }
    }
    assert!(files >= 20, "only {files} traces were found");
}
