//! The examples of `docs/evidence.md` are evidence: each is read, and written again as it stands.

use std::collections::BTreeSet;
use std::path::Path;

use omnilink_evidence::{Evidence, Violation};

fn examples() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md");
    let page = std::fs::read_to_string(path).unwrap();
    page.lines()
        .filter(|line| line.starts_with("{\"evidence\":1,"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_example_is_read_and_written_again_as_it_stands() {
    for example in examples() {
        assert_eq!(Evidence::from_json(&example).unwrap().to_json(), example);
    }
}

#[test]
fn there_is_an_example_of_every_subject_verdict_and_kind_of_violation() {
    let examples: Vec<Evidence> = examples()
        .iter()
        .map(|example| Evidence::from_json(example).unwrap())
        .collect();
    let subjects: BTreeSet<String> = examples
        .iter()
        .map(|example| format!("{:?}", example.subject))
        .collect();
    let verdicts: BTreeSet<&str> = examples.iter().map(|example| example.verdict.word()).collect();
    let kind = |violation: &Violation| match violation {
        Violation::Operation(_) => "operation",
        Violation::Visibility(_) => "visibility",
        Violation::Transactions(_) => "transactions",
        Violation::Behaviour(_) => "behaviour",
        Violation::Run(_) => "run",
        Violation::Nondeterminism(_) => "nondeterminism",
        Violation::Test(_) => "test",
    };
    let kinds: BTreeSet<&str> = examples
        .iter()
        .filter_map(|example| example.violation.as_ref())
        .map(kind)
        .collect();
    assert_eq!(subjects.len(), 8, "{subjects:?}");
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}
