//! Native threads.

use crate::support::{components, drawn, program, start};
use omnilink_sched::{Ending, HarnessExecutor, HarnessOptions, StopConditions, ThreadStalls};
use std::collections::BTreeSet;

#[test]
fn every_round_has_a_component_of_its_own() {
    let mut both = program("22 2");
    both.after = vec![1];
    let executions = start("counter")
        .sample_native(&both, 50, &StopConditions::default())
        .unwrap();
    assert_eq!(executions.len(), 50);
    for execution in &executions {
        assert_eq!(execution.ending, Ending::Finished);
        assert!(drawn(execution).ends_with("+2 -2:3"), "{}", drawn(execution));
    }
}

#[test]
fn stalls_do_not_change_what_a_round_shows() {
    let options = HarnessOptions {
        arguments: vec!["queue".into()],
        environment: ThreadStalls::default().environment().unwrap(),
        ..Default::default()
    };
    let mut queue = HarnessExecutor::start(components(), &options).unwrap();
    let executions = queue
        .sample_native(&program("02 12"), 200, &StopConditions::default())
        .unwrap();
    assert_eq!(executions.len(), 200);
    // A thread that has just put an item in always takes one out.
    let histories: BTreeSet<String> = executions.iter().map(drawn).collect();
    assert!(
        histories.iter().all(|history| !history.contains("None")),
        "{histories:#?}"
    );
}

#[test]
fn a_crash_ends_the_rounds_and_comes_last() {
    let executions = start("crashes")
        .sample_native(&program("0 0"), 5, &StopConditions::default())
        .unwrap();
    assert_eq!(executions.len(), 1);
    assert!(matches!(
        executions[0].ending,
        Ending::Crashed { signal: Some(6), .. }
    ));
}
