//! Spans of tracing systems: checked, validated, as logs, and as trace events both ways.

use super::ran::{example, folder, omnilink, omnilink_in};

fn traced(file: &str) -> String {
    example(&format!("opentelemetry/{file}"))
}

#[test]
fn the_spans_of_a_store_are_checked() {
    for (file, code) in [("valid.jsonl", 0), ("stale-read.jsonl", 1)] {
        let checked = omnilink(&["check", &traced(file), "--model", "kv", "--spans", "kind=client"]);
        assert_eq!(checked.code, code, "{checked:?}");
        // The link file says which spans are operations.
        let validated = omnilink(&["validate", &traced("Store.tla"), &traced(file)]);
        assert_eq!(validated.code, code, "{validated:?}");
        let log = omnilink(&["validate", &traced("Store.tla"), &traced(file), "--log"]);
        assert_eq!(log.code, code, "{log:?}");
    }
}

#[test]
fn what_is_not_said_about_spans_is_asked_for() {
    let file = traced("valid.jsonl");
    omnilink(&["check", &file, "--model", "kv"]).refused(&["5 client, 5 server", "--spans kind=client"]);
    omnilink(&["check", &file, "--model", "kv", "--spans", "colour=red"])
        .refused(&["is no rule about spans"]);
    let log = [
        "validate",
        &traced("Store.tla"),
        &file,
        "--log",
        "--spans",
        "kind=server",
    ];
    omnilink(&log).refused(&["thread \"store-1\" starts"]);
}

#[test]
fn trace_events_go_both_ways() {
    let folder = folder(&[]);
    let file = traced("stale-read.jsonl");
    let convert = [
        "trace",
        "convert",
        &file,
        "--spans",
        "kind=client",
        "--to",
        "chrome",
        "-o",
        "events.json.gz",
    ];
    let converted = omnilink_in(folder.path(), &convert);
    assert_eq!(converted.code, 0, "{converted:?}");
    let checked = omnilink_in(folder.path(), &["check", "events.json.gz", "--model", "kv"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    let both = ["events.json.gz", &file].map(|file| {
        let spans = [
            "trace",
            "convert",
            file,
            "--spans",
            "kind=client",
            "--spans",
            "kind=operation",
        ];
        omnilink_in(folder.path(), &spans).stdout
    });
    let operations = |text: &String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(operations(&both[0]), operations(&both[1]));
}
