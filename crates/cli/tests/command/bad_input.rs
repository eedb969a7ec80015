//! Bad input is normal input: exit code 2, and a message that says where, what, and what to do.

use super::ran::{check, example, folder, omnilink, omnilink_in};

const WRITE: &str = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":5}"#;

#[test]
fn a_file_that_does_not_exist() {
    omnilink(&["check", "no/such/file.ndjson", "--model", "register"]).refused(&[
        "no/such/file.ndjson",
        "No such file",
        "directory of one file per thread",
    ]);
    // It is told before the model that is missing, too.
    omnilink(&["check", "no/such/file.ndjson"]).refused(&["no/such/file.ndjson", "No such file"]);
}

#[test]
fn an_empty_file() {
    check("register", "empty.ndjson", "").refused(&["empty.ndjson", "nothing in it"]);
}

#[test]
fn a_directory_without_traces() {
    let folder = folder(&[("notes.md", "nothing here")]);
    let path = folder.path().display().to_string();
    omnilink(&["check", &path, "--model", "register"]).refused(&[&path, "without trace files"]);
}

#[test]
fn a_file_that_may_not_be_read() {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder(&[("secret.ndjson", WRITE)]);
        let path = folder.path().join("secret.ndjson");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
        // Root may read everything.
        if std::fs::read(&path).is_err() {
            omnilink_in(folder.path(), &["check", "secret.ndjson", "--model", "register"])
                .refused(&["secret.ndjson", "make it readable"]);
        }
    }
}

#[test]
fn binary_garbage() {
    let garbage: String = (0..2_000_u32)
        .map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8))
        .collect();
    check("register", "garbage.bin", &garbage).refused(&["garbage.bin", "--format"]);
}

#[test]
fn a_line_that_is_no_record() {
    let history = format!("{WRITE}\nthis is no record\n{}", WRITE.replace(":0,", ":7,"));
    check("register", "h.ndjson", &history).refused(&["h.ndjson:2"]);
}

#[test]
fn a_file_that_was_cut_off_is_read_up_to_the_cut_and_says_so() {
    let history = format!("{WRITE}\n{{\"thread\":1,\"op\":\"read\",\"ar");
    let ran = check("register", "cut.ndjson", &history);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("note: cut.ndjson:2: cut off here"), "{ran:?}");
    assert!(ran.stdout.contains("1 operation of 1 thread"), "{ran:?}");
}

#[test]
fn a_model_that_does_not_exist_with_the_nearest_that_does() {
    let path = example("register-valid.ndjson");
    omnilink(&["check", &path, "--model", "regsiter"]).refused(&[
        "no model \"regsiter\"",
        "did you mean \"register\"",
        "--list-models",
    ]);
}

#[test]
fn an_option_that_the_model_does_not_take() {
    let path = example("register-valid.ndjson");
    omnilink(&["check", &path, "--model", "register:inital=3"])
        .refused(&["inital", "did you mean \"initial\""]);
    omnilink(&["check", &path, "--model", "queue:capacity=many"]).refused(&["capacity=many"]);
}

#[test]
fn the_wrong_model_for_the_history() {
    let path = example("register-valid.ndjson");
    omnilink(&["check", &path, "--model", "queue"]).refused(&[
        "register-valid.ndjson:1",
        "the model queue has no operation \"write\"",
        "--list-models",
    ]);
}

#[test]
fn an_unknown_operation_with_the_nearest_that_there_is() {
    let history = WRITE.replace("\"write\"", "\"wrte\"");
    check("register", "h.ndjson", &history).refused(&["h.ndjson:1", "wrte", "did you mean \"write\""]);
}

#[test]
fn arguments_of_the_wrong_type() {
    check("register", "h.ndjson", &WRITE.replace("{\"value\":1}", "{}")).refused(&[
        "h.ndjson:1",
        "write",
        "value",
    ]);
    check(
        "counter",
        "h.ndjson",
        r#"{"thread":0,"op":"add","args":{"value":"three"},"start":0,"end":5}"#,
    )
    .refused(&["h.ndjson:1", "add", "three"]);
}

#[test]
fn times_that_are_no_times() {
    check(
        "register",
        "h.ndjson",
        &WRITE.replace("\"start\":0", "\"start\":1.5"),
    )
    .refused(&["h.ndjson:1", "expected a 64-bit integer"]);
    check(
        "register",
        "h.ndjson",
        &WRITE.replace("\"start\":0", "\"start\":\"noon\""),
    )
    .refused(&["start", "noon"]);
    check("register", "h.ndjson", &WRITE.replace("\"start\":0,", "")).refused(&[
        "h.ndjson:1",
        "start",
        "missing",
    ]);
}

#[test]
fn a_clock_that_ran_backwards() {
    let history = WRITE.replace("\"end\":5", "\"end\":-5");
    check("register", "h.ndjson", &history).refused(&["h.ndjson:1", "before it starts", "check the clock"]);
}

