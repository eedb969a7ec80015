//! `omnilink test`: the tests of a small project, and of programs in C++.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::ran::{Ran, folder, omnilink, omnilink_in};

const MANIFEST: &str =
    "[package]\nname = \"counter\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const LIBRARY: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter(AtomicU32);

impl Counter {
    pub fn add(&self) {
        let before = self.0.load(SeqCst);
        self.0.store(before + 1, SeqCst);
    }
    pub fn get(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::time::Duration;

    #[test]
    fn one_thread_counts() {
        let counter = Counter::default();
        counter.add();
        assert_eq!(counter.get(), 1);
    }
    #[test]
    fn two_threads_count() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            scope.spawn(|| counter.add());
            scope.spawn(|| counter.add());
        });
        assert_eq!(counter.get(), 2, "an update was lost");
    }
    #[test]
    fn locks_count() {
        let counter = Mutex::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| *counter.lock().unwrap() += 1);
            scope.spawn(|| *counter.lock().unwrap() += 1);
        });
        assert_eq!(*counter.lock().unwrap(), 2); // Nobody else is there.
    }
    #[test]
    fn locks_in_two_orders() {
        let (a, b) = (Mutex::new(0), Mutex::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| *a.lock().unwrap() += *b.lock().unwrap());
            scope.spawn(|| *b.lock().unwrap() += *a.lock().unwrap());
        });
    }
    #[test]
    fn soon() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(10));
                counter.add();
            });
            std::thread::sleep(Duration::from_millis(11));
            assert_eq!(counter.get(), 1);
        });
    }
    #[test]
    fn order_of_a_set() {
        let set: HashSet<u32> = (0..8).collect();
        assert_eq!(set.into_iter().next(), Some(3));
    }
    #[test]
    fn never() {
        assert_eq!(Counter::default().get(), 1);
    }
    #[test]
    #[should_panic]
    fn panics() {
        panic!("as it should");
    }
    #[test]
    #[ignore]
    fn ignored() {
        panic!("nobody runs this");
    }
}
"#;

/// The project, in which one test after the other builds.
fn project() -> &'static Path {
    static PROJECT: OnceLock<tempfile::TempDir> = OnceLock::new();
    PROJECT
        .get_or_init(|| {
            let project = folder(&[("Cargo.toml", MANIFEST)]);
            fs::create_dir(project.path().join("src")).unwrap();
            fs::write(project.path().join("src/lib.rs"), LIBRARY).unwrap();
            project
        })
        .path()
}

fn tested(arguments: &[&str]) -> Ran {
    omnilink_in(project(), &[&["test"], arguments].concat())
}

/// The result of each test, by its name.
fn result_of(ran: &Ran, name: &str) -> Value {
    let found = ran.json().into_iter().find(|result| result["input"] == name);
    found.unwrap_or_else(|| panic!("{name} is missing: {ran:?}"))
}

