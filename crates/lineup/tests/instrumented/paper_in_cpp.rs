//! The bugs of the paper in C++, each found and classified as there. On a machine without a C++ compiler there is nothing
//! to test.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnilink_lineup::{
    Alphabet, Description, Diagnosis, FailingMatrix, Matrices, MatrixVerdict, Scheduled, ScheduledOptions,
};
use omnilink_sched::build::CppBuild;
use tempfile::TempDir;

use super::{campaign_in, found_in, given};

const COMPONENTS: [&str; 7] = [
    "racy_counter",
    "holding_counter",
    "impatient_bag",
    "manual_reset_event",
    "lost_wakeup",
    "bag",
    "barrier",
];

/// The folder with a program for each component; `None` without a compiler.
fn programs() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        std::process::Command::new("g++").arg("--version").output().ok()?;
        let folder = tempfile::tempdir().expect("a folder");
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources = crate_folder.join("../../lineup-targets/cpp/paper");
        let build = |name: &str| {
            let build = CppBuild {
                sources: vec![sources.join(name).with_extension("cpp")],
                includes: vec![crate_folder.join("cpp")],
                compiler: Some("g++".into()),
                ..CppBuild::default()
            };
            let built = build.build(&folder.path().join(name));
            built.unwrap_or_else(|error| panic!("{name}: {error}"));
        };
        // Most of the time goes into the headers of the standard library: two at a time.
        let (some, others) = COMPONENTS.split_at(COMPONENTS.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| some.iter().for_each(|name| build(name)));
            others.iter().for_each(|name| build(name));
        });
        Some(folder)
    });
    folder.as_ref().map(TempDir::path)
}

fn start(component: &str) -> Option<(Scheduled, Description)> {
    let program: PathBuf = programs()?.join(component);
    let options = ScheduledOptions {
        processors: 1,
        ..ScheduledOptions::default()
    };
    Some(Scheduled::start(&program.as_path().into(), options).expect("a running harness"))
}

/// What is wrong with a component, and the smallest matrix that shows it.
fn found(component: &str) -> Option<(String, FailingMatrix)> {
    found_among(component, &|_| Matrices::Growing { largest: 2 })
}

fn found_among(component: &str, matrices: &dyn Fn(&Alphabet) -> Matrices) -> Option<(String, FailingMatrix)> {
    Some(found_in(&mut start(component)?, matrices))
}

fn diagnosis(failure: &FailingMatrix) -> Diagnosis {
    Diagnosis::of(&failure.smallest).expect("a violation")
}

#[test]
fn a_counter_without_a_lock_is_not_linearizable() {
    let Some((matrix, failure)) = found("racy_counter") else {
        return;
    };
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    assert_eq!(diagnosis(&failure), Diagnosis::NotLinearizable);
    assert_eq!(failure.is_repeatable, Some(true));
}

#[test]
fn a_get_that_keeps_the_lock_blocks_in_a_serial_run() {
    let Some((matrix, failure)) = found("holding_counter") else {
        return;
    };
    assert_eq!(failure.smallest.matrix.len(), 2, "{matrix}");
    assert_eq!(diagnosis(&failure), Diagnosis::Blocks);
}

#[test]
fn a_try_take_that_times_out_is_not_linearizable() {
    let Some((matrix, failure)) = found("impatient_bag") else {
        return;
    };
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    assert_eq!(diagnosis(&failure), Diagnosis::NotLinearizable);
}

#[test]
fn a_manual_reset_event_that_reads_twice_before_it_compares_is_stuck() {
    let Some((matrix, failure)) = found("manual_reset_event") else {
        return;
    };
    assert_eq!(matrix, "wait() | set()");
    assert!(matches!(diagnosis(&failure), Diagnosis::LostWakeup(_)));
    assert_eq!(failure.is_repeatable, Some(true));
}

#[test]
fn a_condition_variable_that_is_notified_too_rarely_loses_a_wakeup() {
    let in_more = |alphabet: &Alphabet| given("pop() | pop(), push(1), push(1) | push(1), pop()", alphabet);
    let Some((matrix, failure)) = found_among("lost_wakeup", &in_more) else {
        return;
    };
    assert_eq!(matrix, "pop() | pop() | push(1), push(1)");
    assert!(matches!(diagnosis(&failure), Diagnosis::LostWakeup(_)));
}

#[test]
fn a_bag_that_looks_at_the_clock_is_nondeterministic() {
    let Some((matrix, failure)) = found("bag") else {
        return;
    };
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    assert!(matches!(
        failure.smallest.verdict,
        MatrixVerdict::Nondeterministic(_)
    ));
}

/// All of them, by the matrices that are checked if none are asked for. One processor and one seed: the numbers are the same on every
/// machine, and may grow a little with the compiler's library. Wake-ups without a reason are choices, which made two of the numbers larger.
#[test]
fn each_is_found_in_few_executions() {
    const MOST: [u64; 7] = [103, 12, 80, 65, 1_849, 249, 7];
    for (component, most) in COMPONENTS.into_iter().zip(MOST) {
        let Some(mut started) = start(component) else {
            return;
        };
        let summary = campaign_in(&mut started, &|_| Matrices::small_then_random(100));
        assert!(summary.failure.is_some(), "{component}");
        let executions = summary.executions;
        assert!(
            executions <= most + most / 5,
            "{component}: {executions}, recorded were {most}"
        );
    }
}

#[test]
fn a_barrier_is_a_rendezvous() {
    let Some((matrix, failure)) = found("barrier") else {
        return;
    };
    assert_eq!(matrix, "wait() | wait()");
    assert!(matches!(diagnosis(&failure), Diagnosis::Rendezvous(_)));
}
