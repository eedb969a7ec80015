//! The C and C++ recorders keep the promises of the Rust one, and write the same files.

use std::{
    ffi::OsStr,
    fs,
    io::Read,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use crate::{
    child,
    decoder::{Decoded, Value, decode, listed},
};

/// The folder of the headers.
fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recorders/cpp")
}

/// Compiles with all warnings as errors. False if there is no compiler, which is only accepted outside CI.
fn compile(compiler: &str, standard: &str, source: &Path, program: &Path) -> bool {
    let output = Command::new(compiler)
        .args([
            standard,
            "-O2",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Wshadow",
            "-Wconversion",
            "-Werror",
        ])
        .arg("-I")
        .arg(headers())
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg("-pthread")
        .output();
    match output {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{compiler} {standard}: {errors}");
            true
        }
        Err(_) => {
            eprintln!("no {compiler}: nothing was tested");
            false
        }
    }
}

/// The C++ program, built once.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/cpp_recorder.cpp");
        let program = folder.join("recorder");
        compile("c++", "-std=c++17", &source, &program).then_some(program)
    };
    PROGRAM.get_or_init(build).as_deref()
}

fn run(program: &Path, folder: &Path, part: &str) -> std::process::Output {
    Command::new(program)
        .args([folder.as_os_str(), OsStr::new(part)])
        .output()
        .unwrap()
}

#[test]
fn values_of_every_type_are_recorded() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = run(program, folder.path(), "values");
    assert!(output.status.success(), "{output:?}");
    let bytes = &child::files(folder.path())[0];
    let header = decode(bytes).header;
    assert_eq!(header.field("seed"), Some(&Value::Int(42)));
    assert_eq!(header.field("purpose"), Some(&Value::Text("test".to_owned())));
    assert_eq!(header.field("thread"), Some(&Value::Text("main".to_owned())));
    assert_eq!(header.field("sorted"), Some(&Value::Bool(true)));
    let sevens = ["7"; 20].join(",");
    let expected = [
        "\"main\" numbers{small:-3,large:-9223372036854775808,unsigned:18446744073709551615,flag:true,colour:2} = 128"
            .to_owned(),
        format!("\"main\" texts{{literal:\"a\",string:{:?},none:null,some:5}} = \"é\"", "x".repeat(300)),
        format!(
            "\"main\" collections{{list:[{sevens}],pair:[1,\"b\"],set:{{$set:[1,3]}},map:{{$fn:[[1,true]]}},\
             record:{{p:{{x:1,y:2}}}},nested:[[],[1]],model:{{$model:\"m1\"}}}}"
        ),
    ];
    assert_eq!(listed(bytes), expected.join("\n"));
}

#[test]
fn calls_end_abort_are_cancelled_or_stay_pending_and_timeboxes_can_be_narrowed() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    assert!(run(program, folder.path(), "calls").status.success());
    let bytes = &child::files(folder.path())[0];
    let expected = "7 refused{} aborted\n\
                    7 noted{value:2} = 3 meta {node:4}\n\
                    7 throws{} pending\n\
                    \"7'1\" after{}\n\
                    \"7'1\" narrow{}";
    assert_eq!(listed(bytes), expected);
    let Decoded {
        header, operations, ..
    } = decode(bytes);
    let ticks_per_second = header.field("ticks_per_second").expect("a rate").int();
    let (after, narrow) = (&operations[3], &operations[4]);
    let length = narrow.end().expect("an end") - narrow.start();
    // The sleeps of 20 ms around it are outside. On a busy machine the rest may take long, too, but seldom that long.
    assert!(narrow.start() - after.end().expect("an end") >= ticks_per_second / 100);
    assert!(length >= 0 && length < ticks_per_second / 2, "{length}");
}

