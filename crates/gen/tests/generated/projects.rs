//! Projects that build and run as they are generated, and that keep what the user wrote.

use std::path::Path;
use std::process::{Command, Output};

use omnilink_gen::{HarnessPlan, Language, PlanOptions, generate};

use crate::specs::{BULK, BULK_LINK, QUEUE, bank, options, written};

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
    output
}

fn make(folder: &Path, target: &str) {
    run(Command::new("make").args(["-C"]).arg(folder).arg(target));
}

/// Runs a harness, and returns what it says.
fn harness(folder: &Path, program: &str, trace: &str, settings: &[(&str, &str)]) -> String {
    let mut command = Command::new(folder.join(program));
    command
        .current_dir(folder)
        .env("OMNILINK_TRACE", trace)
        .envs(settings.iter().copied());
    String::from_utf8_lossy(&run(&mut command).stderr).into_owned()
}

fn files(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).expect("a file")))
        .collect();
    files.sort();
    files
}

/// What the user would write for a queue with a race: two threads may take the same element.
fn bind_queue(folder: &Path) {
    let path = folder.join("system.hpp");
    let text = std::fs::read_to_string(&path).expect("the file with the calls");
    let text = text
        .replace(
            "struct System {\n};",
            "struct System {\n  std::mutex mutex;\n  std::atomic<int> head{0}, tail{0};\n  std::atomic<std::int64_t> slots[4096];\n};",
        )
        .replace(
            "op.unsupported();  // instead: Call call = op.begin(); system.…(item); call.end();",
            "Call call = op.begin();\n  {\n    std::lock_guard<std::mutex> lock(system.mutex);\n    system.slots[system.tail.load()] = item;\n    \
             system.tail++;\n  }\n  call.end();",
        )
        .replace(
            "op.unsupported();  // instead: Call call = op.begin(); auto result = system.…(); call.end(result);",
            "Call call = op.begin();\n  int head = system.head;\n  std::optional<std::int64_t> result;\n  if (head != system.tail) {\n    \
             result = system.slots[head].load();\n    system.head = head + 1;\n  }\n  call.end(result);",
        );
    assert!(!text.contains("unsupported"), "{text}");
    std::fs::write(&path, text).expect("the file is written");
}

#[test]
fn a_harness_in_cpp_builds_and_runs_as_generated() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = bank(folder.path());
    let project = folder.path().join("bank");
    generate(&plan, Language::Cpp, &project).expect("a project");
    make(&project, "harness");
    let said = harness(&project, "harness", "trace", &[]);
    for op in ["Deposit", "Withdraw", "Read", "Lock", "Note", "Cas", "delete"] {
        assert!(said.contains(&format!("unsupported: {op} ")), "{said}");
    }
    assert!(said.contains("system.hpp"), "{said}");
    assert!(project.join("trace").is_dir());

    let spec = written(folder.path(), "Bulk", BULK);
    let plan = HarnessPlan::read(&spec, &options(None, BULK_LINK)).expect("a plan");
    let project = folder.path().join("bulk");
    generate(&plan, Language::Cpp, &project).expect("a project");
    make(&project, "harness");
}

