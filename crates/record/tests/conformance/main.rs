//! One suite for the recorders of all languages: the same program in each of them writes the same trace, and its trace is sound however the
//! program ends. The programs are in `recorders/conformance`; its README says what each part does.
#![cfg(target_os = "linux")]

mod language;
mod rust_program;
mod texts;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use omnilink_trace::{OpenOptions, Operation, Trace};

use self::language::{FOLDER, Language, PART};

/// Not a test of its own: this binary is the program in Rust.
#[test]
fn the_program_in_rust() {
    let (Ok(part), Some(folder)) = (std::env::var(PART), std::env::var_os(FOLDER)) else {
        return;
    };
    // SAFETY: changes how this process takes one signal, before it has other threads that could expect it.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    if let Err(error) = rust_program::run(&part, Path::new(&folder)) {
        println!("ERROR {error}");
        std::process::exit(3);
    }
}

fn operations(folder: &Path) -> Vec<Arc<Operation>> {
    let trace = Trace::open(folder, &OpenOptions::default());
    let mut trace = trace.unwrap_or_else(|error| panic!("{error}"));
    let mut operations = Vec::new();
    while let Some(operation) = trace.next_shared() {
        operations.push(operation.unwrap_or_else(|error| panic!("{error}")));
    }
    operations
}

/// An operation without its times.
fn line(operation: &Operation) -> String {
    let mut line = format!(
        "{} {} {}",
        operation.thread,
        operation.name,
        operation.args.as_value()
    );
    if let Some(ret) = &operation.ret {
        line += &format!(" = {ret}");
    }
    if let Some(meta) = &operation.meta {
        line += &format!(" meta {meta}");
    }
    if operation.aborted {
        line += " aborted";
    }
    if operation.timebox.is_pending() {
        line += " pending";
    }
    line
}

fn run(language: Language, part: &str, folder: &Path) -> Output {
    language
        .program(part, folder)
        .output()
        .expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a part in every language, which must end well, and gives what it printed and recorded.
fn each(part: &str, mut check: impl FnMut(Language, &str, Vec<Arc<Operation>>)) {
    for language in Language::available() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("below").join("trace");
        let output = run(language, part, &trace);
        assert!(output.status.success(), "{language:?}: {output:?}");
        check(language, &said(&output), operations(&trace));
    }
}

#[test]
fn the_same_program_writes_the_same_trace_in_every_language() {
    each("calls", |language, _, operations| {
        let of = |prefix: &str| -> Vec<String> {
            let lines = operations.iter().map(|operation| line(operation));
            lines.filter(|line| line.starts_with(prefix)).collect()
        };
        let expected = [
            "1 write [value |-> 1]",
            "1 read <<>> = 1",
            "1 cas [from |-> 1, to |-> 2] = TRUE",
            "1 refused <<>> aborted",
            "1 noted [value |-> 2] = 3 meta [node |-> 4]",
            "1 narrow <<>>",
            "1 lost <<>> pending",
        ];
        assert_eq!(of("1 "), expected, "{language:?}");
        assert_eq!(of("\"1'1\""), ["\"1'1\" after <<>>"], "{language:?}");
        assert_eq!(of("\"main\""), ["\"main\" hello <<>> = null"], "{language:?}");
        assert_eq!(operations.len(), 9, "{language:?}");
        // The 20 ms after `tighten_end` are outside of the timebox.
        let narrow = operations
            .iter()
            .position(|operation| &*operation.name == "narrow");
        let narrow = &operations[narrow.expect("it was recorded")];
        let lost = operations
            .iter()
            .find(|operation| &*operation.name == "lost")
            .expect("it was recorded");
        let between = lost.timebox.start - narrow.timebox.end.expect("it ended");
        // Nanoseconds, or ticks of a counter that are no longer than those.
        assert!(between >= 15_000_000, "{language:?}: {between}");
    });
}

#[test]
fn values_of_every_kind_are_the_same_in_every_language() {
    let mut first: Option<(Language, BTreeMap<String, String>)> = None;
    each("values", |language, _, operations| {
        let mut values = BTreeMap::new();
        for operation in &operations {
            let argument = operation.args.field("value").expect("an argument").to_string();
            let returned = operation.ret.as_ref().expect("a result").to_string();
            assert_eq!(argument, returned, "{language:?} {}", operation.name);
            values.insert(operation.name.to_string(), argument);
        }
        let huge = values.remove("huge");
        assert_eq!(huge.is_some(), language.has_huge_integers(), "{language:?}");
        assert!(
            huge.is_none_or(|huge| huge.contains("18446744073709551616")),
            "{language:?}"
        );
        assert_eq!(values.len(), 21, "{language:?}");
        assert_eq!(values["null"], "null");
        assert_eq!(values["least"], "-9223372036854775808");
        assert_eq!(values["exact"], "9007199254740993");
        assert_eq!(values["set"], "{1, 2}");
        assert_eq!(values["bytes"], "<<0, 127, 255>>");
        match &first {
            None => first = Some((language, values)),
            Some((other, expected)) => assert_eq!(&values, expected, "{language:?} beside {other:?}"),
        }
    });
}