#[test]
fn what_had_ended_survives_every_death_of_the_process() {
    let Some(program) = program() else { return };
    for (death, signal) in [
        ("abort", libc::SIGABRT),
        ("terminate", libc::SIGABRT),
        ("fault", libc::SIGSEGV),
        ("kill", libc::SIGKILL),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = run(program, folder.path(), death);
        assert_eq!(output.status.signal(), Some(signal), "{death}: {output:?}");
        let Decoded { operations, .. } = decode(&child::files(folder.path())[0]);
        let (last, ended) = operations.split_last().unwrap();
        assert_eq!(ended.len(), 5_000, "{death}");
        let is_right = |(i, operation): (usize, &crate::decoder::Operation)| {
            operation.arg("i") == i as i128 && operation.ret() == Some(i as i128)
        };
        assert!(ended.iter().enumerate().all(is_right), "{death}");
        assert_eq!(last.to_string(), "0 op{i:5000} pending", "{death}");
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_announced() {
    let Some(program) = program() else { return };
    for attempt in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args([folder.path().as_os_str(), OsStr::new("run")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut announced = vec![0; 4_000 + attempt * 777];
        let mut pipe = child.stdout.take().unwrap();
        pipe.read_exact(&mut announced).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let announced = String::from_utf8(announced).unwrap();
        for file in child::files(folder.path()) {
            let Decoded {
                header, operations, ..
            } = decode(&file);
            let label = header.field("thread").expect("a label").int();
            let ended = operations
                .iter()
                .filter(|operation| operation.end().is_some())
                .count();
            assert!(operations.len() - ended <= 1, "one operation at a time");
            // The last line may be cut off.
            let lines = announced.lines().take(announced.matches('\n').count());
            let last = lines
                .filter_map(|line| line.strip_prefix(&format!("{label} "))?.parse::<usize>().ok())
                .max();
            assert!(
                last.is_none_or(|last| last < ended),
                "attempt {attempt}: {last:?} {ended}"
            );
        }
    }
}

#[test]
fn a_full_disk_stops_the_recording_and_not_the_program() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = run(program, folder.path(), "full");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(said.contains("5000 operations were done"), "{said}");
    assert!(
        said.contains("operations are missing") && said.contains("cannot make room"),
        "{said}"
    );
    let Decoded { operations, .. } = decode(&child::files(folder.path())[0]);
    assert!(operations.len() > 100 && operations.len() < 5_000);
    assert!(
        operations
            .iter()
            .zip(0..)
            .all(|(operation, i)| operation.arg("i") == i)
    );
}

#[test]
fn a_folder_that_holds_something_is_refused() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other"), "").unwrap();
    let output = run(program, folder.path(), "values");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the folder is not empty"));
}

#[test]
fn the_c_header_is_c11_and_refuses_malformed_records() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("program.c");
    fs::write(
        &source,
        r#"#include "omnilink.h"
int main(int argc, char **argv) {
  (void)argc;
  char message[512] = "";
  omnilink_recorder *recorder = omnilink_create(argv[1], NULL, message, sizeof message);
  if (recorder == NULL) return 2;
  omnilink_log *log = omnilink_thread(recorder, 3);
  // A label that is taken gets no log, and nothing else is harmed.
  if (omnilink_thread(recorder, 3) != NULL) return 3;
  omnilink_call(log, "cas");
  omnilink_arg_int(log, "old", 1);
  omnilink_arg_str(log, "new", NULL);
  omnilink_begin(log);
  omnilink_end_bool(log, true);
  omnilink_call(log, "half");
  omnilink_arg(log, "list");
  omnilink_array(log, 2);
  omnilink_int(log, 1);
  omnilink_begin(log);
  omnilink_end(log);
  omnilink_close(log);
  int failed = omnilink_finish(recorder, message, sizeof message);
  puts(message);
  return failed;
}
"#,
    )
    .unwrap();
    let program = folder.path().join("program");
    for standard in ["-std=c11", "-std=gnu17"] {
        if !compile("cc", standard, &source, &program) {
            return;
        }
    }
    let trace = folder.path().join("trace");
    let output = Command::new(&program).arg(&trace).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("1 operations are missing: thread 3: the value of the last argument is missing"),
        "{said}"
    );
    assert_eq!(listed(&child::files(&trace)[0]), "3 cas{old:1,new:null} = true");
}
