//! The mistakes of the textbook with what threads wait by, in Rust and in C++: each is found for what it is, and the
//! component next to it that does it right passes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnilink_lineup::{
    Description, Diagnosis, LineupOptions, Matrix, MatrixVerdict, Request, Scheduled, ScheduledOptions,
    check_matrix,
};
use omnilink_sched::build::{CppBuild, RustBuild};
use tempfile::TempDir;

pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/instrumented")
        .join(name)
}

/// The program of a folder, under the name of a component.
fn linked(folder: &TempDir, component: &str) -> PathBuf {
    let program = folder.path().join(component);
    let linked = std::fs::hard_link(folder.path().join("textbook"), &program);
    assert!(linked.is_ok() || program.exists(), "{linked:?}");
    program
}

fn in_rust(component: &str) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        RustBuild::build_file(
            &source("textbook_harness.rs"),
            &folder.path().join("textbook"),
            &[],
        )
        .expect("a harness");
        folder
    });
    linked(folder, component)
}

/// `None` without a compiler.
fn in_cpp(component: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    built_in_cpp(component, "textbook.cpp", &FOLDER)
}

fn built_in_cpp(component: &str, file: &str, folder: &'static OnceLock<Option<TempDir>>) -> Option<PathBuf> {
    let folder = folder.get_or_init(|| {
        std::process::Command::new("g++").arg("--version").output().ok()?;
        let folder = tempfile::tempdir().expect("a folder");
        let build = CppBuild {
            sources: vec![source(file)],
            includes: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp")],
            compiler: Some("g++".into()),
            ..CppBuild::default()
        };
        build
            .build(&folder.path().join("textbook"))
            .unwrap_or_else(|error| panic!("{error}"));
        Some(folder)
    });
    Some(linked(folder.as_ref()?, component))
}

/// What a matrix suffers from; `None` if it passes.
fn diagnosis(program: &Path, matrix: &str) -> Option<Diagnosis> {
    let options = ScheduledOptions {
        processors: 1,
        ..ScheduledOptions::default()
    };
    let (mut executor, Description { alphabet, .. }) =
        Scheduled::start(&program.into(), options).expect("a running harness");
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let request = Request {
        alphabet: &alphabet,
        options: &LineupOptions::default(),
        specification: None,
    };
    let checked = check_matrix(&mut executor, request, &matrix, &mut || {}).unwrap();
    let diagnosis = Diagnosis::of(&checked);
    assert!(
        diagnosis.is_some() || matches!(checked.verdict, MatrixVerdict::Passed),
        "{program:?}: {:?}",
        checked.verdict
    );
    diagnosis
}

/// What a mistake is to be found as.
type Expected = fn(&Diagnosis) -> bool;

/// The mistakes: component, matrix, what is to be found.
const WRONG: [(&str, &str, Expected); 19] = [
    ("semaphore_wrong", "up() | down()", is_lost_wakeup),
    ("park_wrong", "signal() | wait()", is_lost_wakeup),
    ("token_wrong", "hint(), signal() | wait()", is_not_linearizable),
    ("gate_wrong", "pass() | pass() | open()", is_lost_wakeup),
    ("lazy_wrong", "get() | get()", is_not_linearizable),
    ("locks_wrong", "there() | back()", is_deadlock),
    ("upgrade_wrong", "inc() | inc()", is_not_linearizable),
    ("closing_wrong", "finish() | poll()", is_not_linearizable),
    ("once_wrong", "make() | look()", is_not_linearizable),
    ("scoped_wrong", "twice()", is_not_linearizable),
    ("publish_relaxed", "publish() | read()", is_race),
    ("publish_half", "publish() | read()", is_race),
    ("publish_other_half", "publish() | read()", is_race),
    ("publish_one_fence", "publish() | read()", is_race),
    ("spin_wrong", "inc() | inc()", is_race),
    ("permits_wrong", "take() | take()", is_not_linearizable),
    ("ring_wrong", "push(1) | pop()", is_not_linearizable),
    ("overflow", "look()", is_crash),
    ("double_free", "free() | free()", is_crash),
];

