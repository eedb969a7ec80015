//! Components in C++. On a machine without a C++ compiler there is nothing to test.

use crate::support::{built, explored_with, program};
use omnilink_sched::build::CppBuild;
use omnilink_sched::{Executor, ExplorationStrategy, HarnessExecutor, HarnessOptions, SchedulingPoints};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn buffer() -> Option<Vec<Box<dyn Executor>>> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        std::process::Command::new("g++").arg("--version").output().ok()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/locks.cpp");
        let build = CppBuild {
            sources: vec![source],
            compiler: Some("g++".into()),
            ..Default::default()
        };
        Some(built("locks", |program| build.build(program)))
    });
    Some(HarnessExecutor::pool(program.as_ref()?, &HarnessOptions::default(), 1).unwrap())
}

fn histories(columns: &str, strategy: ExplorationStrategy) -> Option<BTreeSet<String>> {
    Some(
        explored_with(
            &mut buffer()?,
            &program(columns),
            strategy,
            SchedulingPoints::Atomic,
        )
        .histories,
    )
}

fn bounded(preemptions_max: u32) -> ExplorationStrategy {
    ExplorationStrategy::Bounded {
        preemptions_max: Some(preemptions_max),
        reduction: false,
    }
}

fn set<const N: usize>(histories: [&str; N]) -> Option<BTreeSet<String>> {
    Some(histories.map(str::to_owned).into())
}

#[test]
fn a_buffer_of_one_item_hands_it_over() {
    let Some(found) = histories("0 1", bounded(2)) else {
        return;
    };
    assert_eq!(Some(found), set(["+0 +1 -0: -1:1", "+0 -0: +1 -1:1"]));
}

#[test]
fn waiting_alone_is_stuck_in_serial_executions() {
    let Some(found) = histories("0 1", ExplorationStrategy::Serial) else {
        return;
    };
    assert_eq!(Some(found), set(["+0 -0: +1 -1:1", "+1 !"]));
}

#[test]
fn a_lost_notification_leaves_the_waiter_stuck() {
    let Some(found) = histories("2 1", bounded(0)) else {
        return;
    };
    assert_eq!(Some(found), set(["+0 +1 -0: !", "+0 -0: +1 -1:1"]));
}

#[test]
fn a_wait_with_a_time_limit_may_be_late() {
    let Some(found) = histories("0 3", bounded(1)) else {
        return;
    };
    assert!(found.contains("+1 -1:late +0 -0:"), "{found:#?}");
    assert!(found.contains("+0 +1 -0: -1:1"), "{found:#?}");
}

#[test]
fn threads_of_the_component_are_scheduled_too() {
    let Some(found) = histories("4 4", bounded(1)) else {
        return;
    };
    assert!(found.contains("+0 +1 -0:1 -1:2"), "{found:#?}");
    assert!(found.contains("+0 +1 -0:2 -1:1"), "{found:#?}");
}

#[test]
fn reduction_loses_no_history() {
    for columns in ["0 1", "01 10", "0 1 3", "4 4"] {
        for bound in 0..=2 {
            let reduced = ExplorationStrategy::Bounded {
                preemptions_max: Some(bound),
                reduction: true,
            };
            assert_eq!(
                histories(columns, reduced),
                histories(columns, bounded(bound)),
                "{columns} within {bound}"
            );
        }
    }
}

/// The whole program waits for a wake-up that comes too early, but only after it has spun.
#[test]
fn what_comes_after_spinning_is_reached_under_some_seeds() {
    if std::process::Command::new("g++")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/spin_then_sleep.cpp");
    let build = CppBuild {
        sources: vec![source],
        compiler: Some("g++".into()),
        ..Default::default()
    };
    let program = built("spin_then_sleep", |program| build.build(program));
    let is_stuck = |seed: &u32| {
        let mut command = std::process::Command::new(&program);
        let output = command.env("OMNILINK_SEED", seed.to_string()).output();
        output.expect("it can be started").status.code() == Some(86)
    };
    let stuck = (0..200).filter(is_stuck).count();
    assert!((1..200).contains(&stuck), "stuck under {stuck} of 200 seeds");
}
