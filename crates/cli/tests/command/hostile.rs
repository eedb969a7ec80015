//! Small files that ask for much: limits hold inside a value, an expression and a step; nothing behind the end of a file is ignored.
//!
//! What is asserted is how a command ends, and what it held. Without the limits, each of these goes on for minutes or takes gigabytes.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::ran::{Ran, check, folder, omnilink_in, omnilink_reading};

/// A compressed file of some kilobytes: a beginning, something many times, and an end.
fn packed(folder: &Path, name: &str, begin: &str, (part, times): (&str, usize), end: &str) {
    let mut file = GzEncoder::new(
        std::fs::File::create(folder.join(name)).unwrap(),
        Compression::fast(),
    );
    file.write_all(begin.as_bytes()).unwrap();
    let many = part.repeat(1 << 12);
    for _ in 0..times >> 12 {
        file.write_all(many.as_bytes()).unwrap();
    }
    file.write_all(end.as_bytes()).unwrap();
    file.finish().unwrap();
}

/// The first value is `[[] [] …]`, of millions of elements.
fn wide_values() -> tempfile::TempDir {
    let folder = folder(&[]);
    let edn = "[{:process 0 :type :invoke :f :write :value [";
    packed(folder.path(), "wide.edn", edn, ("[] ", 12 << 20), "]}]");
    let ndjson = "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":[";
    packed(
        folder.path(),
        "wide.ndjson",
        ndjson,
        ("[],", 20 << 20),
        "1]},\"start\":0,\"end\":1}\n",
    );
    folder
}

/// How a command ended that reached a limit: nothing held more than a fifth beyond it, and what the process itself takes.
fn is_limited(ran: &Ran, word: &str) {
    assert_eq!(ran.code, 3, "{ran:?}");
    let said = format!("{} {}", ran.stdout, ran.stderr);
    assert!(said.contains(word), "{ran:?}");
}

/// Runs a command and returns how it ended, and what it held at most, in megabytes.
fn measured(folder: &Path, arguments: &[&str]) -> (Ran, u64) {
    let script = "import os,resource,subprocess,sys\nr=subprocess.run(sys.argv[1:])\nm=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\nopen('most','w').write(str(m//1024))\nsys.exit(r.returncode)";
    let output = Command::new("python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_omnilink")])
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .output()
        .unwrap();
    let most = std::fs::read_to_string(folder.join("most")).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    };
    (ran, most.parse().unwrap())
}

#[test]
fn limits_hold_inside_a_value_of_a_trace() {
    let folder = wide_values();
    for name in ["wide.edn", "wide.ndjson"] {
        let ran = omnilink_in(
            folder.path(),
            &[
                "check",
                name,
                "--model",
                "register",
                "--max-input",
                "1GB",
                "--time-limit",
                "300ms",
            ],
        );
        is_limited(&ran, "time");
        let (ran, most) = measured(
            folder.path(),
            &[
                "check",
                name,
                "--model",
                "register",
                "--max-input",
                "1GB",
                "--memory-limit",
                "300MB",
            ],
        );
        is_limited(&ran, "memory");
        assert!(most < 424, "{name}: {most} MB, {ran:?}");
    }
    let ran = omnilink_in(
        folder.path(),
        &["check", "wide.edn", "--model", "register", "--max-input", "1MB"],
    );
    ran.refused(&["wide.edn", "--max-input"]);
}

/// Steps and expressions that build something large.
const LARGE: [(&str, &str); 6] = [
    ("successors", "Init == x = 0\nNext == x' \\in 1..100000000"),
    ("sequence", "Init == x = <<>>\nNext == x' = x \\o x \\o <<1>>"),
    ("powersets", "Init == x = {}\nNext == x' = {x} \\cup SUBSET x"),
    (
        "union",
        "Init == x = Cardinality(UNION {SUBSET (1..22), SUBSET (2..23)})\nNext == UNCHANGED x",
    ),
    (
        "functions",
        "Init == x = Cardinality({f \\in [1..12 -> 0..4] : f[1] >= 0})\nNext == UNCHANGED x",
    ),
    (
        "interval",
        "Init == x = Cardinality((1..25000000) \\cup {0})\nNext == UNCHANGED x",
    ),
];

#[test]
fn limits_hold_inside_a_step_and_an_expression() {
    for (name, body) in LARGE {
        let spec = format!(
            "---- MODULE A ----\nEXTENDS Integers, FiniteSets, Sequences, TLC\nVARIABLE x\n{body}\n====\n"
        );
        let folder = folder(&[("A.tla", &spec), ("A.cfg", "INIT Init\nNEXT Next\n")]);
        let (ran, most) = measured(
            folder.path(),
            &["mc", "A.tla", "--memory-limit", "250MB", "--time-limit", "60s"],
        );
        is_limited(&ran, "limit");
        assert!(most < 364, "{name}: {most} MB, {ran:?}");
        let ran = omnilink_in(folder.path(), &["mc", "A.tla", "--time-limit", "200ms"]);
        is_limited(&ran, "time");
    }
}