#[test]
fn the_same_seed_gives_the_same_run_and_the_calls_survive_a_new_generation() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = written(folder.path(), "Queue", QUEUE);
    let plan = HarnessPlan::read(&spec, &PlanOptions::default()).expect("a plan");
    let project = folder.path().join("queue");
    let first = generate(&plan, Language::Cpp, &project).expect("a project");
    assert!(!first.was_there);
    bind_queue(&project);
    let written_by_user = std::fs::read_to_string(project.join("system.hpp")).expect("the calls");

    let more = QUEUE.replace(
        "====",
        "Size(result) == result = Len(queue) /\\ UNCHANGED queue\n====",
    );
    written(folder.path(), "Queue", &more);
    let plan = HarnessPlan::read(&spec, &PlanOptions::default()).expect("a plan");
    let again = generate(&plan, Language::Cpp, &project).expect("a project");
    assert!(again.was_there);
    assert_eq!(again.added, ["action Size"]);
    let merged = std::fs::read_to_string(project.join("system.hpp")).expect("the calls");
    let mut kept = written_by_user.lines();
    let mut next = kept.next();
    for line in merged.lines() {
        if next == Some(line) {
            next = kept.next();
        }
    }
    assert_eq!(next, None, "a line of the user's is gone");

    make(&project, "harness-schedule");
    let run = |trace: &str, seed: &str| {
        let settings = [
            ("OMNILINK_SEED", seed),
            ("OMNILINK_THREADS", "3"),
            ("OMNILINK_OPS", "40"),
        ];
        let said = harness(&project, "harness-schedule", trace, &settings);
        assert!(said.contains("unsupported: Size"), "{said}");
        let mut files = files(&project.join(trace));
        for (_, bytes) in &mut files {
            // The header tells when and where; operations follow the fields that the harness adds last.
            let at = bytes.windows(3).position(|window| window == b"\xa2op");
            let header = at.expect("operations");
            bytes.drain(..header);
        }
        files
    };
    let first = run("trace-a", "7");
    assert_eq!(first.len(), 3);
    for again in ["trace-b", "trace-c", "trace-d"] {
        assert_eq!(run(again, "7"), first);
    }
    assert_ne!(run("trace-e", "8"), first);
}

#[test]
fn settings_choose_weights_objects_and_time_and_bad_ones_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = written(folder.path(), "Queue", QUEUE);
    let plan = HarnessPlan::read(&spec, &PlanOptions::default()).expect("a plan");
    let project = folder.path().join("queue");
    generate(&plan, Language::Cpp, &project).expect("a project");
    bind_queue(&project);
    make(&project, "harness");
    let weights = [("OMNILINK_WEIGHTS", "Take=0"), ("OMNILINK_OPS", "50")];
    harness(&project, "harness", "puts", &weights);
    let takes = files(&project.join("puts"))
        .iter()
        .map(|(_, bytes)| {
            bytes
                .windows(5)
                .filter(|window| window.ends_with(b"Take"))
                .count()
        })
        .sum::<usize>();
    // Once in each header, among the settings.
    assert!(takes <= 3, "{takes}");
    harness(&project, "harness", "objects", &[("OMNILINK_OBJECTS", "3")]);
    for object in 0..3 {
        assert_eq!(files(&project.join(format!("objects/object-{object}"))).len(), 3);
    }
    harness(
        &project,
        "harness",
        "timed",
        &[("OMNILINK_SECONDS", "0.001"), ("OMNILINK_OPS", "1000")],
    );
    let bad = [
        ("OMNILINK_THREADS", "0"),
        ("OMNILINK_OPS", "many"),
        ("OMNILINK_WEIGHTS", "Nap=1"),
        ("OMNILINK_WEIGHTS", "Put"),
        ("OMNILINK_SECONDS", "-1"),
    ];
    for (name, value) in bad {
        let output = Command::new(project.join("harness"))
            .current_dir(&project)
            .env("OMNILINK_TRACE", format!("bad-{name}-{value}"))
            .env(name, value)
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{name}={value}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(name),
            "{name}={value}"
        );
    }
}

#[test]
fn a_harness_in_rust_builds_and_runs_as_generated() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = bank(folder.path());
    let project = folder.path().join("bank");
    generate(&plan, Language::Rust, &project).expect("a project");
    let again = generate(&plan, Language::Rust, &project).expect("a project");
    assert!(again.was_there && again.added.is_empty() && again.changed.is_empty());
    run(Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline"])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(&project));
    let said = harness(&project, "target/debug/harness", "trace", &[]);
    assert!(
        said.contains("unsupported: Cas ") && said.contains("src/system.rs"),
        "{said}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = bank(folder.path());
    let file = folder.path().join("taken");
    std::fs::write(&file, "").expect("a file");
    let error = generate(&plan, Language::Cpp, &file).expect_err("a file is no folder");
    assert!(error.to_string().contains("taken"), "{error}");
}
