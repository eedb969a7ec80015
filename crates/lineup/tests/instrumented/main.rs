//! The paper's components as real, unmodified code under the instrumented scheduler.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

mod lost_runs;
mod paper_in_cpp;
mod textbook;
mod weak_memory;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnilink_lineup::{
    Alphabet, CheckedMatrix, Description, Diagnosis, FailingMatrix, LineupError, LineupOptions, Matrices,
    Matrix, MatrixExecutor, MatrixVerdict, NativeThreads, Request, RunSelection, Scheduled, ScheduledOptions,
    Summary, Why, check_matrix, run_campaign,
};
use omnilink_sched::build::RustBuild;
use tempfile::TempDir;

/// The harness, built once, under the name of each component.
fn harness(component: &str) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instrumented/harness.rs");
        RustBuild::build_file(&source, &folder.path().join("harness"), &[]).expect("a harness");
        folder
    });
    let program = folder.path().join(component);
    // A link, not a copy: a file that is being written cannot be started, and another test may fork just then.
    let linked = std::fs::hard_link(folder.path().join("harness"), &program);
    assert!(linked.is_ok() || program.exists(), "{linked:?}");
    program
}

fn start(component: &str) -> (Scheduled, Description) {
    let options = ScheduledOptions {
        processors: 1,
        ..ScheduledOptions::default()
    };
    Scheduled::start(&harness(component).as_path().into(), options).expect("a running harness")
}

fn checked(component: &str, matrix: &str, options: &LineupOptions) -> (CheckedMatrix, Alphabet) {
    let (mut executor, Description { alphabet, .. }) = start(component);
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let request = Request {
        alphabet: &alphabet,
        options,
        specification: None,
    };
    let checked = check_matrix(&mut executor, request, &matrix, &mut || {}).unwrap();
    (checked, alphabet)
}

/// The smallest failing matrix among all of two threads.
fn found(component: &str) -> (String, FailingMatrix) {
    found_in(&mut start(component), &|_| Matrices::Growing { largest: 2 })
}

fn found_in(
    started: &mut (impl MatrixExecutor, Description),
    matrices: &dyn Fn(&Alphabet) -> Matrices,
) -> (String, FailingMatrix) {
    let failure = *campaign_in(started, matrices).failure.expect("a failure");
    let matrix = failure.smallest.matrix.display(&started.1.alphabet).to_string();
    (matrix, failure)
}

fn campaign_in(
    (executor, description): &mut (impl MatrixExecutor, Description),
    matrices: &dyn Fn(&Alphabet) -> Matrices,
) -> Summary {
    let options = LineupOptions {
        blocking: description.blocking,
        search: if executor.controls_threads() {
            LineupOptions::default().search
        } else {
            RunSelection::Random { executions: 200_000 }
        },
        executions_max: u64::MAX,
        ..LineupOptions::default()
    };
    let alphabet = &description.alphabet;
    let request = Request {
        alphabet,
        options: &options,
        specification: None,
    };
    let matrices = matrices(alphabet);
    run_campaign(executor, request, &matrices, &mut |_, _| {}, &mut || {}).unwrap()
}

#[test]
fn a_queue_with_three_threads_of_three_calls_has_1680_serial_histories() {
    let options = LineupOptions {
        search: RunSelection::Bounded { preemptions: 0 },
        ..LineupOptions::default()
    };
    let matrix = "push(1), pop(), push(2) | pop(), push(2), pop() | push(1), pop(), pop()";
    let (checked, _) = checked("queue", matrix, &options);
    assert_eq!(checked.serial.finished(), 1680);
    assert_eq!(checked.serial.len(), 1680);
    assert_eq!(checked.phases[0].executions, 6);
    assert!(
        matches!(checked.verdict, MatrixVerdict::Passed),
        "{:?}",
        checked.verdict
    );
}

#[test]
fn correct_components_pass() {
    let options = LineupOptions::default();
    let (checked_queue, _) = checked("queue", "push(1), pop() | push(2), pop()", &options);
    assert!(
        matches!(checked_queue.verdict, MatrixVerdict::Passed),
        "{:?}",
        checked_queue.verdict
    );
    let (checked_blocking, _) = checked("blocking", "pop() | pop() | push(1), push(1)", &options);
    assert!(
        matches!(checked_blocking.verdict, MatrixVerdict::Passed),
        "{:?}",
        checked_blocking.verdict
    );
    assert!(checked_blocking.serial.stuck() > 0);
}

#[test]
fn a_counter_without_a_lock_is_found_with_one_preemption_and_repeated() {
    let (matrix, failure) = found("counter");
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::NotLinearizable));
    assert_eq!(failure.is_repeatable, Some(true));
    let MatrixVerdict::Violation(violation) = &failure.smallest.verdict else {
        panic!("{matrix}")
    };
    assert_eq!(violation.execution.preemptions, 1);
    let places: Vec<&str> = violation
        .execution
        .switches
        .iter()
        .filter_map(|switch| switch.source_line.as_deref())
        .collect();
    assert!(
        places.iter().any(|place| place.contains("harness.rs:")),
        "{places:?}"
    );
}

#[test]
fn a_get_that_keeps_the_lock_blocks_in_serial_runs() {
    let (checked, _) = checked("holding", "get() | inc()", &LineupOptions::default());
    assert_eq!((checked.serial.finished(), checked.serial.stuck()), (1, 1));
    assert!(matches!(checked.verdict, MatrixVerdict::Passed));
}

