//! The components under test, built once, and their histories.

use omnilink_sched::build::{BuildError, RustBuild};
use omnilink_sched::{
    Ending, Execution, Executor, ExplorationResult, ExplorationStrategy, ExploreOptions, HarnessEvent,
    HarnessEventKind, HarnessExecutor, HarnessOptions, SchedulingPoints, StopReason, TestProgram, explore,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Builds a program under a name that stays the same from run to run. It appears whole: another test process may
/// be running the one before.
pub fn built(name: &str, build: impl FnOnce(&Path) -> Result<(), BuildError>) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let new = directory.join(format!("{name}-{}", std::process::id()));
    build(&new).unwrap_or_else(|error| panic!("{error}"));
    let program = directory.join(name);
    std::fs::rename(&new, &program).expect("both are in one directory");
    program
}

/// The program that has all components of `tests/behaviour/components`.
pub fn components() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/main.rs");
        built("components", |program| {
            RustBuild::build_file(&source, program, &[])
        })
    })
}

pub fn start(component: &str) -> HarnessExecutor {
    let options = HarnessOptions {
        arguments: vec![component.into()],
        compute_seconds_max: 20,
        ..Default::default()
    };
    HarnessExecutor::start(components(), &options).unwrap_or_else(|error| panic!("{error}"))
}

pub fn pool(component: &str, count: usize) -> Vec<Box<dyn Executor>> {
    let options = HarnessOptions {
        arguments: vec![component.into()],
        compute_seconds_max: 20,
        ..Default::default()
    };
    HarnessExecutor::pool(components(), &options, count).unwrap_or_else(|error| panic!("{error}"))
}

/// A program drawn as its columns: `"01 2"` is calls 0 and 1 on thread 0, call 2 on thread 1.
pub fn program(columns: &str) -> TestProgram {
    let ops = |column: &str| {
        column
            .chars()
            .map(|op| op.to_digit(10).expect("a digit"))
            .collect()
    };
    TestProgram::new(columns.split(' ').map(ops).collect())
}

/// A history in one line: `+0 -0:7 +1` is thread 0 calling, returning 7, thread 1 calling; `!` marks a history
/// that is stuck, `#` one that crashed.
pub fn drawn(execution: &Execution) -> String {
    let draw = |event: &HarnessEvent| match &event.kind {
        HarnessEventKind::Call => format!("+{}", event.thread),
        HarnessEventKind::Return(value) => format!("-{}:{value}", event.thread),
    };
    let mut words: Vec<String> = execution.canonical_events().iter().map(draw).collect();
    match &execution.ending {
        Ending::Finished => {}
        Ending::Stuck(_) => words.push("!".into()),
        Ending::Crashed { .. } => words.push("#".into()),
        other => words.push(format!("{other:?}")),
    }
    words.join(" ")
}

pub struct Explored {
    pub histories: BTreeSet<String>,
    pub exploration: ExplorationResult,
    pub executions: Vec<Execution>,
}

pub fn explored(component: &str, columns: &str, strategy: ExplorationStrategy) -> Explored {
    explored_with(
        &mut pool(component, 1),
        &program(columns),
        strategy,
        SchedulingPoints::Atomic,
    )
}

pub fn explored_with(
    executors: &mut [Box<dyn Executor>],
    program: &TestProgram,
    strategy: ExplorationStrategy,
    scheduling_points: SchedulingPoints,
) -> Explored {
    let options = ExploreOptions {
        scheduling_points,
        ..Default::default()
    };
    let (mut histories, mut executions) = (BTreeSet::new(), Vec::new());
    let mut visit = |execution: &Execution| {
        histories.insert(drawn(execution));
        executions.push(execution.clone());
        ControlFlow::Continue(())
    };
    let exploration =
        explore(executors, program, strategy, &options, &mut visit).expect("the harness answers");
    assert_eq!(exploration.stopped, StopReason::Exhausted);
    assert_eq!(exploration.diverged, 0);
    Explored {
        histories,
        exploration,
        executions,
    }
}