/// A counter gives each number once, and a later call a greater one. Of a recording that stopped, what an operation with a result depends
/// on is there, perhaps as pending.
fn check_counter(language: Language, operations: &[Arc<Operation>]) {
    let mut ended: Vec<(i64, i64, i64)> = Vec::new();
    for operation in operations {
        if let (Some(end), Some(ret)) = (operation.timebox.end, &operation.ret) {
            let ret = ret.as_int().expect("a number");
            ended.push((operation.timebox.start, end, ret));
        }
    }
    let mut results: Vec<i64> = ended.iter().map(|(.., ret)| *ret).collect();
    results.sort_unstable();
    assert!(
        results.windows(2).all(|pair| pair[0] < pair[1]),
        "{language:?}: a number twice"
    );
    if let Some(greatest) = results.last() {
        let missing = *greatest as usize + 1 - results.len();
        let pending = operations.len() - ended.len();
        assert!(
            missing <= pending,
            "{language:?}: {missing} results are missing, and {pending} are pending"
        );
    }
    // In the order of starts: nothing that ended before has a greater number.
    let mut by_end = ended.clone();
    by_end.sort_unstable_by_key(|(_, end, _)| *end);
    ended.sort_unstable();
    let (mut at, mut greatest_before) = (0, -1);
    for (start, _, ret) in ended {
        while by_end[at].1 < start {
            greatest_before = greatest_before.max(by_end[at].2);
            at += 1;
        }
        assert!(
            greatest_before < ret,
            "{language:?}: {ret} after {greatest_before}"
        );
    }
}

#[test]
fn a_hundred_threads_are_recorded() {
    each("threads", |language, said, operations| {
        assert!(said.contains("DONE 5000"), "{language:?}: {said}");
        assert_eq!(operations.len(), 5_000, "{language:?}");
        let mut threads: Vec<String> = operations
            .iter()
            .map(|operation| operation.thread.to_string())
            .collect();
        threads.sort();
        threads.dedup();
        assert_eq!(threads.len(), 100, "{language:?}");
        check_counter(language, &operations);
    });
}

#[test]
fn a_killed_program_leaves_all_that_ended_and_the_open_call_as_pending() {
    for language in Language::available() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("trace");
        let mut child = language
            .program("die", &trace)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let is_open = output
            .lines()
            .map_while(Result::ok)
            .any(|line| line.contains("open"));
        assert!(is_open, "{language:?}");
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let operations = operations(&trace);
        let (open, ended) = operations.split_last().expect("operations");
        assert_eq!(ended.len(), 1000, "{language:?}");
        for (i, operation) in ended.iter().enumerate() {
            assert_eq!(line(operation), format!("0 op [i |-> {i}] = {i}"), "{language:?}");
        }
        assert_eq!(line(open), "0 op [i |-> 1000] pending", "{language:?}");
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_announced() {
    for language in Language::available() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("trace");
        let mut child = language
            .program("race", &trace)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut output = child.stdout.take().expect("a pipe");
        let mut announced = vec![0; 2_000];
        output
            .read_exact(&mut announced)
            .expect("it announces operations");
        child.kill().expect("it can be killed");
        output.read_to_end(&mut announced).expect("the rest");
        child.wait().expect("it ends");
        let announced = String::from_utf8_lossy(&announced).into_owned();
        let operations = operations(&trace);
        for thread in 0..2 {
            let own: Vec<_> = operations
                .iter()
                .filter(|operation| operation.thread.as_int() == Some(thread))
                .collect();
            let ended = own
                .iter()
                .filter(|operation| !operation.timebox.is_pending())
                .count() as i64;
            assert!(own.len() as i64 - ended <= 1, "{language:?}: one call at a time");
            let last = announced
                .lines()
                .take(announced.matches('\n').count())
                .filter_map(|line| line.strip_prefix(&format!("{thread} "))?.parse::<i64>().ok())
                .max();
            assert!(
                last.is_none_or(|last| last < ended),
                "{language:?} {thread}: {last:?} of {ended}"
            );
        }
    }
}

/// The command with a disk that is too small: a file system of 5 MiB where this process may mount one, else a limit for each file.
fn on_a_small_disk(command: &Command, folder: &Path, is_mounted: bool) -> Command {
    let mut small = Command::new(if is_mounted { "unshare" } else { "sh" });
    if is_mounted {
        let script = "mount -t tmpfs -o size=5m none \"$0\" || exit 77; \"$@\"; code=$?; cp -r \"$0/trace\" \"$0.kept\"; exit $code";
        small
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
            .arg(folder);
    } else {
        // Blocks of 512 bytes.
        small.args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\""]);
    }
    small
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            small.env(name, value);
        }
    }
    small
}

