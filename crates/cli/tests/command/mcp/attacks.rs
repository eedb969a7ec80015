//! Specifications and arguments that try to leave the folders of the server.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use tempfile::TempDir;

use super::super::ran::folder;
use super::client::Client;

const SECRET: &str = "{\"password\":\"hunter2\"}\n";

/// A folder with a folder for the server, and a secret beside it.
fn place() -> TempDir {
    let place = folder(&[("secret.ndjson", SECRET), ("secret.cfg", "CONSTANT N = 42\n")]);
    fs::write(
        place.path().join("Secret.tla"),
        "---- MODULE Secret ----\nPassword == \"hunter2\"\n====\n",
    )
    .unwrap();
    fs::create_dir(place.path().join("in")).unwrap();
    place
}

fn write(place: &TempDir, name: &str, text: &str) {
    fs::write(place.path().join("in").join(name), text).unwrap();
}

/// Whether the server keeps its checks in its folders; the tests need that.
fn client(place: &TempDir, more: &[&str]) -> Option<Client> {
    let is_there = fs::read_to_string("/proc/sys/kernel/osrelease").is_ok();
    if !cfg!(target_os = "linux") || !is_there {
        eprintln!("skipped: this system has no Landlock");
        return None;
    }
    let arguments = [&["in"], more].concat();
    Some(Client::start(place.path(), &arguments))
}

#[test]
fn expressions_read_no_file_outside() {
    let place = place();
    let Some(mut client) = client(&place, &[]) else {
        return;
    };
    write(&place, "inside.ndjson", SECRET);
    symlink(
        place.path().join("secret.ndjson"),
        place.path().join("in/link.ndjson"),
    )
    .unwrap();
    symlink(place.path(), place.path().join("in/up")).unwrap();
    let real = place.path().canonicalize().unwrap();
    let outside = real.join("secret.ndjson").display().to_string();
    for path in [
        outside.as_str(),
        "../secret.ndjson",
        "link.ndjson",
        "up/secret.ndjson",
        "/proc/1/environ",
    ] {
        for operator in ["ndJsonDeserialize", "JsonDeserialize", "IODeserialize"] {
            let arguments = if operator == "IODeserialize" {
                ", FALSE"
            } else {
                ""
            };
            let called = client.call(
                "tla_eval",
                json!({ "expression": format!("{operator}(\"{path}\"{arguments})") }),
            );
            assert!(called.is_error, "{operator} {path}: {called:?}");
            assert!(
                !called.text.contains("hunter2") && !called.data.to_string().contains("hunter2"),
                "{called:?}"
            );
        }
    }
    let inside = client.call(
        "tla_eval",
        json!({ "expression": "ndJsonDeserialize(\"inside.ndjson\")" }),
    );
    assert!(!inside.is_error && inside.text.contains("hunter2"), "{inside:?}");
    let environment = client.call("tla_eval", json!({ "expression": "IOEnv" }));
    assert!(!environment.text.contains("s3cret"), "{environment:?}");
}

#[test]
fn expressions_write_no_file() {
    let place = place();
    let Some(mut client) = client(&place, &[]) else {
        return;
    };
    let real = place.path().canonicalize().unwrap();
    let write = |path: &str| format!("ndJsonSerialize(\"{path}\", <<[a |-> 1]>>)");
    let outside = real.join("written.ndjson");
    for path in [outside.to_str().unwrap(), "../written.ndjson", "written.ndjson"] {
        let called = client.call("tla_eval", json!({ "expression": write(path) }));
        assert!(called.is_error, "{path}: {called:?}");
    }
    assert!(!outside.exists() && !real.join("in/written.ndjson").exists());
    drop(client);
    let mut client = Client::start(place.path(), &["in", "--allow-write"]);
    let called = client.call("tla_eval", json!({ "expression": write("written.ndjson") }));
    assert!(
        !called.is_error && real.join("in/written.ndjson").exists(),
        "{called:?}"
    );
    let called = client.call("tla_eval", json!({ "expression": write("../written.ndjson") }));
    assert!(called.is_error && !outside.exists(), "{called:?}");
}

