//! Errors of harnesses and programs.

use crate::support::{components, program, start};
use omnilink_sched::{
    Executor, ExplorationStrategy, ExploreOptions, HarnessExecutor, HarnessOptions, RunOptions, SchedError,
    Schedule, TestProgram, explore,
};
use std::ops::ControlFlow;
use std::path::Path;

#[test]
fn a_program_that_the_harness_cannot_run_is_refused_with_what_is_possible() {
    let mut counter = start("counter");
    let mut refused =
        |program: TestProgram| match counter.run(&program, &RunOptions::follow(Schedule::default())) {
            Err(error @ SchedError::Program { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        };
    assert_eq!(
        refused(program("0 7")),
        "program: call 7 does not exist, the harness has 3 (0 to 2)"
    );
    assert_eq!(
        refused(TestProgram::default()),
        "program: 0 columns, possible are 1 to 31"
    );
    assert_eq!(
        refused(TestProgram::new(vec![vec![0]; 40])),
        "program: 40 columns, possible are 1 to 31"
    );
    assert_eq!(
        refused(TestProgram::new(vec![vec![0; 5000]])),
        "program: 5000 calls, at most 4096 are possible"
    );
}

#[test]
fn a_program_that_serves_nothing_is_no_harness() {
    let start = |path: &Path| {
        HarnessExecutor::start(path, &HarnessOptions::default())
            .map(|_| ())
            .unwrap_err()
    };
    let error = start(Path::new("/bin/true"));
    assert!(matches!(error, SchedError::NotAHarness { .. }), "{error}");
    let error = start(components());
    assert!(error.to_string().contains("exit status: 4"), "{error}");
    let error = start(Path::new("/nowhere/harness"));
    assert!(matches!(error, SchedError::Start { .. }), "{error}");
}

#[test]
fn a_harness_describes_itself() {
    let counter = start("counter");
    assert_eq!(counter.description(), "counter");
    assert_eq!(counter.ops_offered(), 3);
}

#[test]
fn exploring_without_an_executor_is_an_error() {
    let result = explore(
        &mut [],
        &program("0"),
        ExplorationStrategy::Serial,
        &ExploreOptions::default(),
        &mut |_| ControlFlow::Continue(()),
    );
    assert!(matches!(result, Err(SchedError::NoExecutor)));
}