#[test]
fn overlapping_operations_of_one_thread_unless_they_may() {
    let history = format!(
        "{WRITE}\n{}",
        WRITE.replace("\"start\":0,\"end\":5", "\"start\":3,\"end\":9")
    );
    check("register", "h.ndjson", &history).refused(&["h.ndjson:2", "thread 0", "h.ndjson:1", "--async"]);
    let folder = folder(&[("h.ndjson", &history)]);
    let ran = omnilink_in(
        folder.path(),
        &["check", "h.ndjson", "--model", "register", "--async"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn times_beyond_64_bits() {
    let huge = "123456789012345678901234567890";
    check(
        "register",
        "h.ndjson",
        &WRITE.replace("\"end\":5", &format!("\"end\":{huge}")),
    )
    .refused(&["h.ndjson:1"]);
    // A value may be any number.
    let history = WRITE.replace("\"value\":1", &format!("\"value\":{huge}"));
    assert_eq!(check("register", "h.ndjson", &history).code, 0);
}

#[test]
fn the_largest_times_there_are() {
    let from_to = |start: i64, end: i64| format!("\"start\":{start},\"end\":{end}");
    let write = WRITE.replace("\"start\":0,\"end\":5", &from_to(i64::MIN, i64::MAX - 1));
    let read = r#"{"thread":1,"op":"read","args":{},"ret":7,"start":0,"end":1}"#
        .replace("\"start\":0,\"end\":1", &from_to(i64::MAX - 2, i64::MAX - 1));
    let ran = check("register", "h.ndjson", &format!("{write}\n{read}"));
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn the_end_of_time_is_no_return() {
    let history = WRITE.replace("\"end\":5", &format!("\"end\":{}", i64::MAX));
    check("register", "h.ndjson", &history).refused(&["h.ndjson:1", "leave it out"]);
}

#[test]
fn a_return_without_a_call() {
    check(
        "register",
        "h.edn",
        "{:process 0 :type :ok :f :read :value 3 :time 1}\n",
    )
    .refused(&["h.edn", "no open call"]);
}

#[test]
fn truncated_messagepack_is_read_up_to_the_cut() {
    let second = WRITE.replace("\"start\":0,\"end\":5", "\"start\":7,\"end\":9");
    let folder = folder(&[("h.ndjson", &format!("{WRITE}\n{second}"))]);
    let converted = omnilink_in(
        folder.path(),
        &["trace", "convert", "h.ndjson", "-o", "h.msgpack"],
    );
    assert_eq!(converted.code, 0, "{converted:?}");
    let bytes = std::fs::read(folder.path().join("h.msgpack")).unwrap();
    std::fs::write(folder.path().join("cut.msgpack"), &bytes[..bytes.len() - 3]).unwrap();
    let ran = omnilink_in(folder.path(), &["check", "cut.msgpack", "--model", "register"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("note: cut.msgpack: byte") && ran.stdout.contains("1 operation"),
        "{ran:?}"
    );
}

#[test]
fn arguments_that_make_no_sense() {
    let path = example("register-valid.ndjson");
    let with = |more: &[&str]| omnilink(&[&["check", path.as_str(), "--model", "register"], more].concat());
    with(&["--time-limit", "soon"]).refused(&["10s"]);
    with(&["--memory-limit", "much"]).refused(&["2GB"]);
    with(&["--format", "yaml"]).refused(&["unknown format \"yaml\"", "jepsen-edn"]);
    with(&["--jobs", "0"]).refused(&["--jobs"]);
    with(&["--async", "--consistency", "sequential"]).refused(&["drop one of the two"]);
    with(&[&path, "--witness", "w.ndjson"]).refused(&["--witness", "one trace"]);
    omnilink(&["check", "-", "-", "--model", "register"]).refused(&["standard input"]);
    omnilink(&["check", &path]).refused(&["--model"]);
    omnilink(&["chekc"]).refused(&["'check'"]);
}

#[test]
fn a_place_that_cannot_be_written() {
    let path = example("register-valid.ndjson");
    omnilink(&[
        "check",
        &path,
        "--model",
        "register",
        "--evidence",
        "/no/such/folder/e.json",
    ])
    .refused(&["/no/such/folder/e.json", "folder"]);
    omnilink(&[
        "check",
        &path,
        "--model",
        "register",
        "--witness",
        "/no/such/folder/w.ndjson",
    ])
    .refused(&["/no/such/folder/w.ndjson"]);
}

#[test]
fn a_trace_cannot_send_control_characters_to_the_terminal() {
    let history = WRITE.replace("\"write\"", "\"\\u001b[2Jwrite\"");
    let ran = check("register", "h.ndjson", &history);
    ran.refused(&["h.ndjson:1"]);
    assert!(
        !ran.stderr.contains('\u{1b}') && !ran.stdout.contains('\u{1b}'),
        "{ran:?}"
    );
}