#[test]
fn a_full_disk_stops_the_recording_on_all_threads_and_not_the_program() {
    for language in Language::available() {
        for is_mounted in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let disk = folder.path().join("disk");
            std::fs::create_dir(&disk).expect("a folder");
            let program = language.program("full", &disk.join("trace"));
            let Ok(output) = on_a_small_disk(&program, &disk, is_mounted).output() else {
                eprintln!("note: there is no unshare, so no disk was made that is too small");
                continue;
            };
            let said = said(&output);
            let errors = String::from_utf8_lossy(&output.stderr);
            if is_mounted
                && !said.contains("DONE")
                && (errors.contains("unshare") || output.status.code() == Some(77))
            {
                eprintln!("note: no file system can be mounted here: {errors}");
                continue;
            }
            assert!(
                said.contains("DONE 100000"),
                "{language:?}: the program goes on: {output:?}"
            );
            assert_eq!(output.status.code(), Some(3), "{language:?}: {output:?}");
            assert!(
                said.contains("ERROR") && (said.contains("space") || said.contains("too large")),
                "{language:?}: {said}"
            );
            let trace = if is_mounted {
                folder.path().join("disk.kept")
            } else {
                disk.join("trace")
            };
            let operations = operations(&trace);
            assert!(
                operations.len() > 1_000 && operations.len() < 100_000,
                "{language:?}: {}",
                operations.len()
            );
            check_counter(language, &operations);
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_or_is_not_empty_is_refused() {
    for language in Language::available() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("a file");
        for trace in [file.join("trace"), file, folder.path().to_owned()] {
            let output = run(language, "calls", &trace);
            assert_eq!(
                output.status.code(),
                Some(3),
                "{language:?} {trace:?}: {output:?}"
            );
            assert!(said(&output).contains("ERROR"), "{language:?}: {output:?}");
        }
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("it is there").count(),
            1,
            "{language:?}"
        );
    }
}

#[test]
fn mistakes_are_errors_that_say_what_is_wrong() {
    let everywhere = [
        ("header", "header"),
        ("label taken", ""),
        ("label form", "'"),
        ("open", ""),
    ];
    let dynamic = [
        ("label type", "1.5"),
        ("nan", "cannot be recorded"),
        ("infinity", "cannot be recorded"),
        ("type", "cannot be recorded"),
        ("no name", "n"),
        ("cycle", "nested"),
        ("shared", "a value"),
        ("result", "operations are missing"),
        ("closed thread", "closed"),
        ("closed call", "closed"),
    ];
    for language in Language::available() {
        // In C every function says what it returns; there is nothing to refuse.
        if language == Language::C {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let output = run(language, "misuse", &folder.path().join("trace"));
        assert!(output.status.success(), "{language:?}: {output:?}");
        let said = said(&output);
        let expected = everywhere
            .iter()
            .chain(dynamic.iter().filter(|_| language.is_dynamic()));
        for (mistake, words) in expected {
            let told = said
                .lines()
                // The program in Rust is a test, whose first line begins with its name.
                .map(|line| line.rsplit_once(" ... ").map_or(line, |(_, own)| own))
                .find_map(|line| line.strip_prefix(&format!("{mistake}: ")))
                .unwrap_or_else(|| panic!("{language:?} says nothing of {mistake}: {said}"));
            assert!(
                told != "nothing" && told.contains(words),
                "{language:?} {mistake}: {told}"
            );
        }
    }
}

#[test]
fn a_forked_child_does_no_harm() {
    for language in Language::available() {
        // Java cannot fork, and in Go nobody does.
        if matches!(language, Language::Java | Language::Go) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("trace");
        let output = run(language, "fork", &trace);
        assert!(output.status.success(), "{language:?}: {output:?}");
        let said = said(&output);
        let is_well = said.contains("child: ended with 0") || said.contains("belongs to process");
        assert!(is_well, "{language:?}: {said}");
        let lines: Vec<String> = operations(&trace)
            .iter()
            .map(|operation| line(operation))
            .collect();
        assert_eq!(lines, ["0 a <<>>", "0 b <<>>"], "{language:?}");
    }
}

/// Prints the table of docs/benchmarks.md: `./test record what_recording_costs -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn what_recording_costs() {
    println!("| recorder | best | median |\n|---|---:|---:|");
    each("cost", |language, said, _| {
        let costs = said
            .lines()
            .filter_map(|line| line.split_once("COST ")?.1.parse::<i64>().ok());
        let mut costs: Vec<i64> = costs.collect();
        costs.sort_unstable();
        println!("| {language:?} | {} | {} |", costs[0], costs[costs.len() / 2]);
    });
}
