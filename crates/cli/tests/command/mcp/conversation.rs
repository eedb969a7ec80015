//! What a client asks for, and what it gets.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::ran::{folder, omnilink};
use super::client::{Client, wait_until};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A specification with more states than can be explored.
const ENDLESS: &str =
    "---- MODULE Endless ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n====\n";

#[test]
fn tools_and_pages_are_listed() {
    let mut client = Client::start(&repository(), &[]);
    let tools = client.ask("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "check",
            "validate",
            "mc",
            "tla_check",
            "tla_eval",
            "lineup",
            "explain"
        ]
    );
    let resources = client.ask("resources/list", json!({}));
    let all = resources["result"]["resources"].as_array().unwrap();
    assert!(
        all.iter().any(|one| one["uri"] == "omnilink://docs/check"),
        "{resources}"
    );
    let page = client.ask("resources/read", json!({ "uri": "omnilink://docs/check" }));
    let text = page["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("# "), "{text}");
    let absent = client.ask("resources/read", json!({ "uri": "file:///etc/passwd" }));
    assert!(
        absent["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("no resource")),
        "{absent}"
    );
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_violation_is_an_answer_with_its_reasons() {
    let mut client = Client::start(&repository(), &[]);
    let called = client.call(
        "check",
        json!({ "traces": ["examples/queue-taken-twice.ndjson"], "model": "queue" }),
    );
    assert!(!called.is_error && called.verdict() == "violation", "{called:?}");
    assert!(
        called.text.contains("No order of the operations"),
        "{}",
        called.text
    );
    let evidence = &called.data["results"][0]["evidence"];
    assert_eq!(evidence["verdict"], "violation", "{}", called.data);
    assert!(
        called.data["command"]
            .as_str()
            .is_some_and(|line| line.starts_with("omnilink check ")),
        "{}",
        called.data
    );
    let explained = client.call("explain", json!({ "evidence": evidence }));
    assert!(
        explained.text.contains("queue-taken-twice.ndjson"),
        "{explained:?}"
    );
    assert_eq!(explained.verdict(), "violation", "{explained:?}");
    let markdown = client.call("explain", json!({ "evidence": evidence, "markdown": true }));
    assert!(
        markdown.text.contains('|') || markdown.text.contains('#'),
        "{markdown:?}"
    );
}

#[test]
fn every_tool_gives_the_verdict_of_its_command() {
    let mut client = Client::start(&repository(), &[]);
    let history = "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n\
                   {\"thread\":1,\"op\":\"read\",\"ret\":1,\"start\":2,\"end\":3}\n";
    let map = json!({
        "spec": "examples/validate/map/Map.tla", "traces": ["examples/validate/map/ok.ndjson"],
        "collect": { "Keys": ["key", "lo", "hi"] }, "constants": { "NoValue": "0" },
    });
    let log = json!({
        "spec": "examples/logs/two-phase/TwoPhase.tla", "traces": ["examples/logs/two-phase/counts-resent-messages"],
        "constants": { "RM": "{\"rm-0\",\"rm-1\",\"rm-2\"}" },
    });
    let calls = [
        (
            "check",
            json!({ "history": history, "model": "register" }),
            "valid",
        ),
        (
            "check",
            json!({ "traces": ["examples/register-stale-read.ndjson"], "model": "register", "minimize": true }),
            "violation",
        ),
        (
            "check",
            json!({ "traces": ["examples/register-stale-read.ndjson"], "model": "register", "consistency": "read-my-writes" }),
            "valid",
        ),
        ("validate", map, "valid"),
        ("validate", log, "violation"),
        ("mc", json!({ "spec": "examples/mc/Locks.tla" }), "violation"),
        (
            "mc",
            json!({ "spec": "examples/mc/Door.tla", "config": "examples/mc/DoorStrong.cfg" }),
            "valid",
        ),
        (
            "tla_check",
            json!({ "files": ["examples/tla/Fifo.tla"], "config": "examples/tla/Fifo.cfg" }),
            "valid",
        ),
        (
            "tla_eval",
            json!({ "expression": "{x * x : x \\in 1..3}" }),
            "valid",
        ),
    ];
    for (tool, arguments, verdict) in calls {
        let called = client.call(tool, arguments.clone());
        assert!(
            !called.is_error && called.verdict() == verdict,
            "{tool} {arguments}: {called:?}"
        );
        assert_eq!(
            called.data["results"][0]["verdict"], verdict,
            "{tool} {arguments}: {called:?}"
        );
        assert!(!called.text.contains("omnilink-call-"), "{called:?}");
    }
    let value = client.call("tla_eval", json!({ "expression": "{x * x : x \\in 1..3}" }));
    assert_eq!(value.text.trim(), "{1, 4, 9}");
}

#[test]
fn what_is_wrong_is_told_in_the_words_of_the_command() {
    let folder = folder(&[
        ("Bad.tla", "---- MODULE Bad ----\nx == y +\n====\n"),
        ("t.ndjson", "{\"nonsense\":1}\n"),
    ]);
    let mut client = Client::start(folder.path(), &[]);
    let spec = client.call("tla_check", json!({ "files": ["Bad.tla"] }));
    assert!(
        !spec.is_error && spec.verdict() == "error" && spec.text.contains("Bad.tla"),
        "{spec:?}"
    );
    let trace = client.call("check", json!({ "traces": ["t.ndjson"], "model": "queue" }));
    assert!(trace.is_error && trace.text.contains("t.ndjson"), "{trace:?}");
    let model = client.call("check", json!({ "traces": ["t.ndjson"], "model": "queueue" }));
    assert!(model.is_error && model.text.contains("queueue"), "{model:?}");
    let value = client.call("tla_eval", json!({ "expression": "1 + TRUE" }));
    assert!(value.is_error && !value.text.is_empty(), "{value:?}");
    let evidence = client.call("explain", json!({ "file": "t.ndjson" }));
    assert!(
        evidence.is_error && evidence.text.contains("t.ndjson"),
        "{evidence:?}"
    );
    let tool = client.ask("tools/call", json!({ "name": "delete", "arguments": {} }));
    assert!(
        tool["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("no tool")),
        "{tool}"
    );
    let arguments = client.call("mc", json!({ "spec": 7 }));
    assert!(
        arguments.is_error && arguments.text.contains("invalid type"),
        "{arguments:?}"
    );
}

#[test]
fn limits_end_a_call_and_the_server_goes_on() {
    let folder = folder(&[
        ("Endless.tla", ENDLESS),
        ("Endless.cfg", "INIT Init\nNEXT Next\n"),
    ]);
    let mut client = Client::start(folder.path(), &["--time-limit", "2s", "--memory-limit", "400MB"]);
    // The server's most counts, not what the call asks for.
    let called = client.call(
        "mc",
        json!({ "spec": "Endless.tla", "limits": { "seconds": 1e6 } }),
    );
    assert!(!called.is_error && called.verdict() == "unknown", "{called:?}");
    let called = client.call(
        "tla_eval",
        json!({ "expression": "Cardinality(SUBSET (1..60))", "limits": { "seconds": 0.5 } }),
    );
    assert!(
        matches!(called.verdict(), "unknown" | "valid" | "error"),
        "{called:?}"
    );
    let called = client.call("tla_eval", json!({ "expression": "1 + 1" }));
    assert_eq!(called.text.trim(), "2");
}

#[test]
fn a_call_that_takes_long_tells_so_and_can_be_cancelled() {
    let folder = folder(&[
        ("Endless.tla", ENDLESS),
        ("Endless.cfg", "INIT Init\nNEXT Next\n"),
    ]);
    let mut client = Client::start(folder.path(), &[]);
    let arguments =
        json!({ "name": "mc", "arguments": { "spec": "Endless.tla" }, "_meta": { "progressToken": "p" } });
    let number = client.send("tools/call", arguments);
    let progress: Value = client.message();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p", "{progress}");
    assert_eq!(client.processes().len(), 1);
    client.tell(
        "notifications/cancelled",
        json!({ "requestId": number, "reason": "never mind" }),
    );
    wait_until("the check still runs", || client.processes().is_empty());
    let value = client.call("tla_eval", json!({ "expression": "2 + 2" }));
    assert_eq!(value.text.trim(), "4");
}

#[test]
fn a_client_that_leaves_takes_its_checks_with_it() {
    let folder = folder(&[
        ("Endless.tla", ENDLESS),
        ("Endless.cfg", "INIT Init\nNEXT Next\n"),
    ]);
    for is_killed in [false, true] {
        let temporary = tempfile::tempdir().unwrap();
        let mut client = Client::start_in(folder.path(), &[], temporary.path());
        client.send(
            "tools/call",
            json!({ "name": "mc", "arguments": { "spec": "Endless.tla" } }),
        );
        wait_until("the check does not start", || !client.processes().is_empty());
        let check = client.processes()[0];
        if is_killed {
            client.server.kill().unwrap()
        } else {
            assert_eq!(client.leave(), 0)
        }
        // A process that is killed leaves the folder of its temporary files, which the next one removes. That of the call is in it.
        let left = || {
            let all = std::fs::read_dir(temporary.path()).unwrap().flatten();
            let of_processes = all.flat_map(|folder| std::fs::read_dir(folder.path()));
            of_processes.flatten().count()
        };
        wait_until("the folder of the call stays", || left() == 0);
        let stat = format!("/proc/{check}/stat");
        let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        wait_until("the check still runs", || !runs());
    }
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let long = format!(
        "Cardinality({{{}}})",
        (0..60_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",")
    );
    let ask = |client: &mut Client, expression: &str| {
        client.send(
            "tools/call",
            json!({ "name": "tla_eval", "arguments": { "expression": expression } }),
        )
    };
    let calls = [ask(&mut client, "1 + 1"), ask(&mut client, &long)];
    client.end_input();
    for (call, value) in calls.into_iter().zip(["2", "60000"]) {
        let (answer, _) = client.answer(call);
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        assert!(text.starts_with(value), "{answer}");
    }
    assert_eq!(client.leave(), 0);
}

#[test]
fn nonsense_does_not_end_the_server() {
    let mut client = Client::start(&repository(), &[]);
    for line in [
        "",
        "hello",
        "{}",
        "[]",
        "{\"jsonrpc\":\"2.0\"",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\"}",
    ] {
        client.write(line);
    }
    let value = client.call("tla_eval", json!({ "expression": "3 + 3" }));
    assert_eq!(value.text.trim(), "6");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_server_without_a_folder_does_not_start() {
    omnilink(&["mcp", "/no/such/folder"]).refused(&["/no/such/folder", "give a folder"]);
}