#[test]
fn no_command_is_run() {
    let place = place();
    let Some(mut client) = client(&place, &[]) else {
        return;
    };
    let run = "IOExec(<<\"touch\", \"ran\">>)";
    let called = client.call("tla_eval", json!({ "expression": run }));
    assert!(called.is_error, "{called:?}");
    let called = client.call("tla_eval", json!({ "expression": run, "allow_exec": true }));
    assert!(
        called.is_error && called.text.contains("--allow-exec"),
        "{called:?}"
    );
    let called = client.call("lineup", json!({}));
    assert!(
        called.is_error && called.text.contains("--allow-exec"),
        "{called:?}"
    );
    assert!(!place.path().join("in/ran").exists());
    drop(client);
    // Where it is allowed, a call still has to ask for it.
    let mut client = Client::start(place.path(), &["in", "--allow-exec"]);
    let called = client.call("tla_eval", json!({ "expression": run }));
    assert!(
        called.is_error && !place.path().join("in/ran").exists(),
        "{called:?}"
    );
    let called = client.call("tla_eval", json!({ "expression": run, "allow_exec": true }));
    assert!(
        !called.is_error && place.path().join("in/ran").exists(),
        "{called:?}"
    );
}

#[test]
fn modules_configurations_and_traces_outside_are_not_read() {
    let place = place();
    let Some(mut client) = client(&place, &[]) else {
        return;
    };
    write(
        &place,
        "Extends.tla",
        "---- MODULE Extends ----\nEXTENDS Secret\nVARIABLE x\nInit == x = Password\nNext == UNCHANGED x\n====\n",
    );
    write(&place, "Extends.cfg", "INIT Init\nNEXT Next\n");
    write(
        &place,
        "Instance.tla",
        "---- MODULE Instance ----\nS == INSTANCE Secret\nP == S!Password\n====\n",
    );
    symlink("../Secret.tla", place.path().join("in/Secret.tla")).unwrap();
    symlink("../secret.cfg", place.path().join("in/linked.cfg")).unwrap();
    fs::create_dir(place.path().join("in/traces")).unwrap();
    symlink("../../secret.ndjson", place.path().join("in/traces/t.ndjson")).unwrap();
    let calls = [
        ("mc", json!({ "spec": "Extends.tla" })),
        ("tla_check", json!({ "files": ["Extends.tla"] })),
        ("tla_eval", json!({ "expression": "P", "file": "Instance.tla" })),
        ("mc", json!({ "spec": "Extends.tla", "library": [".."] })),
        ("mc", json!({ "spec": "Extends.tla", "config": "linked.cfg" })),
        ("mc", json!({ "spec": "Extends.tla", "config": "../secret.cfg" })),
        ("tla_check", json!({ "files": ["Secret.tla"] })),
        ("check", json!({ "traces": ["traces"], "model": "register" })),
        (
            "check",
            json!({ "traces": ["../secret.ndjson"], "model": "register" }),
        ),
        ("explain", json!({ "file": "../secret.ndjson" })),
    ];
    for (tool, arguments) in calls {
        let called = client.call(tool, arguments.clone());
        assert_eq!(called.verdict(), "error", "{tool} {arguments}: {called:?}");
        let told = format!("{} {}", called.text, called.data);
        assert!(
            !told.contains("hunter2") && !told.contains("password"),
            "{tool} {arguments}: {called:?}"
        );
    }
}

#[test]
fn what_belongs_to_a_specification_stays_in_the_folders() {
    let place = place();
    let Some(mut client) = client(&place, &[]) else {
        return;
    };
    // A link file that is found beside the specification, and leads outside.
    write(
        &place,
        "Register.tla",
        "---- MODULE Register ----\nVARIABLE x\nInit == x = 0\nWrite(value) == x' = value\n====\n",
    );
    write(
        &place,
        "t.ndjson",
        "{\"thread\":0,\"op\":\"Write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n",
    );
    fs::write(place.path().join("link.toml"), "hunter2 = [\n").unwrap();
    symlink("../link.toml", place.path().join("in/Register.toml")).unwrap();
    let called = client.call(
        "validate",
        json!({ "spec": "Register.tla", "traces": ["t.ndjson"] }),
    );
    assert!(
        called.verdict() == "error" && !called.text.contains("hunter2"),
        "{called:?}"
    );
    // A specification that reads while it is explored.
    let outside = place.path().canonicalize().unwrap().join("secret.ndjson");
    let spec = format!(
        "---- MODULE Reads ----\nEXTENDS Json\nVARIABLE x\nInit == x = ndJsonDeserialize(\"{}\")\nNext == UNCHANGED x\n====\n",
        outside.display()
    );
    write(&place, "Reads.tla", &spec);
    write(&place, "Reads.cfg", "INIT Init\nNEXT Next\n");
    let called = client.call("mc", json!({ "spec": "Reads.tla" }));
    assert!(
        called.verdict() == "error" && !called.text.contains("hunter2"),
        "{called:?}"
    );
}