#[test]
fn a_step_answers_with_the_limit() {
    let spec = "---- MODULE A ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n====\n";
    let folder = folder(&[("A.tla", spec), ("A.cfg", "INIT Init\nNEXT Next\n")]);
    let spec = folder.path().join("A.tla");
    let asked = b"{\"op\": \"eval\", \"expr\": \"CHOOSE n \\\\in 1..100000000000 : n > 99999999999\"}\n";
    let ran = omnilink_reading(
        asked,
        &["step", spec.to_str().unwrap(), "--stdio", "--time-limit", "3s"],
    );
    let answer = &ran.json()[0];
    assert_eq!(answer["error"]["kind"], "limit", "{ran:?}");
}

#[test]
fn nothing_behind_the_end_of_a_file_is_ignored() {
    let event = |name: &str, time: i64| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"kv\",\"pid\":1,\"tid\":2,\"name\":\"{name}\",\"ts\":{time},\"dur\":2,\"args\":{{\"key\":\"a\",\"value\":5}}}}"
        )
    };
    let one = format!("{{\"traceEvents\":[{}]}}\n", event("put", 10));
    assert_eq!(check("kv", "one.json", &one).code, 0);
    let two = one.clone() + &format!("{{\"traceEvents\":[{}]}}\n", event("get", 20));
    check("kv", "two.json", &two).refused(&["two.json:2", "expected the end of the input"]);
    check("kv", "tail.json", &(one + "garbage")).refused(&["tail.json:2"]);
}

#[test]
fn a_line_without_its_newline_may_be_cut() {
    let log = "INFO  jepsen.util - 0\t:invoke\t:write\t12\nINFO  jepsen.util - 0\t:ok\t:write\t12\nINFO  jepsen.util - 1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:ok\t:read\t1";
    let ran = check("cas-register", "jepsen.log", log);
    assert_eq!(ran.code, 1, "{ran:?}");
    let said = format!("{} {}", ran.stdout, ran.stderr);
    assert!(
        said.contains("jepsen.log:4: the last line has no newline, so it may be cut off"),
        "{ran:?}"
    );
    let ran = check(
        "cas-register",
        "jepsen.log",
        &log.replace(":read\t1", ":read\t12\n"),
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = folder(&[(
        "one.ndjson",
        "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n",
    )]);
    let run = |redirection: &str| {
        let script = format!("exec \"$0\" check one.ndjson --model register {redirection}");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, env!("CARGO_BIN_EXE_omnilink")]);
        let output = shell.current_dir(folder.path()).output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, said) = run(">&-");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("standard output"), "{said}");
    assert_eq!(run(">/dev/null"), (Some(0), String::new()));
    assert_eq!(run("<>/dev/null >&0"), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn temporary_files_are_gone_and_those_of_a_killed_process_are_removed() {
    let folder = folder(&[(
        "one.ndjson",
        "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n",
    )]);
    let temporary = folder.path().join("tmp");
    let abandoned = temporary.join("omnilink-tmp-1");
    std::fs::create_dir_all(abandoned.join("inner")).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args(["check", "one.ndjson", "--model", "register"])
        .current_dir(folder.path())
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert!(status.status.success());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn untrusted_files_name_no_others() {
    let write = "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n";
    let spec = "---- MODULE A ----\nEXTENDS Json, Naturals\nVARIABLE x\nInit == x = Len(ndJsonDeserialize(\"secret.ndjson\"))\nNext == UNCHANGED x\n====\n";
    let folder = folder(&[
        ("one.ndjson", write),
        ("secret.ndjson", write),
        ("spec/A.tla", &spec.replace("Naturals", "Naturals, Sequences")),
        ("spec/A.cfg", "INIT Init\nNEXT Next\n"),
    ]);
    std::os::unix::fs::symlink("one.ndjson", folder.path().join("link.ndjson")).unwrap();
    let untrusted = |arguments: &[&str]| omnilink_in(folder.path(), &[&["--untrusted"], arguments].concat());
    let ran = untrusted(&[
        "check",
        "one.ndjson",
        "--model",
        "register",
        "--evidence",
        "why.json",
    ]);
    if ran.stderr.contains("Landlock") {
        eprintln!("skipped: this system has no Landlock");
        return;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(folder.path().join("why.json").exists());
    untrusted(&["check", "link.ndjson", "--model", "register"]).refused(&["link.ndjson", "link"]);
    assert_eq!(omnilink_in(folder.path(), &["mc", "spec/A.tla"]).code, 0);
    let ran = untrusted(&["mc", "spec/A.tla"]);
    assert!(ran.code != 0 && !ran.stdout.contains("valid:"), "{ran:?}");
}
