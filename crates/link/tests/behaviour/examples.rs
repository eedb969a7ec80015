//! The examples that are shipped: correct runs are explained, buggy ones are not.

use crate::world::{example, verdict_on};

/// Traces of a folder by what their names promise.
fn assert_verdicts(spec: &str, collect: &[&str], constants: &[(&str, &str)]) {
    let folder = example(spec).parent().unwrap().to_owned();
    let mut seen = (0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ndjson") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_correct = name.starts_with("ok");
        let verdict = verdict_on(spec, &path, collect, constants);
        assert_eq!(verdict.is_valid(), is_correct, "{}", path.display());
        if is_correct { seen.0 += 1 } else { seen.1 += 1 }
    }
    assert!(seen.0 >= 1 && seen.1 >= 3, "{spec}: {seen:?}");
}

#[test]
fn queues_are_distinguished() {
    assert_verdicts("queue/Queue.tla", &[], &[("Nothing", "0")]);
}

#[test]
fn maps_are_distinguished() {
    assert_verdicts("map/Map.tla", &["Keys=key,lo,hi"], &[("NoValue", "0")]);
}

#[test]
fn stores_with_snapshots_are_distinguished() {
    assert_verdicts("store/Store.tla", &["Keys=key", "Txns=tid"], &[("NoValue", "0")]);
}

#[test]
fn queues_of_several_producers_are_distinguished() {
    assert_verdicts(
        "producers/Producers.tla",
        &["Producers=producer", "Consumers=consumer"],
        &[],
    );
}
