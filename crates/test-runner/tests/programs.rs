//! Whole programs in C and C++ of which it is known what is right to say: their names end in `_ok`, `_BUG` or `_suspected`, and have `c11` in them if they are
//! run under the memory orders of C11. Each uses some part of POSIX, of C11's threads or of C++'s library that the runtime replaces.

#![cfg(target_os = "linux")]

use omnilink_sched::MemoryModel;
use omnilink_sched::build::whole_program_flags;
use omnilink_test_runner::{SessionOptions, TestProgress, TestResult, TestSession, framework};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

struct Silent;

impl TestProgress for Silent {
    fn ended(&self, _number: usize, _result: &TestResult) {}
}

/// Compiles a program. A compiler without a part of the library that it needs is no failure.
fn built(source: &Path, directory: &Path) -> PathBuf {
    let program = directory.join(source.file_stem().expect("a name"));
    let (compiler, standard) = match source.extension().and_then(|extension| extension.to_str()) {
        Some("c") => ("gcc", "-std=gnu17"),
        _ => ("g++", "-std=c++20"),
    };
    let output = Command::new(compiler)
        .arg(standard)
        .arg(source)
        .args(whole_program_flags().expect("flags"))
        .args(["-pthread", "-lrt", "-o"])
        .arg(&program)
        .output()
        .expect("a compiler");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", source.display());
    program
}

fn checked(source: &Path, directory: &Path) -> Result<(), String> {
    let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
    let program = built(source, directory);
    let tests = framework::cpp_tests(&program, &[]).expect("one test");
    let options = SessionOptions {
        jobs: 1,
        schedules: 100,
        shrinking_runs_max: 4,
        run_max: Duration::from_secs(5),
        memory_model: match name.contains("c11_") && !name.starts_with("c11_") {
            true => MemoryModel::Cpp20 { stale_max: 16 },
            false => MemoryModel::SequentiallyConsistent,
        },
        ..SessionOptions::default()
    };
    let session = TestSession::run(&tests, &options, &Silent).expect("it runs");
    let result = session.results.first().expect("a result");
    let said = match (&result.failure, result.is_suspected(), result.obstacle) {
        (Some(_), _, _) => "BUG",
        (None, true, _) => "suspected",
        (None, false, None) => "ok",
        (None, false, Some(_)) => "not controlled",
    };
    let failure = result.failure.as_ref().or(result.suspected.as_ref());
    let kind = failure.map(|found| format!("{:?}", found.failure.kind));
    match name.ends_with(said) {
        true => Ok(()),
        false => Err(format!("{name}: {said} {}", kind.unwrap_or_default())),
    }
}

#[test]
fn what_is_said_of_programs_is_right() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(sources)
        .expect("the programs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    sources.sort();
    // Those in C++ take long to compile: all of them, if there is time.
    if std::env::var_os("OMNILINK_ROUNDS").is_none() {
        let mut number = 0;
        sources.retain(|source| {
            number += 1;
            source.extension().is_some_and(|extension| extension == "c") || number % 4 == 0
        });
    }
    let directory = std::env::temp_dir().join(format!("omnilink-programs-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a folder");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(message) = checked(source, &directory) {
                wrong.lock().expect("a list").push(message);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let _ = std::fs::remove_dir_all(&directory);
    let wrong = wrong.into_inner().expect("a list");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
