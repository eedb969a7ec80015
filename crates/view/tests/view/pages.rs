use std::path::PathBuf;

use omnilink_evidence::Evidence;
use omnilink_view::{Scene, Story, html};

use crate::browser::{Browser, artefacts};

/// The page of the examples of `docs/evidence.md` whose command contains a text.
fn example(command: &str, name: &str) -> PathBuf {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence.md"))
        .expect("the page");
    let at = docs.find(command).expect("the example is there");
    let json = docs[at..]
        .split("```json\n")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("it has JSON");
    let evidence = Evidence::from_json(json).expect("it is evidence");
    write(name, Story::of_evidence(&evidence))
}

fn write(name: &str, stories: Vec<Story>) -> PathBuf {
    let scene = Scene {
        title: name.to_owned(),
        stories,
        ..Scene::default()
    };
    let path = artefacts().join(format!("{name}.html"));
    std::fs::write(&path, html(&scene)).expect("it can be written");
    path
}

#[test]
fn a_violation_shows_what_and_why() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = example(
        "register-stale-read.ndjson --model register --minimize",
        "stale-read",
    );
    browser.open(&page, "");
    let text = browser.text();
    for expected in [
        "✗ violation",
        "no order explains read() = 1",
        "thread b",
        "cannot be explained",
        "read 1, but the register holds 2",
        "all agree|before that",
    ] {
        assert!(
            expected.split('|').any(|one| text.contains(one)),
            "{expected}: {text}"
        );
    }
    browser.screenshot("stale-read");
    browser.scheme("dark");
    browser.screenshot("stale-read-dark");
    browser.scheme("light");
    browser.size(390, 844);
    browser.screenshot("stale-read-phone");
    browser.size(1440, 900);
    browser.assert_no_complaints();
}

#[test]
fn evidence_of_every_command_opens() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    for (command, name, expected) in [
        ("omnilink mc Locks.tla --json", "mc", "OneBeliever"),
        ("omnilink lineup --bin lazy --json", "lineup", "interrupted"),
        (
            "replicas.jsonl --spec Store.tla --consistency weak --json",
            "weak",
            "seeing",
        ),
        (
            "omnilink lineup paper --bin bag --json",
            "nondeterminism",
            "take()",
        ),
    ] {
        let page = example(command, name);
        browser.open(&page, "");
        let text = browser.text();
        assert!(text.contains(expected), "{name}: {text}");
        browser.screenshot(name);
    }
    browser.assert_no_complaints();
}
