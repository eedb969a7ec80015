//! Histories of other tools, with the verdicts that are known for them.

use super::ran::{omnilink, repository};

fn data(path: &str) -> String {
    repository()
        .join("crates/trace/tests/data")
        .join(path)
        .display()
        .to_string()
}

#[test]
fn known_histories_get_their_known_verdicts() {
    for (path, model, code) in [
        ("setbench/s5_500_ok.ndjson", "map", 0),
        ("setbench/s5_500_late.ndjson", "map", 1),
        ("fastlin/stack/lin_simple_0.log", "stack", 0),
        ("fastlin/stack/nonlin_simple_0.log", "stack", 1),
        ("fastlin/queue/lin_simple_1.log", "queue", 0),
        ("fastlin/queue/nonlin_simple_0.log", "queue", 1),
        ("fastlin/priorityqueue/nonlin_simple_0.log", "priority-queue", 1),
        ("knossos/cas-register/bad/bad-analysis.edn", "cas-register", 1),
        (
            "knossos/cas-register/good/cas-register-bug.edn",
            "cas-register",
            0,
        ),
        ("knossos/cas-register/good/memstress3-3.edn", "cas-register", 0),
        ("porcupine/kv/c01-ok.txt", "kv", 0),
        ("porcupine/kv/c01-bad.txt", "kv", 1),
    ] {
        let ran = omnilink(&["check", &data(path), "--model", model]);
        assert_eq!(ran.code, code, "{path}: {ran:?}");
    }
}

#[test]
fn the_etcd_logs_of_jepsen_get_their_known_verdicts() {
    let table = std::fs::read_to_string(data("porcupine/VERDICTS.tsv")).unwrap();
    let mut paths = Vec::new();
    let mut expected = Vec::new();
    for line in table.lines().filter(|line| line.contains("etcd_0")) {
        let mut fields = line.split_whitespace();
        let (Some(name), Some(verdict)) = (fields.next(), fields.next()) else {
            continue;
        };
        let path = data(&format!("porcupine/jepsen/{}", name.rsplit('/').next().unwrap()));
        if !std::path::Path::new(&path).exists() {
            continue;
        }
        paths.push(path);
        expected.push(if verdict == "true" { "valid" } else { "violation" });
    }
    let mut arguments = vec!["check", "--model", "cas-register", "--json", "--jobs", "2"];
    arguments.extend(paths.iter().map(String::as_str));
    let verdicts: Vec<String> = omnilink(&arguments)
        .json()
        .iter()
        .map(|json| json["verdict"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(verdicts, expected);
}