#[test]
fn each_test_is_told_what_it_needs_to_fail() {
    let ran = tested(&["--schedules", "300", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let results = ran.json();
    assert_eq!(results.len(), 8, "the ignored one is left out: {ran:?}");
    for (name, verdict, needs, kind) in [
        ("one_thread_counts", "valid", "", ""),
        ("locks_count", "valid", "", ""),
        ("panics", "valid", "", ""),
        (
            "two_threads_count",
            "violation",
            "interleaving",
            "panic at src/lib.rs",
        ),
        ("locks_in_two_orders", "violation", "interleaving", "deadlock"),
        ("soon", "violation", "environment", "panic at src/lib.rs"),
        (
            "order_of_a_set",
            "violation",
            "environment",
            "panic at src/lib.rs",
        ),
        ("never", "violation", "nothing", "panic at src/lib.rs"),
    ] {
        let result = result_of(&ran, &format!("counter::tests::{name}"));
        assert_eq!(result["verdict"], verdict, "{result}");
        let failing = &result["violation"];
        if !needs.is_empty() {
            assert_eq!(failing["needs"], needs, "{result}");
            assert_eq!(failing["flaky"], needs == "environment", "{result}");
            assert!(failing["failure"].as_str().unwrap().starts_with(kind), "{result}");
        }
    }
    let lost = result_of(&ran, "counter::tests::two_threads_count");
    assert!(
        lost["violation"]["preemptions"]
            .as_u64()
            .is_some_and(|number| number <= 2),
        "{lost}"
    );
    assert_eq!(
        result_of(&ran, "counter::tests::one_thread_counts")["test"]["schedules"],
        1
    );
    // Where a container does not let programs have the same addresses in every run, schedules may differ.
    let has_same_addresses = Command::new("setarch").args(["-R", "true"]).status();
    if !has_same_addresses.is_ok_and(|status| status.success()) {
        return;
    }
    let again = tested(&["--schedules", "300", "--json"]);
    let failures = |ran: &Ran| {
        let mut failures: Vec<(Value, Value)> = ran
            .json()
            .into_iter()
            .map(|result| (result["input"].clone(), result["violation"]["schedule"].clone()))
            .collect();
        failures.sort_by_key(|(name, _)| name.to_string());
        failures
    };
    assert_eq!(
        failures(&again),
        failures(&ran),
        "the same seed gives the same session"
    );
}

#[test]
fn a_failure_is_repeated_by_its_schedule_and_named_by_its_lines() {
    let ran = tested(&["--schedules", "300", "two_threads"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("an update was lost"), "{ran:?}");
    assert!(ran.stdout.contains("stops before src/lib.rs:10"), "{ran:?}");
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("Repeat it:"))
        .unwrap();
    let schedule = line.split('\'').nth(1).unwrap();
    let again = tested(&[
        "--schedule",
        schedule,
        "--",
        "--exact",
        "tests::two_threads_count",
    ]);
    assert_eq!(again.code, 1, "{again:?}");
    let without = tested(&["--schedule", "", "--", "--exact", "tests::two_threads_count"]);
    assert_eq!(without.code, 0, "{without:?}");
    let file = project().join("junit.xml");
    let ran = tested(&["--schedules", "300", "--junit", "junit.xml", "two_threads"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("name=\"two_threads_count\"") && text.contains("<failure message=\"panic at"),
        "{text}"
    );
}

/// What was not tried is not called unrepeatable: the seed repeats it.
#[test]
fn a_failure_that_was_not_run_again_is_repeated_by_its_seed() {
    let arguments = [
        "--schedules",
        "300",
        "--shrinking-runs",
        "0",
        "--seed",
        "5",
        "two_threads",
    ];
    let ran = tested(&arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("The schedule was not run again"), "{ran:?}");
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("Repeat it:"))
        .unwrap();
    let words: Vec<&str> = line.split_whitespace().skip(3).collect();
    assert!(words.starts_with(&["test", "--seed", "5"]), "{line}");
    let again = omnilink_in(project(), &words);
    assert_eq!(again.code, 1, "{again:?}");
}

/// A failure is kept: it can be looked at, stopped in gdb, and is run first from then on.
#[test]
fn a_failure_is_kept_and_run_first() {
    let folder = tempfile::tempdir().unwrap();
    let (store, why) = (folder.path().join("runs.db"), folder.path().join("why.json"));
    let (store, why) = (store.to_str().unwrap(), why.to_str().unwrap());
    let page = folder.path().join("why.html");
    let ran = tested(&[
        "--schedules",
        "300",
        "--store",
        store,
        "--evidence",
        why,
        "two_threads",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("is run 1 of"), "{ran:?}");
    let shown = omnilink(&["runs", "show", "1", "--store", store]);
    assert!(shown.stdout.contains("It needs"), "{shown:?}");
    let viewed = omnilink_in(project(), &["view", why, "--html", page.to_str().unwrap()]);
    assert_eq!(viewed.code, 0, "{viewed:?}");
    let sarif = omnilink(&["report", why, "--sarif"]);
    assert!(sarif.stdout.contains("\"uri\": \"src/lib.rs\""), "{sarif:?}");
    // The kept schedule is the first of one.
    let again = tested(&[
        "--schedules",
        "1",
        "--store",
        store,
        "--regressions",
        "two_threads",
    ]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stdout.contains("(1 schedule, "), "{again:?}");
    assert!(again.stderr.contains("is run 1 of"), "{again:?}");
    let without = tested(&["--schedules", "1", "--no-store", "two_threads"]);
    assert_eq!(without.code, 0, "{without:?}");
    let refused = omnilink(&["runs", "rerun", "1", "--store", store]);
    refused.refused(&["omnilink replay 1"]);
    if Command::new("gdb").arg("--version").output().is_err() {
        return;
    }
    let replayed = omnilink_in(project(), &["replay", "1", "--store", store]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    // Where processes may not be traced, gdb says so.
    assert!(
        replayed.stdout.contains("two_threads_count") && replayed.stdout.contains("src/lib.rs:")
            || replayed.stderr.contains("ptrace"),
        "{replayed:?}"
    );
}

#[test]
fn what_cannot_be_tested_is_told() {
    let nothing = folder(&[("notes.txt", "")]);
    omnilink_in(nothing.path(), &["test"]).refused(&["no Cargo.toml", "--cpp"]);
    let broken = folder(&[("Cargo.toml", MANIFEST)]);
    fs::create_dir(broken.path().join("src")).unwrap();
    fs::write(broken.path().join("src/lib.rs"), "fn f() { nonsense }").unwrap();
    let ran = omnilink_in(broken.path(), &["test"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cannot find value `nonsense`"), "{ran:?}");
    tested(&["--quiet", "no_such_test"]).refused(&["no test has been found"]);
    let ran = omnilink(&["test", "--schedule", "1.2-x"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("\"1.2-x\" is no part of a schedule"),
        "{ran:?}"
    );
    omnilink(&["test", "--cpp", "/nonexistent/program"]).refused(&["/nonexistent/program"]);
    let ran = omnilink(&["test", "--cpp", "/bin/true"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stdout.contains("not linked with") && ran.stdout.contains("--cpp-flags"),
        "{ran:?}"
    );
    let file = nothing.path().join("junit.xml");
    omnilink(&[
        "test",
        "--cpp",
        "/bin/true",
        "--junit",
        &file.display().to_string(),
    ]);
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("errors=\"1\"") && text.contains("its program is not linked"),
        "{text}"
    );
}

/// The two counts of a shared pointer are decremented one by one, and looked at with one load.
#[test]
fn counts_of_shared_pointers_are_no_race() {
    let source = "#include <memory>\n#include <thread>\nint main() {\n  auto strong = std::make_shared<int>(1);\n  std::weak_ptr<int> weak = strong;\n  \
        std::thread a([weak = std::move(weak)]() mutable { weak.reset(); });\n  \
        std::thread b([strong = std::move(strong)]() mutable { strong.reset(); });\n  a.join();\n  b.join();\n}\n";
    let folder = folder(&[("counts.cpp", source)]);
    compile(folder.path(), "counts");
    let ran = omnilink_in(
        folder.path(),
        &["test", "--cpp", "./counts", "--leaks", "--no-store"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stdout.contains("1 different"), "{ran:?}");
}

/// What no schedule has tried is told: a lock that was always free; and what nobody controls.
#[test]
fn what_was_never_waited_for_and_what_is_not_controlled_is_told() {
    let source = "#include <cstdio>\n#include <cstdlib>\n#include <mutex>\n#include <thread>\nstd::mutex shared, lonely;\nint count = 0;\n\
        static void add() {\n  shared.lock();\n  count += 1;\n  shared.unlock();\n}\n\
        int main() {\n  std::thread other(add);\n  add();\n  lonely.lock();\n  lonely.unlock();\n  other.join();\n  \
        FILE *file = fopen(\"kept.txt\", \"w\");\n  fputs(\"text\", file);\n  fclose(file);\n}\n";
    let folder = folder(&[("locks.cpp", source)]);
    compile(folder.path(), "locks");
    let arguments = ["test", "--cpp", "./locks", "--no-store"];
    let ran = omnilink_in(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in ["  locks.cpp:15\n", "file kept.txt (1 test)"] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    assert!(!ran.stdout.contains("locks.cpp:8"), "threads wait there: {ran:?}");
    let json = omnilink_in(folder.path(), &[&arguments[..], &["--json"]].concat()).json();
    let coverage = &json[0]["test"];
    assert_eq!(
        coverage["never_waited"].as_array().map(Vec::len),
        Some(1),
        "{coverage}"
    );
    assert_eq!(
        coverage["outside"].as_array().map(Vec::len),
        Some(1),
        "{coverage}"
    );
}

/// Stop tokens, futures, latches, barriers, semaphores, conditions, coroutines, waiting for values.
#[test]
fn what_cpp20_offers_is_controlled() {
    let folder = folder(&[("cpp20.cpp", include_str!("programs/cpp20.cpp"))]);
    compile(folder.path(), "cpp20");
    let arguments = [
        "test",
        "--cpp",
        "./cpp20",
        "--leaks",
        "--no-store",
        "--schedules",
        "40",
    ];
    let ran = omnilink_in(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Compiles `NAME.cpp` with the flags of the command.
fn compile(folder: &Path, name: &str) {
    let flags = omnilink(&["test", "--cpp-flags"]);
    assert_eq!(flags.code, 0, "{flags:?}");
    let compiled = Command::new("g++")
        .args(["-std=c++20", "-g", &format!("{name}.cpp"), "-o", name])
        .args(flags.stdout.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
}

#[test]
fn a_program_in_cpp_is_one_test() {
    let source = "#include <atomic>\n#include <thread>\nint main() {\n  std::atomic<int> count{0};\n  auto add = [&] { int before = count.load(); count.store(before + 1); };\n  std::thread a(add), b(add);\n  a.join();\n  b.join();\n  return count.load() == 2 ? 0 : 1;\n}\n";
    let folder = folder(&[("count.cpp", source)]);
    compile(folder.path(), "count");
    let ran = omnilink_in(folder.path(), &["test", "--cpp", "./count", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let failing = &result_of(&ran, "count")["violation"];
    assert_eq!(
        (&failing["failure"], &failing["needs"]),
        (&"exit code 1".into(), &"interleaving".into())
    );
    assert!(
        failing["preemptions"]
            .as_u64()
            .is_some_and(|preemptions| preemptions <= 2),
        "{failing}"
    );
}
