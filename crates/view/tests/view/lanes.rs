//! What is drawn beside the operations.

use omnilink_evidence::Evidence;
use omnilink_view::{Fault, Story};
use serde_json::{Value, json};

use crate::browser::{Browser, assert_says};
use crate::samples::{example, log, map, page};

/// The texts that the timeline draws.
const DRAWN: &str = "(() => { const texts = []; const original = CanvasRenderingContext2D.prototype.fillText; \
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { texts.push(text); return original.call(this, text, ...rest); }; \
        omnilink.app.timelinePanel.draw(); CanvasRenderingContext2D.prototype.fillText = original; return texts.join('|'); })()";

#[test]
fn faults_are_bands_on_the_same_axis() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let fault = |start, end, text: &str| Fault {
        start,
        end: Some(end),
        text: text.to_owned(),
    };
    let faults = [fault(15, 65, "partition"), fault(90, 90, "leader elected")];
    let stories = Story::of_evidence(&map()).into_iter();
    let page = page(
        "faults",
        stories.map(|story| story.with_faults(&faults)).collect(),
    );
    browser.open(&page, "");
    let drawn = browser.eval(DRAWN);
    assert_says(
        drawn.as_str().expect("texts"),
        &["partition", "leader elected", "insert(6, 3)"],
    );
    browser.screenshot("faults");
    browser.assert_no_complaints();
}

#[test]
fn a_log_has_nodes_and_lines() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("log", Story::of_evidence(&log())), "");
    let text = browser.text();
    assert_says(
        &text,
        &[
            "no behaviour explains Write(\"alpha\", 6)",
            "node alpha",
            "6 lines",
            "3 nodes",
            "whole log",
            "colour by event",
            "OTHER EXPLANATIONS END ELSEWHERE",
            "after 3 lines, before lease.ndjson:4 (1 state)",
            "WHAT MAY BE WRONG",
            "if lease.ndjson:5 were missing",
        ],
    );
    for word in ["thread", "operation", "took 0"] {
        assert!(!text.contains(word), "{word:?} in: {text}");
    }
    // Lines have no length: their boxes have, so that they can be read.
    assert_says(
        browser.eval(DRAWN).as_str().expect("texts"),
        &[
            "in the order of the log",
            "Expire",
            "✗ Write(\"alpha\", 6)",
            "! Expire",
        ],
    );
    // The line that may be wrong says so, too.
    assert_says(&text, &["! may be wrong"]);
    browser.eval("omnilink.app.selectId(5)");
    assert_says(
        &browser.text(),
        &[
            "may be wrong",
            "2 more lines would be explained if lease.ndjson:6 came before",
        ],
    );
    browser.press("/");
    browser.call("Input.insertText", json!({"text": "node:clock"}));
    browser.wait_for("document.querySelector('.count').textContent === '2 found'");
    browser.screenshot("log");
    browser.assert_no_complaints();
}

/// Two replicas: `b` reads what `a` wrote, and what happens before it is more than what it sees.
fn replicas() -> Evidence {
    let mut json: Value =
        serde_json::from_str(&example("omnilink check replicas.jsonl --spec Store.tla").to_json())
            .expect("JSON");
    json["happens_before"] = json!([[0, 3], [1, 5]]);
    Evidence::from_json(&json.to_string()).expect("it is evidence")
}

#[test]
fn visibility_and_happens_before_are_arrows_of_two_kinds() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = page("visibility", Story::of_evidence(&replicas()));
    browser.open(&page, "");
    assert_says(&browser.text(), &["→ is seen by", "⇢ happens before"]);
    // Dashed lines are happens-before; each arrow has a head.
    let strokes = "(() => { const found = { dashed: 0, plain: 0 }; const original = CanvasRenderingContext2D.prototype.bezierCurveTo; \
        const line = CanvasRenderingContext2D.prototype.lineTo; \
        CanvasRenderingContext2D.prototype.bezierCurveTo = function (...rest) { found.plain++; return original.call(this, ...rest); }; \
        CanvasRenderingContext2D.prototype.lineTo = function (...rest) { if (this.getLineDash().length) found.dashed++; return line.call(this, ...rest); }; \
        omnilink.app.timelinePanel.draw(); CanvasRenderingContext2D.prototype.bezierCurveTo = original; \
        CanvasRenderingContext2D.prototype.lineTo = line; return found; })()";
    assert_eq!(browser.eval(strokes), json!({"dashed": 2, "plain": 4}));
    browser.screenshot("visibility");
    browser.press("a");
    assert_eq!(browser.eval(strokes), json!({"dashed": 0, "plain": 4}));
    browser.press("a");
    assert_eq!(browser.eval(strokes), json!({"dashed": 2, "plain": 0}));
    browser.wait_for("location.hash.includes('arrows=before')");
    let address = browser.eval("location.hash");
    browser.open(&page, address.as_str().expect("an address"));
    assert_eq!(browser.eval(strokes), json!({"dashed": 2, "plain": 0}));
    assert_eq!(
        browser.eval("document.querySelector('select[aria-label=Arrows]').value"),
        "before"
    );
    browser.assert_no_complaints();
}

#[test]
fn the_order_of_the_chosen_explanation_is_a_line() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("order", Story::of_evidence(&map())), "");
    assert_says(&browser.text(), &["◆ takes effect in A, — in this order"]);
    let order =
        "[...omnilink.app.points().keys()].map((row) => omnilink.app.facts.timeline.columns.id[row]).join()";
    let first = browser.eval(order);
    assert_eq!(first, "0,1,2,3");
    browser.eval("omnilink.app.change({ path: 1 })");
    assert_says(&browser.text(), &["◆ takes effect in B, — in this order"]);
    assert_ne!(browser.eval(order), first);
    browser.screenshot("order");
    browser.assert_no_complaints();
}