/// What does it right.
const RIGHT: [(&str, &str); 20] = [
    ("semaphore_right", "up() | down()"),
    ("park_right", "signal() | wait()"),
    ("gate_right", "pass() | pass() | open()"),
    ("lazy_right", "get() | get()"),
    ("upgrade_right", "inc() | inc()"),
    ("closing_right", "finish() | poll()"),
    ("once_right", "make() | look(), make()"),
    ("poison", "make(), is_made() | make()"),
    ("lazy_lock", "get() | get()"),
    ("scoped_right", "twice()"),
    ("publish_right", "publish() | read()"),
    ("publish_fences", "publish() | read()"),
    ("spin_right", "inc() | inc()"),
    ("permits_right", "take(), give() | take()"),
    ("ring_right", "push(1), push(1), push(1) | pop(), pop()"),
    ("handed_by_park", "give() | take()"),
    ("handed_by_condvar", "give() | take()"),
    ("handed_by_mpsc", "give() | take()"),
    ("handed_by_threads", "sum()"),
    ("handed_by_arc", "use() | use() | drop()"),
];

fn is_lost_wakeup(diagnosis: &Diagnosis) -> bool {
    matches!(diagnosis, Diagnosis::LostWakeup(_))
}

fn is_not_linearizable(diagnosis: &Diagnosis) -> bool {
    *diagnosis == Diagnosis::NotLinearizable
}

fn is_race(diagnosis: &Diagnosis) -> bool {
    *diagnosis == Diagnosis::Race
}

fn is_crash(diagnosis: &Diagnosis) -> bool {
    *diagnosis == Diagnosis::Crash
}

fn is_deadlock(diagnosis: &Diagnosis) -> bool {
    *diagnosis == Diagnosis::Deadlock
}

#[test]
fn each_mistake_in_rust_is_found_for_what_it_is() {
    for (component, matrix, is_expected) in WRONG {
        let found = diagnosis(&in_rust(component), matrix);
        assert!(found.as_ref().is_some_and(is_expected), "{component}: {found:?}");
    }
}

#[test]
fn what_is_done_right_in_rust_passes() {
    for (component, matrix) in RIGHT {
        assert_eq!(diagnosis(&in_rust(component), matrix), None, "{component}");
    }
}

#[test]
fn the_same_mistakes_in_cpp_are_found_and_their_counterparts_pass() {
    let twins = ["semaphore", "gate", "lazy", "locks", "upgrade"];
    for (component, matrix, is_expected) in WRONG {
        if !twins
            .iter()
            .any(|twin| component.starts_with(twin) && component != "lazy_lock")
        {
            continue;
        }
        let Some(program) = in_cpp(component) else { return };
        let found = diagnosis(&program, matrix);
        assert!(found.as_ref().is_some_and(is_expected), "{component}: {found:?}");
    }
    for (component, matrix) in RIGHT {
        if !twins
            .iter()
            .any(|twin| component.starts_with(twin) && component != "lazy_lock")
        {
            continue;
        }
        let Some(program) = in_cpp(component) else { return };
        assert_eq!(diagnosis(&program, matrix), None, "{component}");
    }
}

/// Structures in C++: component, matrix, what is to be found.
const WRONG_STRUCTURES: [(&str, &str, Expected); 3] = [
    ("bakery_wrong", "left() | right()", is_not_linearizable),
    ("two_lock_queue_wrong", "push(1) | pop()", is_race),
    (
        "hand_over_hand_wrong",
        "insert(1) | insert(1)",
        is_not_linearizable,
    ),
];

const RIGHT_STRUCTURES: [(&str, &str); 4] = [
    ("bakery_right", "left() | right()"),
    ("two_lock_queue_right", "push(1), pop() | pop(), push(1)"),
    ("hand_over_hand_right", "insert(1) | insert(1), insert(2)"),
    ("hand_over_hand_right", "insert(2) | insert(1) | insert(2)"),
];

#[test]
fn mistakes_in_structures_in_cpp_are_found_and_the_right_ones_pass() {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    for (component, matrix, is_expected) in WRONG_STRUCTURES {
        let Some(program) = built_in_cpp(component, "structures.cpp", &FOLDER) else {
            return;
        };
        let found = diagnosis(&program, matrix);
        assert!(found.as_ref().is_some_and(is_expected), "{component}: {found:?}");
    }
    for (component, matrix) in RIGHT_STRUCTURES {
        let Some(program) = built_in_cpp(component, "structures.cpp", &FOLDER) else {
            return;
        };
        assert_eq!(diagnosis(&program, matrix), None, "{component} {matrix}");
    }
}
