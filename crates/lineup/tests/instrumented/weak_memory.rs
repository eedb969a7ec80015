//! Algorithms that are wrong only because memory is weak: found under `MemoryModel::Cpp20` and not without it; what has the
//! right orders passes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnilink_lineup::{
    CheckedMatrix, Description, Diagnosis, LineupOptions, Matrix, MatrixVerdict, MemoryModel, Request,
    Scheduled, ScheduledOptions, check_matrix,
};
use omnilink_sched::build::{CppBuild, RustBuild};
use tempfile::TempDir;

use crate::textbook::source;

fn linked(folder: &TempDir, component: &str) -> PathBuf {
    let program = folder.path().join(component);
    let linked = std::fs::hard_link(folder.path().join("weak"), &program);
    assert!(linked.is_ok() || program.exists(), "{linked:?}");
    program
}

fn in_rust(component: &str) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("weak");
        RustBuild::build_file(&source("weak_memory_harness.rs"), &program, &[]).expect("a harness");
        folder
    });
    linked(folder, component)
}

/// `None` without a compiler.
fn in_cpp(component: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        std::process::Command::new("g++").arg("--version").output().ok()?;
        let folder = tempfile::tempdir().expect("a folder");
        let build = CppBuild {
            sources: vec![source("weak_memory.cpp")],
            includes: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp")],
            compiler: Some("g++".into()),
            ..CppBuild::default()
        };
        let built = build.build(&folder.path().join("weak"));
        built.unwrap_or_else(|error| panic!("{error}"));
        Some(folder)
    });
    Some(linked(folder.as_ref()?, component))
}

fn checked(program: &Path, matrix: &str, memory_model: MemoryModel) -> CheckedMatrix {
    let options = ScheduledOptions {
        processors: 1,
        memory_model,
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
    let is_decided = Diagnosis::of(&checked).is_some() || matches!(checked.verdict, MatrixVerdict::Passed);
    assert!(is_decided, "{program:?}: {:?}", checked.verdict);
    checked
}

/// What the command uses by default.
const WEAK: MemoryModel = MemoryModel::Cpp20 { stale_max: 1 };

/// An algorithm, its matrix, the variants that are wrong and those that are right.
const ALGORITHMS: [(&str, &str, &[&str], &[&str]); 6] = [
    (
        "dekker",
        "first() | second()",
        &["relaxed", "acquire", "release", "both"],
        &["seqcst", "fences"],
    ),
    (
        "message",
        "send() | receive()",
        &["relaxed", "acquire", "release"],
        &["both", "seqcst", "fences"],
    ),
    (
        "peterson",
        "first() | second()",
        &["relaxed", "both"],
        &["seqcst"],
    ),
    (
        "deque",
        "{push(1), push(2)} take() | steal(), steal()",
        &["relaxed"],
        &["fences"],
    ),
    ("sequence", "write(1) | read()", &["relaxed"], &["fences"]),
    // Coherence holds for all orders, and a read-modify-write is atomic in all.
    (
        "coherence",
        "store(1), add() | load(), load()",
        &[],
        &["relaxed", "both", "seqcst"],
    ),
];

#[test]
fn what_needs_stronger_orders_is_found_and_what_has_them_passes() {
    for (algorithm, matrix, wrong, right) in ALGORITHMS {
        for variant in wrong {
            let program = in_rust(&format!("{algorithm}_{variant}"));
            let found = checked(&program, matrix, WEAK);
            assert_eq!(
                Diagnosis::of(&found),
                Some(Diagnosis::NotLinearizable),
                "{program:?}"
            );
            let MatrixVerdict::Violation(violation) = &found.verdict else {
                panic!("{:?}", found.verdict)
            };
            assert_eq!(violation.execution.stale_reads, 1, "{program:?}");
            // Sequential consistency hides it.
            let strong = checked(&program, matrix, MemoryModel::SequentiallyConsistent);
            assert_eq!(Diagnosis::of(&strong), None, "{program:?}");
        }
        for variant in right {
            let program = in_rust(&format!("{algorithm}_{variant}"));
            let found = checked(&program, matrix, MemoryModel::Cpp20 { stale_max: 2 });
            assert_eq!(Diagnosis::of(&found), None, "{program:?}");
        }
    }
}

#[test]
fn the_same_holds_for_cpp() {
    for (algorithm, matrix, wrong, right) in ALGORITHMS.into_iter().take(3) {
        for (variant, is_wrong) in wrong
            .iter()
            .map(|variant| (variant, true))
            .chain(right.iter().map(|variant| (variant, false)))
        {
            let Some(program) = in_cpp(&format!("{algorithm}_{variant}")) else {
                return;
            };
            let found = Diagnosis::of(&checked(&program, matrix, WEAK));
            let expected = is_wrong.then_some(Diagnosis::NotLinearizable);
            assert_eq!(found, expected, "{program:?}");
        }
    }
}

/// A call that begins after another has returned knows of it: a relaxed load is no violation by itself.
#[test]
fn calls_in_sequence_see_each_other_whatever_their_orders() {
    let program = in_rust("coherence_relaxed");
    for matrix in ["store(1) | load()", "store(1), store(2) | load(), load()"] {
        assert_eq!(Diagnosis::of(&checked(&program, matrix, WEAK)), None, "{matrix}");
    }
}
