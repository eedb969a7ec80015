//! What is seen in a specification.

use omnilink_gen::{GenError, HarnessPlan, ParameterType, PlanOptions};

use crate::specs::{BULK, BULK_LINK, QUEUE, bank, options, written};

fn lines(plan: &HarnessPlan) -> Vec<String> {
    let line = |op: &omnilink_gen::HarnessOp| {
        let results: Vec<&str> = op.results().map(|result| result.name.as_str()).collect();
        format!("{} -> {}", op.signature(), results.join(", "))
    };
    plan.ops.iter().map(line).collect()
}

#[test]
fn every_action_of_next_is_an_operation_with_arguments_and_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = bank(folder.path());
    assert_eq!(
        lines(&plan),
        [
            "Deposit(acc, amount) -> ",
            "Withdraw(acc, amount) -> done",
            "Read(acc) -> found, amount",
            "Lock(who) -> ",
            "Note(entry) -> ",
            "Cas(acc, old, new) -> ok",
            "delete() -> ",
        ]
    );
    let kinds: Vec<&ParameterType> = plan
        .ops
        .iter()
        .flat_map(|op| op.arguments())
        .map(|argument| &argument.kind)
        .collect();
    let record = ParameterType::Record(vec![
        ("id".into(), ParameterType::Int),
        ("tags".into(), ParameterType::Seq(Box::new(ParameterType::Str))),
    ]);
    let (model, int, text) = (&ParameterType::Model, &ParameterType::Int, &ParameterType::Str);
    assert_eq!(
        kinds,
        [model, int, model, int, model, text, &record, model, int, int]
    );
    let link = plan.link.expect("results have other names than expected");
    assert!(
        link.contains("[ops.Withdraw]\nfields = { done = \"ret\" }"),
        "{link}"
    );
    assert!(
        link.contains("action = \"Read(acc, ret.found, ret.amount)\""),
        "{link}"
    );
}

#[test]
fn without_a_next_state_relation_every_action_is_an_operation() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = written(folder.path(), "Queue", QUEUE);
    let plan = HarnessPlan::read(&spec, &PlanOptions::default()).expect("a plan");
    assert_eq!(lines(&plan), ["Put(item) -> ", "Take() -> result"]);
    assert_eq!(plan.link, None);
}

#[test]
fn the_link_file_names_operations_and_hides_actions() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = written(folder.path(), "Bulk", BULK);
    let plan = HarnessPlan::read(&spec, &options(None, BULK_LINK)).expect("a plan");
    assert_eq!(lines(&plan), ["PutAll(items) -> ", "push(value) -> "]);
    let kinds: Vec<&ParameterType> = plan
        .ops
        .iter()
        .flat_map(|op| op.arguments())
        .map(|argument| &argument.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            &ParameterType::Seq(Box::new(ParameterType::Unknown)),
            &ParameterType::Int
        ]
    );
}

#[test]
fn the_user_decides_what_is_a_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = written(folder.path(), "Queue", QUEUE);
    let mut given = PlanOptions {
        results: vec!["Put.item".into()],
        arguments: vec!["Take.result".into()],
        ..PlanOptions::default()
    };
    let plan = HarnessPlan::read(&spec, &given).expect("a plan");
    assert_eq!(lines(&plan), ["Put() -> item", "Take(result) -> "]);
    given.results = vec!["Put.thing".into()];
    let error = HarnessPlan::read(&spec, &given).expect_err("no such parameter");
    assert!(error.to_string().contains("--result Put.thing"), "{error}");
}

#[test]
fn bad_specifications_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = written(
        folder.path(),
        "None",
        "---- MODULE None ----\nVARIABLE x\nInit == x = 0\n====",
    );
    let error = HarnessPlan::read(&none, &PlanOptions::default());
    assert!(matches!(error, Err(GenError::NoActions(_))));
    let broken = written(
        folder.path(),
        "Broken",
        "---- MODULE Broken ----\nPut(x) == y' = x\n====",
    );
    let error = HarnessPlan::read(&broken, &PlanOptions::default()).expect_err("y is not defined");
    assert!(error.to_string().contains('y'), "{error}");
    assert!(HarnessPlan::read(&folder.path().join("Missing.tla"), &PlanOptions::default()).is_err());
}
