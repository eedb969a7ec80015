//! `omnilink trace`: what is written can be read, and says the same.

use super::ran::{example, folder, omnilink, omnilink_in, omnilink_reading};

#[test]
fn converting_keeps_every_operation_in_every_encoding() {
    let folder = folder(&[]);
    let path = example("counter-lost-update.edn");
    let listed = |path: &str| {
        let ran = omnilink_in(folder.path(), &["trace", "convert", path]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    let plain = listed(&path);
    for name in ["h.ndjson", "h.msgpack", "h.ndjson.zst", "h.msgpack.gz"] {
        let ran = omnilink_in(folder.path(), &["trace", "convert", &path, "-o", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(listed(name), plain, "{name}");
    }
    let ran = omnilink(&[
        "check",
        &folder.path().join("h.msgpack.gz").display().to_string(),
        "--model",
        "counter",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_pipe_of_commands_works() {
    let bytes = std::fs::read(example("counter-lost-update.edn")).unwrap();
    let converted = omnilink_reading(&bytes, &["trace", "convert", "-"]);
    let ran = omnilink_reading(converted.stdout.as_bytes(), &["check", "-", "--model", "counter"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn merging_qualifies_threads_that_two_nodes_number_alike() {
    let node = |value: i64, start: i64| {
        format!(
            "{{\"thread\":0,\"op\":\"write\",\"args\":{{\"value\":{value}}},\"start\":{start},\"end\":{}}}\n",
            start + 10
        )
    };
    let folder = folder(&[("a.ndjson", &node(1, 0)), ("b.ndjson", &node(2, 5))]);
    omnilink_in(folder.path(), &["trace", "merge", "a.ndjson", "b.ndjson"]).refused(&["overlap"]);
    let ran = omnilink_in(
        folder.path(),
        &[
            "trace",
            "merge",
            "a.ndjson",
            "b.ndjson",
            "--qualify",
            "-o",
            "all.ndjson",
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let stats = omnilink_in(folder.path(), &["trace", "stats", "all.ndjson", "--json"]);
    assert_eq!(stats.json()[0]["threads"], 2);
    assert_eq!(stats.json()[0]["overlap_max"], 2);
}

#[test]
fn a_clock_that_was_off_is_put_right() {
    let history = r#"{"thread":"a","op":"write","args":{"value":1},"start":0,"end":10}
{"thread":"b","op":"read","args":{},"ret":1,"start":-90,"end":-80}
"#;
    let folder = folder(&[("h.ndjson", history)]);
    assert_eq!(
        omnilink_in(folder.path(), &["check", "h.ndjson", "--model", "register"]).code,
        1
    );
    let arguments = [
        "trace",
        "retime",
        "h.ndjson",
        "--rule",
        "shift=b:100",
        "-o",
        "right.ndjson",
    ];
    assert_eq!(omnilink_in(folder.path(), &arguments).code, 0);
    assert_eq!(
        omnilink_in(folder.path(), &["check", "right.ndjson", "--model", "register"]).code,
        0
    );
    omnilink_in(
        folder.path(),
        &["trace", "retime", "h.ndjson", "--rule", "stretch=3"],
    )
    .refused(&["shift=THREAD:OFFSET"]);
}

#[test]
fn showing_takes_only_what_is_asked_for() {
    let path = example("queue-taken-twice.ndjson");
    let lines = |more: &[&str]| {
        let ran = omnilink(&[&["trace", "show", path.as_str(), "--list"], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout.lines().count()
    };
    assert_eq!(lines(&[]), 12);
    assert_eq!(lines(&["--op", "dequeue"]), 7);
    assert_eq!(lines(&["--thread", "3"]), 2);
    assert_eq!(lines(&["--from", "600", "--to", "615"]), 2);
    assert_eq!(lines(&["--limit", "5"]), 5);
    let ran = omnilink(&["trace", "show", &path, "--thread", "nobody"]);
    assert!(ran.stderr.contains("no operation matches"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let folder = folder(&[]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args(["trace", "convert", "-", "-o", "out.ndjson"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"omnilink\":1,\"sorted\":true}\n").unwrap();
    for i in 0..50_000 {
        writeln!(
            stdin,
            "{{\"thread\":0,\"op\":\"tick\",\"start\":{i},\"end\":{i}}}"
        )
        .unwrap();
    }
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    while files() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The pipe stays open: the command waits for more.
    // SAFETY: the process is our child and has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(files(), 0);
}

#[test]
fn bad_input_is_refused_by_every_verb() {
    for verb in ["stats", "show", "convert"] {
        omnilink(&["trace", verb, "nowhere.ndjson"]).refused(&["nowhere.ndjson"]);
    }
    omnilink(&["trace", "merge", "nowhere.ndjson"]).refused(&["nowhere.ndjson"]);
    let folder = folder(&[(
        "bad.ndjson",
        "{\"thread\":0,\"op\":\"x\",\"start\":9,\"end\":3}\n",
    )]);
    omnilink_in(
        folder.path(),
        &["trace", "convert", "bad.ndjson", "-o", "out.ndjson"],
    )
    .refused(&["bad.ndjson:1"]);
    assert!(!folder.path().join("out.ndjson").exists());
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no temporary file is left behind"
    );
}