#[test]
fn a_try_take_that_gives_up_is_found() {
    let (matrix, failure) = found("impatient");
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::NotLinearizable));
}

fn given(matrix: &str, alphabet: &Alphabet) -> Matrices {
    Matrices::Given(vec![Matrix::parse(matrix, alphabet).unwrap()])
}

/// Two sleepers, for whom one call to wake one of them is one too few.
fn two_sleepers(alphabet: &Alphabet) -> Matrices {
    given("pop() | pop() | push(1), push(1), push(1)", alphabet)
}

#[test]
fn a_lost_wakeup_is_found_as_stuck() {
    let (matrix, failure) = found_in(&mut start("lost"), &two_sleepers);
    assert_eq!(matrix, "pop() | pop() | push(1), push(1)");
    assert!(
        matches!(Diagnosis::of(&failure.smallest), Some(Diagnosis::LostWakeup(_))),
        "{matrix}"
    );
    assert_eq!(failure.is_repeatable, Some(true));
}

#[test]
fn a_barrier_is_a_rendezvous() {
    let (matrix, failure) = found("barrier");
    assert_eq!(matrix, "wait() | wait()");
    assert!(matches!(
        Diagnosis::of(&failure.smallest),
        Some(Diagnosis::Rendezvous(_))
    ));
}

#[test]
fn a_crash_is_the_end_of_its_call_and_a_panic_is_a_result() {
    let (matrix, failure) = found("crash");
    assert_eq!(matrix, "take() | take()");
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::Crash));
    let (matrix, failure) = found("panic");
    assert_eq!(matrix, "take() | take()");
    let MatrixVerdict::Violation(violation) = &failure.smallest.verdict else {
        panic!("{matrix}")
    };
    assert!(matches!(violation.why, Why::Results(_)));
}

/// Freed memory is not reused, so that its use is detected at the access.
#[test]
fn a_use_after_free_is_found_with_its_source_lines() {
    let (matrix, failure) = found("freed");
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    let MatrixVerdict::Violation(violation) = &failure.smallest.verdict else {
        panic!("{matrix}")
    };
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::Crash));
    let facts: Vec<String> = violation
        .execution
        .memory_error
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(facts.len(), 3, "used, allocated, freed: {facts:?}");
    assert!(
        facts[0].contains("uses freed memory") && facts[0].contains("harness.rs:"),
        "{facts:?}"
    );
    assert_eq!(failure.is_repeatable, Some(true));
}

/// Hash tables are seeded by random numbers, which are the same in every run: only in other surroundings it shows.
#[test]
fn a_bag_that_depends_on_hash_seeds_is_nondeterministic() {
    let (matrix, failure) = found("bag");
    assert_eq!(failure.smallest.matrix.len(), 3, "{matrix}");
    let MatrixVerdict::Nondeterministic(two) = &failure.smallest.verdict else {
        panic!("{matrix}: {:?}", failure.smallest.verdict)
    };
    assert_eq!(two.one[..two.differ_at], two.other[..two.differ_at]);
    assert_ne!(two.one[two.differ_at], two.other[two.differ_at]);
}

#[test]
fn native_threads_draw_a_number_twice_and_what_they_show_is_still_a_proof() {
    let mut native =
        NativeThreads::start(&harness("lazy").as_path().into(), 1, 1).expect("a running harness");
    let three = |alphabet: &Alphabet| given("get() | get(), get()", alphabet);
    let (matrix, failure) = found_in(&mut native, &three);
    // Whether the smaller matrix fails natively within the rounds of a shrinking step is up to chance.
    assert!(
        ["get() | get()", "get() | get(), get()"].contains(&matrix.as_str()),
        "{matrix}"
    );
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::NotLinearizable));
    assert_eq!(failure.is_repeatable, None);
    let schedule = "0x1".parse().unwrap();
    let refused = native
        .0
        .replay(&failure.smallest.matrix, &schedule, &[])
        .unwrap_err();
    assert!(
        refused.to_string().contains("the native engine cannot"),
        "{refused}"
    );
}

/// What 3,000 rounds of native threads show.
fn sampled(component: &str, matrix: &str) -> Result<CheckedMatrix, LineupError> {
    let (mut native, Description { alphabet, .. }) =
        NativeThreads::start(&harness(component).as_path().into(), 1, 1).expect("a running harness");
    let matrix = Matrix::parse(matrix, &alphabet).unwrap();
    let request = Request {
        alphabet: &alphabet,
        options: &LineupOptions {
            search: RunSelection::Random { executions: 3_000 },
            ..LineupOptions::default()
        },
        specification: None,
    };
    check_matrix(&mut native, request, &matrix, &mut || {})
}

/// In a process of its own, every object has number 0; of thousands in one process, only the first has.
#[test]
fn native_rounds_that_depend_on_the_rounds_before_are_no_proof_of_anything() {
    let refused = sampled("numbered", "number() | number()").unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("depend on the objects that were there before"),
        "{refused}"
    );
    let (checked, _) = checked("numbered", "number() | number()", &LineupOptions::default());
    assert!(matches!(checked.verdict, MatrixVerdict::Passed));
}

#[test]
fn native_threads_of_a_queue_show_nothing_that_serial_runs_do_not_explain() {
    let checked = sampled("queue", "push(1), pop() | push(2), pop()").unwrap();
    assert!(
        matches!(checked.verdict, MatrixVerdict::Passed),
        "{:?}",
        checked.verdict
    );
    assert_eq!(checked.serial.finished(), 6);
    assert_eq!(checked.phases[0].executions, 3_000);
}
