//! Evidence of every command, as its page opens.

use omnilink_view::Story;

use crate::browser::{Browser, assert_says};
use crate::samples::{example, page};

#[test]
fn a_violation_shows_what_and_why() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let evidence = example("register-stale-read.ndjson --model register --minimize");
    let page = page("stale-read", Story::of_evidence(&evidence));
    browser.open(&page, "");
    let text = browser.text();
    assert_says(
        &text,
        &[
            "✗ violation",
            "no order explains read() = 1",
            "thread b",
            "cannot be explained",
        ],
    );
    assert_says(
        &text,
        &[
            "read 1, but the register holds 2",
            "4 operations placed",
            "OVERLAPS 2 OPERATIONS",
        ],
    );
    browser.screenshot("stale-read");
    // The shrunk history is the second story.
    browser.eval("omnilink.app.goToStory(1)");
    assert_says(
        &browser.text(),
        &["shrunk to 2 operations", "read 2, but the register holds 1"],
    );
    browser.screenshot("stale-read-shrunk");
    browser.assert_no_complaints();
}

#[test]
fn evidence_of_every_command_opens() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "omnilink mc Locks.tla --json",
            "mc",
            &[
                "OneBeliever is violated",
                "initial state",
                "State 4 of 4",
                "c = d",
            ],
        ),
        (
            "omnilink mc Door.tla --json",
            "lasso",
            &[
                "repeats for ever",
                "WHY IT IS A VIOLATION",
                "in no state of the cycle",
                "FAIRNESS",
            ],
        ),
        (
            "omnilink lineup --bin lazy --json",
            "lineup",
            &[
                "not linearizable",
                "no serial run gives these results|Why not|WHY NOT",
            ],
        ),
        (
            "omnilink lineup paper --bin bag --json",
            "nondeterminism",
            &["serial runs differ in take()", "Some(2)", "Some(1)"],
        ),
        (
            "A weak level that does not hold",
            "weak",
            &["WHAT IT COULD SEE", "store[key]", "Longest order"],
        ),
        (
            "transactions.jsonl --consistency serializable --json`\n\n```json\n{\"evidence\":1,\"command\":\"check\",\"subject\":\"transactions\",\"input\":\"transactions.jsonl\",\"id\":\"write skew\"",
            "cycle",
            &[
                "in a cycle",
                "t1 read \"y\" = nil, which t2 overwrote",
                "write(\"x\", 1)",
                "write-skew",
            ],
        ),
        (
            "register-stale-read.ndjson --model register --config-limit 1",
            "limit",
            &["? unknown", "configurations"],
        ),
        (
            "nowhere.ndjson --model register",
            "error",
            &["! error", "nowhere.ndjson"],
        ),
        (
            "register-valid.ndjson --model register --json",
            "valid",
            &["✓ valid", "every operation is explained"],
        ),
    ];
    for (command, name, expected) in cases {
        let page = page(name, Story::of_evidence(&example(command)));
        browser.open(&page, "");
        let text = browser.text();
        for one in expected {
            assert!(
                one.split('|').any(|one| text.contains(one)),
                "{name}: {one:?} is missing in: {text}"
            );
        }
        browser.screenshot(name);
    }
    browser.open(
        &page(
            "lineup",
            Story::of_evidence(&example("omnilink lineup --bin lazy --json")),
        ),
        "",
    );
    browser.click("[role=tab]", "Interleaving", "left");
    assert_says(
        &browser.text(),
        &[
            "thread 1 is interrupted, thread 0 goes on",
            "lazy.rs:19",
            "◂ get() = 2",
        ],
    );
    browser.screenshot("lineup-interleaving");
    browser.assert_no_complaints();
}
