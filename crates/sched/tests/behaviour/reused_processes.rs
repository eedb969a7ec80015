//! Executions share a process, and none can tell.

use crate::support::{drawn, pool, program, start};
use omnilink_sched::{
    Ending, Execution, Executor, ExplorationStrategy, ExploreOptions, HarnessExecutor, MemoryModel,
    RunOptions, Schedule, explore,
};
use std::ops::ControlFlow;

fn run(harness: &mut HarnessExecutor, columns: &str, isolated: bool) -> Execution {
    let options = RunOptions {
        isolated,
        ..RunOptions::follow(Schedule::default())
    };
    harness
        .run(&program(columns), &options)
        .expect("the harness answers")
}

/// Statics, thread-locals, the C library's memory, stacks, open files and mappings: whatever an execution has changed, after whatever
/// ending, the next one finds what it would find in a process of its own.
#[test]
fn an_execution_leaves_nothing_behind() {
    let programs = [
        "0", "00 0", "1 1", "2", "3", "4 0", "0 4", "5", "0 5", "6 0", "0 1 2", "123 0",
    ];
    let mut alone = start("residue");
    let expected: Vec<Execution> = programs
        .iter()
        .map(|columns| run(&mut alone, columns, true))
        .collect();
    assert!(expected[4].ending == Ending::Finished, "{}", drawn(&expected[4]));
    let mut shared = start("residue");
    for round in 0..3 {
        for first in 0..programs.len() {
            for second in [first, (first * 5 + round) % programs.len(), 0] {
                let found = run(&mut shared, programs[second], false);
                let wanted = &expected[second];
                let place = format!("{} after {}", programs[second], programs[first]);
                assert_eq!(drawn(&found), drawn(wanted), "{place}");
                assert_eq!(found.ending, wanted.ending, "{place}");
                assert_eq!(found.steps, wanted.steps, "{place}");
            }
        }
    }
}

fn all(component: &str, columns: &str, options: &ExploreOptions) -> Vec<Execution> {
    let mut executions = Vec::new();
    let mut visit = |execution: &Execution| {
        executions.push(execution.clone());
        ControlFlow::Continue(())
    };
    let strategy = ExplorationStrategy::Bounded {
        preemptions_max: Some(2),
        reduction: true,
    };
    explore(
        &mut pool(component, 1),
        &program(columns),
        strategy,
        options,
        &mut visit,
    )
    .expect("the harness answers");
    executions
}

/// The same executions in the same order, with the same steps, values, addresses, races and endings.
#[test]
fn an_exploration_is_the_same_as_with_a_process_for_each_execution() {
    let weak = MemoryModel::Cpp20 { stale_max: 1 };
    for (component, columns, memory_model) in [
        ("queue", "02 12 2", MemoryModel::SequentiallyConsistent),
        ("counter", "00 00", weak),
        ("racy", "00 0", MemoryModel::SequentiallyConsistent),
        ("blocking", "0 1 3", MemoryModel::SequentiallyConsistent),
        ("locks", "0 1", MemoryModel::SequentiallyConsistent),
        ("spin", "00 01", weak),
        ("threads", "0 0", MemoryModel::SequentiallyConsistent),
        ("crashes", "01 0", MemoryModel::SequentiallyConsistent),
        ("surroundings", "00 0", MemoryModel::SequentiallyConsistent),
    ] {
        let options = ExploreOptions {
            memory_model,
            detects_races: true,
            detects_leaks: component == "queue",
            executions_max: 400,
            ..ExploreOptions::default()
        };
        let shared = all(component, columns, &options);
        let alone = all(
            component,
            columns,
            &ExploreOptions {
                isolated: true,
                ..options
            },
        );
        assert!(shared.len() > 1, "{component}");
        assert_eq!(shared.len(), alone.len(), "{component}");
        for (shared, alone) in shared.iter().zip(&alone) {
            assert_eq!(drawn(shared), drawn(alone), "{component} {columns}");
            assert_eq!(shared.ending, alone.ending, "{component} {columns}");
            assert_eq!(shared.steps, alone.steps, "{component} {columns}");
            assert_eq!(shared.races, alone.races, "{component} {columns}");
        }
    }
}
